// The copy of a file in the folder of its batch. The batch was paid under its name, and everything in the folder (answers, cancelled rows) uses
// that name. A person who rebuilds from a copy with another name must find it all the same.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import { isoTime } from '../base/clock.ts';
import { readBytes } from '../base/plain-file.ts';
import { occurrenceIn, occurrenceOf } from './answer-name.ts';
import { type InboxFile, hashFile } from './take-file.ts';
import { type BatchFolder, type Workspace, isFolder, listBatchFolders } from './workspace.ts';

type Bytes = { readonly fileId: string; readonly sha256: string; readonly fileName: string };

/** The folder of this occurrence of these bytes; null when there is none. */
export async function folderOf(
  workspace: Workspace,
  { fileId, sha256 }: Pick<Bytes, 'fileId' | 'sha256'>,
): Promise<BatchFolder | null> {
  const folders = await foldersOf(workspace, sha256);
  return folders.find(({ batch }) => occurrenceIn(batch, sha256) === occurrenceOf(fileId)) ?? null;
}

/** The folders of these bytes, each with the occurrence in its name. */
export async function foldersOf(workspace: Workspace, sha256: string): Promise<readonly BatchFolder[]> {
  const found: BatchFolder[] = [];
  for (const folder of await listBatchFolders(workspace))
    if (occurrenceIn(folder.batch, sha256) !== null && (await mayBeOf(folder, sha256))) found.push(folder);
  return found;
}

/** A name has the first digits of a hash, which two files may share: a copy of the other file shows whose folder it is. */
async function mayBeOf({ batch, path }: BatchFolder, sha256: string): Promise<boolean> {
  const start = batch.split('-')[1] ?? '';
  const hashes: string[] = [];
  for (const name of await readdir(path)) {
    const file = join(path, name);
    if (!(await isFolder(file))) hashes.push(await hashFile(file).catch(() => ''));
  }
  return hashes.includes(sha256) || !hashes.some((other) => other.startsWith(start));
}

/** The name of the file in the folder of its batch; its own name where there is no copy. */
export async function nameThatStands(workspace: Workspace, bytes: Bytes): Promise<string> {
  const folder = await folderOf(workspace, bytes);
  if (folder === null) return bytes.fileName;
  // Its own name first, and then any other name that the person who dropped it may have used.
  const names = [bytes.fileName, ...(await readdir(folder.path))];
  for (const name of names) if (await hasHash(join(folder.path, name), bytes.sha256)) return name;
  return bytes.fileName;
}

async function hasHash(path: string, sha256: string): Promise<boolean> {
  if (await isFolder(path)) return false;
  // A name that leads nowhere, or to something unreadable, is not the file's.
  return (await hashFile(path).catch(() => null)) === sha256;
}

/** Null where the bytes are others. */
export async function copyInto(
  folder: string,
  { fileName, sha256 }: Pick<Bytes, 'fileName' | 'sha256'>,
  path: string,
): Promise<InboxFile | null> {
  if ((await hashFile(path)) !== sha256) return null;
  const copy = join(folder, fileName);
  await publishFile(copy, readBytes(path));
  return { name: fileName, path: copy, folder, sha256 };
}

/** The copy was made when the file was accepted; a restored backup may have lost that time, but not the day in the name. */
export async function acceptedIn(batch: string, copy: string): Promise<string> {
  const day = `${batch.slice(0, 4)}-${batch.slice(4, 6)}-${batch.slice(6, 8)}`;
  const made = await stat(copy).catch(() => null);
  const at = made === null ? '' : isoTime(made.mtimeMs);
  // The end of the day, because a payment must not look older than it is: the window for equal payments would end too early.
  return at.startsWith(day) ? at : `${day}T23:59:59.999Z`;
}
