// Bytes to text and back, in the encodings that spreadsheet programs write, and where in the text a fault stands.
import { StringDecoder } from 'node:string_decoder';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import {
  type ByteEncoding,
  type Encoding,
  type EncodingName,
  isByteEncoding,
  isLegacyEncoding,
  type LegacyEncoding,
} from '../form.ts';
import { readBytes, type SourceFile } from '../source-file.ts';

// Line and column of a fault in the text of a file, as an editor counts them.

export type TextPlace = {
  readonly line: number;
  readonly column: number;
  /** A CR was the last character, so that a LF that follows ends the same line. */
  readonly afterCr: boolean;
};

export const TEXT_START: TextPlace = { line: 1, column: 1, afterCr: false };

/** The place after `text`, which may be any piece of the file. */
export function advance(place: TextPlace, text: string): TextPlace {
  if (text === '') return place;
  const rest = place.afterCr && text.startsWith('\n') ? text.slice(1) : text;
  const lines = rest.split(/\r\n|\n|\r/);
  const last = lines.at(-1) ?? '';
  return {
    line: place.line + lines.length - 1,
    column: (lines.length === 1 ? place.column : 1) + last.length,
    afterCr: text.endsWith('\r'),
  };
}

/** `line 3, column 17`. */
export function inWords({ line, column }: TextPlace): Words {
  return sentence('textPlace.in', { line, column });
}

// Windows-1252 as French and Spanish Excel write it. Nearly any bytes can be read as it, so this excludes what no such text contains.

/**
 * € ‚ „ † ‡ ˆ ‰ ‹ • ˜ › « » ¥ ¹ ³ ¼ ¾ ¿: never between two letters of a word, where DOS (850) and Mac text have é, è, ê, à, ç or an apostrophe,
 * and Windows-1250 has a letter of Polish or Czech.
 */
const NEVER_INSIDE_WORDS: ReadonlySet<number> = new Set([
  ...[0x80, 0x82, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x95, 0x98, 0x9b],
  ...[0xa5, 0xab, 0xb3, 0xb9, 0xbb, 0xbc, 0xbe, 0xbf],
]);
/** Ð Þ ð þ: Icelandic only, and often stray bytes. */
const NEARLY_NEVER: ReadonlySet<number> = new Set([0xd0, 0xde, 0xf0, 0xfe]);
/** ÿ, in few French names, and never at the start of a word. */
const Y_DIAERESIS = 0xff;

/** Signs that never stand beside a letter with an accent; `´` does, for an apostrophe. */
const APART_FROM_LETTERS: ReadonlySet<number> = new Set([
  ...[
    0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xac, 0xaf, 0xb1, 0xb2, 0xb3, 0xb5, 0xb6, 0xb8, 0xb9, 0xbc,
    0xbd, 0xbe,
  ],
]);
/** ¡ ª « ° º ¿ never follow a letter with an accent, and » never comes before one. */
const NEVER_BEHIND: ReadonlySet<number> = new Set([0xa1, 0xaa, 0xab, 0xb0, 0xba, 0xbf]);
const CLOSING_QUOTE = 0xbb;

/** Signs that stand before no letter: Windows-1250 has Ł and Ż there, and Big5 half a sign. */
const BEFORE_NO_LETTER: ReadonlySet<number> = new Set([
  ...[0xa3, 0xa4, 0xa5, 0xa6, 0xa8, 0xaa, 0xac, 0xaf, 0xb1, 0xb6, 0xb8, 0xbc, 0xbd, 0xbe],
]);
const OE: ReadonlySet<number> = new Set([0x8c, 0x9c]);
const N_TILDE: ReadonlySet<number> = new Set([0xd1, 0xf1]);
const CAPITAL_Y_DIAERESIS = 0x9f;
const AFTER_NO_N_TILDE = /[b-df-hj-np-tv-xz]/i;
const AFTER_NO_OE = /[g-hjkqwxz]/i;

/** True when the byte between these two shows that the text is in another encoding, or damaged. */
export function belies1252(before: number, byte: number, after: number): boolean {
  if (NEARLY_NEVER.has(byte)) return true;
  if (byte === Y_DIAERESIS && !isLetter(before)) return true;
  if (isAccented(byte)) {
    if (APART_FROM_LETTERS.has(before) || APART_FROM_LETTERS.has(after)) return true;
    if (NEVER_BEHIND.has(after) || before === CLOSING_QUOTE) return true;
  }
  if (isCapital(byte)) return isSmall(before) || (isLetter(before) && isSmall(after));
  const next = String.fromCharCode(after);
  if (N_TILDE.has(byte)) return AFTER_NO_N_TILDE.test(next);
  if (OE.has(byte))
    return AFTER_NO_OE.test(next) || (byte === 0x9c && isSmall(before) && !isAnyLetter(after));
  if (byte === CAPITAL_Y_DIAERESIS) return isSmall(after);
  if (APART_FROM_LETTERS.has(before) && APART_FROM_LETTERS.has(byte) && before !== byte) return true;
  if (BEFORE_NO_LETTER.has(byte) && isLetter(after)) return true;
  return NEVER_INSIDE_WORDS.has(byte) && isLetter(before) && isLetter(after);
}

