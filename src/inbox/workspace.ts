// The folders of a workspace (each may lie elsewhere), private to their owner because they hold names and account numbers.
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

import { syncFolder } from '../base/atomic-file.ts';
import { BATCH_NAME } from './answer-name.ts';

export type Workspace = {
  readonly root: string;
  readonly inbox: string;
  readonly processing: string;
  readonly outbox: string;
  readonly archive: string;
  readonly refused: string;
  readonly ledgerPath: string;
  /** The machine that owns the inbox, where several machines share everything else; null where all share the inbox. */
  readonly node?: string | null;
};

const FOLDER_MODE = 0o700;

/**
 * Names the folders and creates the missing ones; `moved` are folders that the config puts elsewhere. One outside of the workspace is never created: where a
 * share is not mounted yet, a folder of its name on the local disk would be watched in its place.
 */
export async function openWorkspace(
  root: string,
  moved: Partial<Pick<Workspace, 'inbox' | 'outbox' | 'archive' | 'refused'>> = {},
  node: string | null = null,
): Promise<Workspace> {
  const workspace: Workspace = {
    root,
    inbox: moved.inbox ?? join(root, 'inbox'),
    processing: join(root, 'processing'),
    outbox: moved.outbox ?? join(root, 'outbox'),
    archive: moved.archive ?? join(root, 'archive'),
    refused: moved.refused ?? join(root, 'refused'),
    ledgerPath: join(root, 'ledger.sqlite'),
    node,
  };
  const { inbox, processing, outbox, archive, refused } = workspace;
  for (const folder of [root, inbox, processing, outbox, archive, refused])
    if (isWithin(root, folder)) await createFolder(folder);
  return workspace;
}

function isWithin(root: string, folder: string): boolean {
  const path = relative(root, folder);
  return !isAbsolute(path) && path.split(/[\\/]/)[0] !== '..';
}

/** The folders that files come from or go to and that are not there; null where all are. */
export async function missingFolder({
  inbox,
  outbox,
  archive,
  refused,
}: Pick<Workspace, 'inbox' | 'outbox' | 'archive' | 'refused'>): Promise<string | null> {
  for (const folder of [inbox, outbox, archive, refused]) if (!(await isFolder(folder))) return folder;
  return null;
}

/** Where a batch lies while it is in progress. */
export function processingFolder(workspace: Workspace, batch: string): string {
  return join(workspace.processing, batch);
}

/** Where the files of a batch are put together until all of them are there: a kill in between leaves nothing that passes for a batch. */
export function takingFolder(workspace: Workspace, batch: string): string {
  return `${processingFolder(workspace, batch)}${TAKING}`;
}

const TAKING = '.taking';

/** Where a closed batch lies: by year and month of its acceptance, as its name begins. */
export function archiveFolder(workspace: Workspace, batch: string): string {
  return join(workspace.archive, batch.slice(0, 4), batch.slice(4, 6), batch);
}

/** Where the documents of a batch lie, below its folder. */
export function documentsFolder(batchFolder: string): string {
  return join(batchFolder, 'documents');
}

/** Everywhere that a batch may lie. */
export function batchFolders(workspace: Workspace, batch: string): readonly string[] {
  return [
    processingFolder(workspace, batch),
    join(workspace.refused, batch),
    archiveFolder(workspace, batch),
  ];
}

/** Where a batch that was not refused lies at this moment: its work folder, or its place in the archive. Null when it is in neither. */
export async function standingFolder(workspace: Workspace, batch: string): Promise<string | null> {
  for (const folder of [processingFolder(workspace, batch), archiveFolder(workspace, batch)]) {
    if (await isFolder(folder)) return folder;
  }
  return null;
}

export type BatchFolder = { readonly batch: string; readonly path: string };

/** The folders of all batches that are being processed or archived. */
export async function listBatchFolders({ processing, archive }: Workspace): Promise<readonly BatchFolder[]> {
  const found = [...(await listWorkFolders({ processing }))];
  for (const year of await namesIn(archive, /^\d{4}$/)) {
    for (const month of await namesIn(join(archive, year), /^\d{2}$/)) {
      found.push(...(await batchFoldersIn(join(archive, year, month))));
    }
  }
  return found;
}

/** The folders of all batches that are being processed. */
export function listWorkFolders({
  processing,
}: Pick<Workspace, 'processing'>): Promise<readonly BatchFolder[]> {
  return batchFoldersIn(processing);
}

async function batchFoldersIn(folder: string): Promise<readonly BatchFolder[]> {
  return (await namesIn(folder, BATCH_NAME)).map((batch) => ({ batch, path: join(folder, batch) }));
}

async function namesIn(folder: string, form: RegExp): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => form.test(name));
}

/** The batches that are being taken at this moment, or whose taking was cut short. */
export async function listTakings({ processing }: Workspace): Promise<readonly string[]> {
  const names = await readdir(processing);
  return names.filter((name) => name.endsWith(TAKING)).map((name) => name.slice(0, -TAKING.length));
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

/** Creates a folder and its parents for their owner alone, durably; an existing one keeps its mode. */
export async function createFolder(folder: string): Promise<void> {
  const created = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (created === undefined) return;
  // The umask may have removed rights of the owner too; others never had any.
  await chmod(folder, FOLDER_MODE);
  // A synced file is lost with its folder unless the folder's own name is synced too.
  for (let path = resolve(folder); path.length >= resolve(created).length; path = dirname(path))
    await syncFolder(dirname(path)).catch(unlessForbidden);
}

/** A parent folder of the workspace may be one that only its owner can read. */
function unlessForbidden(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
}
