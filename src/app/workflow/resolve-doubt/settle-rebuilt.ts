// After a rebuild, once every lost batch is rebuilt: their rows are compared with each other, oldest batch first, as when the files first came;
// then the batches that an older ledger knew as open are compared with them. Only then may anything be sent.
import { joinWords } from '../../../base/language.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { type ClosedUnpaid, standingManifest } from '../../../inbox/manifest.ts';
import { archiveFolder, standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isHad } from '../../../ledger/batch-rules.ts';
import { isRebuilt, payingState } from '../../../ledger/batch-states.ts';
import { underLease } from '../../../ledger/ledger.ts';
import type { BatchChange, BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { newHold } from '../../../payouts/hold.ts';
import { BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import { type Progress, stageOrHeld, withForeign } from '../../../payouts/progress.ts';
import { cancelled } from '../../../payouts/cancelled.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { patientReads } from '../../parts/wait-for-service.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { acknowledge } from '../answers/acknowledge.ts';
import { crossCheck } from '../check/cross-check.ts';
import { rowsAskedOf } from '../validate/rows-asked.ts';
import { type Looked, lookBeforeClosing, mayCancel } from '../carry/look-before-closing.ts';
import { pauseAgain } from '../decisions/pause-batch.ts';
import { doubtOf } from '../carry/unseen-rows.ts';
import { reopenBatch } from '../batch/profile-for.ts';
import { unfinished } from '../tell.ts';
import { MOVED, type Step, type Work, goEnded } from '../batch/work.ts';
import { assertLedgerKnowsAll, forgetTakings, lackingIn } from './known-batches.ts';
import { rebuildFiles } from './rebuild-ledger.ts';
import { OPEN, checkOpenAgain, settleUnseen } from './settle-unseen.ts';

/** A batch whose sent rows are not known yet is left to `rebuild`. */
export async function resolveDoubt({ paydrop, batch }: Work): Promise<Step> {
  if (!isRebuilt(batch)) return goEnded(await unfinished(paydrop, batch));
  await assertLedgerKnowsAll(paydrop);
  await settleRebuilt(paydrop);
  return MOVED;
}

/**
 * Call it before anything is paid. An older copy of the ledger that knows every batch learns from the folders and the service what it lacks, by the code of
 * `rebuild`. Throws `LedgerForgetful` or `BatchFolderFault` where that needs a person, and a `Fault` or `RebuildUnfinished` while the service gives no
 * answer.
 */
export async function bringUpToDate(paydrop: Paydrop, control: RunControl): Promise<void> {
  await forgetTakings(paydrop);
  const { lost, older } = await lackingIn(paydrop);
  if (lost.length + older.length === 0) return;
  if (older.length > 0 && lost.length === 0) {
    paydrop.log.warn('the ledger is an older copy: the service is asked what was sent since');
    const { leftOut } = await rebuildFiles(patientReads(paydrop, control.signal), older, control);
    if (leftOut.length > 0) throw new BatchFolderFault(joinWords(leftOut));
  }
  await assertLedgerKnowsAll(paydrop);
}

/** Brings all rebuilt batches to where they can be paid, and cancels the rows that their manifests name. Call it once the ledger knows all batches. */
export async function settleRebuilt(paydrop: Paydrop): Promise<void> {
  const { ledger } = paydrop;
  await checkOpenAgain(paydrop);
  for (const seen of await ledger.batches({ toLookAt: 0 }))
    if (isRebuilt(seen)) await underLease(ledger, seen, (batch) => compareRebuilt(paydrop, batch));
  // Only now: a row that was held because of one that was cancelled later is compared with it once more.
  for (const batch of await ledger.batches({ toLookAt: 0 })) {
    await stopAgain(paydrop, batch).catch(leaveOut);
  }
  await settleUnseen(paydrop);
}

async function compareRebuilt(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { workspace } = paydrop;
  const { id } = batch;
  const wasClosed = (await standingFolder(workspace, id)) === archiveFolder(workspace, id);
  // A closed batch is answered already.
  if (!wasClosed) await acknowledge(paydrop, batch, null);
  const change: BatchChange = {
    state: wasClosed || (await hasBegun(paydrop, id)) ? payingState(batch) : 'accepted',
    doubt: { ...batch.doubt, since: doubtOf(batch, paydrop) },
  };
  // What the file says of a row holds it again: nobody knows any more who let it go.
  const asked = wasClosed
    ? {}
    : { asked: await rowsAskedOf(paydrop, batch, await reopenBatch(paydrop, batch)) };
  await crossCheck(paydrop, batch, change, { wasClosed, ...asked });
}

/** Applies the pauses and cancellations of people again. */
async function stopAgain(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { ledger } = paydrop;
  const seen = await pauseAgain(paydrop, batch);
  // The process that has it does the same before it goes on.
  if (OPEN.has(seen.state) && !isHad(ledger, seen))
    await underLease(ledger, seen, (leased) => closeAgain(paydrop, leased));
}

/** A fault of one batch's folder does not stop the others; nothing is done for that batch until it can be read. */
function leaveOut(error: unknown): void {
  if (!(error instanceof BatchFolderFault)) throw error;
}

/** A batch with a transfer was allowed to pay before the ledger was lost, and is followed to its end, whatever it had waited for. */
async function hasBegun({ ledger }: Paydrop, batch: string): Promise<boolean> {
  for await (const { progress } of batchRows(ledger, batch))
    if (withForeign(progress).transfer !== null) return true;
  return false;
}

// The manifest has the rows that a person cancelled, and outlives every ledger. After a rebuild, or with an older ledger, such a row might be
// sent or held again. It is cancelled again in the same words, once the service has shown that it was not paid.

/** Holds rows that would otherwise be sent, and cancels again those that can be. */
export async function closeAgain(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { ledger, workspace } = paydrop;
  const { id } = batch;
  const listed = (await standingManifest(workspace, id))?.closed ?? [];
  if (listed.length === 0) return;
  const known = new Map(listed.map((closed) => [closed.row, closed]));
  await holdFirst(paydrop, batch, known);
  const isAsked = (row: RowRecord): boolean => known.has(row.row) && isToClose(row.progress);
  const looked = await lookBeforeClosing(paydrop, batch, isAsked);
  if ('for' in looked) return;
  for await (const row of batchRows(ledger, id)) {
    const closed = known.get(row.row);
    if (closed === undefined || !isToClose(row.progress)) continue;
    if (looked.quiet.has(row.row) && mayCloseAgain(row, looked))
      await paydrop.ledger.record(batch, row, {
        dueAt: null,
        progress: cancelled(row.progress, closed.code, closed.reason),
        event: 'cancelled before',
      });
  }
}

async function holdFirst(
  records: Records,
  batch: BatchRecord,
  known: ReadonlyMap<string, ClosedUnpaid>,
): Promise<void> {
  for await (const row of batchRows(records.ledger, batch.id)) {
    const closed = known.get(row.row);
    if (closed !== undefined && BEFORE_CONFIRM.has(stageOrHeld(row.progress)))
      await records.ledger.record(batch, row, {
        dueAt: null,
        progress: heldFor(row.progress, closed, records.clock.now()),
        event: 'held: cancelled before',
      });
  }
}

function isToClose({ hold, finalAt, confirmedAt }: Progress): boolean {
  return hold !== null && finalAt === null && confirmedAt === null;
}

/** If no transfer was ever seen, or a rebuild has just looked for it, the person's word still holds. */
function mayCloseAgain(row: RowRecord, looked: Looked): boolean {
  const { transfer, hold } = withForeign(row.progress);
  return transfer === null || hold?.code === 'in_doubt_unsent' || mayCancel(row, looked);
}

/** A row with a transfer waits until nothing can confirm it any more. */
function heldFor(progress: Progress, { reason }: ClosedUnpaid, now: number): Progress {
  const code = withForeign(progress).transfer === null ? 'in_doubt_unsent' : 'confirm_uncertain';
  return { ...progress, hold: newHold(code, now, reason) };
}
