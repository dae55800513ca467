// What one process knows of the pace that its service bears, whoever calls it: batches, previews, rebuilds.
import type { Clock } from '../base/clock.ts';
import { FairLanes } from './fair-lanes.ts';
import { Latencies } from './latencies.ts';
import { lanesOf, paceAfter, startPace, type Heard, type Pace, type PaceLimits } from './pace.ts';
import { StepTimes } from './step-times.ts';
import { Turns } from './turns.ts';

export class Pacer {
  readonly times = new StepTimes();
  /** The rows under way, of all batches. */
  readonly rows = new FairLanes(() => this.lanes);
  readonly #clock: Clock;
  readonly #limits: PaceLimits;
  readonly #turns = new Turns();
  readonly #latencies = new Latencies();
  #pace: Pace;
  #quietUntil = -Infinity;
  #refusedAt = -Infinity;

  constructor(clock: Clock, limits: PaceLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#pace = startPace(limits, clock.monotonic());
  }

  /** Rows that may be under way at the same time. */
  get lanes(): number {
    return lanesOf(this.#pace);
  }

  /** Waits until a call may leave. False when the service asked for quiet meanwhile, or refused the key: the call had better not leave at all. */
  async turn(): Promise<boolean> {
    const askedAt = this.#clock.monotonic();
    const waitMs = this.#turns.take(askedAt, this.#pace.perSecond);
    if (waitMs <= 0) return true;
    // Timers know whole milliseconds only.
    await this.#clock.sleep(Math.ceil(waitMs));
    return this.#clock.monotonic() >= this.#quietUntil && this.#refusedAt < askedAt;
  }

  /** The service refused the key. What waits for its turn would only be refused too; who asks later may have another key. */
  refused(): void {
    this.#refusedAt = this.#clock.monotonic();
  }

  /** An answer of the usual sort, and how long it took; `kind` names calls that take about as long as each other. */
  answered(kind: string, sentAt: number): void {
    const isSlow = this.#latencies.isSlow(kind, this.#clock.monotonic() - sentAt);
    this.#hear(isSlow ? 'slow' : 'well', sentAt);
  }

  /** The service is busy, and perhaps said for how long. */
  busy(heard: 'throttled' | 'overloaded', sentAt: number, retryAfterMs: number | null): void {
    this.#quietUntil = Math.max(this.#quietUntil, this.#clock.monotonic() + (retryAfterMs ?? 0));
    this.#hear(heard, sentAt);
  }

  /** Rows take so long that their quotations run out. */
  late(rowMs: number): void {
    this.#hear('late', this.#clock.monotonic() - rowMs);
  }

  #hear(heard: Heard, sentAt: number): void {
    const { callsPerSecond } = this.#turns;
    const now = this.#clock.monotonic();
    const before = this.#pace;
    this.#pace = paceAfter(before, heard, { sentAt, now, callsPerSecond }, this.#limits);
    if (this.#pace.fellAt !== before.fellAt) this.#latencies.forgetRecent();
  }
}
