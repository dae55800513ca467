// Gives each call its turn, evenly spread over the second, and counts how many left: a burst would meet the service's limit long before its average does.

const SECOND_MS = 1_000;

export class Turns {
  #nextAt = -Infinity;
  #second = { from: -Infinity, calls: 0 };
  #callsBefore = 0;

  /** Takes the next turn, and says how long to wait for it. `now` is monotonic. */
  take(now: number, perSecond: number): number {
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + SECOND_MS / perSecond;
    this.#count(at);
    return at - now;
  }

  /** Calls of the fuller of the last two seconds: the one that has just begun is too short to judge by. */
  get callsPerSecond(): number {
    return Math.max(this.#second.calls, this.#callsBefore);
  }

  #count(at: number): void {
    const { from, calls } = this.#second;
    if (at - from < SECOND_MS) {
      this.#second = { from, calls: calls + 1 };
      return;
    }
    this.#callsBefore = at - from < 2 * SECOND_MS ? calls : 0;
    this.#second = { from: at, calls: 1 };
  }
}
