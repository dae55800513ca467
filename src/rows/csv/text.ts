// Bytes to text and back, in the encodings that spreadsheet programs write, and where in the text a fault stands.
import { StringDecoder } from 'node:string_decoder';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { type ByteEncoding, type Encoding, type EncodingName, isByteEncoding } from '../form.ts';
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

// The encodings in which each letter is one byte, there and back.

type Page = {
  readonly decode: (bytes: Uint8Array) => string;
  /** The byte of each character that is not ASCII. */
  readonly bytes: ReadonlyMap<number, number>;
  /** What cannot be written in it. */
  readonly outside: RegExp;
};

/** As the Encoding Standard calls what it calls otherwise. */
const LABELS: Partial<Record<ByteEncoding, string>> = { 'mac-roman': 'macintosh' };

const pages = new Map<ByteEncoding, Page>();

function pageOf(name: ByteEncoding): Page {
  const known = pages.get(name);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(LABELS[name] ?? name);
  const upper = Array.from({ length: 0x80 }, (_, index) => 0x80 + index);
  const bytes = new Map(
    upper.map((byte): [number, number] => [decoder.decode(Uint8Array.of(byte)).charCodeAt(0), byte]),
  );
  const written = [...bytes.keys()].filter((code) => !isControl(code));
  const page: Page = {
    decode: (text) => decoder.decode(text),
    bytes,
    outside: new RegExp(
      `[^\\u0000-\\u007f${written.map((code) => String.fromCharCode(code)).join('')}]`,
      'gu',
    ),
  };
  pages.set(name, page);
  return page;
}

/** The second set of controls, which stands where an encoding has no letter. */
function isControl(code: number): boolean {
  return code >= 0x80 && code < 0xa0;
}

/** The bytes that mean nothing in this encoding. */
export function undefinedBytes(name: ByteEncoding): ReadonlySet<number> {
  return new Set([...pageOf(name).bytes].filter(([code]) => isControl(code)).map(([, byte]) => byte));
}

/** True when every character exists in the encoding. */
export function fitsIn(text: string, name: ByteEncoding): boolean {
  return text.search(pageOf(name).outside) < 0;
}

/** The text with each character that the encoding lacks as its plain form (`ł` has none, `ā` is `a`), else as `?`. */
function replaceOutside(text: string, name: ByteEncoding): string {
  const { outside } = pageOf(name);
  return text.replace(outside, (character) => {
    const plain = character.normalize('NFKD').replace(/\p{M}/gu, '');
    return plain === '' ? '' : plain.replace(outside, '?');
  });
}

/** The bytes of a text that fits. */
function encodeBytes(text: string, name: ByteEncoding): Uint8Array {
  const { bytes: known } = pageOf(name);
  const bytes = Buffer.from(text, 'latin1');
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) bytes[index] = known.get(code) ?? 0x3f;
  }
  return bytes;
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
  if (isByteEncoding(name)) return { write: pageOf(name).decode, end: () => '' };
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
  if (isByteEncoding(encoding)) return encodeBytes(text, encoding);
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
  return isByteEncoding(encoding) ? replaceOutside(cell, encoding) : cell;
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
