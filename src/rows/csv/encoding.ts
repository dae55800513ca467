// The encoding of a text file, found from its bytes with certainty or not at all: a wrong guess changes names and accounts.
import { isUtf8 } from 'node:buffer';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import {
  advance,
  belies1252,
  inWords,
  nulAt,
  placeOfByte,
  readText,
  refuseByte,
  refuseNul,
  startWords,
  TEXT_START,
  type TextPlace,
  undefinedBytes,
} from './text.ts';
import { FileRefused } from '../file-refused.ts';
import {
  type ByteEncoding,
  type Encoding,
  type EncodingName,
  isByteEncoding,
  isPairEncoding,
} from '../form.ts';
import { readBytes, type SourceFile } from '../source-file.ts';

// UTF-8 is proved, byte for byte, before a single name is read: a wrong letter in a name goes to the bank as it is.

/** The length that the first byte of a sequence announces; 0 for a byte that starts none. */
function sequenceLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/** True when a whole character stands at `at`. */
function isSequenceAt(bytes: Uint8Array, at: number): boolean {
  const length = sequenceLength(bytes[at] ?? 0);
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length));
}

/** Offset of the first byte that is not UTF-8, or null. */
async function findInvalidUtf8(chunks: AsyncIterable<Buffer>): Promise<number | null> {
  let offset = 0;
  let cut: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = cut.length === 0 ? chunk : Buffer.concat([cut, chunk]);
    const whole = bytes.subarray(0, bytes.length - cutSequenceBytes(bytes));
    if (!isUtf8(whole)) return offset + firstInvalid(whole);
    offset += whole.length;
    cut = Buffer.from(bytes.subarray(whole.length));
  }
  return cut.length === 0 ? null : offset;
}

/** How many bytes at the end belong to a character that goes on in the next chunk. */
function cutSequenceBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (!isContinuation) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function firstInvalid(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && isSequenceAt(bytes, at)) at += sequenceLength(bytes[at] ?? 0);
  return at;
}

// A file that is not UTF-8 is taken for Windows-1252 only when nothing in it speaks against that; otherwise names would be sent misspelled.

type Findings = {
  /** Offset of the first byte that the encoding has no letter for. */
  undefinedAt: number | null;
  /** Offset of the first byte that no Windows-1252 text would have where it stands. */
  beliedAt: number | null;
  /** Characters above ASCII that are whole in UTF-8, and bytes above ASCII that are not. */
  utf8: number;
  alone: number;
};

/** `invalidUtf8` is the byte for which the file is not UTF-8. */
async function prove1252(source: SourceFile, invalidUtf8: number): Promise<void> {
  const found = await examine(source, 'windows-1252');
  if (found.utf8 > 0 && found.utf8 >= found.alone) throw await refuseByte(source, invalidUtf8, 'utf-8');
  if (found.undefinedAt !== null) throw await refuseByte(source, found.undefinedAt, 'windows-1252');
  if (found.beliedAt !== null) throw await uncertain(source, found.beliedAt);
}

/** A profile is taken at its word as far as every byte is a letter of the encoding that it states. */
async function proveStated(source: SourceFile, encoding: ByteEncoding): Promise<void> {
  const { undefinedAt } = await examine(source, encoding);
  if (undefinedAt !== null) throw await refuseByte(source, undefinedAt, encoding);
}

const LINE_END = 0x0a;

async function examine(source: SourceFile, encoding: ByteEncoding): Promise<Findings> {
  const found: Findings = { undefinedAt: null, beliedAt: null, utf8: 0, alone: 0 };
  const meaningless = undefinedBytes(encoding);
  const words = startWords();
  const lookAtWord = (byte: number, at: number): void => {
    const wrong = words(byte, at);
    if (wrong !== null && (found.beliedAt === null || wrong < found.beliedAt)) found.beliedAt = wrong;
  };
  let offset = 0;
  for await (const chunk of readBytes(source)) {
    examineChunk(chunk, offset, meaningless, found);
    for (const [at, byte] of chunk.entries()) lookAtWord(byte, offset + at);
    offset += chunk.length;
  }
  lookAtWord(LINE_END, offset);
  return found;
}

function examineChunk(
  chunk: Buffer,
  offset: number,
  meaningless: ReadonlySet<number>,
  found: Findings,
): void {
  let wholeUntil = 0;
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0;
    if (byte < 0x80) continue;
    if (meaningless.has(byte)) found.undefinedAt ??= offset + at;
    if (belies1252(chunk[at - 1] ?? 0, byte, chunk[at + 1] ?? 0)) found.beliedAt ??= offset + at;
    if (at < wholeUntil) continue;
    const isWhole = isSequenceAt(chunk, at);
    if (isWhole) wholeUntil = at + sequenceLength(byte);
    found[isWhole ? 'utf8' : 'alone'] += 1;
  }
}

async function uncertain(source: SourceFile, offset: number): Promise<FileRefused> {
  const where = await placeOfByte(source, offset, 'latin1');
  return new FileRefused('encoding_uncertain', sentence('prove1252.uncertain', { where }));
}

/** Bytes that are no sign of the encoding are decoded as the sign for a lost letter, which it does not have. */
async function provePairs(source: SourceFile, encoding: Encoding): Promise<void> {
  let place = TEXT_START;
  for await (const text of readText(source, encoding)) {
    const lost = text.indexOf('\ufffd');
    if (lost >= 0) {
      const where = inWords(advance(place, text.slice(0, lost)));
      const words = sentence('encoding.lost', { where, encoding: encoding.name });
      throw new FileRefused('bytes_undecodable', words);
    }
    place = advance(place, text);
  }
}

// UTF-16 is proved like UTF-8: no half characters, no lone surrogates, no NUL.

