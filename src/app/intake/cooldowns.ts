// What is not to be tried, or looked at, before its time: a batch that could not be carried on, a file that could not be taken, a round of work.
import type { Clock } from '../../base/clock.ts';

export class Later {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #notBefore = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  isEarly(what: string): boolean {
    return (this.#notBefore.get(what) ?? 0) > this.#clock.monotonic();
  }

  after(what: string, ms: number): void {
    this.#notBefore.set(what, this.#clock.monotonic() + ms);
  }

  /** True once in so long a time. */
  isTime(what: string, everyMs: number): boolean {
    if (this.isEarly(what)) return false;
    this.after(what, everyMs);
    return true;
  }

  /** Times that have come stand for nothing any more; for months they would add up. */
  forgetPast(): void {
    for (const what of this.#notBefore.keys()) if (!this.isEarly(what)) this.#notBefore.delete(what);
  }

  /** Whatever waited may have waited for what has changed now. */
  forgetAll(): void {
    this.#notBefore.clear();
  }
}
