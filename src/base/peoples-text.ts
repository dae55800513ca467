// The text of a file that a person typed: a config, a profile, a control file. UTF-8 and what says that it is UTF-16 are read; of anything else a letter
// would be lost without a word, and go out in a name.

/** Where the first letter stands that cannot be read, and its line with `?` in its place. */
type LostLetter = { readonly line: number; readonly shown: string };

/** The text without its byte order mark, or where a letter of it is lost. */
export function decodeText(bytes: Uint8Array): string | LostLetter {
  const text = decodeAs(encodingOf(bytes), bytes);
  if (text === null) return lostIn(new TextDecoder().decode(bytes));
  // A program that lost the letter before has saved this sign instead of it.
  return text.includes(LOST) ? lostIn(text) : text;
}

const LOST = '\ufffd';

function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Without a mark: no text that people type begins with a NUL, or has one behind its first letter.
  if (bytes.length % 2 === 0 && first !== 0 && second === 0) return 'utf-16le';
  return bytes.length % 2 === 0 && first === 0 && second !== undefined && second !== 0 ? 'utf-16be' : 'utf-8';
}

function decodeAs(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    // Bytes that mean nothing in this encoding.
    return null;
  }
}

/** Enough to find the line by. */
const SHOWN_MOST = 80;

function lostIn(text: string): LostLetter {
  const lines = text.split(/\r\n|\n|\r/);
  const at = lines.findIndex((line) => line.includes(LOST));
  const shown = (lines[at] ?? '').trim().replaceAll(LOST, '?').slice(0, SHOWN_MOST);
  return { line: at + 1, shown };
}
