// The limits of an account that several runs share: calls at once, and calls a second. Each run is lent a part of them, and says every half second what
// it would use. Nobody takes before another has given back, so that together they never have more; a limit that one of them meets slows all of them.
import { z } from 'zod';

import type { RunId } from '../payouts/progress.ts';
import type { CallKind, RateLimits } from './adaptive-rate.ts';
import type { RateControl } from './rate-control.ts';

/** What a run says to the others: the lanes that it was lent, those that it would use, and how often it met a limit of the service. */
export const shareSchema = z.object({
  lanes: z.number(),
  wanted: z.number(),
  met: z.object({ read: z.number(), mutation: z.number() }),
});
export type Share = z.output<typeof shareSchema>;

const KINDS: readonly CallKind[] = ['read', 'mutation'];

/** What this run has by now, and would use. */
type Own = Pick<Share, 'lanes' | 'wanted'> & { readonly run: RunId; readonly underWay: number };

/** What a run has in the eyes of the others, and what of it may be used: no call begins beyond its part, though those under way still count. */
export type Lent = { readonly lanes: number; readonly used: number };

/**
 * The lanes that a run may have from now on: its fair part, as far as the others have left it. What is under way is never taken away.
 * @param most the lanes of all runs together.
 */
export function lentLanes(most: number, own: Own, others: ReadonlyMap<RunId, Share>): Lent {
  const left = [...others.values()].reduce((rest, { lanes }) => rest - lanes, most);
  const part = fairPart(most, own, others);
  const lanes = Math.max(0, Math.min(left, Math.max(part, Math.min(own.underWay, own.lanes))));
  return { lanes, used: Math.min(part, lanes) };
}

/** Who wants less than an equal part leaves the rest to the others; each run has a lane to begin with, where there are so many. */
function fairPart(most: number, own: Own, others: ReadonlyMap<RunId, Share>): number {
  const least = others.size < most ? 1 : 0;
  const all = [...others, [own.run, own] as const]
    .map(([run, { wanted }]) => ({ run, wanted: Math.min(most, Math.max(least, wanted)) }))
    // All runs share out in the same order.
    .sort((a, b) => a.wanted - b.wanted || (a.run < b.run ? -1 : 1));
  let rest = most;
  for (const [index, { run, wanted }] of all.entries()) {
    const part = Math.min(wanted, Math.floor(rest / (all.length - index)));
    if (run === own.run) return part;
    rest -= part;
  }
  return 0;
}

const NOTHING: Lent = { lanes: 0, used: 0 };

/** The part of the limits that this run holds at each moment. */
export class SharedLimits {
  readonly #rateControl: RateControl;
  readonly #all: RateLimits;
  readonly #run: RunId;
  #lent: Lent = NOTHING;
  /** What was said last. */
  #next: Lent = NOTHING;
  /** How often each of the others had met a limit when it was heard last. */
  #heard: ReadonlyMap<RunId, Share['met']> = new Map();

  /** Until it has conferred once, this run holds nothing. */
  constructor(rateControl: RateControl, all: RateLimits, run: RunId) {
    this.#rateControl = rateControl;
    this.#all = all;
    this.#run = run;
    this.#hold(NOTHING);
  }

  /** What to say, when the others say this. What is given back is not used from here on: another may take it with the very next commit. */
  share(others: ReadonlyMap<RunId, Share>): Share {
    const { wanted, underWay, met } = this.#rateControl.demand();
    const own = { run: this.#run, lanes: this.#lent.lanes, wanted, underWay };
    this.#next = lentLanes(this.#all.lanes, own, others);
    if (this.#next.used < this.#lent.used) this.#hold(this.#next);
    return { lanes: this.#next.lanes, wanted, met };
  }

  /** What was said has reached the ledger: what is lent may be used. */
  obey(others: ReadonlyMap<RunId, Share>): void {
    for (const kind of KINDS) if (this.#isMetElsewhere(kind, others)) this.#rateControl.metElsewhere(kind);
    this.#heard = new Map([...others].map(([run, { met }]) => [run, met]));
    this.#hold(this.#next);
  }

  #isMetElsewhere(kind: CallKind, others: ReadonlyMap<RunId, Share>): boolean {
    return [...others].some(([run, { met }]) => met[kind] > (this.#heard.get(run)?.[kind] ?? met[kind]));
  }

  #hold(lent: Lent): void {
    this.#lent = lent;
    const { lanes: most, perSecond } = this.#all;
    this.#rateControl.limit({
      lanes: lent.used,
      perSecond: lent.used === 0 ? 0 : (perSecond * lent.used) / most,
    });
  }
}
