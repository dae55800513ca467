// How much may be asked of the service at once and in a second: it starts at what the config allows, falls as soon as the service is busy
// or slow, and comes back slowly. Pure: each thing that is heard comes in with its times.

/** The most that the config allows; `perSecond` is Infinity where it says nothing. */
export type PaceLimits = { readonly lanes: number; readonly perSecond: number };

export type Pace = {
  /** Rows that are carried at the same time; a fraction counts once it is whole. */
  readonly lanes: number;
  /** Calls that may leave in a second. */
  readonly perSecond: number;
  /** When it last fell, and up to when it has grown (monotonic ms). */
  readonly fellAt: number;
  readonly grownAt: number;
};

/** `throttled`: 429; `overloaded`: 503; `slow`: answers take much longer than they used to; `late`: quotations run out under our hands. */
export type Heard = 'well' | 'throttled' | 'overloaded' | 'slow' | 'late';

export type HeardAt = {
  /** When what was heard of began: a call was sent, a row was taken up (monotonic ms). */
  readonly sentAt: number;
  readonly now: number;
  /** Calls that have left in the last second. */
  readonly callsPerSecond: number;
};

/** A refusal to serve takes half, as TCP does, and so does a quotation that runs out; slowness is less certain and takes a fifth. */
const LEFT_AFTER = { throttled: 0.5, overloaded: 0.5, slow: 0.8, late: 0.5 } as const;

/** A service that is only slow may be so for reasons of its own: this share of the lanes stays. */
const SHARE_WHEN_SLOW = 0.25;

/** From one lane back to all of them. Longer than most bursts of trouble, short beside a batch of thousands. */
const GROW_BACK_MS = 30_000;

/** The calls of a second double in this time, so that a limit of the service that we do not know is met rarely. */
const DOUBLE_MS = 10_000;

/** Nobody limits a business to less than one call a second. */
const PER_SECOND_LEAST = 1;

/** What was not heard for longer is no reason to grow. */
const SILENCE_MOST_MS = 1_000;

export function startPace(limits: PaceLimits, now: number): Pace {
  return { ...limits, fellAt: -Infinity, grownAt: now };
}

export function paceAfter(pace: Pace, heard: Heard, at: HeardAt, limits: PaceLimits): Pace {
  if (at.sentAt > pace.fellAt)
    return heard === 'well' ? grown(pace, at.now, limits) : fallen(pace, heard, at, limits);
  // What began before the last fall says nothing of the pace since: the calls under way fail together and count as one. Only growth waits.
  return heard === 'well' ? pace : { ...pace, grownAt: at.now };
}

/** Whole lanes. More than a second's calls never wait for their turn, so a row does not age between its steps. */
export function lanesOf({ lanes, perSecond }: Pace): number {
  return Math.max(1, Math.min(Math.floor(lanes), Math.ceil(perSecond)));
}

function grown(pace: Pace, now: number, limits: PaceLimits): Pace {
  const ms = Math.min(now - pace.grownAt, SILENCE_MOST_MS);
  return {
    ...pace,
    lanes: Math.min(limits.lanes, pace.lanes + (limits.lanes * ms) / GROW_BACK_MS),
    perSecond: Math.min(limits.perSecond, pace.perSecond * 2 ** (ms / DOUBLE_MS)),
    grownAt: now,
  };
}

function fallen(pace: Pace, heard: Exclude<Heard, 'well'>, at: HeardAt, limits: PaceLimits): Pace {
  const left = LEFT_AFTER[heard];
  const least = heard === 'slow' ? Math.min(pace.lanes, limits.lanes * SHARE_WHEN_SLOW) : 1;
  return {
    lanes: Math.max(1, least, pace.lanes * left),
    perSecond: heard === 'throttled' ? fewerPerSecond(pace, at, left, limits) : pace.perSecond,
    fellAt: at.now,
    grownAt: at.now,
  };
}

/** Half of what was really sent: a limit that was not reached says nothing. */
function fewerPerSecond(pace: Pace, at: HeardAt, left: number, limits: PaceLimits): number {
  const fewer = Math.min(pace.perSecond, at.callsPerSecond) * left;
  return Math.min(limits.perSecond, Math.max(PER_SECOND_LEAST, fewer));
}
