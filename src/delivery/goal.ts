// How far the rows of a batch are carried in one run, and when one has got there.
import { SETTLED, STAGES_BEFORE_CONFIRM, type Stage, type StageOrHeld } from '../payouts/lifecycle.ts';
import { ENDED, nextLook } from './time-left.ts';
import { stageOrHeld, type Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { CallKind } from './adaptive-rate.ts';
import { isReserved } from './reserved.ts';
import { backoffMs } from '../base/clock.ts';

/**
 * `found`: to knowing whether a transfer exists; `known`: the same in every stage before the confirm; `priced`: to a quotation; `reserved`: to a
 * transfer that lacks nothing but its confirm; `submitted`: to the confirm; `tracked`: from there to the end; `watched`: once more beyond it.
 */
export type Goal = 'found' | 'known' | 'priced' | 'reserved' | 'submitted' | 'tracked' | 'watched';

export const STAGES_OF: Readonly<Record<Goal, readonly Stage[]>> = {
  found: ['ready'],
  known: STAGES_BEFORE_CONFIRM,
  priced: ['ready'],
  reserved: STAGES_BEFORE_CONFIRM,
  submitted: STAGES_BEFORE_CONFIRM,
  tracked: ['confirmed'],
  watched: ENDED,
};

/** The kind of call that a run to each goal mostly makes. */
export const MOSTLY: Readonly<Record<Goal, CallKind>> = {
  found: 'read',
  known: 'read',
  priced: 'mutation',
  reserved: 'mutation',
  submitted: 'mutation',
  tracked: 'read',
  watched: 'read',
};

/** True when nothing more is to be done for the row in a run to this goal. */
export function isReached(
  goal: Goal,
  verdict: Verdict,
  row: { readonly progress: Progress; readonly payout: RowRecord['payout'] },
): boolean {
  if (verdict.kind !== 'advanced') return false;
  switch (goal) {
    case 'found':
    case 'watched':
      return true;
    case 'known':
      return verdict.afterMs === undefined;
    case 'priced':
      return row.progress.stage !== 'ready';
    case 'reserved':
      return verdict.afterMs === undefined && isReserved(row);
    case 'submitted':
    case 'tracked':
      return false;
  }
}

// When a row is to be looked at next, by what its last step ended in.

/**
 * The wait before a step is tried again after an answer that was none. On a rough day one call in five is lost, looks between two tries too: a step has an
 * answer after one more of them in two of three cases only, and of some hundred rows one is unlucky seven times. That is no reason to keep a whole file
 * waiting; a step that is unlucky oftener waits for something else. Shorter waits read one transfer forty times a minute where the service answers no read.
 */
const SOON_BACKOFF = { firstMs: 500, mostMs: 2_000 } as const;
const SOON_TRIES = 8;
const LATE_BACKOFF = { firstMs: 4_000, mostMs: 30_000 } as const;

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
  readonly reopensAt: number;
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
  const { goal, payout, now, reopensAt } = moment;
  if (ENDED.includes(progress.stage) && KNOWS_END[verdict.kind])
    return nextLook(progress.finalAt, now, moment.reversalWindowMs);
  // A row that is carried further later becomes due then.
  if (WAITS_FOR_NOBODY.has(stageOrHeld(progress)) || isReached(goal, verdict, { progress, payout }))
    return null;
  return Math.max(reopensAt, now + Math.ceil(dueInMs(verdict, progress, moment)));
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
    ? backoffMs(SOON_BACKOFF, tries, random)
    : backoffMs(LATE_BACKOFF, tries - SOON_TRIES, random);
}

/** The service itself reports the end of such a payout; if that is lost, the longest pause finds it. A payout that the network refused ends without a report. */
function isAnnounced({ kind }: Verdict, { stage, lookedBy, why }: Progress, { isNotified }: Moment): boolean {
  const isOnItsWay = stage === 'confirmed' && lookedBy !== null && why === null;
  return isNotified && isOnItsWay && (kind === 'waiting' || kind === 'advanced');
}
