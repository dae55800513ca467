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
  #waiting: Waiting[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
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
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const results = group.map(({ write }) => write());
      this.#database.exec('COMMIT');
      group.forEach(({ settle }, index) => settle(results[index]));
    } catch (error) {
      this.#rollBack();
      // Nobody in the group may believe that its write stands.
      const fault = asLedgerUnusable(error);
      group.forEach(({ fail }) => fail(fault));
    }
  }

  #rollBack(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}
