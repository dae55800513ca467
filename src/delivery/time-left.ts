// When a payout that has ended is looked at again: a reversal or a change by the service's staff may come for months, and only some of them
// are announced. Often at first, daily for a week, then weekly, until no reversal can come any more.
import type { Stage } from '../payouts/lifecycle.ts';

/** Stages whose transfer has ended, and may yet be changed by the service. */
export const ENDED: readonly Stage[] = ['paid', 'failed'];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** Mistakes are mended on the day that they are made. */
const FIRST_LOOKS_MS = [HOUR_MS, 6 * HOUR_MS];

/** A Monday, at 02:00 UTC. All payouts that are looked at daily or weekly are looked at together, whenever they ended: then one list shows them. */
const TOGETHER_SINCE = Date.parse('1970-01-05T02:00:00Z');

/** Local time in ms; null when the window is over. `finalAt` is ISO. */
export function nextLook(finalAt: string | null, now: number, windowMs: number): number | null {
  const endedAt = finalAt === null ? now : Date.parse(finalAt);
  const ageMs = Math.max(0, now - endedAt);
  if (ageMs >= windowMs) return null;
  const first = FIRST_LOOKS_MS.find((ms) => ms > ageMs);
  const next = first === undefined ? nextTogether(now, ageMs < WEEK_MS ? DAY_MS : WEEK_MS) : endedAt + first;
  return Math.min(next, endedAt + windowMs);
}

function nextTogether(now: number, everyMs: number): number {
  return TOGETHER_SINCE + (Math.floor((now - TOGETHER_SINCE) / everyMs) + 1) * everyMs;
}

// How long the steps of a row take here and now, so that no transfer is created that cannot be confirmed before its quotation runs out.

/** The stages from which a step with a mutating call leads on. */
const TIMED = ['ready', 'quoted', 'created', 'confirming'] as const satisfies readonly Stage[];
type Timed = (typeof TIMED)[number];

/** The longest of a hundred is about the 99th percentile, without sorting anything. */
const KEPT = 100;

/** Fewer than these say too little: until then a call is expected to take at least two seconds. */
const ENOUGH = 20;
const UNKNOWN_MS = 2_000;

/** For what no step shows: the commits between them, and a machine that has other things to do. */
const MARGIN_MS = 1_000;

/** The last times of a step. The longest is known at any moment: it is asked for with every row. */
type Kept = { readonly ms: number[]; longest: number };

const none = (): Kept => ({ ms: [], longest: 0 });

export class StepTimes {
  readonly #kept: Readonly<Record<Timed, Kept>> = {
    ready: none(),
    quoted: none(),
    created: none(),
    confirming: none(),
  };

  /** A call that led on from a stage took so long. */
  took(from: Stage, ms: number): void {
    if (isTimed(from)) keep(this.#kept[from], ms);
  }

  /** What create, upload and confirm together may take, with a margin. */
  neededMs(hasDocument: boolean): number {
    return sum(afterQuote(hasDocument).map((stage) => expected(this.#kept[stage]))) + MARGIN_MS;
  }

  /** What a row has really taken from asking its price to its confirm; 0 before any. */
  seenMs(hasDocument: boolean): number {
    return sum(['ready' as const, ...afterQuote(hasDocument)].map((stage) => this.#kept[stage].longest));
  }
}

function isTimed(stage: Stage): stage is Timed {
  return (TIMED as readonly Stage[]).includes(stage);
}

function afterQuote(hasDocument: boolean): readonly Timed[] {
  return hasDocument ? ['quoted', 'created', 'confirming'] : ['quoted', 'confirming'];
}

function keep(kept: Kept, ms: number): void {
  kept.ms.push(ms);
  const left = kept.ms.length > KEPT ? kept.ms.shift() : undefined;
  kept.longest = left === kept.longest ? Math.max(...kept.ms) : Math.max(kept.longest, ms);
}

function expected({ ms, longest }: Kept): number {
  return ms.length < ENOUGH ? Math.max(UNKNOWN_MS, longest) : longest;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
