// Reads a file that a stranger may have put there (symlink attacks): it follows no link, does not block on a pipe, reads no device, and never reads more than the
// caller asked for. It checks the file after opening it, because then nobody can replace it.
import {
  closeSync,
  constants,
  fstatSync,
  open as openFile,
  openSync,
  read as readFile,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A file that is open, by its descriptor. What the system says of one it knows without its disk, so that only opening and reading wait in another thread. */
type OpenFile = number;

const opened = promisify(openFile);
/** Resolves with how many bytes it read from a position on; null for where the last reading ended. */
export const readInto = promisify(readFile);

/** `linked`: the file has a second name, under which somebody may still write it. */
export type PlainFault = 'missing' | 'not-a-file' | 'linked' | 'too-large';

/** Without `O_NONBLOCK`, opening a pipe would wait until somebody writes to it. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The errors for opening a link, a socket, a path through something that is no folder, or a device without a driver. */
const NOT_FILES: ReadonlySet<string> = new Set(['ELOOP', 'EMLINK', 'ENXIO', 'ENODEV', 'EISDIR', 'ENOTDIR']);

/** Bytes per read. */
const CHUNK_BYTES = 1024 * 1024;

/** The bytes of a plain file of at most `bytesMax`. Throws other errors of the disk, such as EACCES. */
export async function readPlainFile(
  path: string,
  { bytesMax = Infinity, mayBeLinked = false } = {},
): Promise<Uint8Array | PlainFault> {
  const file = await openPlainFile(path, mayBeLinked);
  if (typeof file === 'string') return file;
  try {
    return await readAtMost(file, bytesMax);
  } finally {
    closeSync(file);
  }
}

/** The file itself, open for reading, which the caller closes. */
export async function openPlainFile(path: string, mayBeLinked = false): Promise<OpenFile | PlainFault> {
  let file: OpenFile;
  try {
    file = await opened(path, FLAGS);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return 'missing';
    if (NOT_FILES.has(code)) return 'not-a-file';
    throw error;
  }
  const fault = faultOf(file, mayBeLinked);
  if (fault === null) return file;
  closeSync(file);
  return fault;
}

/** One that was replaced since it was opened has no name at all any more, and is read as it was. */
function faultOf(file: OpenFile, mayBeLinked: boolean): PlainFault | null {
  const found = fstatSync(file);
  if (!found.isFile()) return 'not-a-file';
  return found.nlink > 1 && !mayBeLinked ? 'linked' : null;
}

/** The bytes of an open file from its first one on. */
export async function readAtMost(file: OpenFile, bytesMax: number): Promise<Uint8Array | 'too-large'> {
  const { size } = fstatSync(file);
  if (size > bytesMax) return 'too-large';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size - bytes, 0) + 1));
    const { bytesRead } = await readInto(file, chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, bytes);
    bytes += bytesRead;
    // The file grows while it is read.
    if (bytes > bytesMax) return 'too-large';
    chunks.push(chunk.subarray(0, bytesRead));
    // One more was asked for, and the file has no more than it said.
    if (bytes === size && bytesRead < chunk.length) return Buffer.concat(chunks, bytes);
  }
}

/** The path of an open file, with all links resolved; null where the system does not say, or the file is gone. */
export function pathOf(file: OpenFile): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${String(file)}`);
  } catch {
    return null;
  }
}

// A file from its first byte to its last. It is opened when the first is asked for.

/** Each read goes to another thread and back. */
const PIECE_BYTES = 256 * 1024;

/**
 * Throws for anything but a plain file: a pipe would wait, and a device may have no end. A piece is valid only until the next is asked for: what is
 * read to be written elsewhere would otherwise lie in memory as a whole.
 */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new NoPlainFile(path);
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Far above any key, profile or config. */
const NAMED_BYTES_MAX = 64 * 1024 * 1024;

/** The content of a file that an operator named, also through links, as secrets are often mounted. Throws for anything but a plain file of modest size. */
export function readNamedFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > NAMED_BYTES_MAX) throw new NoPlainFile(path);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

class NoPlainFile extends Error {
  override readonly name = 'NoPlainFile';
  /** The code that the system gives for a folder. */
  readonly code = 'EISDIR';

  constructor(path: string) {
    super(`${path} is no plain file.`);
  }
}
