// The rate that the service bears, as one process knows it: who calls waits here for its turn, and tells here what came of it.
import type { Clock } from '../base/clock.ts';
import {
  afterCall,
  afterLate,
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

/** One for all that a process does at the service: batches, previews, rebuilds. */
export class RateControl {
  readonly times = new StepTimes();
  /** The rows under way, of all batches. */
  readonly rows = new FairLanes(() => this.lanes('mutation'));
  readonly #clock: Clock;
  readonly #limits: RateLimits;
  #state: RateState;
  /** By the sort of call, each held against its like: a confirm waits for the payout network, and a price does not. */
  readonly #usual = new Map<string, Usual>();
  #refusedAt = -Infinity;
  readonly #waiting: Readonly<Record<CallKind, (() => void)[]>> = { read: [], mutation: [] };

  constructor(clock: Clock, limits: RateLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#state = startRate(clock.monotonic());
  }

  /** Rows that may be under way at the same time, for what they mostly ask. */
  lanes(kind: CallKind): number {
    return lanesOf(this.#state, kind, this.#clock.monotonic(), this.#limits);
  }

  /** True while the service is out of reach for calls of a kind, and for how long it is not to be asked. */
  isOut(kind: CallKind): boolean {
    return isOut(this.#state, kind);
  }

  stoppedForMs(kind: CallKind): number {
    return Math.max(0, stoppedUntilOf(this.#state, kind) - this.#clock.monotonic());
  }

  /** True when a call may leave at once; else waits until it may. False when the key was refused meanwhile: the call had better not leave at all. */
  turn(kind: CallKind): true | Promise<boolean> {
    return this.#waiting[kind].length === 0 && this.#mayLeave(kind) ? true : this.#waitForTurn(kind);
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
    return true;
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
    this.#state = afterCall(this.#state, { kind, heard, sentAt, now, retryAfterMs, random });
  }

  /** Rows take so long that their quotations run out. */
  late(rowMs: number): void {
    const now = this.#clock.monotonic();
    this.#state = afterLate(this.#state, now - rowMs, now);
  }
}

// Who carries the next row when several batches are paid at once: the batch that has the fewest under way, so that ten rows never wait behind
// ten thousand. Together they have no more rows under way than the service bears, and no row ages in a queue between two of its calls.

type Queue = { most: number; underWay: number; readonly waiting: (() => void)[] };

export class FairLanes {
  readonly #most: () => number;
  /** Batches with rows that wait or are under way; who was served last stands last. */
  readonly #queues = new Map<string, Queue>();
  #underWay = 0;

  /** @param most rows under way at the same time, of all batches together; asked again at each turn. */
  constructor(most: () => number) {
    this.#most = most;
  }

  /** Does the work when it is the batch's turn, which has no more than `most` under way. */
  async run<T>(batch: string, most: number, work: () => Promise<T>): Promise<T> {
    await this.#turn(batch, most);
    try {
      return await work();
    } finally {
      this.#leave(batch);
    }
  }

  /** As many rows as a batch can have under way while the others have theirs. */
  share(batch: string): number {
    const others = this.#queues.size - (this.#queues.has(batch) ? 1 : 0);
    return Math.max(1, Math.ceil(this.#most() / (others + 1)));
  }

  #turn(batch: string, most: number): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(batch) ?? { most, underWay: 0, waiting: [] };
      queue.most = most;
      queue.waiting.push(resolve);
      this.#queues.set(batch, queue);
      this.#serve();
    });
  }

  #leave(batch: string): void {
    const queue = this.#queues.get(batch);
    if (queue === undefined) throw new Error(`Batch ${batch} leaves a lane that it does not have.`);
    this.#underWay -= 1;
    queue.underWay -= 1;
    if (queue.underWay === 0 && queue.waiting.length === 0) this.#queues.delete(batch);
    this.#serve();
  }

  #serve(): void {
    while (this.#underWay < this.#most()) {
      const next = this.#next();
      const enter = next?.queue.waiting.shift();
      if (next === null || enter === undefined) return;
      next.queue.underWay += 1;
      this.#underWay += 1;
      this.#queues.delete(next.batch);
      this.#queues.set(next.batch, next.queue);
      enter();
    }
  }

  /** Of those with rows that wait: the fewest under way, and of equals the one that was served longest ago. */
  #next(): { readonly batch: string; readonly queue: Queue } | null {
    let next: { readonly batch: string; readonly queue: Queue } | null = null;
    for (const [batch, queue] of this.#queues) {
      const isWaiting = queue.waiting.length > 0 && queue.underWay < queue.most;
      if (isWaiting && queue.underWay < (next?.queue.underWay ?? Infinity)) next = { batch, queue };
    }
    return next;
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