/** Capitals with an accent: none follows a small letter; DOS and Mac text has è and é at the bytes of Š and Ž. */
function isCapital(byte: number): boolean {
  return byte === 0x8a || byte === 0x8e || (byte >= 0xc0 && byte < 0xdf);
}

function isSmall(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}

function isLetter(byte: number): boolean {
  return isSmall(byte | 0x20);
}

/** A letter of Windows-1252 that is not ASCII. */
function isAccented(byte: number): boolean {
  if (byte < 0xc0) return [0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f].includes(byte);
  return byte !== 0xd7 && byte !== 0xf7;
}

function isAnyLetter(byte: number): boolean {
  return isLetter(byte) || isAccented(byte);
}

/** Ø and ø, Æ and æ stand in no word that has one of these as well: Windows-1250 has ř and ć there. */
const NORTHERN: ReadonlySet<number> = new Set([0xc6, 0xd8, 0xe6, 0xf8]);
const NOT_NORTHERN: ReadonlySet<number> = new Set([0xc1, 0xcd, 0xdd, 0xe1, 0xe8, 0xec, 0xed, 0xf9, 0xfd]);

/** `çà`, the only word of accented letters alone. */
const ONLY_WORD = 'çà';

/** Looks at whole words, byte by byte; gives the offset of a word that is none of a Western language, where one ends at this byte. */
export function startWords(): (byte: number, offset: number) => number | null {
  let word: number[] = [];
  let start = 0;
  return (byte, offset) => {
    if (isAnyLetter(byte)) {
      if (word.length === 0) start = offset;
      if (word.length < WORD_MOST) word.push(byte);
      return null;
    }
    const ended = word;
    word = [];
    return isNoWord(ended) ? start : null;
  };
}

/** What is longer is data. */
const WORD_MOST = 60;

function isNoWord(word: readonly number[]): boolean {
  if (word.length < 2) return false;
  const isAlone = word.every((byte) => !isLetter(byte));
  if (isAlone) return String.fromCharCode(...word).toLowerCase() !== ONLY_WORD;
  return word.some((byte) => NORTHERN.has(byte)) && word.some((byte) => NOT_NORTHERN.has(byte));
}

// The encodings of one byte or two a sign, there and back.

/** As the Encoding Standard calls what it calls otherwise. */
const LABELS: Partial<Record<LegacyEncoding, string>> = { 'mac-roman': 'macintosh' };

function labelOf(name: LegacyEncoding): string {
  return LABELS[name] ?? name;
}

/** The bytes of each character that is not ASCII: one of them, or two in one number. */
type CodePage = ReadonlyMap<string, number>;

const pages = new Map<LegacyEncoding, CodePage>();

function pageOf(name: LegacyEncoding): CodePage {
  const known = pages.get(name);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(labelOf(name));
  const page = new Map<string, number>();
  const add = (...bytes: readonly number[]) => {
    const character = decoder.decode(Uint8Array.from(bytes));
    const isOne = Array.from(character).length === 1 && character !== '\ufffd';
    if (isOne && !page.has(character))
      page.set(
        character,
        bytes.reduce((number, byte) => number * 0x100 + byte, 0),
      );
  };
  for (let byte = 0x80; byte <= 0xff; byte += 1)
    if (isByteEncoding(name)) add(byte);
    else for (let trail = 0x40; trail <= 0xfe; trail += 1) add(byte, trail);
  pages.set(name, page);
  return page;
}

/** The second set of controls, which stands where an encoding has no letter. */
function isControl(code: number): boolean {
  return code >= 0x80 && code < 0xa0;
}

/** The bytes that mean nothing in this encoding. */
export function undefinedBytes(name: ByteEncoding): ReadonlySet<number> {
  return new Set([...pageOf(name)].filter(([sign]) => isControl(sign.charCodeAt(0))).map(([, byte]) => byte));
}

const NOT_ASCII = /[^\u0000-\u007f]/gu;

function isIn(page: CodePage, character: string): boolean {
  return page.has(character) && !isControl(character.charCodeAt(0));
}

/** True when every character exists in the encoding. */
export function fitsIn(text: string, name: LegacyEncoding): boolean {
  return (text.match(NOT_ASCII) ?? []).every((character) => isIn(pageOf(name), character));
}

/** What stands for a sign of our own words in an encoding that lacks it. */
const PLAIN_SIGNS: ReadonlyMap<string, string> = new Map([
  ...['‘', '’'].map((sign) => [sign, "'"] as const),
  ...['“', '”', '«', '»'].map((sign) => [sign, '"'] as const),
  ...['–', '—'].map((sign) => [sign, '-'] as const),
]);

