// Bytes to text and back, in the encodings that spreadsheet programs write, and where in the text a fault stands.
import { StringDecoder } from 'node:string_decoder';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import type { Encoding, EncodingName } from '../form.ts';
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

// The text of a file, piece by piece, whatever bytes it is made of. What cannot be decoded was refused before; see `encoding.ts`.

const BYTE_ORDER_MARK = '\ufeff';

type Decoder = { readonly write: (bytes: Buffer) => string; readonly end: () => string };

/** The text from first to last, without the byte order mark. */
export async function* readText(source: SourceFile, encoding: Encoding): AsyncGenerator<string> {
  const decoder = DECODERS[encoding.name]();
  let isFirst = true;
  for await (const bytes of readBytes(source)) {
    const text = decoder.write(bytes);
    yield isFirst && encoding.bom && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    isFirst = false;
  }
  yield decoder.end();
}

const DECODERS: Readonly<Record<EncodingName, () => Decoder>> = {
  'utf-8': () => new StringDecoder('utf8'),
  'utf-16le': () => new StringDecoder('utf16le'),
  'utf-16be': decodeUtf16be,
  'windows-1252': () => ({ write: decode1252, end: () => '' }),
};

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

const ENCODERS: Readonly<Record<EncodingName, (text: string) => Uint8Array>> = {
  'utf-8': (text) => Buffer.from(text, 'utf8'),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'windows-1252': encode1252,
};

export function encodeText(text: string, encoding: EncodingName): Uint8Array {
  return ENCODERS[encoding](text);
}

/** The byte order mark, or nothing. */
export function startOfText(encoding: Encoding): Uint8Array {
  return encodeText(encoding.bom ? BYTE_ORDER_MARK : '', encoding.name);
}

/**
 * The cell with nothing in it that the encoding lacks. What came from the file is never touched, for it was read in the same encoding; of
 * our own words in a windows-1252 answer a letter may lose its accent or become `?`. Another encoding for the whole answer would break the
 * program that reads it, and a failure would leave no answer at all.
 */
export function writableIn(cell: string, encoding: EncodingName): string {
  return encoding === 'windows-1252' ? replaceOutside1252(cell) : cell;
}

// A byte that no letter can be made of is shown with its line and column, so that it can be found in an editor.

export type Counting = 'utf-8' | 'latin1';

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
  counting: Counting,
): Promise<FileRefused> {
  const where = await placeOfByte(source, offset, counting);
  const encoding = counting === 'utf-8' ? 'UTF-8' : 'Windows-1252';
  const byte = await byteAt(source, offset);
  const hex = `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return new FileRefused('bytes_undecodable', sentence('refuseByte.text', { hex, where, encoding }));
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
