// The copy of a file in the folder of its batch. Its name is the one that the batch was paid under, and all that lies beside it (what was answered,
// what a person cancelled) goes by that name: whoever rebuilds from a copy of his own, called otherwise, must find it all the same.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { readBytes } from '../../../base/plain-file.ts';
import { occurrenceIn, occurrenceOf } from '../../../inbox/batch-name.ts';
import { hashFile } from '../../../inbox/hash-file.ts';
import { findTakenFile, takeFile, type InboxFile } from '../../../inbox/take-file.ts';
import {
  isFolder,
  listBatchFolders,
  standingFolder,
  type BatchFolder,
  type Workspace,
} from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import { CHANGED_WHILE_TAKEN } from '../take/take-batch.ts';

type Bytes = Pick<BatchRecord, 'fileId' | 'sha256' | 'fileName'>;

/** The folder that stands for this time of these bytes; null when none does. */
export async function folderOf(
  workspace: Workspace,
  { fileId, sha256 }: Pick<Bytes, 'fileId' | 'sha256'>,
): Promise<BatchFolder | null> {
  const folders = await foldersOf(workspace, sha256);
  return folders.find(({ batch }) => occurrenceIn(batch, sha256) === occurrenceOf(fileId)) ?? null;
}

/** The folders that stand for these bytes, each with the time in its name. */
export async function foldersOf(workspace: Workspace, sha256: string): Promise<readonly BatchFolder[]> {
  const found: BatchFolder[] = [];
  for (const folder of await listBatchFolders(workspace))
    if (occurrenceIn(folder.batch, sha256) !== null && (await mayBeOf(folder, sha256))) found.push(folder);
  return found;
}

/** A name has the first digits of a hash, which two files may share: a copy of the other one says whose the folder is. */
async function mayBeOf({ batch, path }: BatchFolder, sha256: string): Promise<boolean> {
  const start = batch.split('-')[1] ?? '';
  const hashes: string[] = [];
  for (const name of await readdir(path)) {
    const file = join(path, name);
    if (!(await isFolder(file))) hashes.push(await hashFile(file).catch(() => ''));
  }
  return hashes.includes(sha256) || !hashes.some((other) => other.startsWith(start));
}

/** What the file is called in the folder of its batch; its own name where no copy stands there. */
export async function nameThatStands(workspace: Workspace, bytes: Bytes): Promise<string> {
  const folder = await folderOf(workspace, bytes);
  if (folder === null) return bytes.fileName;
  // Its own name first, and then whatever the person who dropped it may have called it.
  const names = [bytes.fileName, ...(await readdir(folder.path))];
  for (const name of names) if (await hasHash(join(folder.path, name), bytes.sha256)) return name;
  return bytes.fileName;
}

async function hasHash(path: string, sha256: string): Promise<boolean> {
  if (await isFolder(path)) return false;
  // A name that stands for nothing, or for what cannot be read, is none of the file.
  return (await hashFile(path).catch(() => null)) === sha256;
}

/** The copy that still stands in processing or in the archive, or a new one: in the folder of the batch wherever that stands, for a second one would hide what lies in the first. */
export async function placeFile(workspace: Workspace, batch: BatchRecord, path: string): Promise<InboxFile> {
  const { id, fileName, sha256 } = batch;
  const standing = await findTakenFile(fileName, sha256, id, workspace);
  if (standing !== null) return standing;
  const folder = await standingFolder(workspace, id);
  const file =
    folder === null ? await takeFile(path, sha256, id, workspace) : await copyInto(folder, batch, path);
  if (file === null) throw new FileRefused('file_changed', CHANGED_WHILE_TAKEN);
  return file;
}

async function copyInto(
  folder: string,
  { fileName, sha256 }: Bytes,
  path: string,
): Promise<InboxFile | null> {
  if ((await hashFile(path)) !== sha256) return null;
  const copy = join(folder, fileName);
  await publishFile(copy, readBytes(path));
  return { name: fileName, path: copy, folder, sha256 };
}
