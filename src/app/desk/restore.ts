// `restore`: puts a backup in the place of a lost ledger, and makes it known as an older copy: every open batch is asked about at the service before anything
// of it is sent. The ledger takes its place last: whatever is cut short before then is a lost ledger, as it was.
import { existsSync } from 'node:fs';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { syncFolder } from '../../base/atomic-file.ts';
import { systemClock } from '../../base/clock.ts';
import { copyFolder, copyOne, type CopyCounts } from '../../inbox/copy-folder.ts';
import { folderNow, manifestEpoch, manifestNow, writeManifest } from '../../inbox/manifest.ts';
import { writeStop } from '../../inbox/stop-file.ts';
import {
  archiveFolder,
  isFolder,
  listBatchFolders,
  missingFolder,
  openWorkspace,
  type Workspace,
} from '../../inbox/workspace.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { LedgerUnusable } from '../../ledger/ledger-unusable.ts';
import { type LedgerPlace, openLedger, openMovable } from '../../ledger/open-ledger.ts';
import { sentence } from '../../messages/messages.ts';
import type { Config } from '../config/config.ts';
import { nameOfLedger } from '../config/ledger-config.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import {
  type BackupNote,
  claimsIn,
  endOfHistory,
  KEPT_FILES,
  LEDGER,
  PEOPLE,
  readNote,
  UPLOADS,
} from './backup-folder.ts';

export type Restored = {
  /** When the backup was made; ISO. */
  readonly at: string;
  readonly batches: number;
  /** Those that are open, and that the service is asked about. */
  readonly open: number;
  /** The inbox has a STOP file: no folder stood that could have shown what came after the backup. */
  readonly isStopped: boolean;
};

/** Throws `ConfigUnusable` and `LedgerUnusable`. */
export async function restore(config: Config, from: string): Promise<Restored> {
  const note = await readNote(from);
  const workspace = await openWorkspace(config.workspacePath, config.folderPaths);
  const missing = await missingFolder(workspace);
  if (missing !== null) throw new ConfigUnusable(sentence('restore.noFolder', { folder: missing }));
  const place = config.sharedLedger ?? config.ledgerPath ?? workspace.ledgerPath;
  if (typeof place !== 'string') return putBack(place, { note, from, workspace });
  const copy = await copyOfLedger(note, from, place);
  try {
    const restored = await putBack(copy, { note, from, workspace });
    await discardLedger(place);
    await rename(copy, place);
    await syncFolder(dirname(place));
    return restored;
  } finally {
    await discardLedger(copy);
  }
}

/** The ledger of the backup, beside its place, and found to be what the backup says. */
async function copyOfLedger({ ledger }: BackupNote, from: string, place: string): Promise<string> {
  await assertNoLedger(place);
  if (ledger.history === null) throw new ConfigUnusable(sentence('restore.inDatabase'));
  const copy = `${place}.restoring`;
  await discardLedger(copy);
  await copyFile(join(from, LEDGER), copy);
  if (isDeepStrictEqual(await endOfHistory(copy), ledger.history)) return copy;
  await discardLedger(copy);
  throw new LedgerUnusable(sentence('restore.otherHistory', { folder: from }));
}

/** An empty one is none: every command that looks at a workspace whose ledger is lost makes one. */
async function assertNoLedger(place: string): Promise<void> {
  const standing = filesOf(place).find((path) => existsSync(path));
  if (standing === undefined) return;
  const movable = existsSync(place) ? await openMovable(place).catch(() => null) : null;
  const isEmpty = (await movable?.isEmpty()) ?? false;
  await movable?.close();
  if (!isEmpty) throw new ConfigUnusable(sentence('restore.ledgerThere', { place: standing }));
  const ledger = await openLedger(place, systemClock);
  await assertAtRest(ledger, place).finally(() => ledger.close());
}

/** Throws `LedgerUnusable` where a process that wrote to it is alive. */
async function assertAtRest({ runs }: Ledger, place: LedgerPlace): Promise<void> {
  if ((await runs.alive()).length > 0)
    throw new LedgerUnusable(sentence('migrate.inUse', { place: nameOfLedger(place) }));
}

function filesOf(place: string): readonly string[] {
  return [place, `${place}-wal`, `${place}-shm`];
}

async function discardLedger(place: string): Promise<void> {
  for (const path of filesOf(place)) await rm(path, { force: true });
}

type RestoreOrder = { readonly note: BackupNote; readonly from: string; readonly workspace: Workspace };

/** The folders, and then what makes the ledger known as an older one. */
async function putBack(place: LedgerPlace, { note, from, workspace }: RestoreOrder): Promise<Restored> {
  const ledger = await openLedger(place, systemClock);
  try {
    await assertAtRest(ledger, place);
    // A database without its dump would look as if nothing had ever been paid.
    if (ledger.id !== note.ledger.id)
      throw new ConfigUnusable(sentence('restore.otherLedger', { place: nameOfLedger(place), at: note.at }));
    const isBare = !(await hasBatches(workspace));
    await putFoldersBack(await openWorkspace(from), workspace, isBare);
    if (isBare)
      writeStop(workspace, `paydrop restore: the backup of ${note.at} knows nothing of what came later`);
    return { at: note.at, isStopped: isBare, ...(await markOlder(ledger, workspace)) };
  } finally {
    await ledger.close();
  }
}

async function hasBatches(workspace: Workspace): Promise<boolean> {
  return (await listBatchFolders(workspace)).length > 0 || (await readdir(workspace.refused)).length > 0;
}

/** What stands is newer than the backup, and stays. */
async function putFoldersBack(backup: Workspace, workspace: Workspace, isBare: boolean): Promise<void> {
  const counts: CopyCounts = { files: 0, bytes: 0 };
  for (const name of [PEOPLE, ...KEPT_FILES]) {
    const path = join(workspace.root, name);
    if (!existsSync(path)) await copyOne(join(backup.root, name), path, counts);
  }
  for (const { batch, path } of await listBatchFolders(backup)) {
    const isArchived = path === archiveFolder(backup, batch);
    const place = isArchived ? archiveFolder(workspace, batch) : join(workspace.processing, batch);
    const stands = folderNow(workspace, batch) !== null || (await isFolder(join(workspace.refused, batch)));
    if (!stands) await copyFolder(path, place, counts);
  }
  // Where folders stand, these files have become batches since, or were taken back.
  if (!isBare) return;
  for (const name of await claimsIn(backup))
    await copyFolder(join(backup.processing, name), join(workspace.processing, name), counts);
  await copyFolder(backup.refused, workspace.refused, counts);
  await copyFolder(backup.inbox, workspace.inbox, counts);
  await copyFolder(join(backup.root, UPLOADS), join(workspace.root, UPLOADS), counts);
}

/** Raises the epoch of each open batch in its manifest alone, which is how an older ledger is recognised, whatever has happened since. */
async function markOlder(ledger: Ledger, workspace: Workspace): Promise<Pick<Restored, 'batches' | 'open'>> {
  const batches = await ledger.batches();
  let open = 0;
  for (const { id, state, epoch = 0, fileName, sha256 } of batches) {
    if (state === 'closed' || state === 'refused') continue;
    open += 1;
    // What another ledger wrote last stays its own: nothing is sent of it before a person has rebuilt it.
    if ((manifestNow(workspace, id)?.ledger ?? ledger.id) !== ledger.id) continue;
    const next = Math.max(epoch, manifestEpoch(workspace, id)) + 1;
    writeManifest(workspace, {
      epoch: next,
      ledger: ledger.id,
      batch: id,
      file: { name: fileName, sha256 },
    });
  }
  return { batches: batches.length, open };
}
