// The service's own time, which alone decides whether something has expired. Each answer's `Date` header bounds it from both sides;
// the local wall clock is never asked, because it may be wrong by a day.
import type { Clock } from '../base/clock.ts';
import { isFault } from '../service/errors.ts';
import type { Answer } from '../service/payout-service.ts';

/** The `Date` header has whole seconds: the true time is up to this much later. */
const DATE_GRAIN_MS = 1_000;

export class ServiceClock {
  readonly #clock: Clock;
  #offsetLeast = -Infinity;
  #offsetMost = Infinity;
  #answers = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a call and learns from the time in its answer, or in its error. */
  async ask<T>(call: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const sentAt = this.#clock.monotonic();
    try {
      const answer = await call();
      this.#observe(answer.serverTime, sentAt);
      return answer;
    } catch (error) {
      if (isFault(error)) this.#observe(error.context.serverTime, sentAt);
      throw error;
    }
  }

  /** How many calls have had any answer so far; with the time that they took, this is the pace. */
  get answers(): number {
    return this.#answers;
  }

  /** The latest time that it can be at the service now, in ms since 1970; null before any answer with a time. */
  latestNow(): number | null {
    return this.#offsetMost === Infinity ? null : this.#clock.monotonic() + this.#offsetMost;
  }

  /** The earliest time that it can be there now; null likewise. */
  earliestNow(): number | null {
    return this.#offsetLeast === -Infinity ? null : this.#clock.monotonic() + this.#offsetLeast;
  }

  #observe(serverTime: number | null, sentAt: number): void {
    this.#answers += 1;
    if (serverTime === null) return;
    const least = serverTime - this.#clock.monotonic();
    const most = serverTime + DATE_GRAIN_MS - sentAt;
    // Bounds that exclude each other mean that a clock was set: only the newest answer counts then.
    const wasSet = least > this.#offsetMost || most < this.#offsetLeast;
    this.#offsetLeast = wasSet ? least : Math.max(this.#offsetLeast, least);
    this.#offsetMost = wasSet ? most : Math.min(this.#offsetMost, most);
  }
}
