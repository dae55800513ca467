// The bytes of an open file at any place. The file is handed over open, so that nobody can put another in its place while it is read.
import { fstatSync, read } from 'node:fs';
import { promisify } from 'node:util';

import { FileRefused } from '../file-refused.ts';
import { sentence } from '../../messages/messages.ts';

const readAt = promisify(read);

export type FileBytes = { readonly descriptor: number; readonly size: number };

export function bytesOf(descriptor: number): FileBytes {
  return { descriptor, size: fstatSync(descriptor).size };
}

/** Exactly `length` bytes from `at`. Throws `FileRefused` where the file ends before. */
export async function readExactly(file: FileBytes, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await readAt(file.descriptor, buffer, done, length - done, at + done);
    if (bytesRead === 0) throw new FileRefused('workbook_damaged', sentence('fileBytes.readExactly'));
    done += bytesRead;
  }
  return buffer;
}
