// How long the steps of a row take here and now, so that no transfer is created that cannot be confirmed before its quotation runs out.
import { STAGES, type Stage } from '../payouts/lifecycle.ts';

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

  /** A step led from one stage to another and took so long. A step back, to another quotation, is none of the way. */
  took(from: Stage, to: Stage, ms: number): void {
    if (!isTimed(from) || STAGES.indexOf(to) <= STAGES.indexOf(from)) return;
    keep(this.#kept[from], ms);
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
