// A service by numbers alone, and a process that calls it as fast as the rate control lets it: minutes of both take milliseconds, because the
// clock only counts.
import {
  afterCall,
  afterTurn,
  lanesOf,
  startRate,
  stoppedUntilOf,
  turnInMs,
  type Heard,
  type RateState,
} from '../../src/delivery/adaptive-rate.ts';

/** What becomes of a call that arrives at a moment (ms), and after how long its caller hears of it. */
export type Fate = { readonly heard: Heard; readonly afterMs: number };
export type Simulated = (now: number, random: () => number) => Fate;

export type Second = { readonly well: number; readonly throttled: number; readonly calls: number };

type Options = {
  readonly lanes: number;
  readonly seconds: number;
  readonly seed: number;
  /** On average the machine stands still for so long, ten times a second; never when left out. */
  readonly stallMs?: number;
};

/** Rows are without number, and one that is refused waits for itself: as many calls are under way as there are lanes. By seconds. */
export function callFor(
  service: Simulated,
  { lanes, seconds, seed, stallMs = 0 }: Options,
): readonly Second[] {
  const random = drawing(seed);
  const limits = { lanes, perSecond: Infinity };
  const counts = Array.from({ length: seconds + 1 }, () => ({ well: 0, throttled: 0, calls: 0 }));
  const events: { at: number; run: (now: number) => void }[] = [];
  const later = (at: number, run: (now: number) => void): void => {
    const index = events.findIndex((event) => event.at > at);
    events.splice(index < 0 ? events.length : index, 0, { at, run });
  };
  let state: RateState = startRate(0);
  let underWay = 0;
  let wakesAt = Infinity;
  let turnsAt = -Infinity;

  const start = (now: number): void => {
    const stoppedUntil = stoppedUntilOf(state, 'mutation');
    if (stoppedUntil > now) {
      if (wakesAt === stoppedUntil) return;
      wakesAt = stoppedUntil;
      later(stoppedUntil, start);
      return;
    }
    // While the service is out of reach, one call at a time finds out.
    const most = state.mutation.stops > 0 ? 1 : lanesOf(state, 'mutation', now, limits);
    while (underWay < most) {
      const waitMs = Math.ceil(turnInMs(state, 'mutation', now, limits));
      if (waitMs > 0) {
        // One timer for all that wait.
        if (turnsAt > now && turnsAt <= now + waitMs) return;
        turnsAt = now + Math.min(waitMs, 100);
        later(turnsAt, start);
        return;
      }
      underWay += 1;
      state = afterTurn(state, 'mutation', now, limits);
      send(now);
    }
  };
  const send = (sentAt: number): void => {
    const { heard, afterMs } = service(sentAt, random);
    later(sentAt + afterMs, (now) => {
      state = afterCall(state, {
        kind: 'mutation',
        heard,
        sentAt,
        now,
        retryAfterMs: null,
        random: random(),
      });
      const second = counts[Math.floor(now / 1_000)];
      if (second !== undefined) {
        second.calls += 1;
        if (heard === 'well') second.well += 1;
        if (heard === 'throttled') second.throttled += 1;
      }
      underWay -= 1;
      start(now);
    });
  };

  start(0);
  const stalledUntil = stalls(stallMs, random);
  for (let next = events.shift(); next !== undefined && next.at < seconds * 1_000; next = events.shift())
    next.run(stalledUntil(next.at));
  return counts.slice(0, seconds);
}

const STALLS_EVERY_MS = 100;

/** When what was to happen at a moment happens on a machine that stands still now and then; moments are asked for in their order. */
function stalls(meanMs: number, random: () => number): (at: number) => number {
  const drawn = (mean: number): number => -Math.log(1 - random()) * mean;
  let from = meanMs === 0 ? Infinity : drawn(STALLS_EVERY_MS);
  let to = from + drawn(meanMs);
  return (at) => {
    while (to < at) {
      from = to + drawn(STALLS_EVERY_MS);
      to = from + drawn(meanMs);
    }
    return at < from ? at : to;
  };
}

/** Serves so many calls in any second, from any caller, and refuses the others. */
export function limitedTo(perSecond: number, takenByOthers: (now: number) => number = () => 0): Simulated {
  const servedAt: number[] = [];
  return (now, random) => {
    while ((servedAt[0] ?? Infinity) <= now - 1_000) servedAt.shift();
    const isServed = servedAt.length < perSecond - takenByOthers(now);
    if (isServed) servedAt.push(now);
    return { heard: isServed ? 'well' : 'throttled', afterMs: 5 + 20 * random() };
  };
}

/** Spoils calls at random, whatever the rate: shares by what is heard. */
export function spoiling(shares: Partial<Record<Heard, number>>, latencyMs = 10): Simulated {
  return (_now, random) => {
    const drawn = random();
    let upTo = 0;
    for (const [heard, share] of Object.entries(shares) as [Heard, number][]) {
      upTo += share;
      if (drawn < upTo) return { heard, afterMs: latencyMs };
    }
    return { heard: 'well', afterMs: latencyMs };
  };
}

export function sumOf(seconds: readonly Second[], what: keyof Second): number {
  return seconds.reduce((sum, second) => sum + second[what], 0);
}

/** Numbers from 0 to 1 (excluded) that depend on the seed alone: mulberry32. */
export function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
