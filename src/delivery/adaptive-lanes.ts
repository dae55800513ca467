// How many calls at once the service gains by (adaptive concurrency, by hill climbing): more are tried for a round, and kept where they bring a good part of
// what they promise. Pure: a small state, and how long each call took beside its like.

/** In multiples of the calls that are under way at once at first. */
export type Reach = {
  readonly times: number;
  /** How much of it is added by the next try. */
  readonly step: number;
  /** What a try began with, and how many calls at once that was; null while none is under way. */
  readonly before: { readonly times: number; readonly lanes: number } | null;
  /** Calls that were sent later belong to the round. */
  readonly since: number;
  /** Of the round: its answers, how long they took in multiples of the usual, those that were spoilt, and calls that had no like. */
  readonly answers: number;
  readonly took: number;
  readonly spoilt: number;
  readonly unlike: number;
  /** No try begins before this (monotonic ms), and how long the next pause is. */
  readonly triedAgainAt: number;
  readonly pauseMs: number;
};

type ReachedCall = {
  /** How long it took, in multiples of what its like took before the try; null where that is not known. */
  readonly took: number | null;
  readonly isSpoilt: boolean;
  readonly sentAt: number;
  readonly now: number;
  /** True while more would be under way if more were let: else nothing is learned. */
  readonly isFull: boolean;
  /** More may be tried: nothing else holds them down. */
  readonly mayTry: boolean;
  /** Something else keeps them from being so many: a limit, or quotations that run out. */
  readonly isHeldDown: boolean;
  /** Calls at once as they stand. */
  readonly lanes: number;
};

/** At first it doubles, which finds the end within a few rounds; from the first try in vain on it goes up by a quarter. */
const FIRST_STEP = 2;
const LATER_STEP = 1.25;

/** Twice as many that take twice as long bring nothing. So much of what a try promises is enough to keep it. */
const GAIN_KEPT = 0.4;

/** Fewer answers say nothing of a round. */
const ROUND_LEAST = 16;

/** One spoilt call in ten is no answer to the question. */
const SPOILT_MOST = 0.1;

const PAUSE_FIRST_MS = 4_000;
const PAUSE_MOST_MS = 120_000;

export function startReach(now: number): Reach {
  const round = { since: now, answers: 0, took: 0, spoilt: 0, unlike: 0 };
  return { times: 1, step: FIRST_STEP, before: null, ...round, triedAgainAt: now, pauseMs: PAUSE_FIRST_MS };
}

export function afterReached(reach: Reach, call: ReachedCall): Reach {
  if (!call.isFull || call.sentAt < reach.since) return reach;
  if (call.took === null && !call.isSpoilt) return reach.before === null ? reach : afterUnlike(reach, call);
  const answers = reach.answers + 1;
  const took = reach.took + (call.took ?? 1);
  const spoilt = reach.spoilt + (call.isSpoilt ? 1 : 0);
  const heard = { ...reach, answers, took, spoilt };
  if (answers < Math.max(ROUND_LEAST, call.lanes / 2)) return heard;
  if (spoilt > SPOILT_MOST * answers) return inVain(heard, call.now);
  if (reach.before !== null && (call.isHeldDown || !isWorthIt(heard, reach.before.lanes, call.lanes)))
    return inVain(heard, call.now);
  const mayTry = call.mayTry && (reach.before !== null || call.now >= reach.triedAgainAt);
  return mayTry ? nextTry(heard, call) : newRound({ ...heard, before: null }, call.now);
}

/** Calls that have no like from before the try tell nothing of it; where there are only those, it is over. */
function afterUnlike(reach: Reach, { lanes, now }: ReachedCall): Reach {
  const unlike = reach.unlike + 1;
  if (unlike < 2 * Math.max(ROUND_LEAST, lanes)) return { ...reach, unlike };
  const { pauseMs } = reach;
  return { ...inVain(reach, now), pauseMs, step: reach.step, triedAgainAt: now };
}

function isWorthIt({ answers, took }: Reach, before: number, lanes: number): boolean {
  const promised = lanes / before;
  return promised / (took / answers) >= 1 + GAIN_KEPT * (promised - 1);
}

function nextTry(reach: Reach, { lanes, now }: ReachedCall): Reach {
  const times = Math.max(reach.times * reach.step, (reach.times * (lanes + 1)) / lanes);
  return newRound({ ...reach, before: { times: reach.times, lanes }, times }, now);
}

/** Back to what it was, or, where it was not tried, as it is. */
function inVain(reach: Reach, now: number): Reach {
  const pauseMs = Math.min(2 * reach.pauseMs, PAUSE_MOST_MS);
  const times = reach.before?.times ?? reach.times;
  const over = {
    ...reach,
    times,
    before: null,
    step: LATER_STEP,
    pauseMs,
    triedAgainAt: now + reach.pauseMs,
  };
  return newRound(over, now);
}

function newRound(reach: Reach, now: number): Reach {
  return { ...reach, since: now, answers: 0, took: 0, spoilt: 0, unlike: 0 };
}
