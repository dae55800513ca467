// `backup`: copies ledger, folders, people and config while paydrop works on. The ledger comes first: the folders of a copy know as much as its ledger, or
// more, which is what an older ledger is recognised by.
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';

import { syncFolder } from '../../base/atomic-file.ts';
import { buildVersion } from '../../base/build-version.ts';
import { isoTime, systemClock } from '../../base/clock.ts';
import { copyDatabase } from '../../base/copy-database.ts';
import { copyBatchFolder, copyFolder, copyOne, type CopyCounts } from '../../inbox/copy-folder.ts';
import {
  archiveFolder,
  createFolder,
  isFolder,
  listBatchFolders,
  listWorkFolders,
  openWorkspace,
  processingFolder,
  type Workspace,
} from '../../inbox/workspace.ts';
import { asLedgerUnusable } from '../../ledger/ledger-unusable.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { sentence } from '../../messages/messages.ts';
import type { Config } from '../config/config.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import {
  type BackupNote,
  claimsIn,
  endOfHistory,
  KEPT_FILES,
  LEDGER,
  PEOPLE,
  UPLOADS,
  writeNote,
} from './backup-folder.ts';

export type Backup = CopyCounts & {
  readonly path: string;
  readonly at: string;
  readonly history: BackupNote['ledger']['history'];
};

const NAME = 'paydrop-';
const PARTIAL = '.partial';

/** Writes a new backup below a folder that is there. Throws `ConfigUnusable` and `LedgerUnusable`. */
export async function backUp(config: Config, below: string): Promise<Backup> {
  if (!(await isFolder(below))) throw new ConfigUnusable(sentence('backup.noFolder', { folder: below }));
  await discardPartial(below);
  const workspace = await openWorkspace(config.workspacePath, config.folderPaths);
  assertOutside(below, workspace);
  const at = isoTime(systemClock.now());
  const path = join(below, `${NAME}${at.replaceAll(/[-:]|\.\d+/g, '')}`);
  if (existsSync(path)) throw new ConfigUnusable(sentence('backup.there', { path }));
  const partial = `${path}${PARTIAL}`;
  try {
    const ledger = await copyLedger(config, workspace, partial);
    const counts: CopyCounts = { files: 0, bytes: 0 };
    await copyWorkspace(workspace, partial, counts);
    await copyConfig(config, join(partial, 'config'), counts);
    const note = { format: 1, paydrop: buildVersion(), at, workspace: workspace.root, ledger } as const;
    await writeNote(partial, note);
    await rename(partial, path);
    await syncFolder(below);
    return { path, at, ...counts, history: ledger.history };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw asLedgerUnusable(error);
  }
}

/** A backup that was cut short is none. */
async function discardPartial(below: string): Promise<void> {
  for (const name of await readdir(below))
    if (name.startsWith(NAME) && name.endsWith(PARTIAL)) await rm(join(below, name), { recursive: true });
}

/** A copy inside of what it copies would grow with every backup, and be lost with it. */
function assertOutside(below: string, { root, inbox, archive, refused }: Workspace): void {
  for (const folder of [root, inbox, archive, refused])
    if (!relative(folder, resolve(below)).startsWith('..'))
      throw new ConfigUnusable(sentence('backup.within', { folder: below, workspace: folder }));
}

/** The ledger as it is now, read through to its end. */
async function copyLedger(
  { sharedLedger = null, ledgerPath }: Config,
  workspace: Workspace,
  to: string,
): Promise<BackupNote['ledger']> {
  const place = sharedLedger ?? ledgerPath ?? workspace.ledgerPath;
  if (typeof place === 'string' && !existsSync(place))
    throw new ConfigUnusable(sentence('backup.nothing', { place }));
  await createFolder(to);
  const ledger = await openLedger(place, systemClock);
  await ledger.close();
  if (typeof place !== 'string') return { id: ledger.id, history: null };
  await copyDatabase(place, join(to, LEDGER));
  return { id: ledger.id, history: await endOfHistory(join(to, LEDGER)) };
}

/** In the order in which a file moves on: one that moves meanwhile is copied twice rather than never. */
async function copyWorkspace(workspace: Workspace, to: string, counts: CopyCounts): Promise<void> {
  const copy = await openWorkspace(to);
  const people = join(workspace.root, PEOPLE);
  if (existsSync(people)) await copyDatabase(people, join(to, PEOPLE));
  for (const name of KEPT_FILES) await copyOne(join(workspace.root, name), join(to, name), counts);
  await copyFolder(join(workspace.root, UPLOADS), join(to, UPLOADS), counts);
  await copyFolder(workspace.inbox, copy.inbox, counts);
  for (const name of await claimsIn(workspace))
    await copyFolder(join(workspace.processing, name), join(copy.processing, name), counts);
  for (const { path, batch } of await listWorkFolders(workspace))
    await copyBatchFolder(path, processingFolder(copy, batch), counts);
  for (const { path, batch } of await listBatchFolders(workspace)) {
    const target = archiveFolder(copy, batch);
    if (path === archiveFolder(workspace, batch) && (await copyBatchFolder(path, target, counts)))
      await rm(processingFolder(copy, batch), { recursive: true, force: true });
  }
  await copyFolder(workspace.refused, copy.refused, counts);
  for (const batch of await readdir(copy.refused))
    await rm(processingFolder(copy, batch), { recursive: true, force: true });
}

/** Without the files of keys and passwords: they are kept elsewhere. */
async function copyConfig(
  { profilesPath, configPath }: Config,
  to: string,
  counts: CopyCounts,
): Promise<void> {
  if (configPath === undefined) return;
  await copyFolder(profilesPath, join(to, basename(profilesPath)), counts);
  await copyOne(configPath, join(to, basename(configPath)), counts);
}
