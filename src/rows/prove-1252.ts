// A file that is not UTF-8 is taken for Windows-1252 only when nothing in it speaks against that; otherwise names would be sent misspelled.
import { FileRefused } from './file-refused.ts';
import { placeOfByte, refuseByte } from './refuse-byte.ts';
import { readBytes, type SourceFile } from './source-file.ts';
import { isSequenceAt, sequenceLength } from './utf8-check.ts';
import { belies1252, isUndefined1252 } from './windows-1252.ts';
import { sentence } from '../messages/messages.ts';

type Findings = {
  /** Offset of the first byte that Windows-1252 has no letter for. */
  undefinedAt: number | null;
  /** Offset of the first byte that no Windows-1252 text would have where it stands. */
  beliedAt: number | null;
  /** Characters above ASCII that are whole in UTF-8, and bytes above ASCII that are not. */
  utf8: number;
  alone: number;
};

/** `invalidUtf8` is the byte for which the file is not UTF-8; null when the profile states Windows-1252. */
export async function prove1252(source: SourceFile, invalidUtf8: number | null): Promise<void> {
  const found = await examine(source);
  if (invalidUtf8 !== null && found.utf8 > 0 && found.utf8 >= found.alone)
    throw await refuseByte(source, invalidUtf8, 'utf-8');
  if (found.undefinedAt !== null) throw await refuseByte(source, found.undefinedAt, 'latin1');
  if (invalidUtf8 !== null && found.beliedAt !== null) throw await uncertain(source, found.beliedAt);
}

async function examine(source: SourceFile): Promise<Findings> {
  const found: Findings = { undefinedAt: null, beliedAt: null, utf8: 0, alone: 0 };
  let offset = 0;
  for await (const chunk of readBytes(source)) {
    examineChunk(chunk, offset, found);
    offset += chunk.length;
  }
  return found;
}

function examineChunk(chunk: Buffer, offset: number, found: Findings): void {
  let wholeUntil = 0;
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0;
    if (byte < 0x80) continue;
    if (isUndefined1252(byte)) found.undefinedAt ??= offset + at;
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
