// The folders of a workspace (each may lie elsewhere), private to their owner because they hold names and account numbers.
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export type Workspace = {
  readonly root: string;
  readonly inbox: string;
  readonly processing: string;
  readonly outbox: string;
  readonly archive: string;
  readonly refused: string;
  readonly ledgerPath: string;
};

const FOLDER_MODE = 0o700;

/** Names and creates the folders that do not exist yet; `moved` are folders that the config puts elsewhere. */
export async function openWorkspace(
  root: string,
  moved: Partial<Pick<Workspace, 'inbox' | 'outbox' | 'archive' | 'refused'>> = {},
): Promise<Workspace> {
  const workspace: Workspace = {
    root,
    inbox: moved.inbox ?? join(root, 'inbox'),
    processing: join(root, 'processing'),
    outbox: moved.outbox ?? join(root, 'outbox'),
    archive: moved.archive ?? join(root, 'archive'),
    refused: moved.refused ?? join(root, 'refused'),
    ledgerPath: join(root, 'ledger.sqlite'),
  };
  const { inbox, processing, outbox, archive, refused } = workspace;
  for (const folder of [root, inbox, processing, outbox, archive, refused]) await createFolder(folder);
  return workspace;
}

/** Where a batch lies while it is worked on. */
export function processingFolder(workspace: Workspace, batch: string): string {
  return join(workspace.processing, batch);
}

/** Where a closed batch lies: by year and month of its acceptance, as its name begins. */
export function archiveFolder(workspace: Workspace, batch: string): string {
  return join(workspace.archive, batch.slice(0, 4), batch.slice(4, 6), batch);
}

/** Everywhere that a batch may lie. */
export function batchFolders(workspace: Workspace, batch: string): readonly string[] {
  return [
    processingFolder(workspace, batch),
    join(workspace.refused, batch),
    archiveFolder(workspace, batch),
  ];
}

/** Creates a folder and its parents for their owner alone; one that exists keeps its mode. */
export async function createFolder(folder: string): Promise<void> {
  const created = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  // The process' umask may have taken more away, but never less than others' access.
  if (created !== undefined) await chmod(folder, FOLDER_MODE);
}
