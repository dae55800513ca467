// Publishing a file so that a reader sees the old one or the whole new one, never a half, also across a power cut.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Files hold account numbers and names: only their owner may read them. */
const FILE_MODE = 0o600;

/** What a file is called while it is written. */
const UNFINISHED = /^\.(?<end>.+)\.[0-9a-f]{12}\.tmp$/;

/** As much of a name as tells it from the others, and leaves room within the 255 bytes of a file name: what tells answers apart stands at their end. */
const END_CHARACTERS = 60;

/**
 * Writes `chunks` to a temporary dot file beside `path`, syncs it, renames it over `path` and syncs the folder.
 * `mode` is what the file ends up with, whatever the process takes away from new files.
 * On any error (a full disk included) the temporary file is removed, what stood at `path` is untouched, and the error is thrown.
 */
export async function publishFile(
  path: string,
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  mode = FILE_MODE,
): Promise<void> {
  const temporary = temporaryFor(path);
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    await writeAll(file, chunks);
    if (mode !== FILE_MODE) await file.chmod(mode);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await discard(file, temporary);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The same at once, for a small file that is written while something is locked. */
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
  return join(dirname(path), `.${endOf(basename(path))}.${randomBytes(6).toString('hex')}.tmp`);
}

/** Removes what is being written in `folder`, of all files or of these; who writes it, however slow, is told by its rename. */
export async function discardUnfinished(folder: string, of?: readonly string[]): Promise<void> {
  const ends = of === undefined ? null : new Set(of.map(endOf));
  const names = (await readdir(folder)).filter((name) => {
    const end = UNFINISHED.exec(name)?.groups?.['end'];
    return end !== undefined && (ends?.has(end) ?? true);
  });
  await Promise.allSettled(names.map((name) => unlink(join(folder, name))));
}

function endOf(name: string): string {
  return name.slice(-END_CHARACTERS);
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

async function writeAll(
  file: FileHandle,
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  for await (const chunk of chunks) {
    // FileHandle.writeFile loops until every byte is written, and reports a full disk.
    await file.writeFile(chunk);
  }
}

async function discard(file: FileHandle, path: string): Promise<void> {
  // The first error is the one worth telling; that a closed handle cannot be closed again, or a lost file removed, is not.
  await Promise.allSettled([file.close(), unlink(path)]);
}
