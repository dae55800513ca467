// Takes a file into the workspace: from here on nobody else writes to it, and what was hashed is what is paid.
import { createReadStream } from 'node:fs';
import { cp, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { publishFile, syncFolder } from '../base/atomic-file.ts';
import { hashFile } from './hash-file.ts';
import { archiveFolder, createFolder, processingFolder, type Workspace } from './workspace.ts';

/** A file that was taken: where its copy lies, and the hash that was checked on the copy. */
export type InboxFile = {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
  readonly sha256: string;
};

/** Copies a file to its batch's folder; gives null when it changed under our hands, because somebody is still writing it. */
export async function takeFile(
  path: string,
  sha256: string,
  batch: string,
  workspace: Workspace,
): Promise<InboxFile | null> {
  const folder = processingFolder(workspace, batch);
  await createFolder(folder);
  const name = basename(path);
  const target = join(folder, name);
  await publishFile(target, createReadStream(path) as AsyncIterable<Uint8Array>);
  if ((await hashFile(target)) === sha256) return { name, path: target, folder, sha256 };
  await rm(folder, { recursive: true, force: true });
  return null;
}

/** Finds a taken file again: being processed, or archived already. Null when it is in neither place. */
export async function findTakenFile(
  name: string,
  sha256: string,
  batch: string,
  workspace: Workspace,
): Promise<InboxFile | null> {
  for (const folder of [processingFolder(workspace, batch), archiveFolder(workspace, batch)]) {
    const path = join(folder, name);
    if ((await stat(path).catch(() => null))?.isFile() === true) return { name, path, folder, sha256 };
  }
  return null;
}

/** Removes what was copied of a batch that was never fully taken. */
export async function discardTaken(batch: string, workspace: Workspace): Promise<void> {
  await rm(processingFolder(workspace, batch), { recursive: true, force: true });
}

/** Moves a closed batch to the archive. Doing it again is harmless. */
export async function archiveBatch(batch: string, workspace: Workspace): Promise<string> {
  const from = processingFolder(workspace, batch);
  const to = archiveFolder(workspace, batch);
  await createFolder(dirname(to));
  if ((await stat(from).catch(() => null)) !== null) await move(from, to);
  return to;
}

/** Moves a refused file and its documents beside the reason. An earlier refusal of the same bytes is replaced. */
export async function refuseBatch(batch: string, workspace: Workspace): Promise<string> {
  const to = join(workspace.refused, batch);
  await rm(to, { recursive: true, force: true });
  const from = processingFolder(workspace, batch);
  if ((await stat(from).catch(() => null)) !== null) await move(from, to);
  else await createFolder(to);
  return to;
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    // The archive may lie on another disk: then it is a copy, and the original goes last.
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    await cp(from, to, { recursive: true, preserveTimestamps: true });
    await rm(from, { recursive: true, force: true });
  }
  await syncFolder(dirname(to));
}
