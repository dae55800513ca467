// Publishing a file so that a reader sees the old one or the whole new one, never a half, also across a power cut.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Files hold account numbers and names: only their owner may read them. */
const FILE_MODE = 0o600;

/** What a file is called while it is written. */
const UNFINISHED = /^\..+\.[0-9a-f]{12}\.tmp$/;

/** What is added to that name for the mark of a file that is written in another folder. */
const MARK = '.mark';

/**
 * How many characters of a name are kept: enough to tell it from others, short enough for the 255 bytes of a file name. The end is kept, because
 * there the names of answers differ.
 */
const END_CHARACTERS = 60;

/** Calls `publish` while nobody else may publish, or throws. It may call `publish` a second time after undoing what the first call wrote. */
export type WhileOwned = (publish: () => void) => Promise<unknown>;

type Publishing = {
  /** The mode of the finished file, whatever the process's umask is. */
  readonly mode?: number;
  /** A folder that holds a mark for as long as the temporary file exists: see `discardMarked`. */
  readonly markIn?: string;
  /** The file takes its place within this call; without it, at once. */
  readonly whileOwned?: WhileOwned | undefined;
  /** False for one of many: whoever publishes them syncs the folder behind the last. */
  readonly syncsFolder?: boolean;
};

const atOnce: WhileOwned = async (publish) => {
  publish();
  await Promise.resolve();
};

/**
 * Writes `chunks` to a temporary dot file in the folder of `path`, syncs it, renames it over `path` and syncs the folder. On any error (a full
 * disk included) it removes the temporary file, leaves `path` untouched, and throws the error.
 */
export async function publishFile(
  path: string,
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  publishing: Publishing = {},
): Promise<void> {
  const temporary = temporaryFor(path);
  const { markIn } = publishing;
  if (markIn === undefined) return publishFrom(temporary, path, chunks, publishing);
  const mark = join(markIn, `${basename(temporary)}${MARK}`);
  await writeFile(mark, '', { flag: 'wx', mode: FILE_MODE });
  try {
    await publishFrom(temporary, path, chunks, publishing);
  } finally {
    // If the folder was moved meanwhile, the process that moved it removes the mark.
    await Promise.allSettled([unlink(mark)]);
  }
}

async function publishFrom(
  temporary: string,
  path: string,
  chunks: Parameters<typeof publishFile>[1],
  { mode = FILE_MODE, whileOwned = atOnce, syncsFolder = true }: Publishing,
): Promise<void> {
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    await writeAll(file, chunks);
    if (mode !== FILE_MODE) await file.chmod(mode);
    await file.sync();
    await file.close();
    let isPublished = false;
    await whileOwned(() => {
      if (!isPublished) renameSync(temporary, path);
      isPublished = true;
    });
  } catch (error) {
    await discard(file, temporary);
    throw error;
  }
  if (syncsFolder) await syncFolder(dirname(path));
}

/** The synchronous form, for a small file that is written while a lock is held. */
export function publishNow(path: string, text: string): void {
  const temporary = temporaryFor(path);
  const file = openSync(temporary, 'wx', FILE_MODE);
  try {
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function temporaryFor(path: string): string {
  return join(
    dirname(path),
    `.${basename(path).slice(-END_CHARACTERS)}.${randomBytes(6).toString('hex')}.tmp`,
  );
}

/** Removes unfinished files in `folder`. A process that still writes one learns of it when its rename fails. */
export async function discardUnfinished(folder: string): Promise<void> {
  await unlinkAll(
    (await readdir(folder)).filter((name) => UNFINISHED.test(name)).map((name) => join(folder, name)),
  );
}

/** Removes the unfinished files in `folder` that have a mark in `marks`, and the marks. `folder` is not listed, because it may be large. */
export async function discardMarked(folder: string, marks: string): Promise<void> {
  const marked = (await readdir(marks)).filter((name) => name.endsWith(MARK));
  await unlinkAll(marked.map((name) => join(folder, name.slice(0, -MARK.length))));
  await unlinkAll(marked.map((name) => join(marks, name)));
}

async function unlinkAll(paths: readonly string[]): Promise<void> {
  await Promise.allSettled(paths.map((path) => unlink(path)));
}

/** Makes a rename or a new file in `folder` durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Each write goes to another thread and back, so small pieces are gathered up to this size. */
const WRITE_BYTES = 256 * 1024;

async function writeAll(
  file: FileHandle,
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  // What is there as a whole needs no buffers: a letter would leave half a megabyte of them behind.
  if (Array.isArray(chunks) && chunks.length === 1) return file.writeFile(chunks[0] as string | Uint8Array);
  // One is filled while the other is written: a new one for each piece would lie about until the memory is cleared.
  let [filled, written] = [Buffer.allocUnsafe(WRITE_BYTES), Buffer.allocUnsafe(WRITE_BYTES)];
  let bytes = 0;
  let writing = Promise.resolve();
  const write = async (): Promise<void> => {
    await writing;
    // FileHandle.writeFile loops until every byte is written, and reports a full disk.
    writing = file.writeFile(filled.subarray(0, bytes));
    // Whoever awaits it is told.
    writing.catch(() => undefined);
    [filled, written] = [written, filled];
    bytes = 0;
  };
  for await (const chunk of chunks) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + WRITE_BYTES - bytes);
      filled.set(part, bytes);
      bytes += part.length;
      at += part.length;
      if (bytes === WRITE_BYTES) await write();
    }
  }
  if (bytes > 0) await write();
  await writing;
}

async function discard(file: FileHandle, path: string): Promise<void> {
  // Only the first error is reported: that the closed handle cannot be closed again, or the lost file removed, adds nothing.
  await Promise.allSettled([file.close(), unlink(path)]);
}
