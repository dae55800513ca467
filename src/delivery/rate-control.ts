// The rate that the service bears, as one process knows it: who calls waits here for its turn, and tells here what came of it.
import type { Clock } from '../base/clock.ts';
import {
  afterAnswer,
  afterCall,
  afterLate,
  isOut,
  lanesOf,
  startRate,
  stoppedUntilOf,
  takeTurn,
  type CallKind,
  type Heard,
  type RateLimits,
  type RateState,
} from './adaptive-rate.ts';
import { FairLanes } from './fair-lanes.ts';
import { StepTimes } from './step-times.ts';

/** One for all that a process does at the service: batches, previews, rebuilds. */
export class RateControl {
  readonly times = new StepTimes();
  /** The rows under way, of all batches. */
  readonly rows = new FairLanes(() => this.lanes('mutation'));
  readonly #clock: Clock;
  readonly #limits: RateLimits;
  #state: RateState;
  #refusedAt = -Infinity;

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

  /** Waits until a call may leave. False when the key was refused meanwhile: the call had better not leave at all. */
  async turn(kind: CallKind): Promise<boolean> {
    const askedAt = this.#clock.monotonic();
    const { state, waitMs } = takeTurn(this.#state, kind, askedAt, this.#limits);
    this.#state = state;
    if (waitMs <= 0) return true;
    // Timers know whole milliseconds only.
    await this.#clock.sleep(Math.ceil(waitMs));
    return this.#refusedAt < askedAt;
  }

  /** The service refused the key. What waits for its turn would only be refused too; who asks later may have another key. */
  refused(): void {
    this.#refusedAt = this.#clock.monotonic();
  }

  /** A usable answer; `sort` names calls that take about as long as each other, null for one that is not held against others. */
  answered(kind: CallKind, sort: string | null, sentAt: number): void {
    const learned = sort === null ? null : afterAnswer(this.#state, sort, this.#clock.monotonic() - sentAt);
    if (learned !== null) this.#state = learned.state;
    this.heard(kind, learned?.isSlow === true ? 'slow' : 'well', sentAt);
  }

  heard(kind: CallKind, heard: Heard, sentAt: number, retryAfterMs: number | null = null): void {
    const now = this.#clock.monotonic();
    const random = this.#clock.random();
    this.#state = afterCall(this.#state, { kind, heard, sentAt, now, retryAfterMs, random });
  }

  /** Rows take so long that their quotations run out. */
  late(rowMs: number): void {
    const now = this.#clock.monotonic();
    this.#state = afterLate(this.#state, now - rowMs, now);
  }
}
