// Everything that a test opens is closed at its end, the last first. A worker keeps its modules from one test file to the next, so a shared
// module cannot register that itself: its call would belong to the first file that imported it.
const open: (() => unknown)[] = [];

/** To be undone at the end of the test. */
export function atEnd(close: () => unknown): void {
  open.push(close);
}

export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}
