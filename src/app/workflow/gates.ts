// The gates before work on a batch, and before the first payment of an accepted one: it is approved, its time has come, and it fits into the limits.
// `states.ts` has their order; the gates of a batch that is being paid are in `send/send-rows.ts`.
import type { Paydrop } from '../parts.ts';
import { earliestNow } from '../parts/wait-for-service.ts';
import { approvalGate } from './approval/approval-gate.ts';
import { awaitTime, isDayDue, isTimeToLook } from './batch/await-time.ts';
import { mayBeWithdrawn, withdrawGone } from './decisions/withdraw-standing.ts';
import { tellAccepted } from './answers/acknowledge.ts';
import { isAnythingLeft, overLimits, tellWaiting } from './carry/pay-batch.ts';
import { refuseFile, unreadable } from './take/refuse-file.ts';
import { halt, keepWait, unfinished } from './tell.ts';
import { batchOf, type BatchResult, type Step, type Work, goEnded } from './batch/work.ts';
import { STAGES_OF } from '../../delivery/goal.ts';
import { ENDED } from '../../delivery/time-left.ts';
import { lookForStop } from '../../inbox/stop-file.ts';
import { waitsForAnswer } from '../../ledger/approval.ts';
import { waitingForOf } from '../../ledger/batch-rules.ts';
import { isRebuilt, PAYING, payingState } from '../../ledger/batch-states.ts';
import { isOnDays, nextDayOpen } from '../../ledger/days.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { waitAfter, waitFor } from '../../ledger/wait.ts';
import { sentence } from '../../messages/messages.ts';
import { type CountedAs, SETTLED, STAGES } from '../../payouts/lifecycle.ts';
import { doubtEndsAt } from '../../payouts/proof.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { moveOn } from '../../ledger/ledger.ts';

/** The runner checks it before each of its own calls. */
export function stopFile({ paydrop, batch }: Work): Promise<BatchResult | null> {
  const halted = lookForStop(paydrop.workspace) ?? paydrop.cluster?.stopElsewhere() ?? null;
  return halted === null ? Promise.resolve(null) : halt(paydrop, batch, halted);
}

/** The taken file is still there, and can be read. Once it is being paid, the same bytes are enough: they were read before, and the rows are in the ledger. */
export async function fileStands({ paydrop, batch, find, open }: Work): Promise<BatchResult | null> {
  try {
    if (PAYING.has(batch.state)) {
      await find();
      return null;
    }
    await open();
    return null;
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return refuseFile(paydrop, batch, unreadable(error));
  }
}

/** Before anybody is asked to approve: a file that its owner took away is withdrawn, because its open question would block the file that replaces it. */
export async function stillInFolder({ paydrop, batch }: Work): Promise<BatchResult | null> {
  const file = await withdrawGone(paydrop, batch);
  return file.is === 'gone' ? file.result : null;
}

/** Passed when no approval is needed, or somebody has approved it. Whether the cost is still the approved one is checked when it is sent. */
export async function approvalToBegin(work: Work): Promise<BatchResult | null> {
  const { paydrop, batch } = work;
  if (await wasSentBefore(work)) return null;
  const end = await approvalGate(work);
  if (end === null) return null;
  await tellWaiting(paydrop, batch, end);
  const result = await unfinished(paydrop, batch);
  const { approval } = await batchOf(paydrop, batch.id);
  const answers = approval?.kind === 'asked' ? [approval.preview] : [];
  return { ...result, summary: { ...result.summary, answers } };
}

/** After a lost ledger: sent rows are followed at once, and the approval of the others is asked where they would be sent. */
async function wasSentBefore({ paydrop, batch }: Work): Promise<boolean> {
  if ((await batchOf(paydrop, batch.id)).approval !== undefined) return false;
  const counts = await paydrop.ledger.stageCounts(batch.id);
  return (['confirmed', 'paid', 'failed'] as const).some((stage) => counts.has(stage));
}

/** A standing file is paid only while it lies in its folder; once some of it was sent, the rest is paid anyway. */
export async function isTimeToPay({ paydrop, batch }: Work): Promise<BatchResult | null> {
  const file = await withdrawGone(paydrop, batch);
  if (file.is === 'begun') return null;
  if (file.is === 'gone') return file.result;
  // It was declined, or every row of it was paid before, or some day of it has come: no time is to be waited for.
  if (!(await isAnythingLeft(paydrop, batch)) || batch.payAt?.openTo !== undefined) return null;
  const waits = file.is === 'unknown' ? UNREADABLE : await awaitTime(paydrop, batch);
  if (waits === null) return null;
  if (waits.wait.for === 'schedule') await tellUnlessAsked({ paydrop, batch });
  await keepWait(paydrop, batch, waits.wait, true, () => waits);
  return unfinished(paydrop, batch);
}

/** A person who was asked to approve the file already knows that it is here. */
async function tellUnlessAsked({ paydrop, batch }: Pick<Work, 'paydrop' | 'batch'>): Promise<void> {
  if ((await batchOf(paydrop, batch.id)).approval?.kind !== 'asked') await tellAccepted(paydrop, batch);
}

