// Counts, where the calls of all nodes arrive, how many are in progress at once and how many came in the worst second, wherever that second begins.
import type { Watcher } from '../crash/watched-service.ts';

const SECOND_MS = 1_000;

export class CallMeter {
  /** What the service bears in a second; what is more is refused. */
  readonly #bears: number;
  readonly #arrivedAt: number[] = [];
  /** Where the last second of them begins. */
  #from = 0;
  /** When those came that were served in the last second. */
  readonly #servedAt: number[] = [];
  #underWay = 0;
  #refused = 0;
  #mostAtOnce = 0;
  #worstSecond = 0;

  constructor(bears: number) {
    this.#bears = bears;
  }

  get watcher(): Watcher {
    return {
      received: () => (this.#admits(performance.now()) ? 'pass' : 'throttle'),
      answered: () => {
        this.#underWay -= 1;
        return 'pass';
      },
    };
  }

  #admits(now: number): boolean {
    this.#arrivedAt.push(now);
    while ((this.#arrivedAt[this.#from] ?? now) <= now - SECOND_MS) this.#from += 1;
    this.#worstSecond = Math.max(this.#worstSecond, this.#arrivedAt.length - this.#from);
    while ((this.#servedAt[0] ?? now) <= now - SECOND_MS) this.#servedAt.shift();
    if (this.#servedAt.length >= this.#bears) {
      this.#refused += 1;
      return false;
    }
    this.#servedAt.push(now);
    this.#underWay += 1;
    this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#underWay);
    return true;
  }

  get seen() {
    const [first = 0] = this.#arrivedAt;
    const seconds = ((this.#arrivedAt.at(-1) ?? 0) - first) / SECOND_MS;
    return {
      calls: this.#arrivedAt.length,
      seconds,
      refused: this.#refused,
      mostAtOnce: this.#mostAtOnce,
      worstSecond: this.#worstSecond,
    };
  }
}
