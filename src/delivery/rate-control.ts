// The rate that the service bears, as one process knows it: who calls waits here for its turn, and tells here what came of it.
import type { Clock } from '../base/clock.ts';
import {
  afterCall,
  afterLate,
  afterMetElsewhere,
  afterTurn,
  type CallKind,
  type Heard,
  isOut,
  lanesOf,
  type RateLimits,
  type RateState,
  startRate,
  stoppedUntilOf,
  turnInMs,
} from './adaptive-rate.ts';
import { FairLanes } from './fair-lanes.ts';
import { type Stage, STAGES } from '../payouts/lifecycle.ts';

/** Twice the usual is a queue in front of the service; less than a tenth of a second beside it is our own machine catching its breath. */
const SLOW_TIMES = 2;
const SLOW_LEAST_MS = 100;

/** The usual moves with some two hundred calls, so that a service that is slower for good becomes the usual. */
const USUAL_CALLS = 200;

/** How long calls of a sort usually take. */
export type Usual = { readonly calls: number; readonly ms: number };

/** Learns how long one more call took; `isSlow` when that is much longer than its like usually take. */
export function afterLatency(
  known: Usual | undefined,
  ms: number,
): { readonly usual: Usual; readonly isSlow: boolean } {
  const { calls: before, ms: usualMs } = known ?? { calls: 0, ms };
  const slowMs = SLOW_TIMES * usualMs + SLOW_LEAST_MS;
  const calls = Math.min(before + 1, USUAL_CALLS);
  return { usual: { calls, ms: usualMs + (Math.min(ms, slowMs) - usualMs) / calls }, isSlow: ms > slowMs };
}

/** How often who waits for a turn looks whether the rate has grown. */
const TURN_LOOK_MS = 100;

/** Half as many rows again as calls: while some wait for their record, the others use the lanes. */
export function rowsOver(lanes: number): number {
  return lanes + Math.floor(lanes / 2);
}

