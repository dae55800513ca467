// What a test has opened is closed when it ends, the last first. A worker keeps its modules from one file of tests to the next, so a shared
// module cannot ask for that itself: whatever it asked for would end with the file that was the first to import it.
const open: (() => unknown)[] = [];

/** To be undone at the end of the test. */
export function atEnd(close: () => unknown): void {
  open.push(close);
}

export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}