/** The text with each character that the encoding lacks as its plain form (`ł` has none, `ā` is `a`), else as `?`. */
function replaceOutside(text: string, name: LegacyEncoding): string {
  const page = pageOf(name);
  return text.replace(NOT_ASCII, (character) => {
    if (isIn(page, character)) return character;
    const plain = PLAIN_SIGNS.get(character) ?? character.normalize('NFKD').replace(/\p{M}/gu, '');
    return plain.replace(NOT_ASCII, (each) => (isIn(page, each) ? each : '?'));
  });
}

/** The bytes of a text that fits. */
function encodeBytes(text: string, name: LegacyEncoding): Uint8Array {
  const page = pageOf(name);
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const found = code < 0x80 ? code : (page.get(character) ?? 0x3f);
    if (found > 0xff) bytes.push(found >> 8);
    bytes.push(found & 0xff);
  }
  return Uint8Array.from(bytes);
}

// The text of a file, piece by piece, in any encoding. Text that cannot be decoded was refused before; see `encoding.ts`.

const BYTE_ORDER_MARK = '\ufeff';

type Decoder = { readonly write: (bytes: Buffer) => string; readonly end: () => string };

/** The text from first to last, without the byte order mark. */
export async function* readText(source: SourceFile, encoding: Encoding): AsyncGenerator<string> {
  const decoder = decoderOf(encoding.name);
  let isFirst = true;
  for await (const bytes of readBytes(source)) {
    const text = decoder.write(bytes);
    yield isFirst && encoding.bom && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    isFirst = false;
  }
  yield decoder.end();
}

function decoderOf(name: EncodingName): Decoder {
  if (isLegacyEncoding(name)) {
    const decoder = new TextDecoder(labelOf(name));
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  if (name === 'utf-16be') return decodeUtf16be();
  return new StringDecoder(name === 'utf-8' ? 'utf8' : 'utf16le');
}

/** Node decodes little-endian only, so the bytes of each pair change places first. */
function decodeUtf16be(): Decoder {
  const decoder = new StringDecoder('utf16le');
  let odd: Buffer = Buffer.alloc(0);
  return {
    write: (chunk) => {
      const bytes = Buffer.concat([odd, chunk]);
      const even = bytes.length - (bytes.length % 2);
      odd = bytes.subarray(even);
      return decoder.write(bytes.subarray(0, even).swap16());
    },
    end: () => decoder.end(),
  };
}

// The text of an answer in the encoding of its input.

export function encodeText(text: string, encoding: EncodingName): Uint8Array {
  if (isLegacyEncoding(encoding)) return encodeBytes(text, encoding);
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  return Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
}

/** The byte order mark, or nothing. */
export function startOfText(encoding: Encoding): Uint8Array {
  return encodeText(encoding.bom ? BYTE_ORDER_MARK : '', encoding.name);
}

/**
 * The cell without characters that the encoding lacks. Text from the file is never changed, because it was read in the same encoding; a letter
 * of our own words may lose its accent or become `?`. Another encoding for the whole answer would break the program that reads it, and a failure
 * would leave no answer at all.
 */
export function writableIn(cell: string, encoding: EncodingName): string {
  return isLegacyEncoding(encoding) ? replaceOutside(cell, encoding) : cell;
}

// A byte that no letter can be made of is shown with its line and column, so that it can be found in an editor.

type Counting = 'utf-8' | 'latin1';

/** Line and column of the byte at `offset`, in words; all before it must be decodable. */
export async function placeOfByte(source: SourceFile, offset: number, counting: Counting): Promise<Words> {
  const decoder = new StringDecoder(counting);
  let place = TEXT_START;
  let left = offset;
  for await (const chunk of readBytes(source)) {
    place = advance(place, decoder.write(chunk.subarray(0, left)).replace(/^\ufeff/, ''));
    left -= chunk.length;
    if (left <= 0) break;
  }
  return inWords(place);
}

export async function refuseByte(
  source: SourceFile,
  offset: number,
  encoding: 'utf-8' | ByteEncoding,
): Promise<FileRefused> {
  const where = await placeOfByte(source, offset, encoding === 'utf-8' ? 'utf-8' : 'latin1');
  const byte = await byteAt(source, offset);
  const hex = `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return new FileRefused(
    'bytes_undecodable',
    sentence('refuseByte.text', { hex, where, encoding: encoding.toUpperCase() }),
  );
}

export function nulAt(where: Words): FileRefused {
  return new FileRefused('nul_character', sentence('refuseByte.nulAt', { where }));
}

/** Throws when a byte of the file is zero, which no text has. */
export async function refuseNul(source: SourceFile): Promise<void> {
  let offset = 0;
  for await (const chunk of readBytes(source)) {
    const at = chunk.indexOf(0);
    if (at >= 0) {
      throw nulAt(await placeOfByte(source, offset + at, 'latin1'));
    }
    offset += chunk.length;
  }
}

async function byteAt(source: SourceFile, offset: number): Promise<number> {
  let left = offset;
  for await (const chunk of readBytes(source)) {
    if (left < chunk.length) return chunk[left] ?? 0;
    left -= chunk.length;
  }
  return 0;
}
