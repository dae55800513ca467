// Windows-1252 as French and Spanish Excel write it. Nearly any bytes can be read as it, so what no such text contains is told apart here.

/** The five bytes that mean nothing in Windows-1252. */
export function isUndefined1252(byte: number): boolean {
  return byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d;
}

/** € ‚ „ † ‡ ˆ ‰ ‹ • ˜ ›: never between two letters of a word, where DOS (850) and Mac text has é, è, ê, à or ç. */
const NEVER_INSIDE_WORDS: ReadonlySet<number> = new Set([
  0x80, 0x82, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x95, 0x98, 0x9b,
]);
/** Ð Þ ð þ: Icelandic only, and what stray bytes often are. */
const NEARLY_NEVER: ReadonlySet<number> = new Set([0xd0, 0xde, 0xf0, 0xfe]);
/** ÿ, in few French names, and never at the start of a word. */
const Y_DIAERESIS = 0xff;

/** True when the byte between these two shows that the text is in another encoding, or damaged. */
export function belies1252(before: number, byte: number, after: number): boolean {
  if (NEARLY_NEVER.has(byte)) return true;
  if (byte === Y_DIAERESIS) return !isLetter(before);
  if (isCapital(byte)) return isSmall(before) && isSmall(after);
  return NEVER_INSIDE_WORDS.has(byte) && isLetter(before) && isLetter(after);
}

/** Capitals with an accent: one between two small letters is no word; DOS and Mac text has è and é at the bytes of Š and Ž. */
function isCapital(byte: number): boolean {
  return byte === 0x8a || byte === 0x8e || (byte >= 0xc0 && byte < 0xdf);
}

function isSmall(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}

function isLetter(byte: number): boolean {
  return isSmall(byte | 0x20);
}

const DECODER = new TextDecoder('windows-1252');

/** The code of each character that is not at its own byte, those of 0x80 to 0x9F. */
const BYTES: ReadonlyMap<number, number> = new Map(
  Array.from({ length: 32 }, (_, index) => 0x80 + index)
    .filter((byte) => !isUndefined1252(byte))
    .map((byte) => [DECODER.decode(Uint8Array.of(byte)).charCodeAt(0), byte]),
);

export function decode1252(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

/** What cannot be written in Windows-1252: all above U+00FF and the C1 controls, but for the characters of the table. */
const OUTSIDE = new RegExp(
  `[^\\u0000-\\u007f\\u00a0-\\u00ff${[...BYTES.keys()].map((code) => String.fromCharCode(code)).join('')}]`,
  'gu',
);

/** True when every character exists in Windows-1252. */
export function fits1252(text: string): boolean {
  return text.search(OUTSIDE) < 0;
}

/** The text with each character that Windows-1252 lacks as its plain form (`ł` has none, `ā` is `a`), else as `?`. */
export function replaceOutside1252(text: string): string {
  return text.replace(OUTSIDE, (character) => {
    const plain = character.normalize('NFKD').replace(/\p{M}/gu, '');
    return plain === '' ? '' : plain.replace(OUTSIDE, '?');
  });
}

/** The bytes of a text that fits. */
export function encode1252(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'latin1');
  // `latin1` keeps the low byte of each character: right for all but those of the table.
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0xff) bytes[index] = BYTES.get(code) ?? 0x3f;
  }
  return bytes;
}
