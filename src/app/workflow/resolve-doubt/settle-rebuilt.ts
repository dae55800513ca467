// After a rebuild, once every lost batch stands again: their rows are held against each other, oldest batch first, as they were when the files
// first came, and what an older ledger knew as open against them. Only then may anything be sent.
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { archiveFolder, standingFolder } from '../../../inbox/workspace.ts';
import { isOtherRunHere } from '../../../ledger/open-ledger.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { acknowledge } from '../check/acknowledge.ts';
import type { Paydrop } from '../../parts.ts';
import { crossCheck, crossCheckClosed } from '../check/cross-check.ts';
import { pauseAgain } from '../decisions/pause-again.ts';
import { checkOpenAgain, OPEN } from './check-open-again.ts';
import { closeAgain } from './close-again.ts';
import { untilOf } from './held-unseen.ts';
import { settleUnseen } from './settle-unseen.ts';
import { isRebuilt, payingState } from '../../../ledger/batch-states.ts';

/** Brings all rebuilt batches to where they can be paid, and closes what was cancelled beside its file. To be called once the ledger knows all. */
export async function settleRebuilt(paydrop: Paydrop): Promise<void> {
  const { ledger, workspace } = paydrop;
  await checkOpenAgain(paydrop);
  for (const seen of await ledger.batches()) {
    const { id, takenBy } = seen;
    if (!isRebuilt(seen) || isOtherRunHere(takenBy, ledger.run)) continue;
    const batch = await ledger.takeOver(id, seen);
    if (batch === null) continue;
    const wasClosed = (await standingFolder(workspace, id)) === archiveFolder(workspace, id);
    // What was closed is answered already.
    if (!wasClosed) await acknowledge(paydrop, batch);
    await (wasClosed ? crossCheckClosed : crossCheck)(paydrop, batch, {
      state: wasClosed || (await hasBegun(paydrop, id)) ? payingState(batch) : 'accepted',
      unseenUntil: untilOf(batch, paydrop),
    });
  }
  // Only now: a row that was held because of one that was closed later has met it once more.
  for (const batch of await ledger.batches()) {
    await stopAgain(paydrop, batch).catch(leaveOut);
  }
  await settleUnseen(paydrop);
}

/** What a person has paused or cancelled. */
async function stopAgain(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  await pauseAgain(paydrop, batch);
  if (OPEN.has(batch.state)) await closeAgain(paydrop, batch.id);
}

/** What is wrong with the folder of one batch keeps no other waiting; nothing of that one is done before it can be read. */
function leaveOut(error: unknown): void {
  if (!(error instanceof BatchFolderFault)) throw error;
}

/** What has a transfer was let go before the ledger was lost, and is followed to its end whatever it waited for then. */
async function hasBegun({ ledger }: Paydrop, batch: string): Promise<boolean> {
  for await (const { progress } of batchRows(ledger, batch)) if (progress.transfer !== null) return true;
  return false;
}
