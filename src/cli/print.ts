// The one place where the command line writes for people. A name or a cell that somebody else chose must not move the cursor or turn the line round.

/** One or more lines on stdout. */
export function print(text: string): void {
  process.stdout.write(`${shown(text)}\n`);
}

/** The same on stderr, where progress and warnings go. */
export function note(text: string): void {
  process.stderr.write(`${shown(text)}\n`);
}

/** What went wrong, on stderr. */
export function complain(text: string): void {
  note(`paydrop: ${text}`);
}

/** Prints one JSON document, and nothing else, to stdout. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

function shown(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '\u{fffd}');
}
