// Reads a file that somebody else may have put there: a link is not followed, a pipe does not block, a device is not read, and never more is read
// than was asked for. What a name stands for is looked at once it is open, for by then nobody can put another thing in its place.
import { constants } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';

/** `linked`: it has a second name, by which somebody may go on writing it. */
export type PlainFault = 'missing' | 'not-a-file' | 'linked' | 'too-large';

/** Without `O_NONBLOCK` a pipe would be waited for until somebody writes to it. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What opening a link, a socket, a folder that is no folder, or a device of nobody gives. */
const NOT_FILES: ReadonlySet<string> = new Set(['ELOOP', 'EMLINK', 'ENXIO', 'ENODEV', 'EISDIR', 'ENOTDIR']);

/** Reads at once as much. */
const CHUNK_BYTES = 1024 * 1024;

/** The bytes of a plain file of at most `bytesMax`. Throws what the disk says otherwise, such as EACCES. */
export async function readPlainFile(
  path: string,
  { bytesMax = Infinity, mayBeLinked = false } = {},
): Promise<Uint8Array | PlainFault> {
  const file = await openPlainFile(path, mayBeLinked);
  if (typeof file === 'string') return file;
  try {
    return await readAtMost(file, bytesMax);
  } finally {
    await file.close();
  }
}

/** The file itself, open for reading, which the caller closes. */
export async function openPlainFile(path: string, mayBeLinked = false): Promise<FileHandle | PlainFault> {
  let file: FileHandle;
  try {
    file = await open(path, FLAGS);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return 'missing';
    if (NOT_FILES.has(code)) return 'not-a-file';
    throw error;
  }
  const fault = await faultOf(file, mayBeLinked).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (fault === null) return file;
  await file.close();
  return fault;
}

async function faultOf(file: FileHandle, mayBeLinked: boolean): Promise<PlainFault | null> {
  const found = await file.stat();
  if (!found.isFile()) return 'not-a-file';
  return found.nlink > 1 && !mayBeLinked ? 'linked' : null;
}

/** The bytes of an open file from its first one on. */
export async function readAtMost(file: FileHandle, bytesMax: number): Promise<Uint8Array | 'too-large'> {
  const { size } = await file.stat();
  if (size > bytesMax) return 'too-large';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size - bytes, 0) + 1));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, bytes);
    bytes += bytesRead;
    // It grows while it is read.
    if (bytes > bytesMax) return 'too-large';
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

/** Where an open file lies, without any link on the way; null where the system does not tell it, or it has gone. */
export function pathOf(file: FileHandle): Promise<string | null> {
  return readlink(`/proc/self/fd/${String(file.fd)}`).catch(() => null);
}

// A file as a stream of bytes that is opened when its first byte is asked for: one opened at once would end the process when it fails before
// anybody listens.

/** Throws for what is no plain file: a pipe would be waited for, and a device may have no end. */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new NoPlainFile(path);
    yield* file.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
  } finally {
    await file.close();
  }
}

class NoPlainFile extends Error {
  override readonly name = 'NoPlainFile';
  /** As the system says of a folder. */
  readonly code = 'EISDIR';

  constructor(path: string) {
    super(`${path} is no plain file.`);
  }
}
