// The files of a remote folder and its folders, within bounds. Links are not followed, because their targets are outside our control.
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, posix } from 'node:path';

import { syncFolder } from '../base/atomic-file.ts';
import { fileChanged } from './remote-requests.ts';
import type { SftpSession } from './sftp-session.ts';

/** Folders for customer, year and month need no more levels; deeper ones are a mistake, or a loop. */
const DEPTH_MOST = 3;

/** Entries of a folder and its folders: far more than anybody leaves to be fetched. */
const ENTRIES_MOST = 10_000;

/** Where taken originals are kept, below the folder that they lay in. */
export const PROCESSED_FOLDER = 'processed';

export type FoundFile = {
  /** On the server. */
  readonly path: string;
  /** Relative to the folder that was listed. */
  readonly name: string;
  readonly bytes: number;
  readonly modifiedMs: number;
};

/** What is not fetched: anything but a plain file, or a name that cannot be used here. */
export type FoundOther = Pick<FoundFile, 'path' | 'name'> & { readonly isFolder: boolean };

type FoundTree = {
  readonly files: readonly FoundFile[];
  /** Folders too; a name may be one that a file was expected under. */
  readonly others: readonly FoundOther[];
  /** Names that cannot be used here, as the server has them. */
  readonly unsafe: readonly FoundOther[];
};

/** @param without a folder that is left alone, such as that of the answers: they would come back as files to pay. Throws `SftpFault`. */
export async function listTree(
  session: SftpSession,
  folder: string,
  without: string | null = null,
): Promise<FoundTree> {
  return treeIn(session, folder, '', DEPTH_MOST, { entries: ENTRIES_MOST, without });
}

async function treeIn(
  session: SftpSession,
  folder: string,
  prefix: string,
  depth: number,
  left: { entries: number; readonly without: string | null },
): Promise<FoundTree> {
  const files: FoundFile[] = [];
  const others: FoundOther[] = [];
  const unsafe: FoundOther[] = [];
  const found = await session.list(folder, left.entries);
  left.entries -= found.length;
  for (const { name, kind, bytes, modifiedMs } of found) {
    if (isPrivate(name)) continue;
    const path = posix.join(folder, name);
    if (path === left.without) continue;
    if (!isSafeName(name)) {
      unsafe.push({ path, name, isFolder: kind === 'folder' });
      continue;
    }
    if (kind === 'file') files.push({ path, name: prefix + name, bytes, modifiedMs });
    else others.push({ path, name: prefix + name, isFolder: kind === 'folder' });
    if (kind === 'folder' && depth > 0 && name !== PROCESSED_FOLDER) {
      const below = await treeIn(session, path, `${prefix}${name}/`, depth - 1, left);
      files.push(...below.files);
      others.push(...below.others);
      unsafe.push(...below.unsafe);
    }
  }
  return { files, others, unsafe };
}

/** Dot files are private everywhere; the server's own two are among them. */
function isPrivate(name: string): boolean {
  return name.startsWith('.');
}

// Fetches a remote file to a temporary name here. It counts as fetched only when the original is unchanged afterwards.

/** Files hold account numbers and names: only their owner may read them. */
const FILE_MODE = 0o600;

/**
 * Writes the file to `temporary`, on the disk when it resolves, and returns the SHA-256 of its bytes. On any fault it leaves nothing there.
 * Throws `SftpFault`: `file_changed` when the original changed meanwhile.
 */
export async function fetchFile(session: SftpSession, found: FoundFile, temporary: string): Promise<string> {
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    const sha256 = await copyTo(file, session.read(found.path, found.bytes));
    await file.sync();
    await file.close();
    if (!(await isStill(session, found))) throw fileChanged(found.path);
    await syncFolder(dirname(temporary));
    return sha256;
  } catch (error) {
    // Only the first error is reported.
    await Promise.allSettled([file.close(), rm(temporary, { force: true })]);
    throw error;
  }
}

/** True while the file is there, unchanged. */
export async function isStill(
  session: SftpSession,
  { path, bytes, modifiedMs }: Pick<FoundFile, 'path' | 'bytes' | 'modifiedMs'>,
): Promise<boolean> {
  const now = await session.stat(path);
  return now?.kind === 'file' && now.bytes === bytes && now.modifiedMs === modifiedMs;
}

/** The SHA-256 of a remote file's bytes. */
export async function hashRemote(
  session: SftpSession,
  { path, bytes }: Pick<FoundFile, 'path' | 'bytes'>,
): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of session.read(path, bytes)) hash.update(chunk);
  return hash.digest('hex');
}

async function copyTo(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    await file.writeFile(chunk);
  }
  return hash.digest('hex');
}

// Names come from another system and become names here. A name that could lead elsewhere, hide its end or break a terminal is not fetched.

/** Leaves room for the parts before and after it: the batch, the kind of an answer, a marker; file systems take 255. */
const NAME_BYTES_MAX = 180;

/** Control and format characters (which reverse text), halves of characters, and bytes that were not UTF-8. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/u;

/** Characters that have a meaning in a path on some system. */
const WITH_MEANING = /[/\\:*?"<>|]/;

/** The beginning is enough to recognise a longer name. */
const SHOWN_MOST = 60;

/** Whether a name of the other side may be used here: no path traversal, no control characters. */
export function isSafeName(name: string): boolean {
  return (
    name !== '' &&
    !name.startsWith('.') &&
    !/[. ]$/.test(name) &&
    !UNPRINTABLE.test(name) &&
    !WITH_MEANING.test(name) &&
    Buffer.byteLength(name) <= NAME_BYTES_MAX
  );
}

/** A name that is safe to show to people. */
export function shownName(name: string): string {
  const clean = name.replaceAll(new RegExp(UNPRINTABLE, 'gu'), '\uFFFD');
  return clean.length > SHOWN_MOST ? `${clean.slice(0, SHOWN_MOST)}…` : clean;
}
