// Finds the encoding of a whole file and proves it, in one pass over its bytes (two for Windows-1252), before any of it is believed.
import type { Encoding, EncodingName } from './csv-form.ts';
import { FileRefused } from './file-refused.ts';
import { encodingOfMark, refuseOtherKinds, utf16WithoutMark } from './guess-encoding.ts';
import { prove1252 } from './prove-1252.ts';
import { proveUtf16 } from './prove-utf16.ts';
import { refuseByte, refuseNul } from './refuse-byte.ts';
import { readBytes, type SourceFile } from './source-file.ts';
import { findInvalidUtf8 } from './utf8-check.ts';
import { sentence } from '../messages/messages.ts';

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
  if (stated?.name === 'windows-1252') {
    await prove1252(source, null);
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
