// Copies of the folders of a workspace, taken while other processes move and replace what is in them.
import { constants } from 'node:fs';
import { copyFile, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { syncFolder } from '../base/atomic-file.ts';
import { createFolder } from './workspace.ts';

/** How much was copied. */
export type CopyCounts = { files: number; bytes: number };

/** What is still being written, or belongs to one process alone. */
const UNFINISHED = /\.tmp$|\.taking$|\.lock$/;

/** Copies a folder with everything below it, durably. An entry that is gone by the time it is its turn is left out. */
export async function copyFolder(from: string, to: string, counts: CopyCounts): Promise<void> {
  await createFolder(to);
  for (const entry of await readdir(from, { withFileTypes: true }).catch(unlessGone)) {
    if (UNFINISHED.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target, counts);
    else if (entry.isFile()) await copyOne(source, target, counts);
  }
  await syncFolder(to);
}

/** The same for one file; nothing where there is none. */
export async function copyOne(from: string, to: string, counts: CopyCounts): Promise<void> {
  try {
    const { size, atime, mtime } = await stat(from);
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    // The day on which a file was accepted, and its age, are read from its time.
    await utimes(to, atime, mtime);
    const file = await open(to, 'r');
    await file.sync().finally(() => file.close());
    counts.files += 1;
    counts.bytes += size;
  } catch (error) {
    unlessGone(error as NodeJS.ErrnoException);
  }
}

/**
 * Copies the folder of a batch as it stood at one moment: a manifest is replaced by another name, so that a copy taken across it could have neither.
 * False where the folder is gone, because the batch was archived or removed meanwhile.
 */
export async function copyBatchFolder(from: string, to: string, counts: CopyCounts): Promise<boolean> {
  for (;;) {
    const before = await namesIn(from);
    const seen = { ...counts };
    await copyFolder(from, to, counts);
    const after = await namesIn(from);
    if (after !== null && after === before) return true;
    await rm(to, { recursive: true, force: true });
    Object.assign(counts, seen);
    if (after === null) return false;
  }
}

/** Null where the folder is gone. */
async function namesIn(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => null);
  return names === null ? null : names.toSorted().join('/');
}

function unlessGone(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
