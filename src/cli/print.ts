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
  process.stdout.write(`${JSON.stringify(document, null, 2).replace(UNSEEN, escaped)}\n`);
}

/** JSON lets them stand as they are, and a terminal would obey them; written as escapes they say the same. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}]/gu;

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

export function shown(text: string): string {
  return text.replace(UNSEEN, '\u{fffd}');
}
