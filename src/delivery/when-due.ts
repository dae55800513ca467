// When a row is to be looked at next, by what its last step ended in: the waits between two tries, and between two looks.
import { backoffMs } from '../base/clock.ts';
import type { RowRecord } from '../ledger/records.ts';
import { SETTLED, type Stage, type StageOrHeld } from '../payouts/lifecycle.ts';
import { type Progress, stageOrHeld } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { type Goal, isReached } from './goal.ts';
import { ENDED, nextLook } from './time-left.ts';

/**
 * The wait before a step without a response is tried again. On a rough day one call in five is lost, and the look between two tries is such a call too: a
 * further try succeeds in two of three cases only, and among some hundred rows one fails seven times in a row. A whole file must not wait for that; a step
 * that fails more often has another cause. With shorter waits, one transfer is read forty times a minute where the service responds to no read.
 */
const STEP_RETRY_SOON = { firstMs: 500, mostMs: 2_000 } as const;
const SOON_TRIES = 8;
const STEP_RETRY_LATE = { firstMs: 4_000, mostMs: 30_000 } as const;

/** The first look at a confirmed transfer. */
const POLL_FIRST_MS = 300;

export type Moment = {
  readonly goal: Goal;
  readonly payout: RowRecord['payout'];
  /** Of the present step, without success; see `triesAfter`. */
  readonly tries: number;
  /** Local time in ms. */
  readonly now: number;
  /** When the circuit breaker that the verdict opened lets calls through again. */
  readonly triedAgainAt: number;
  readonly pollEveryMs: number;
  /** True while the service's notifications are known to arrive. */
  readonly isNotified: boolean;
  readonly reversalWindowMs: number;
  /** From 0 to 1. */
  readonly random: number;
};

/** Whether the service has just said how an ended payout stands; otherwise it is asked again as any other. */
const KNOWS_END: Readonly<Record<Verdict['kind'], boolean>> = {
  advanced: true,
  refused: true,
  waiting: true,
  held: true,
  later: false,
  stopped: false,
  interrupted: false,
  breaker: false,
};

const WAITS_FOR_NOBODY: ReadonlySet<StageOrHeld> = new Set(
  [...SETTLED].filter((stage) => stage === 'held' || !ENDED.includes(stage)),
);

/** The tries of a step after another verdict. */
export function triesAfter(verdict: Verdict, stage: Stage, tries: number): number {
  switch (verdict.kind) {
    case 'later':
      return tries + 1;
    case 'breaker':
      // A service that does not answer is asked ever more rarely; that money is missing is no fault of the row.
      return verdict.breaker === 'service' ? tries + 1 : tries;
    case 'advanced':
      // Looking again at the same stage is not progress.
      return verdict.stage === stage ? tries : 0;
    case 'stopped':
    case 'interrupted':
      return tries;
    case 'waiting':
    case 'refused':
    case 'held':
      return 0;
  }
}

/** Local time in ms; null when nothing more is to be done in this run. */
export function dueAt(verdict: Verdict, progress: Progress, moment: Moment): number | null {
  const { goal, payout, now, triedAgainAt } = moment;
  if (ENDED.includes(progress.stage) && KNOWS_END[verdict.kind])
    return nextLook(progress.finalAt, now, moment.reversalWindowMs);
  // A row that is carried further later becomes due then.
  if (WAITS_FOR_NOBODY.has(stageOrHeld(progress)) || isReached(goal, verdict, { progress, payout }))
    return null;
  return Math.max(triedAgainAt, now + Math.ceil(dueInMs(verdict, progress, moment)));
}

function dueInMs(verdict: Verdict, progress: Progress, moment: Moment): number {
  const { pollEveryMs, random, tries } = moment;
  if (isAnnounced(verdict, progress, moment)) return pollEveryMs;
  if (verdict.kind === 'waiting') return verdict.lookAgainMs;
  if (verdict.kind === 'advanced' && verdict.afterMs !== undefined) return verdict.afterMs;
  // Funds are asked for by one row of their currency, as soon as their breaker lets it.
  if (verdict.kind === 'breaker')
    return verdict.breaker === 'funds' ? 0 : afterSilence(verdict, tries, random);
  if (verdict.kind === 'later') {
    // Our own 0 means a look at once.
    return verdict.isUnanswered
      ? afterSilence(verdict, tries, random)
      : (verdict.retryAfterMs ?? retryMs(tries, random));
  }
  return progress.stage === 'confirmed' && progress.lookedBy !== null
    ? Math.min(pollEveryMs, POLL_FIRST_MS)
    : 0;
}

/** The service's `Retry-After` is obeyed, but 0 is no reason to flood it. The first try after a silence comes soon: one call in five may be lost on a rough day. */
function afterSilence(
  { retryAfterMs }: { readonly retryAfterMs: number | null },
  tries: number,
  random: number,
): number {
  return Math.max(retryAfterMs ?? 0, retryMs(Math.max(0, tries - 1), random));
}

function retryMs(tries: number, random: number): number {
  return tries < SOON_TRIES
    ? backoffMs(STEP_RETRY_SOON, tries, random)
    : backoffMs(STEP_RETRY_LATE, tries - SOON_TRIES, random);
}

/** The service itself reports the end of such a payout; if that is lost, the longest pause finds it. A payout that the network refused ends without a report. */
function isAnnounced({ kind }: Verdict, { stage, lookedBy, why }: Progress, { isNotified }: Moment): boolean {
  const isOnItsWay = stage === 'confirmed' && lookedBy !== null && why === null;
  return isNotified && isOnItsWay && (kind === 'waiting' || kind === 'advanced');
}
