// A ledger that has been lost must not look like a fresh start: what it has forgotten could be paid a second time under other ids.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import {
  archiveFolder,
  listBatchFolders,
  standingFolder,
  type BatchFolder,
  type Workspace,
} from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { FINAL } from '../../../payouts/lifecycle.ts';
import { holdsPayments } from '../../../rows/formats.ts';
import { wasAcknowledged } from '../check/acknowledge.ts';
import type { Paydrop } from '../../parts.ts';
import { forgetful } from '../../parts/command-errors.ts';
import { isBehind } from '../epoch.ts';
import { isBeingRebuilt } from '../../../ledger/batch-states.ts';

/** Files that are named in the message; after them the next `run` or `resume` names more. */
const NAMED_MOST = 20;

/** Throws when `processing/` or the archive holds a batch that the ledger does not know, or knows from before it was paid. */
export async function assertLedgerKnowsAll(paydrop: Paydrop): Promise<void> {
  // The folders first: a batch is known to the ledger before its folder stands.
  const folders = await listBatchFolders(paydrop.workspace);
  const batches = new Map((await paydrop.ledger.batches()).map((batch) => [batch.id, batch]));
  const standing = new Set(folders.map(({ batch }) => batch));
  const unknown: string[] = [];
  for (const folder of folders) {
    const batch = batches.get(folder.batch);
    if (batch === undefined || (await isOlderThanReality(paydrop, batch)))
      unknown.push(await spreadsheetIn(folder));
    else if (isBeingRebuilt(batch)) unknown.push(await spreadsheetIn(folder));
  }
  for (const batch of batches.values())
    if (isBeingRebuilt(batch) && !standing.has(batch.id)) unknown.push(batch.fileName);
  if (unknown.length === 0) return;
  throw forgetful(unknown.slice(0, NAMED_MOST), unknown.length);
}

/** True when the folder of a batch shows that it went further than the ledger knows: an older copy of the ledger was put back. */
export async function isOlderThanReality(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  if (!(await showsMore(paydrop, batch))) return false;
  // Another process may have moved it on, folder and ledger, while we looked.
  return (await paydrop.ledger.batch(batch.id))?.state === batch.state;
}

async function showsMore(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  const { workspace } = paydrop;
  if (isBehind(paydrop, batch)) return true;
  switch (batch.state) {
    case 'taking':
    case 'checking':
      return (await isArchived(workspace, batch)) || (await wasAcknowledged(paydrop, batch));
    case 'pricing':
      // Acknowledged it may be: between that and its payment it is so for a moment.
      return isArchived(workspace, batch);
    case 'accepted':
      // It is archived when its rows have ended, and is being paid by then, be it that none is left to pay.
      return isArchived(workspace, batch);
    case 'reserving':
    case 'sending':
    case 'following':
    case 'closing':
      // Killed between the archive and the ledger, all its rows have ended.
      return (await isArchived(workspace, batch)) && (await hasMoreToDo(paydrop, batch));
    case 'closed':
    case 'refused':
    case 'resolving':
      return false;
  }
}

async function isArchived(workspace: Workspace, { id }: BatchRecord): Promise<boolean> {
  return (await standingFolder(workspace, id)) === archiveFolder(workspace, id);
}

/** What was archived when it was rebuilt may wait for a person, and says of each row that it was rebuilt; what had ended, and waits since the service changed it, is not sent. */
async function hasMoreToDo({ ledger }: Paydrop, { id }: BatchRecord): Promise<boolean> {
  if ([...(await ledger.stageCounts(id)).keys()].every((stage) => FINAL.has(stage))) return false;
  for await (const { progress } of batchRows(ledger, id)) {
    const { stage, rebuiltAt, finalAt } = progress;
    if (!FINAL.has(stage) && rebuiltAt === null && finalAt === null) return true;
  }
  return false;
}

/** The original among the answers and documents of a batch folder, as a path to type. */
async function spreadsheetIn({ batch, path }: BatchFolder): Promise<string> {
  const names = (await readdir(path)).filter((name) => holdsPayments(name) && !name.includes(`.${batch}.`));
  return join(path, names[0] ?? '');
}
