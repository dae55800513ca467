// One process of paydrop, which may die at any await, and may be stopped for hours and continue as if nothing had happened. After its death none
// of its awaits resolves; what it sent before may still arrive.
import type { Scheduler } from './scheduler.ts';

/** A new one for each that waits: one for all would keep everybody who ever waited for it, and with him all of his schedule. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

export class Life {
  readonly id: string;
  readonly #scheduler: Scheduler;
  readonly #onPoint: (life: Life, point: string) => void;
  readonly #death = Promise.withResolvers<undefined>();
  #isAlive = true;
  #frozenUntil = 0;
  #diedAt: number | null = null;

  /** @param onPoint called wherever the process may die; it may end or freeze the life. */
  constructor(id: string, scheduler: Scheduler, onPoint: (life: Life, point: string) => void) {
    this.id = id;
    this.#scheduler = scheduler;
    this.#onPoint = onPoint;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get diedAt(): number | null {
    return this.#diedAt;
  }

  /** Comes when the life has ended, for a caller that waits for its work. */
  get death(): Promise<undefined> {
    return this.#death.promise;
  }

  die(): void {
    this.#isAlive = false;
    this.#diedAt ??= this.#scheduler.now;
    this.#death.resolve(undefined);
  }

  /** As SIGSTOP or a suspended machine does: nothing reaches it before that time. */
  freeze(ms: number): void {
    this.#frozenUntil = this.#scheduler.now + ms;
  }

  /** Something that the process does to the world, unless it is dead before or after it; its result comes when the process is awake. */
  async act<T>(point: string, action: () => Promise<T>): Promise<T> {
    this.#onPoint(this, `before ${point}`);
    if (!this.#isAlive) return never();
    const result = await this.#settled(action());
    this.#onPoint(this, `after ${point}`);
    return this.#awake(result);
  }

  /** An error reaches the process as late as a value. */
  async #settled<T>(work: Promise<T>): Promise<() => T> {
    try {
      const value = await work;
      return () => value;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  async #awake<T>(result: () => T): Promise<T> {
    while (this.#isAlive && this.#frozenUntil > this.#scheduler.now) {
      const ms = this.#frozenUntil - this.#scheduler.now;
      await new Promise<void>((resolve) => void this.#scheduler.after(ms, resolve));
    }
    return this.#isAlive ? result() : never();
  }
}
