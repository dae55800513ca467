// After a rebuild, once every lost batch stands again: their rows are held against each other, oldest batch first, as they were when the files
// first came, and what an older ledger knew as open against them. Only then may anything be sent.
import { joinWords } from '../../../base/language.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { type ClosedUnpaid, standingManifest } from '../../../inbox/manifest.ts';
import { archiveFolder, standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isRebuilt, payingState } from '../../../ledger/batch-states.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { newHold } from '../../../payouts/hold.ts';
import { BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import { type Progress, stageOrHeld, withForeign } from '../../../payouts/progress.ts';
import { cancelled } from '../../../payouts/verdict.ts';
import type { Paydrop } from '../../parts.ts';
import { patientReads } from '../../parts/wait-for-service.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { acknowledge } from '../check/acknowledge.ts';
import { crossCheck, crossCheckClosed } from '../check/cross-check.ts';
import { batchOf } from '../close/finish-batch.ts';
import { type Looked, lookBeforeClosing, mayClose } from '../decisions/look-before-closing.ts';
import { pauseAgain } from '../decisions/pause-batch.ts';
import { doubtOf } from './unseen-rows.ts';
import { unfinished } from '../tell.ts';
import { MOVED, type Step, type Work, told } from '../work.ts';
import { assertLedgerKnowsAll, lackingIn } from './known-batches.ts';
import { rebuildFiles } from './rebuild-ledger.ts';
import { OPEN, checkOpenAgain, settleUnseen, takeUnlessOwn } from './settle-unseen.ts';

/** One of which it is not known yet what was sent is `rebuild`'s to finish. */
export async function resolveDoubt({ paydrop, batch }: Work): Promise<Step> {
  if (!isRebuilt(batch)) return told(await unfinished(paydrop, batch));
  await assertLedgerKnowsAll(paydrop);
  await settleRebuilt(paydrop);
  return MOVED;
}

/**
 * To be called before anything is paid. An older copy of the ledger that knows every batch learns from the folders and the service what it lacks, as `rebuild`
 * has it. Throws `LedgerForgetful` or `BatchFolderFault` where that takes a person, and a `Fault` or `RebuildUnfinished` while the service cannot tell.
 */
export async function bringUpToDate(paydrop: Paydrop, control: RunControl): Promise<void> {
  const { lost, older } = await lackingIn(paydrop);
  if (older.length > 0 && lost.length === 0) {
    paydrop.log.warn('the ledger is an older copy: the service is asked what was sent since');
    const { leftOut } = await rebuildFiles(patientReads(paydrop, control.signal), older, control);
    if (leftOut.length > 0) throw new BatchFolderFault(joinWords(leftOut));
  }
  await assertLedgerKnowsAll(paydrop);
}

/** Brings all rebuilt batches to where they can be paid, and closes what was cancelled beside its file. To be called once the ledger knows all. */
export async function settleRebuilt(paydrop: Paydrop): Promise<void> {
  const { ledger, workspace } = paydrop;
  await checkOpenAgain(paydrop);
  for (const seen of await ledger.batches()) {
    const { id, owner } = seen;
    if (!isRebuilt(seen) || ledger.runs.isElsewhere(owner)) continue;
    const batch = await takeUnlessOwn(ledger, seen);
    if (batch === null) continue;
    const wasClosed = (await standingFolder(workspace, id)) === archiveFolder(workspace, id);
    // What was closed is answered already.
    if (!wasClosed) await acknowledge(paydrop, batch, null);
    await (wasClosed ? crossCheckClosed : crossCheck)(paydrop, batch, {
      state: wasClosed || (await hasBegun(paydrop, id)) ? payingState(batch) : 'accepted',
      doubtSince: doubtOf(batch, paydrop),
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
  for await (const { progress } of batchRows(ledger, batch))
    if (withForeign(progress).transfer !== null) return true;
  return false;
}

// What a person cancelled stands beside the file and outlives every ledger: after a rebuild, and where an older ledger that was put back
// would send or hold it once more, it is closed again in the same words, once the service has shown that it was not paid.

/** Holds what else would be sent, and closes again what can be. */
export async function closeAgain(paydrop: Paydrop, id: string): Promise<void> {
  const { ledger, workspace } = paydrop;
  const listed = (await standingManifest(workspace, id))?.closed ?? [];
  if (listed.length === 0) return;
  const known = new Map(listed.map((closed) => [closed.row, closed]));
  await holdFirst(paydrop, id, known);
  const isAsked = (row: RowRecord): boolean => known.has(row.row) && isToClose(row.progress);
  const looked = await lookBeforeClosing(paydrop, await batchOf(paydrop, id), isAsked);
  if ('for' in looked) return;
  for await (const row of batchRows(ledger, id)) {
    const closed = known.get(row.row);
    if (closed === undefined || !isToClose(row.progress)) continue;
    if (looked.quiet.has(row.row) && mayCloseAgain(row, looked))
      await write(paydrop, row, cancelled(row.progress, closed.code, closed.reason), 'cancelled before');
  }
}

async function holdFirst(
  paydrop: Paydrop,
  id: string,
  known: ReadonlyMap<string, ClosedUnpaid>,
): Promise<void> {
  for await (const row of batchRows(paydrop.ledger, id)) {
    const closed = known.get(row.row);
    if (closed !== undefined && BEFORE_CONFIRM.has(stageOrHeld(row.progress)))
      await write(paydrop, row, heldFor(row.progress, closed, paydrop.clock.now()), 'held: cancelled before');
  }
}

function isToClose({ hold, finalAt, confirmedAt }: Progress): boolean {
  return hold !== null && finalAt === null && confirmedAt === null;
}

/** Of what nobody has seen a transfer of, and of what a rebuild has just looked for, the word of the person still stands. */
function mayCloseAgain(row: RowRecord, looked: Looked): boolean {
  const { transfer, hold } = withForeign(row.progress);
  return transfer === null || hold?.code === 'in_doubt_unsent' || mayClose(row, looked);
}

/** What has a transfer waits until nothing can confirm it any more. */
function heldFor(progress: Progress, { reason }: ClosedUnpaid, now: number): Progress {
  const code = withForeign(progress).transfer === null ? 'in_doubt_unsent' : 'confirm_uncertain';
  return { ...progress, hold: newHold(code, now, reason) };
}

async function write({ ledger }: Paydrop, row: RowRecord, progress: Progress, event: string): Promise<void> {
  await ledger.record(row, { progress, dueAt: null, keepClaim: false, event });
}
