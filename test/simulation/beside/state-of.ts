// A row as today's record has it, for the row machine; and both of them in the few words in which they are compared.
import { parseIsoTime } from '../../../src/base/clock.ts';
import { isReached, type Goal } from '../../../src/delivery/goal.ts';
import { mayConfirm, mayCreate } from '../../../src/delivery/time-left.ts';
import { BEFORE_CONFIRM, FINAL, stageUnderHold, type Stage } from '../../../src/payouts/lifecycle.ts';
import {
  isAttached,
  mayHaveBeenConfirmed,
  type Progress,
  type Tenure,
} from '../../../src/payouts/progress.ts';
import { isCancelled } from '../../../src/payouts/verdict.ts';
import { apply } from '../../explore/row-machine/apply.ts';
import { next } from '../../explore/row-machine/next.ts';
import type { RowEvent } from '../../explore/row-machine/row-event.ts';
import {
  freshRow,
  type Now,
  type RowEnd,
  type RowState,
  stageOf,
} from '../../explore/row-machine/row-state.ts';

/** How a row stands, for the comparison. `waitMs`: 0 for at once, null where nothing is waited for. */
export type Standing = {
  readonly stage: Stage;
  readonly hold: string | null;
  readonly attempt: number;
  readonly next: string;
  readonly waitMs: number | null;
};

export function stateOf(progress: Progress, tenure: Tenure): RowState {
  const { stage, transfer, why, begunBy, deadAttempts, confirmedAt, finalAt } = progress;
  const isOpen = BEFORE_CONFIRM.has(stage);
  const isFailedUnsure = isOpen && transfer?.status === 'failed';
  return {
    ...freshRow(begunBy === tenure ? tenure : null),
    quotation: progress.quotationAttempt,
    price: progress.price,
    deadAttempts,
    // Today every step looks at them first; here it is said that it did.
    deadLooked: deadAttempts.length,
    transfer,
    mayLandUntil: progress.mayArriveUntil === null ? null : parseIsoTime(progress.mayArriveUntil),
    // Of what nobody vouches for it is doubted anyway.
    isIntended:
      stage === 'confirming' ||
      confirmedAt !== null ||
      (begunBy === tenure && mayHaveBeenConfirmed(progress)),
    isRefusedLate: progress.confirm === 'refused-late',
    mustLook: progress.lookedBy !== tenure,
    document: progress.document,
    lifted: progress.comparison.lifted,
    hold: progress.hold,
    closing: isFailedUnsure
      ? {
          as: 'failed',
          why: { errorCode: '', reason: progress.hold?.reason ?? NOTHING },
          isOwnOver: true,
          mayHaveNext: true,
        }
      : isOpen && why !== null
        ? { as: 'rejected', why, isOwnOver: false, mayHaveNext: false }
        : null,
    networkRefusal: stage === 'confirmed' ? why : null,
    end: endOf(progress),
    why: FINAL.has(stage) ? why : null,
    confirmedAt: confirmedAt === null ? (stage === 'confirmed' ? 0 : null) : Date.parse(confirmedAt),
    finalAt: finalAt === null ? null : Date.parse(finalAt),
    tries: progress.doubts,
  };
}

const NOTHING = { en: '', fr: '' } as unknown as NonNullable<Progress['why']>['reason'];

function endOf(progress: Progress): RowEnd | null {
  const { stage } = progress;
  if (stage === 'rejected') return isCancelled(progress) ? 'cancelled' : 'rejected';
  return stage === 'paid' || stage === 'failed' || stage === 'duplicate' ? stage : null;
}

/** The row after the events, and after what it does without a call: today both are one step. */
export function afterEvents(row: RowState, events: readonly RowEvent[], now: Now): RowState {
  return quiet(
    events.reduce((state, event) => apply(state, event, now), row),
    now,
  );
}

const WITHOUT_CALL = ['intend', 'raise', 'requote'] as const;

function quiet(row: RowState, now: Now): RowState {
  const looked = { ...row, deadLooked: row.deadAttempts.length };
  const step = next({ ...looked, due: 0 }, now).do;
  const own = WITHOUT_CALL.find((each) => each === step);
  if (own === undefined) return looked;
  const after = apply(looked, { on: own }, now);
  return after.hold === null ? { ...quiet(after, now), due: row.due } : after;
}

export function machineStanding(row: RowState, now: Now): Standing {
  const step = next({ ...row, due: 0 }, now).do;
  const isWaiting = step !== 'held' && step !== 'ended';
  return {
    stage: row.hold === null ? stageOf(row) : stageUnderHold(stageOf(row)),
    hold: row.hold?.code ?? null,
    attempt: row.deadAttempts.length + 1,
    next: step === 'find' ? 'look' : step === 'read-quotation' ? 'quote' : step,
    waitMs: isWaiting ? Math.max(0, row.due - now.local) : null,
  };
}

/** The same of today's record: the one switch of `step.ts`, without its calls. */
export function recordStanding(progress: Progress, dueAt: number | null, tenure: Tenure, now: Now): Standing {
  const { stage, hold, deadAttempts } = progress;
  const call = callOf(progress, tenure, now);
  const isWaiting = dueAt !== null && call !== 'held' && call !== 'ended';
  return {
    stage,
    hold: hold?.code ?? null,
    attempt: deadAttempts.length + 1,
    next: call,
    waitMs: isWaiting ? Math.max(0, dueAt - now.local) : null,
  };
}

function callOf(progress: Progress, tenure: Tenure, now: Now): string {
  const { stage, hold, transfer, price, why } = progress;
  if (hold !== null) return 'held';
  if (FINAL.has(stage)) return 'ended';
  if (progress.lookedBy !== tenure) return 'look';
  switch (stage) {
    case 'ready':
      return 'quote';
    case 'quoted':
      return price !== null && mayCreate(price, now.service, now.terms.neededMs) ? 'create' : 'quote';
    case 'created':
      return attachOrConfirm(progress, now);
    case 'confirming':
      return transfer === null || progress.confirm === 'refused-late' || !mayConfirm(transfer, now.service)
        ? 'look'
        : 'confirm';
    default:
      return transfer?.status === 'created' && why === null ? 'confirm' : 'look';
  }
}

function attachOrConfirm(progress: Progress, now: Now): string {
  const { transfer } = progress;
  if (transfer === null || !mayConfirm(transfer, now.service)) return 'look';
  return now.terms.needsDocument && !isAttached(progress) ? 'attach' : 'confirm';
}

export function isGoalReached(goal: Goal, progress: Progress): boolean {
  return isReached(
    goal,
    { kind: 'advanced', stage: progress.stage, learned: {} },
    { progress, payout: null },
  );
}
