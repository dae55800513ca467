// The name with which a person signs a decision, and whether two of them are one person's: case, accents, spaces and punctuation make no
// second pair of eyes.

/** Longer names are texts that somebody pasted. */
const LENGTH_MOST = 100;

/** The name as it is kept: one line that can be printed anywhere. Null for what is no name. */
export function readPersonName(text: string): string | null {
  const name = oneLine(text, LENGTH_MOST);
  return name === null || folded(name) === '' ? null : name;
}

/** Text that a person wrote as one line of printable characters; null when it is empty, too long, or holds others. */
export function oneLine(text: string, lengthMost: number): string | null {
  const line = text.normalize('NFC').trim().replace(/\s+/gu, ' ');
  // Control and format characters could end a line of a log, or turn the text round that follows.
  return line === '' || line.length > lengthMost || /\p{C}/u.test(line) ? null : line;
}

export function isSamePerson(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

function folded(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