/** One for all that a process does at the service: batches, previews, rebuilds. */
export class RateControl {
  readonly times = new StepTimes();
  /** The rows under way, of all batches. */
  readonly rows = new FairLanes(() => this.#rowsMost());
  readonly #clock: Clock;
  #limits: RateLimits;
  #state: RateState;
  /** Calls that have left and are not answered, and who waits for one of them to end. */
  #calls = 0;
  #onFree: (() => void)[] = [];
  readonly #met: Record<CallKind, number> = { read: 0, mutation: 0 };
  /** By the sort of call, each held against its like: a confirm waits for the payout network, and a price does not. */
  readonly #usual = new Map<string, Usual>();
  #refusedAt = -Infinity;
  readonly #waiting: Readonly<Record<CallKind, (() => void)[]>> = { read: [], mutation: [] };

  constructor(clock: Clock, limits: RateLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#state = startRate(clock.monotonic());
  }

  /** Calls that may be under way at the same time, for what is mostly asked. */
  lanes(kind: CallKind): number {
    return lanesOf(this.#state, kind, this.#clock.monotonic(), this.#limits);
  }

  /** Only a call is counted against the limits, so a service in trouble has fewer calls only by fewer rows. */
  #rowsMost(): number {
    const lanes = this.lanes('mutation');
    return lanes < this.#limits.lanes ? lanes : rowsOver(lanes);
  }

  /** True while the service is out of reach for calls of a kind, and for how long it is not to be asked. */
  isOut(kind: CallKind): boolean {
    return isOut(this.#state, kind);
  }

  stoppedForMs(kind: CallKind): number {
    return Math.max(0, stoppedUntilOf(this.#state, kind) - this.#clock.monotonic());
  }

  /** The limits from now on: those of the config, or the part of them that this run holds. */
  limit(limits: RateLimits): void {
    this.#limits = limits;
    this.#tellFree();
    this.rows.serve();
  }

  /** The lanes that could be used at this moment, those that are, and how often each kind of call met a limit of the service. */
  demand(): {
    readonly wanted: number;
    readonly underWay: number;
    readonly met: Readonly<Record<CallKind, number>>;
  } {
    const underWay = Math.max(this.#calls, this.rows.underWay);
    const isWaiting = this.rows.isWaiting || this.#waiting.read.length + this.#waiting.mutation.length > 0;
    return { wanted: isWaiting ? Number.MAX_SAFE_INTEGER : underWay, underWay, met: { ...this.#met } };
  }

  /** True when a call may leave at once; else waits until it may. It is ended by `left`. False when the key was refused meanwhile: the call had better not leave at all. */
  turn(kind: CallKind): true | Promise<boolean> {
    return this.#waiting[kind].length === 0 && this.#isFree() && this.#mayLeave(kind)
      ? true
      : this.#waitForTurn(kind);
  }

  async #waitForTurn(kind: CallKind): Promise<boolean> {
    const askedAt = this.#clock.monotonic();
    const waiting = this.#waiting[kind];
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) void this.#giveTurns(kind);
    });
    return this.#refusedAt < askedAt;
  }

  /** Who waits longest goes first. The rate may change at any moment, so nobody is promised a time. */
  async #giveTurns(kind: CallKind): Promise<void> {
    const waiting = this.#waiting[kind];
    while (waiting.length > 0) {
      if (!this.#isFree()) {
        await new Promise<void>((resolve) => this.#onFree.push(resolve));
        continue;
      }
      if (this.#mayLeave(kind)) {
        waiting[0]?.();
        waiting.shift();
        continue;
      }
      const ms = turnInMs(this.#state, kind, this.#clock.monotonic(), this.#limits);
      // Timers know whole milliseconds only.
      await this.#clock.sleep(Math.ceil(Math.min(ms, TURN_LOOK_MS)));
    }
  }

  #mayLeave(kind: CallKind): boolean {
    const now = this.#clock.monotonic();
    if (turnInMs(this.#state, kind, now, this.#limits) > 0) return false;
    this.#state = afterTurn(this.#state, kind, now, this.#limits);
    this.#calls += 1;
    return true;
  }

  #isFree(): boolean {
    return this.#calls < this.#limits.lanes;
  }

  /** A call that had its turn is over, or was never made. */
  left(): void {
    this.#calls -= 1;
    this.#tellFree();
  }

  #tellFree(): void {
    for (const tell of this.#onFree.splice(0)) tell();
  }

  /** Another process met a limit of the service, which is this one's too. */
  metElsewhere(kind: CallKind): void {
    this.#state = afterMetElsewhere(this.#state, kind, this.#clock.monotonic());
  }

  /** The service refused the key. What waits for its turn would only be refused too; who asks later may have another key. */
  refused(): void {
    this.#refusedAt = this.#clock.monotonic();
  }

  /** A usable answer; `sort` names calls that take about as long as each other, null for one that is not held against others. */
  answered(kind: CallKind, sort: string | null, sentAt: number): void {
    const now = this.#clock.monotonic();
    let isSlow = false;
    if (sort !== null) {
      const learned = afterLatency(this.#usual.get(sort), now - sentAt);
      this.#usual.set(sort, learned.usual);
      isSlow = learned.isSlow;
    }
    this.heard(kind, isSlow ? 'slow' : 'well', sentAt, null, now);
  }

  heard(
    kind: CallKind,
    heard: Heard,
    sentAt: number,
    retryAfterMs: number | null = null,
    now = this.#clock.monotonic(),
  ): void {
    const random = this.#clock.random();
    const { metAt } = this.#state[kind];
    this.#state = afterCall(this.#state, { kind, heard, sentAt, now, retryAfterMs, random });
    if (this.#state[kind].metAt !== metAt) this.#met[kind] += 1;
  }

  /** Rows take so long that their quotations run out. */
  late(rowMs: number): void {
    const now = this.#clock.monotonic();
    this.#state = afterLate(this.#state, now - rowMs, now);
  }
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
