// Whether a batch that nobody carries has anything to do by now: one that only waits for a person, or for its time, has not.
import { STAGES_OF } from '../../delivery/goal.ts';
import { ENDED } from '../../delivery/time-left.ts';
import { waitsForAnswer } from '../../ledger/approval.ts';
import { waitingForOf } from '../../ledger/batch-rules.ts';
import { isRebuilt } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { SETTLED, STAGES, type StageOrHeld } from '../../payouts/lifecycle.ts';
import type { Paydrop } from '../parts.ts';
import { earliestNow } from '../parts/wait-for-service.ts';
import { isTimeToLook, mayBeWithdrawn } from './await-time.ts';

export type Look = {
  readonly known: Pick<Paydrop, 'ledger' | 'clock' | 'serviceClock'>;
  readonly batch: BatchRecord;
  /** The file of a standing order has gone from its folder. */
  readonly hasLeft: boolean;
  /** What is due within these is due now. */
  readonly withinMs: number;
};

export function isRebuiltNow({ batch }: Look): boolean {
  return isRebuilt(batch);
}

export function isApprovedOrTime(look: Look): boolean {
  const { known, batch, hasLeft } = look;
  if (isDoubtOver(look)) return true;
  if (hasLeft) return mayBeWithdrawn(batch) || !isAsked(batch);
  // By the later of both clocks: what is not due by the other is told why it waits.
  const now = Math.max(known.clock.now(), earliestNow(known));
  return !isAsked(batch) && (batch.payAt === undefined || isTimeToLook(batch, now));
}

export async function isPaymentDue(look: Look): Promise<boolean> {
  const { known, batch, withinMs } = look;
  const { ledger, clock } = known;
  if (isDoubtOver(look)) return true;
  // Whatever the rest of it waits for, a payment that has ended may come back.
  const endedDueAt = await ledger.nextDueAt(batch.id, ENDED);
  if (endedDueAt !== null && endedDueAt <= clock.now()) return true;
  // What was sent before is followed while the rest is not approved.
  const dueAt = await ledger.nextDueAt(batch.id, isAsked(batch) ? ['confirmed'] : UNSETTLED);
  if (dueAt !== null) return dueAt <= clock.now() + withinMs;
  return !isAsked(batch) && isToGoOn(batch, await ledger.stageCounts(batch.id));
}

/** What has no more work for now is waited for; everything else goes on. */
const UNSETTLED = STAGES.filter((stage) => !SETTLED.has(stage));

/** What was held because reads might have hidden it can be looked for again. */
function isDoubtOver({ known, batch: { unseenUntil } }: Look): boolean {
  return unseenUntil !== undefined && Date.parse(unseenUntil) <= earliestNow(known);
}

/** One that was told of something else meanwhile is taken up once more, so that its owner reads what it waits for. */
function isAsked(batch: BatchRecord): boolean {
  return batch.wait?.for === 'approval' && waitsForAnswer(batch);
}

/** Of a batch that is being paid and has no row with a time of its own. */
function isToGoOn(batch: BatchRecord, counts: ReadonlyMap<StageOrHeld, number>): boolean {
  // Everything is final, and only its answers and its archive were missing when it was left.
  if (!counts.has('held')) return true;
  // Rows that were only priced, to be asked about: by now that is answered.
  return !waitsForHeld(batch) && STAGES_OF.submitted.some((stage) => counts.has(stage));
}

/** A file that is paid whole or not at all keeps its other rows where they are until a person has decided about those. */
function waitsForHeld(batch: BatchRecord): boolean {
  const { whole, approval } = batch;
  const isDeclined = approval?.kind === 'asked' && approval.declined !== null;
  return whole === 'reserving' && waitingForOf(batch) === 'operator' && !isDeclined;
}
