// The rate that the service bears, as one process knows it: each call waits here for its turn and reports its result here.
import type { Clock } from '../base/clock.ts';
import { afterReached } from './adaptive-lanes.ts';
import {
  afterCall,
  afterLate,
  afterMetElsewhere,
  afterTurn,
  type CallKind,
  type Heard,
  isHeldDown,
  isOut,
  lanesOf,
  mayReachFurther,
  type RateLimits,
  type RateState,
  reachedLanes,
  startRate,
  stoppedUntilOf,
  turnInMs,
} from './adaptive-rate.ts';
import { FairLanes } from './fair-lanes.ts';
import { RowsUnderWay } from './rows-under-way.ts';
import { StepTimes } from './time-left.ts';

/** Twice the usual is a queue in front of the service; less than a tenth of a second more is our own machine being slow. */
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

const SECOND_MS = 1_000;

/** No call is longer than this on its way to the service, but for those that say so by their answer. */
const ON_THE_WAY_MS = 100;

/** The calls that may arrive within one second, wherever it begins; within as many seconds as one takes, where it is less than one a second. */
export function callsOf(perSecond: number): number {
  return perSecond === 0 ? 0 : Math.max(1, Math.floor(perSecond));
}

/** How long a call that leaves now may share that time with another, unless it is known to have arrived sooner. */
export function countedMs(perSecond: number): number {
  return secondMs(perSecond) + ON_THE_WAY_MS;
}

function secondMs(perSecond: number): number {
  return Math.max(SECOND_MS, SECOND_MS / perSecond);
}

/**
 * The calls that the service may count in the same second as one that leaves now: each from when it leaves until a second after it has arrived, and that
 * is between its leaving and its answer. So no second of the service has more of them than are here at once, however unevenly they travel.
 */
export class CountedCalls {
  /** Until when each counts, in the order in which they left; of the first of them it is known when they had arrived. */
  readonly #until: number[] = [];
  #answered = 0;
  /** Calls that count no more and are not answered yet. */
  #late = 0;

