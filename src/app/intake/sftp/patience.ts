// How long nothing is tried again after it has failed: soon at first, because most faults last seconds, and never less often than every few minutes.
import { backoffMs } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/clock.ts';

/** The longest: a server that is back is found within it. */
const MOST_MS = 300_000;

/** The first wait where the account itself is not looked at more often. */
const FIRST_MS = 5_000;

export class Patience {
  readonly #clock: Clock;
  readonly #firstMs: number;
  #tries = 0;
  #until = 0;
  #fault: unknown = null;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#firstMs = Math.min(FIRST_MS, everyMs);
  }

  /** What failed last, until it has succeeded; null when nothing did. */
  get fault(): unknown {
    return this.#fault;
  }

  /** When it may be tried again, on the clock that only grows. */
  get until(): number {
    return this.#until;
  }

  isOver(): boolean {
    return this.#clock.monotonic() >= this.#until;
  }

  failed(fault: unknown): void {
    const wait = backoffMs({ firstMs: this.#firstMs, mostMs: MOST_MS }, this.#tries, this.#clock.random());
    this.#until = this.#clock.monotonic() + wait;
    this.#tries += 1;
    this.#fault = fault;
  }

  succeeded(): void {
    this.#tries = 0;
    this.#until = 0;
    this.#fault = null;
  }
}
