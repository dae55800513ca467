// Virtual time: nothing happens between two events, and the next one is taken only when everything that the last one woke has come to rest.
// That makes a schedule of hours run in milliseconds, and always in the same order.

export type Scheduled = { cancel(): void };

type Event = { readonly at: number; readonly order: number; readonly run: () => void };

export class Scheduler {
  #now: number;
  #order = 0;
  #busy = 0;
  #turns = 0;
  readonly #queue: Event[] = [];

  constructor(startsAt: number) {
    this.#now = startsAt;
  }

  get now(): number {
    return this.#now;
  }

  /** Events so far: a schedule that never ends has too many. */
  get turns(): number {
    return this.#turns;
  }

  after(ms: number, run: () => void): Scheduled {
    const event = { at: this.#now + Math.max(0, ms), order: this.#order++, run };
    this.#queue.splice(this.#placeOf(event), 0, event);
    return {
      cancel: () => {
        const index = this.#queue.indexOf(event);
        if (index >= 0) this.#queue.splice(index, 1);
      },
    };
  }

  /** Real work that no event announces, a commit for example: time stands still until it is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work;
    } finally {
      this.#busy -= 1;
    }
  }

  /** Runs until it is over, or until nothing is left to happen. */
  async run(isOver: () => boolean): Promise<void> {
    for (;;) {
      await this.#rest();
      if (isOver()) return;
      const event = this.#queue.shift();
      if (event === undefined) return;
      this.#now = Math.max(this.#now, event.at);
      this.#turns += 1;
      event.run();
    }
  }

  /** All promises that can be settled are, and no commit is under way. */
  async #rest(): Promise<void> {
    do await new Promise<void>((resolve) => void setImmediate(resolve));
    while (this.#busy > 0);
  }

  #placeOf({ at }: Event): number {
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#queue[middle]?.at ?? Infinity) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
