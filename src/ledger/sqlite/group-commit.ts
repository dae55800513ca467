// One durable commit for all writes that wait at the same moment: an fsync costs the same for one row as for a hundred.
import type { DatabaseSync } from 'node:sqlite';

import { asLedgerUnusable } from '../ledger-unusable.ts';

type Waiting = {
  readonly write: () => unknown;
  readonly settle: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
};

export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #onBegin: () => void;
  #waiting: Waiting[] = [];

  /** @param onBegin called inside each transaction before its first write. */
  constructor(database: DatabaseSync, onBegin: () => void) {
    this.#database = database;
    this.#onBegin = onBegin;
  }

  /** Runs `write` inside the next commit; resolves with its result once the commit has reached the disk. */
  run<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The end of the event loop's turn collects exactly the writes that wait anyway; a longer window only adds delay.
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      this.#waiting.push({ write, settle: (result) => resolve(result as T), fail: reject });
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    if (this.#commitTogether(group) || group.length === 1) return;
    // One write that fails must not take the others with it: they are made again, each by itself.
    for (const waiting of group) this.#commitTogether([waiting]);
  }

  /** False when the writes were taken back; a single one is told why. */
  #commitTogether(group: readonly Waiting[]): boolean {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      this.#onBegin();
      const results = group.map(({ write }) => write());
      this.#database.exec('COMMIT');
      group.forEach(({ settle }, index) => settle(results[index]));
      return true;
    } catch (error) {
      this.#rollBack();
      const [only] = group;
      if (group.length === 1) only?.fail(asLedgerUnusable(error));
      return false;
    }
  }

  #rollBack(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}
