// How an error that should never be thrown is reported, with the place that it comes from.

export function errorWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${error.stack?.split('\n')[1]?.trim() ?? ''}`;
}
