// The limits of an account that several runs share: calls at once, and calls a second. Each run is lent a part of both, and says every half second what it
// would use. Nobody takes before another has given back and its calls are over, so that together they never have more; a limit that one meets slows all.
import { z } from 'zod';

import type { RunId } from '../payouts/progress.ts';
import type { CallKind, RateLimits } from './adaptive-rate.ts';
import { callsOf, countedMs, type RateControl } from './rate-control.ts';

const partSchema = z.object({ held: z.number(), wanted: z.number() });

/** A run's message to the others: its share and its need of calls at once and per second, and how often it met a limit of the service. */
export const shareSchema = z.object({
  lanes: partSchema,
  calls: partSchema,
  met: z.object({ read: z.number(), mutation: z.number() }),
});
export type Share = z.output<typeof shareSchema>;

/** Of one of the two limits. */
export type Part = z.output<typeof partSchema>;

type Pool = 'lanes' | 'calls';

/** The messages of the others, and the shares of those that have ended within these ms. */
export type Heard = {
  readonly others: ReadonlyMap<RunId, Share>;
  readonly parted: readonly { readonly share: Share; readonly agoMs: number }[];
};

const KINDS: readonly CallKind[] = ['read', 'mutation'];

/** A remainder that cannot be shared evenly changes hands after this time: with more runs than calls, each has its turn. */
const TURN_MS = 5_000;

/** The present share of this run, and its need; calls under way end by themselves and are never taken away. */
type Own = Part & { readonly run: RunId; readonly underWay: number };

/** A run's share as the others see it, and the usable part: no call begins beyond that part, but calls under way still count. */
export type Lent = { readonly held: number; readonly used: number };

/**
 * A run's share of a limit from now on: its fair part, as far as the others leave it.
 * @param most that all runs have together. @param gone the shares of runs that ended a moment ago. @param turn the run whose turn it is to have the remainder.
 */
export function lent(most: number, own: Own, others: ReadonlyMap<RunId, Part>, gone = 0, turn = 0): Lent {
  const left = [...others.values()].reduce((rest, { held }) => rest - held, most - gone);
  const part = fairPart(most, own, others, turn);
  const held = Math.max(0, Math.min(left, Math.max(part, Math.min(own.underWay, own.held))));
  return { held, used: Math.min(part, held) };
}

/**
 * A run that wants less than an equal part leaves the rest to the others; each run has one call to begin with, if there are enough. What nobody wants is
 * shared out evenly: a run that has few rows under way when it states its wish must not be short of lanes until it states the next one.
 */
function fairPart(most: number, own: Own, others: ReadonlyMap<RunId, Part>, turn: number): number {
  const least = others.size < most ? 1 : 0;
  const all = [...others, [own.run, own] as const]
    .map(([run, { wanted }]) => ({ run, wanted: Math.min(most, Math.max(least, wanted)) }))
    // All runs share out in the same order.
    .sort((a, b) => (a.run < b.run ? -1 : 1));
  const first = turn % all.length;
  const inTurn = [...all.slice(first), ...all.slice(0, first)].sort((a, b) => a.wanted - b.wanted);
  let rest = most;
  let ownPart = 0;
  for (const [index, { run, wanted }] of inTurn.entries()) {
    const part = Math.min(wanted, Math.floor(rest / (all.length - index)));
    if (run === own.run) ownPart = part;
    rest -= part;
  }
  return ownPart + Math.floor(rest / all.length);
}

type Both = Readonly<Record<Pool, Lent>>;

const NOTHING: Both = { lanes: { held: 0, used: 0 }, calls: { held: 0, used: 0 } };

/** The part of the limits that this run holds at each moment. */
export class SharedLimits {
  readonly #rateControl: RateControl;
  readonly #all: RateLimits;
  readonly #most: Readonly<Record<Pool, number>>;
  readonly #run: RunId;
  #lent: Both = NOTHING;
  /** The last message. */
  #next: Both = NOTHING;
  /** How often each of the others had met a limit when it was heard last. */
  #heard: ReadonlyMap<RunId, Share['met']> = new Map();

  /** Until it has conferred once, this run holds nothing. */
  constructor(rateControl: RateControl, all: RateLimits, run: RunId) {
    this.#rateControl = rateControl;
    this.#all = all;
    this.#most = { lanes: all.lanes, calls: callsOf(all.perSecond) };
    this.#run = run;
    this.#hold(NOTHING);
  }

  /**
   * The next message, given those of the others. A share that is given back is not used from here on: another run may take it with the next commit.
   * @param now ms by a clock about which the runs agree within a second or so.
   */
  share(heard: Heard, now: number): Share {
    const demand = this.#rateControl.demand();
    const of = (pool: Pool): Lent => this.#lentOf(pool, demand[pool], heard, now);
    this.#next = { lanes: of('lanes'), calls: of('calls') };
    this.#hold({
      lanes: lower(this.#lent.lanes, this.#next.lanes),
      calls: lower(this.#lent.calls, this.#next.calls),
    });
    const said = (pool: Pool): Part => ({ held: this.#next[pool].held, wanted: demand[pool].wanted });
    return { lanes: said('lanes'), calls: said('calls'), met: demand.met };
  }

  #lentOf(pool: Pool, demand: Omit<Own, 'run' | 'held'>, { others, parted }: Heard, now: number): Lent {
    const most = this.#most[pool];
    if (most === Infinity) return NOTHING[pool];
    const own = { run: this.#run, held: this.#lent[pool].held, ...demand };
    // The calls of one that has ended may still be under way, and count in somebody's second.
    const gone = parted
      .filter(({ agoMs }) => agoMs < countedMs(this.#all.perSecond))
      .reduce((sum, { share }) => sum + share[pool].held, 0);
    const theirs = new Map([...others].map(([run, share]) => [run, share[pool]]));
    return lent(most, own, theirs, gone, Math.floor(now / TURN_MS));
  }

  /** The message has reached the ledger: the share may be used. */
  obey({ others }: Pick<Heard, 'others'>): void {
    for (const kind of KINDS) if (this.#isMetElsewhere(kind, others)) this.#rateControl.metElsewhere(kind);
    this.#heard = new Map([...others].map(([run, { met }]) => [run, met]));
    this.#hold(this.#next);
  }

  #isMetElsewhere(kind: CallKind, others: ReadonlyMap<RunId, Share>): boolean {
    return [...others].some(([run, { met }]) => met[kind] > (this.#heard.get(run)?.[kind] ?? met[kind]));
  }

  #hold(lent: Both): void {
    this.#lent = lent;
    const { perSecond, lanes, firstLanes = lanes } = this.#all;
    this.#rateControl.limit({
      lanes: lent.lanes.used,
      firstLanes: Math.min(lent.lanes.used, Math.ceil((firstLanes * lent.lanes.used) / lanes)),
      perSecond: perSecond === Infinity ? Infinity : (perSecond * lent.calls.used) / this.#most.calls,
    });
  }
}

function lower(now: Lent, next: Lent): Lent {
  return next.used < now.used ? next : now;
}