/** The folder cannot be read: every look checks again whether the file is still there. */
const UNREADABLE = { wait: waitFor('schedule', sentence('clear.waitingWords')) } as const;

/** Better to pay none of a file than a part of it. */
export async function limitsToBegin({ paydrop, batch, control }: Work): Promise<BatchResult | null> {
  await tellUnlessAsked({ paydrop, batch });
  const end = await overLimits(paydrop, batch, control);
  if (end === null) return null;
  await tellWaiting(paydrop, batch, end);
  return unfinished(paydrop, batch);
}

/** All gates of an accepted batch are passed. */
export async function permit({ paydrop, batch, pace }: Work): Promise<Step> {
  // A limit that had stopped it may pass only because the service gives no prices: the stop stays until something was sent.
  await paydrop.ledger.revise(batch, ({ wait }) => ({
    change: { wait: waitAfter(wait, null, false) },
    event: 'batch changed',
  }));
  // The batch was declined, or asked about once more, at this very moment: the next go finds that.
  const { payAt } = batch;
  const isDay = isOnDays(payAt) && payAt.openTo === undefined && (await awaitTime(paydrop, batch)) === null;
  const opened = isDay ? { payAt: nextDayOpen(payAt) } : {};
  if (!(await moveOn(paydrop.ledger, batch, 'accepted', payingState(batch), opened)))
    return goEnded(await unfinished(paydrop, batch));
  return { kind: 'moved', pace };
}

// Whether a batch that no run carries has work to do by now: one that only waits for a person, or for its time, has none.

export type Idle = {
  readonly known: Pick<Paydrop, 'ledger' | 'clock' | 'serviceClock'>;
  readonly batch: BatchRecord;
  /** The file of a standing order is gone from its folder. */
  readonly hasLeft: boolean;
  /** Work that is due within this time counts as due now. */
  readonly withinMs: number;
};

export function isRebuiltNow({ batch }: Idle): boolean {
  return isRebuilt(batch);
}

export function isApprovedOrTime(look: Idle): boolean {
  const { known, batch, hasLeft } = look;
  if (isDoubtOver(look)) return true;
  if (hasLeft) return mayBeWithdrawn(batch) || !isAsked(batch);
  // By the later of both clocks; if it is not due by the other, the owner is told why it waits.
  const now = Math.max(known.clock.now(), earliestNow(known));
  return !isAsked(batch) && (batch.payAt === undefined || isTimeToLook(batch, now));
}

export async function isPaymentDue(look: Idle): Promise<boolean> {
  const { known, batch, withinMs } = look;
  const { ledger, clock } = known;
  if (isDoubtOver(look)) return true;
  if (!isAsked(batch) && isDayDue(batch, Math.max(clock.now(), earliestNow(known)))) return true;
  // An ended payment may be reversed, even while the rest of the batch waits.
  const endedDueAt = await ledger.nextDueAt(batch.id, ENDED);
  if (endedDueAt !== null && endedDueAt <= clock.now()) return true;
  // Rows that were sent before are followed while the rest is not approved.
  const dueAt = await ledger.nextDueAt(batch.id, isAsked(batch) ? ['confirmed'] : UNSETTLED);
  if (dueAt !== null) return dueAt <= clock.now() + withinMs;
  return !isAsked(batch) && isToGoOn(batch, await ledger.stageCounts(batch.id));
}

/** A batch waits for rows that have no more work for now; any other row keeps it going. */
const UNSETTLED = STAGES.filter((stage) => !SETTLED.has(stage));

/** Rows that were held because reads might have hidden them can be looked for again. */
function isDoubtOver({ known, batch: { doubt } }: Idle): boolean {
  const since = doubt?.since ?? null;
  return since !== null && doubtEndsAt(since) <= earliestNow(known);
}

/** If its owner was told something else meanwhile, it is taken up once more, so that its owner reads what it waits for. */
function isAsked(batch: BatchRecord): boolean {
  return batch.wait?.for === 'approval' && waitsForAnswer(batch);
}

/** For a batch that is being paid and has no row with a time of its own. */
function isToGoOn(batch: BatchRecord, counts: ReadonlyMap<CountedAs, number>): boolean {
  // Everything is final; only its answers and its archive were missing when it was left.
  if (!counts.has('held') && !counts.has('scheduled')) return true;
  // Rows that were only priced for a question: it is answered by now.
  if (!waitsForHeld(batch) && STAGES_OF.submitted.some((stage) => counts.has(stage))) return true;
  // A day has come whose rows are not awake, or its answers could not be written.
  const isCutShort = batch.wait === null || batch.wait.for === 'manifest' || batch.isFree !== true;
  return counts.has('scheduled') && isCutShort;
}

/** An all-or-nothing file keeps its other rows where they are until a person has decided about the held ones. */
function waitsForHeld(batch: BatchRecord): boolean {
  const { whole, approval } = batch;
  const isDeclined = approval?.kind === 'asked' && approval.declined !== null;
  return whole === 'reserving' && waitingForOf(batch) === 'operator' && !isDeclined;
}
