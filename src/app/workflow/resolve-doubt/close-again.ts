// What a person cancelled stands beside the file and outlives every ledger: after a rebuild, and where an older ledger that was put back
// would send or hold it once more, it is closed again in the same words, once the service has shown that it was not paid.
import { standingManifest, type ClosedUnpaid } from '../../../inbox/manifest.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { RowRecord } from '../../../ledger/records.ts';
import { cancelled } from '../../../payouts/cancellation.ts';
import { BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import { newHold } from '../../../payouts/hold.ts';
import { stageOrHeld, type Progress } from '../../../payouts/progress.ts';
import { isFault } from '../../../service/errors.ts';
import { mayClose } from '../decisions/close-in-time.ts';
import type { Paydrop } from '../../parts.ts';
import { batchOf } from '../close/finish-batch.ts';
import { lookBeforeClosing, type Looked } from '../decisions/look-before-closing.ts';

/** Holds what else would be sent, and closes again what can be. */
export async function closeAgain(paydrop: Paydrop, id: string): Promise<void> {
  const { ledger, workspace } = paydrop;
  const listed = (await standingManifest(workspace, id))?.closed ?? [];
  if (listed.length === 0) return;
  const known = new Map(listed.map((closed) => [closed.row, closed]));
  await holdFirst(paydrop, id, known);
  const isAsked = (row: RowRecord): boolean => known.has(row.row) && isToClose(row.progress);
  const looked = await lookOrNothing(paydrop, id, isAsked);
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

/** Where the service does not tell, nothing is closed. */
async function lookOrNothing(
  paydrop: Paydrop,
  id: string,
  isAsked: (row: RowRecord) => boolean,
): Promise<Looked> {
  try {
    return await lookBeforeClosing(paydrop, await batchOf(paydrop, id), isAsked);
  } catch (error) {
    if (!isFault(error)) throw error;
    return { quiet: new Set(), followed: [], at: -Infinity, timeless: new Set() };
  }
}

function isToClose({ hold, finalAt, confirmedAt }: Progress): boolean {
  return hold !== null && finalAt === null && confirmedAt === null;
}

/** Of what nobody has seen a transfer of, and of what a rebuild has just looked for, the word of the person still stands. */
function mayCloseAgain(row: RowRecord, looked: Looked): boolean {
  const { transfer, hold } = row.progress;
  return transfer === null || hold?.code === 'in_doubt_unsent' || mayClose(row, looked);
}

/** What has a transfer waits until nothing can confirm it any more. */
function heldFor(progress: Progress, { reason }: ClosedUnpaid, now: number): Progress {
  const code = progress.transfer === null ? 'in_doubt_unsent' : 'confirm_uncertain';
  return { ...progress, hold: newHold(code, now, reason) };
}

async function write({ ledger }: Paydrop, row: RowRecord, progress: Progress, event: string): Promise<void> {
  await ledger.record(row, { progress, dueAt: null, keepClaim: false, event });
}
