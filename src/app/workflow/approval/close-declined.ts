// A declined batch is closed with nothing sent: every row that has not gone is cancelled in the words of the decision. A row of which a
// transfer may have been confirmed already is not closed over anybody's head: a person looks it up.
import type { Words } from '../../../base/language.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { addClosed } from '../../../inbox/manifest.ts';
import type { Asked } from '../../../ledger/approval.ts';
import type { RowRecord } from '../../../ledger/records.ts';
import { cancelled } from '../../../payouts/cancellation.ts';
import { newHold } from '../../../payouts/hold.ts';
import { STAGES_BEFORE_CONFIRM, type StageOrHeld } from '../../../payouts/lifecycle.ts';
import { mayHaveBeenConfirmed, stageOrHeld, type Progress } from '../../../payouts/progress.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { batchOf } from '../close/finish-batch.ts';
import { keepManifest } from '../epoch.ts';
import { mayClose } from '../decisions/close-in-time.ts';
import { lookBeforeClosing, type Looked } from '../decisions/look-before-closing.ts';
import { carryRows } from '../send/pay-batch.ts';
import { describeFault } from '../../parts/wait-for-service.ts';
import { isFault } from '../../../service/errors.ts';
import type { ApprovalWork } from './approval-work.ts';
import { PAYING } from '../../../ledger/batch-states.ts';
import { sentence } from '../../../messages/messages.ts';

type Declined = NonNullable<Asked['declined']>;

/** Null once no row is left that could be sent. */
export async function closeDeclined(work: ApprovalWork, declined: Declined): Promise<RunEnd | null> {
  const { paydrop, batch, control } = work;
  const open = await openRows(work);
  if (open.length === 0) return null;
  if (
    PAYING.has((await batchOf(paydrop, batch.id)).state) ||
    open.some(({ progress }) => progress.lookedBy === null)
  ) {
    // A transfer may have been created just before a kill: that is found out first.
    const looked = await carryRows(paydrop, batch, 'known', control);
    if (looked.kind !== 'done') return looked;
  }
  // Asked and declined by a ledger that may not know what was approved and paid: the service knows.
  const looked = await lookAtAll(work);
  if ('kind' in looked) return looked;
  await close(work, declined, looked);
  return null;
}

const OPEN: ReadonlySet<StageOrHeld> = new Set([...STAGES_BEFORE_CONFIRM, 'held']);

async function openRows({ paydrop, batch }: ApprovalWork): Promise<readonly RowRecord[]> {
  const open: RowRecord[] = [];
  for await (const row of batchRows(paydrop.ledger, batch.id)) if (isOpen(row)) open.push(row);
  return open;
}

/** What the service had ended before is what the service says, and what was held in doubt is for a person who has looked. */
function isOpen({ progress }: RowRecord): boolean {
  const { finalAt, transfer, hold } = progress;
  const isForPerson = finalAt !== null || (transfer !== null && mayHaveBeenConfirmed(progress));
  return OPEN.has(stageOrHeld(progress)) && !(hold !== null && isForPerson);
}

/** Null once every row that could be closed has been looked up. */
async function lookAtAll({ paydrop, batch }: ApprovalWork): Promise<Looked | RunEnd> {
  try {
    return await lookBeforeClosing(paydrop, batch, isOpen);
  } catch (error) {
    if (!isFault(error)) throw error;
    return { kind: describeFault(error).for };
  }
}

async function close(work: ApprovalWork, declined: Declined, looked: Looked): Promise<void> {
  const { paydrop, batch } = work;
  const reason = declinedWords(declined);
  const isToClose = (row: RowRecord): boolean => looked.quiet.has(row.row) && mayClose(row, looked);
  const rows = await openRows(work);
  const closed = rows.filter(isToClose).map(({ row }) => ({ row, code: 'declined' as const, reason }));
  // Beside the file first: should the ledger be lost, what was declined stays declined.
  await keepManifest(paydrop, batch.id, addClosed(closed));
  // Where nothing of it was paid, its content may come again in another file.
  const { approval } = await batchOf(paydrop, batch.id);
  const isUnpaid = looked.followed.length === 0 && approval?.kind === 'asked' && approval.sent.length === 0;
  if (isUnpaid) await paydrop.ledger.changeBatch(batch.id, { contentFingerprint: null });
  for (const row of rows) {
    // What waits for a person already keeps the words that say why.
    if (!isToClose(row) && row.progress.hold !== null) continue;
    const progress = isToClose(row)
      ? cancelled(row.progress, 'declined', reason)
      : inDoubt(row.progress, paydrop.clock.now());
    const event = `${progress.hold !== null ? 'held' : 'cancelled'}: declined by ${declined.by}`;
    await paydrop.ledger.record(row, { progress, dueAt: null, keepClaim: false, event });
  }
}

function inDoubt(progress: Progress, now: number): Progress {
  return { ...progress, hold: newHold('confirm_uncertain', now, LOOK_UP) };
}

export function declinedWords({ by, reason }: Pick<Declined, 'by' | 'reason'>): Words {
  return sentence('closeDeclined.declined', { by, reason });
}

const LOOK_UP: Words = sentence('closeDeclined.lookUp');
