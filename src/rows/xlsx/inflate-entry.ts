// The bytes of one entry, never more than the directory has announced: what was judged there is what is read here.
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';

import { FileRefused } from '../file-refused.ts';
import { HEADER_BYTES } from './check-entries.ts';
import { readExactly, type FileBytes } from './file-bytes.ts';
import type { ZipEntry } from './zip-entry.ts';
import { sentence } from '../../messages/messages.ts';

const HEADER_SIGNATURE = 0x04034b50;
const CHUNK_BYTES = 64 * 1024;

/** Throws `FileRefused` where the bytes are not those that the directory describes. */
export async function* inflateEntry(file: FileBytes, entry: ZipEntry): AsyncGenerator<Buffer> {
  const at = await findData(file, entry);
  let bytes = 0;
  let sum = 0;
  for await (const chunk of unpacked(file, entry, at)) {
    bytes += chunk.length;
    sum = crc32(chunk, sum);
    if (bytes > entry.inflatedBytes)
      throw new FileRefused('workbook_bomb', sentence('inflateEntry.text', { name: entry.name }));
    yield chunk;
  }
  if (bytes !== entry.inflatedBytes || sum !== entry.crc32) throw damaged(entry);
}

/** Checks the entry's own header against the directory: two programs may each believe another of the two. */
async function findData(file: FileBytes, entry: ZipEntry): Promise<number> {
  const header = await readExactly(file, entry.start, HEADER_BYTES + entry.nameBytes.length);
  const isSame =
    header.readUInt32LE(0) === HEADER_SIGNATURE &&
    header.readUInt16LE(8) === entry.method &&
    header.readUInt16LE(26) === entry.nameBytes.length &&
    header.subarray(HEADER_BYTES).equals(entry.nameBytes);
  const at = entry.start + header.length + header.readUInt16LE(28);
  if (!isSame || at + entry.compressedBytes > entry.end) throw damaged(entry);
  return at;
}

async function* unpacked(file: FileBytes, entry: ZipEntry, at: number): AsyncGenerator<Buffer> {
  const packed = packedBytes(file, at, entry.compressedBytes);
  if (entry.method === 0) {
    yield* packed;
    return;
  }
  const source = Readable.from(packed);
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  source.on('error', (error) => inflate.destroy(error));
  try {
    for await (const chunk of source.pipe(inflate)) yield chunk as Buffer;
    if (inflate.bytesWritten !== entry.compressedBytes) throw damaged(entry);
  } catch (error) {
    throw error instanceof FileRefused ? error : damaged(entry, error);
  } finally {
    source.destroy();
    inflate.destroy();
  }
}

async function* packedBytes(file: FileBytes, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = start; at < start + length; at += CHUNK_BYTES)
    yield await readExactly(file, at, Math.min(CHUNK_BYTES, start + length - at));
}

function damaged(entry: ZipEntry, cause?: unknown): FileRefused {
  const words = sentence('inflateEntry.damaged', { name: entry.name });
  return new FileRefused('workbook_damaged', words, { cause });
}