async function proveUtf16(source: SourceFile, encoding: Encoding): Promise<void> {
  let place = TEXT_START;
  for await (const text of readText(source, encoding)) {
    refuseFaults(place, text);
    place = advance(place, text);
  }
  if (source.bytes % 2 !== 0) throw halfCharacter(place);
}

function refuseFaults(place: TextPlace, text: string): void {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    throw nulAt(inWords(advance(place, text.slice(0, nul))));
  }
  if (!text.isWellFormed()) throw halfCharacter(advance(place, text.slice(0, loneSurrogate(text))));
}

function loneSurrogate(text: string): number {
  const mended = text.toWellFormed();
  return Array.from(text, (_, index) => index).find((index) => mended[index] !== text[index]) ?? 0;
}

function halfCharacter(place: TextPlace): FileRefused {
  const where = inWords(place);
  return new FileRefused('bytes_undecodable', sentence('proveUtf16.halfCharacter', { where }));
}

// What the first bytes of a file show: its true kind, and in which of the wide encodings it is written.

/** Files that are not text, by their first bytes, whatever their names. */
const OTHER_KINDS: readonly (readonly [string, Words])[] = [
  ['504b0304', sentence('guessEncoding.otherKinds.excelWorkbookAnother')],
  ['504b0506', sentence('guessEncoding.otherKinds.zipArchive')],
  ['25504446', sentence('guessEncoding.otherKinds.aPdf')],
  ['d0cf11e0a1b11ae1', sentence('guessEncoding.otherKinds.oldExcelWorkbook')],
  ['1f8b', sentence('guessEncoding.otherKinds.gzipArchive')],
  ['89504e47', sentence('guessEncoding.otherKinds.imagePng')],
  ['ffd8ff', sentence('guessEncoding.otherKinds.imageJpeg')],
];

const BOMS: readonly (readonly [string, Encoding])[] = [
  ['efbbbf', { name: 'utf-8', bom: true }],
  ['fffe', { name: 'utf-16le', bom: true }],
  ['feff', { name: 'utf-16be', bom: true }],
];

/** Refuses what only bears the name of a CSV. */
export function refuseOtherKinds(head: Buffer): void {
  const other = OTHER_KINDS.find(([start]) => startsWith(head, start));
  if (other === undefined) return;
  const [, kind] = other;
  throw new FileRefused('not_text', sentence('guessEncoding.refuseOtherKinds', { kind }));
}

/** The encoding that a byte order mark states, or null. */
function encodingOfMark(head: Buffer): Encoding | null {
  return BOMS.find(([mark]) => startsWith(head, mark))?.[1] ?? null;
}

/** So many pairs of bytes are enough to judge the text. */
const PAIRS_LOOKED_AT = 2048;
/** Text in Latin letters has a zero in nearly every pair; names in other scripts and curly quotes do not. */
const ZERO_SHARE_LEAST = 0.9;

/** UTF-16 without a mark, where it is certain: zeros in one half of the pairs, and not one in the other. */
function utf16WithoutMark(head: Buffer): Encoding | null {
  const pairs = Math.min(PAIRS_LOOKED_AT, Math.floor(head.length / 2));
  const first = zerosAt(head, pairs, 0);
  const second = zerosAt(head, pairs, 1);
  if (first === 0 && second > 0 && second >= pairs * ZERO_SHARE_LEAST)
    return { name: 'utf-16le', bom: false };
  if (second === 0 && first > 0 && first >= pairs * ZERO_SHARE_LEAST) return { name: 'utf-16be', bom: false };
  return null;
}

function zerosAt(bytes: Buffer, pairs: number, half: 0 | 1): number {
  let zeros = 0;
  for (let pair = 0; pair < pairs; pair += 1) if (bytes[pair * 2 + half] === 0) zeros += 1;
  return zeros;
}

function startsWith(head: Buffer, hex: string): boolean {
  return head.subarray(0, hex.length / 2).equals(Buffer.from(hex, 'hex'));
}

// Finds the encoding of a whole file and proves it, in one pass over its bytes (two for Windows-1252), before any of it is believed.

/** The encoding of the file. Throws `FileRefused` where a byte does not fit it. */
export async function detectEncoding(source: SourceFile, wanted: EncodingName | 'auto'): Promise<Encoding> {
  const head = await readHead(source);
  refuseOtherKinds(head);
  const marked = encodingOfMark(head);
  if (wanted === 'auto') return prove(source, marked ?? utf16WithoutMark(head), false);
  return prove(source, { name: wanted, bom: marked?.name === wanted }, true);
}

/** `stated` is what the file or the profile says; null leaves UTF-8, and failing that Windows-1252. */
async function prove(source: SourceFile, stated: Encoding | null, byProfile: boolean): Promise<Encoding> {
  if (stated?.name === 'utf-16le' || stated?.name === 'utf-16be') {
    await proveUtf16(source, stated);
    return stated;
  }
  await refuseNul(source);
  if (stated !== null && isByteEncoding(stated.name)) {
    await proveStated(source, stated.name);
    return stated;
  }
  if (stated !== null && isPairEncoding(stated.name)) {
    await provePairs(source, stated);
    return stated;
  }
  const invalid = await findInvalidUtf8(readBytes(source));
  if (invalid === null) return stated ?? { name: 'utf-8', bom: false };
  if (byProfile || stated !== null) throw await refuseByte(source, invalid, 'utf-8');
  await prove1252(source, invalid);
  return { name: 'windows-1252', bom: false };
}

async function readHead(source: SourceFile): Promise<Buffer> {
  for await (const chunk of readBytes(source)) return Buffer.from(chunk);
  throw new FileRefused('file_changed', sentence('detectEncoding.readHead'));
}
