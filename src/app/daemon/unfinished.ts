// Which batches a daemon takes up: those that nobody here carries, and that have something to do by now.
import { STAGES_OF } from '../../delivery/goal.ts';
import { ENDED } from '../../delivery/time-left.ts';
import { waitsForAnswer } from '../../ledger/approval.ts';
import { pauseOf, waitingForOf } from '../../ledger/batch-rules.ts';
import { ENDED_BATCH, PAYING } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { SETTLED, STAGES, type StageOrHeld } from '../../payouts/lifecycle.ts';
import type { Told } from '../intake/reported-once.ts';
import type { StandingFiles } from '../intake/standing-files.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import { earliestNow } from '../parts/wait-for-service.ts';
import { OPEN } from '../workflow/resolve-doubt/settle-unseen.ts';
import { resumeBatch } from '../workflow/resume-batches.ts';
import { hasTimedWork, isToWithdraw } from '../workflow/schedule/await-time.ts';

/** What has no more work for now is waited for; everything else goes on. */
const UNSETTLED = STAGES.filter((stage) => !SETTLED.has(stage));

type Known = Pick<Paydrop, 'ledger' | 'clock'>;

export async function unfinishedBatches({ ledger, clock }: Known): Promise<readonly BatchRecord[]> {
  return (await ledger.batches({ toLookAt: clock.now() })).filter(
    (batch) =>
      !ENDED_BATCH.has(batch.state) && pauseOf(batch) === null && !ledger.runs.isElsewhere(batch.takenBy),
  );
}

/** A batch that only waits for a person, or for its time, has nothing due. */
export async function hasWork(
  { ledger, serviceClock, clock }: Known & Pick<Paydrop, 'serviceClock'>,
  seen: BatchRecord,
  withinMs: number,
  standing: Pick<StandingFiles, 'hasLeft'>,
): Promise<boolean> {
  const { id } = seen;
  const batch = await ledger.batch(id);
  if (
    batch?.unseenUntil !== undefined &&
    OPEN.has(batch.state) &&
    Date.parse(batch.unseenUntil) <= earliestNow({ serviceClock, clock })
  )
    return true;
  // One that was told of something else meanwhile is taken up once more, so that its owner reads what it waits for.
  const isGone = batch !== null && isToWithdraw(batch, standing.hasLeft(batch));
  const isAsked = !isGone && batch?.wait?.for === 'approval' && waitsForAnswer(batch);
  // By the later of both clocks: what is not due by the other is told why it waits.
  const now = Math.max(clock.now(), earliestNow({ serviceClock, clock }));
  const isTime = batch === null || isAsked ? null : hasTimedWork(batch, standing.hasLeft(batch), now);
  if (isTime !== null) return isTime;
  if (batch === null || !PAYING.has(batch.state)) return !isAsked;
  // Whatever the rest of it waits for, a payment that has ended may come back.
  const endedDueAt = await ledger.nextDueAt(id, ENDED);
  if (endedDueAt !== null && endedDueAt <= clock.now()) return true;
  // What was sent before is followed while the rest is not approved.
  const dueAt = await ledger.nextDueAt(id, isAsked ? ['confirmed'] : UNSETTLED);
  if (isAsked && dueAt === null) return false;
  if (dueAt !== null) return dueAt <= clock.now() + withinMs;
  return isToGoOn(batch, await ledger.stageCounts(id));
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

// Closed batches whose payments may have changed since they were answered, looked at one after the other.

export async function lookBack(
  paydrop: Paydrop,
  control: RunControl,
  told: Pick<Told, 'batch'>,
): Promise<void> {
  const { ledger, clock } = paydrop;
  // What has not ended yet is looked at in the next round: the others would wait for it.
  const once = { ...control, waitMs: 0, isRound: true };
  for (const { id, state } of await ledger.batches({ toLookAt: clock.now() })) {
    if (control.signal.aborted) return;
    const result = state === 'closed' ? await resumeBatch(paydrop, id, once) : null;
    if (result !== null) told.batch(id, result);
  }
}
