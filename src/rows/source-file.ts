// The bytes of one regular file, read several times: each time it must be the same file, or what was surveyed is not what is paid.
import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

import { FileRefused } from './file-refused.ts';
import { sentence } from '../messages/messages.ts';

export type SourceFile = {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly inode: number;
  /** Its first bytes: who looks at no more need not open it again. */
  readonly start: Buffer;
  /** Ends each reading of it. */
  readonly signal?: AbortSignal | undefined;
};

/** Large enough that calls do not count, small enough that a block of text is soon collected and that its rows hold up nobody. */
const CHUNK_BYTES = 64 * 1024;

type Bounds = { readonly bytesMax: number; readonly signal?: AbortSignal | undefined };

/** Looks at the file, and at its first bytes alone. */
export async function describeFile(path: string, { bytesMax, signal }: Bounds): Promise<SourceFile> {
  const file = await openFile(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new FileRefused('unreadable', sentence('sourceFile.describeFile.regularFile'));
    if (stats.size === 0)
      throw new FileRefused('empty_file', sentence('sourceFile.describeFile.fileEmptyBytes'));
    if (stats.size > bytesMax) throw tooLarge(stats.size, bytesMax);
    const { bytesRead, buffer } = await readChunk(
      file,
      Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stats.size)),
      0,
    );
    const start = buffer.subarray(0, bytesRead);
    return { path, bytes: stats.size, modifiedMs: stats.mtimeMs, inode: stats.ino, start, signal };
  } finally {
    await file.close();
  }
}

/** The first bytes of a regular file, and how many it has; none of any other, or of one that cannot be opened. */
export async function startOf(
  path: string,
  most: number,
): Promise<{ readonly start: Buffer; readonly bytes: number }> {
  const file = await openFile(path).catch(() => null);
  try {
    const stats = await file?.stat();
    if (file === null || stats?.isFile() !== true) return { start: Buffer.alloc(0), bytes: 0 };
    const { bytesRead, buffer } = await file.read(Buffer.alloc(most), 0, most, 0);
    return { start: buffer.subarray(0, bytesRead), bytes: stats.size };
  } finally {
    await file?.close();
  }
}

/** A copy of a file that was described, as it is to be read in its place. */
export async function describeCopy(source: SourceFile, copy: string | undefined): Promise<SourceFile> {
  return copy === undefined ? source : describeFile(copy, { ...source, bytesMax: source.bytes });
}

/** The bytes from first to last. A chunk is valid only until the next is asked for. */
export async function* readBytes(source: SourceFile): AsyncGenerator<Buffer> {
  source.signal?.throwIfAborted();
  yield source.start;
  const file = await openFile(source.path);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = source.start.length; at < source.bytes;) {
      const { bytesRead } = await readChunk(file, buffer, at);
      source.signal?.throwIfAborted();
      if (bytesRead === 0) break;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    await checkSame(source, file);
  } finally {
    await file.close();
  }
}

/** The file, open, if it still is the one that was described. */
export async function openSame(source: SourceFile): Promise<FileHandle> {
  const file = await openFile(source.path);
  try {
    await checkSame(source, file);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Throws `FileRefused` when the open file is not the one that was described, or no longer. */
export async function checkSame(source: SourceFile, file: FileHandle): Promise<void> {
  if (!isSame(source, await file.stat()))
    throw new FileRefused('file_changed', sentence('sourceFile.checkSame'));
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK opening a named pipe would wait for ever.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    const words = sentence('sourceFile.openFile', { code });
    throw new FileRefused('unreadable', words, { cause: error });
  }
}

async function readChunk(file: FileHandle, buffer: Buffer, at: number) {
  try {
    return await file.read(buffer, 0, buffer.length, at);
  } catch (error) {
    const code = codeOf(error);
    const words = sentence('sourceFile.readChunk', { code });
    throw new FileRefused('unreadable', words, { cause: error });
  }
}

function isSame(source: SourceFile, stats: Stats): boolean {
  return stats.size === source.bytes && stats.mtimeMs === source.modifiedMs && stats.ino === source.inode;
}

function tooLarge(bytes: number, bytesMax: number): FileRefused {
  return new FileRefused('too_large', sentence('sourceFile.tooLarge', { bytes, bytesMax }));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '?';
}

// A workbook or a message is read once: what its reader said is kept, packed, because to read the rows again takes many times longer than to unpack them.

/** Of all files that are open, packed: some hundred thousand rows. What is too much is read again each time. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

let keptBytes = 0;
const forgotten = new FinalizationRegistry((bytes: number) => (keptBytes -= bytes));

/** The fastest: texts of a column are much alike. */
const PACKING = { level: 1 };

/** Of pieces that are plain data. */
export type Keeping<Piece> = {
  readonly take: (piece: Piece) => void;
  /** All pieces that were taken; null when they were too large to keep. */
  readonly kept: () => Iterable<Piece> | null;
};

export function startKeeping<Piece>(): Keeping<Piece> {
  let packed: Buffer[] | null = [];
  let bytes = 0;
  const take = (piece: Piece): void => {
    if (packed === null) return;
    const small = deflateRawSync(JSON.stringify(piece), PACKING);
    bytes += small.length;
    if (keptBytes + bytes > KEPT_BYTES_MAX) packed = null;
    else packed.push(small);
  };
  const kept = (): Iterable<Piece> | null => {
    if (packed === null) return null;
    const pieces = packed;
    keptBytes += bytes;
    forgotten.register(pieces, bytes);
    return { [Symbol.iterator]: () => unpacked<Piece>(pieces) };
  };
  return { take, kept };
}

function* unpacked<Piece>(packed: readonly Buffer[]): Generator<Piece> {
  for (const small of packed) yield JSON.parse(inflateRawSync(small).toString()) as Piece;
}

/** What was kept, while the file still is the one that it was read from. Throws `FileRefused`, as a reading does. */
export async function* readAgain<Piece>(source: SourceFile, kept: Iterable<Piece>): AsyncGenerator<Piece> {
  const file = await openSame(source);
  try {
    for (const piece of kept) {
      source.signal?.throwIfAborted();
      yield piece;
      // Unpacking waits for nothing: without this, all pieces together would hold up everybody else.
      await turn();
    }
    await checkSame(source, file);
  } finally {
    await file.close();
  }
}
