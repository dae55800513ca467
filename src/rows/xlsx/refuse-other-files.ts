// What is named `.xlsx` and is something else: a workbook of the nineties, one with a password, a text file, or anything at all.
import { FileRefused } from '../file-refused.ts';
import { readExactly, type FileBytes } from './file-bytes.ts';
import { sentence } from '../../messages/messages.ts';

const ZIP = Buffer.from('PK');
/** Both old workbooks and encrypted new ones are containers of this kind. */
const CONTAINER = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
/** A container names its streams in UTF-16; only an encrypted workbook has one of this name. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
const CHUNK_BYTES = 1024 * 1024;

/** Throws `FileRefused` unless the file starts as a zip does. */
export async function refuseOtherFiles(file: FileBytes): Promise<void> {
  const head = await readExactly(file, 0, Math.min(file.size, CONTAINER.length));
  if (head.subarray(0, ZIP.length).equals(ZIP)) return;
  if (!head.equals(CONTAINER))
    throw new FileRefused('not_workbook', sentence('refuseOtherFiles.fileXlsxWorkbook'));
  if (await holds(file, ENCRYPTED))
    throw new FileRefused('workbook_encrypted', sentence('refuseOtherFiles.workbookEncryptedOpens'));
  throw oldFormat();
}

async function holds(file: FileBytes, wanted: Buffer): Promise<boolean> {
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    // Each piece reaches into the next, so that a name on the border is found.
    const piece = await readExactly(file, at, Math.min(CHUNK_BYTES + wanted.length, file.size - at));
    if (piece.includes(wanted)) return true;
  }
  return false;
}

export function oldFormat(): FileRefused {
  return new FileRefused('workbook_old_format', sentence('refuseOtherFiles.oldFormat'));
}
