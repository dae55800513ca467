// A service that serves so many calls in any second and refuses every other, with counts of both for each of its seconds.

const SECOND_MS = 1_000;

/** Another client takes so many of them for so many seconds, and then none for as many. */
export type Other = { readonly takes: number; readonly everyS: number };

export class CallLimit {
  readonly #perSecond: number;
  readonly #other: Other;
  /** When the calls of the last second were served. */
  readonly #servedAt: number[] = [];
  readonly #startedAt = performance.now();
  readonly #served: number[] = [];
  readonly #refused: number[] = [];

  constructor(perSecond: number, other: Other) {
    this.#perSecond = perSecond;
    this.#other = other;
  }

  admits(now: number): boolean {
    while ((this.#servedAt[0] ?? Infinity) <= now - SECOND_MS) this.#servedAt.shift();
    const isServed = this.#servedAt.length < this.#perSecond - this.#takenByOther(now);
    if (isServed) this.#servedAt.push(now);
    const counts = isServed ? this.#served : this.#refused;
    const second = Math.floor((now - this.#startedAt) / SECOND_MS);
    counts[second] = (counts[second] ?? 0) + 1;
    return isServed;
  }

  #takenByOther(now: number): number {
    const part = Math.floor((now - this.#startedAt) / SECOND_MS / this.#other.everyS);
    return part % 2 === 1 ? this.#other.takes : 0;
  }

  /** Calls served and refused in each second since the start. */
  get counts(): { readonly served: readonly number[]; readonly refused: readonly number[] } {
    const seconds = Math.max(this.#served.length, this.#refused.length);
    const filled = (counts: readonly number[]) =>
      Array.from({ length: seconds }, (_none, second) => counts[second] ?? 0);
    return { served: filled(this.#served), refused: filled(this.#refused) };
  }
}