  count(now: number): number {
    while ((this.#until[0] ?? Infinity) <= now) {
      this.#until.shift();
      if (this.#answered > 0) this.#answered -= 1;
      else this.#late += 1;
    }
    return this.#until.length;
  }

  /** How long until one more may leave, where so many may count at once and none is answered meanwhile. */
  roomInMs(most: number, now: number): number {
    const over = this.count(now) - most;
    return over < 0 ? 0 : (this.#until[over] ?? Infinity) - now;
  }

  leaves(perSecond: number, now: number): void {
    this.#until.push(now + countedMs(perSecond));
  }

  /** One of them is answered; which one makes no difference to how many count when. */
  isAnswered(perSecond: number, now: number): void {
    if (this.count(now) === 0 || this.#late > 0) this.#late = Math.max(0, this.#late - 1);
    else {
      const until = this.#until[this.#answered] ?? now;
      this.#until[this.#answered] = Math.min(until, now + secondMs(perSecond));
      this.#answered += 1;
    }
  }
}

type Demand = { readonly wanted: number; readonly underWay: number };

/** One for all that a process does at the service: batches, previews, rebuilds. */
export class RateControl {
  readonly times = new StepTimes();
  readonly underWay = new RowsUnderWay();
  /** The rows under way, of all batches; a service in trouble has fewer calls only by fewer rows. */
  readonly rows = new FairLanes(
    () => this.lanes('mutation'),
    // A process that has lent all its lanes to others keeps no record waiting.
    () => reachedLanes(this.#state, this.#limits) || Infinity,
  );
  readonly #clock: Clock;
  #limits: RateLimits;
  #state: RateState;
  /** Calls that have left and are not answered, and who waits for one of them to end. */
  #calls = 0;
  #onFree: (() => void)[] = [];
  readonly #counted = new CountedCalls();
  readonly #met: Record<CallKind, number> = { read: 0, mutation: 0 };
  /** By the sort of call, each held against its like: a confirm waits for the payout network, and a price does not. */
  readonly #usual = new Map<string, Usual>();
  /** The same, as it was before more calls at once were tried. */
  #usualBefore: ReadonlyMap<string, Usual> = new Map();
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

  /** Of the calls at once and in a second, those that could be used at this moment and those that are; and how often each kind met a limit of the service. */
  demand(): {
    readonly lanes: Demand;
    readonly calls: Demand;
    readonly met: Readonly<Record<CallKind, number>>;
  } {
    const counted = this.#counted.count(this.#clock.monotonic());
    const isWaiting = this.rows.isWaiting || this.#waiting.read.length + this.#waiting.mutation.length > 0;
    const wanted = (most: number): number => (isWaiting ? Number.MAX_SAFE_INTEGER : most);
    return {
      lanes: { wanted: wanted(Math.max(this.#calls, this.rows.underWay)), underWay: this.#calls },
      calls: { wanted: wanted(counted), underWay: counted },
      met: { ...this.#met },
    };
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
      const ms = this.#turnInMs(kind, this.#clock.monotonic());
      // Timers know whole milliseconds only.
      await this.#clock.sleep(Math.ceil(Math.min(ms, TURN_LOOK_MS)));
    }
  }

  #mayLeave(kind: CallKind): boolean {
    const now = this.#clock.monotonic();
    if (this.#turnInMs(kind, now) > 0) return false;
    this.#state = afterTurn(this.#state, kind, now, this.#limits);
    this.#calls += 1;
    if (this.#isLimited) this.#counted.leaves(this.#limits.perSecond, now);
    return true;
  }

  #turnInMs(kind: CallKind, now: number): number {
    const turnMs = turnInMs(this.#state, kind, now, this.#limits);
    if (!this.#isLimited) return turnMs;
    return Math.max(turnMs, this.#counted.roomInMs(callsOf(this.#limits.perSecond), now));
  }

  get #isLimited(): boolean {
    return this.#limits.perSecond !== Infinity;
  }

  #isFree(): boolean {
    return this.#calls < reachedLanes(this.#state, this.#limits) && this.#limits.perSecond > 0;
  }

  /** A call that had its turn is over, or was never made. */
  left(): void {
    this.#calls -= 1;
    if (this.#isLimited) this.#counted.isAnswered(this.#limits.perSecond, this.#clock.monotonic());
    this.#tellFree();
  }

  #tellFree(): void {
    for (const tell of this.#onFree.splice(0)) tell();
  }

  /** Another process met a limit of the service, which is this one's too. */
  metElsewhere(kind: CallKind): void {
    this.#state = afterMetElsewhere(this.#state, kind, this.#clock.monotonic());
  }

  /** The service refused the key. The calls that wait would only be refused too; a later one may have another key. */
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
    const before = this.#usualBefore.get(sort ?? '');
    // A millisecond of each call is our own.
    const took = before === undefined ? null : (now - sentAt + 1) / (before.ms + 1);
    if (kind === 'mutation') this.#reach(took, sentAt, now);
  }

  /** @param took in multiples of the usual; null where that is not known. */
  #reach(took: number | null, sentAt: number, now: number, isSpoilt = false): void {
    const { reach } = this.#state;
    if (reach.before === null) this.#usualBefore = this.#usual;
    const lanes = reachedLanes(this.#state, this.#limits);
    const mayTry = mayReachFurther(this.#state, now, this.#limits);
    // What a try has slowed down speaks against it, and must not keep it from being judged.
    const isFull = this.rows.isWaiting && (mayTry || reach.before !== null);
    const isDown = isHeldDown(this.#state, now, this.#limits);
    const call = { took, isSpoilt, sentAt, now, isFull, mayTry, isHeldDown: isDown, lanes };
    const after = afterReached(reach, call);
    if (after === reach) return;
    if (after.before !== reach.before) this.#usualBefore = new Map(this.#usual);
    this.#state = { ...this.#state, reach: after };
    if (after.times > reach.times) this.rows.serve();
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
    const isSpoilt = heard !== 'well' && heard !== 'slow';
    if (isSpoilt && kind === 'mutation') this.#reach(null, sentAt, now, true);
  }

  /** Rows take so long that their quotations run out. */
  late(rowMs: number): void {
    const now = this.#clock.monotonic();
    this.#state = afterLate(this.#state, now - rowMs, now);
  }
}
