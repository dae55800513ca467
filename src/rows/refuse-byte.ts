// A byte that no letter can be made of is shown with its line and column, so that it can be found in an editor.
import { StringDecoder } from 'node:string_decoder';

import type { Words } from '../base/language.ts';
import { FileRefused } from './file-refused.ts';
import { readBytes, type SourceFile } from './source-file.ts';
import { advance, inWords, TEXT_START } from './text-place.ts';
import { sentence } from '../messages/messages.ts';

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
