// What the first bytes of a file say: what kind of file it really is, and in which of the wide encodings it is written.
import type { Words } from '../base/language.ts';
import type { Encoding } from './csv-form.ts';
import { FileRefused } from './file-refused.ts';
import { sentence } from '../messages/messages.ts';

/** Files that are no text, by their first bytes, whatever their name says. */
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
export function encodingOfMark(head: Buffer): Encoding | null {
  return BOMS.find(([mark]) => startsWith(head, mark))?.[1] ?? null;
}

/** So many pairs of bytes show what the text is like. */
const PAIRS_LOOKED_AT = 2048;
/** Text in Latin letters has a zero in nearly every pair; names in other scripts and curly quotes do not. */
const ZERO_SHARE_LEAST = 0.9;

/** UTF-16 without a mark, where it is certain: zeros in one half of the pairs, and not one in the other. */
export function utf16WithoutMark(head: Buffer): Encoding | null {
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
