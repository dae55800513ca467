// One durable commit for all writes that wait at the same moment: an fsync costs the same for one row as for a hundred. Writes that nobody relies on
// before a later one is durable need none: the log is a sequence, and a later sync includes everything written before.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { asLedgerUnusable, BUSY } from '../ledger-unusable.ts';

type Waiting = {
  readonly isLazy: boolean;
  readonly write: () => unknown;
  readonly settle: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
};

/** Called inside each transaction before its first write and behind its last, and once it is durable. */
type TransactionSteps = {
  readonly begin: () => void;
  readonly end: () => void;
  readonly committed: () => void;
};

export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #on: TransactionSteps;
  #waiting: Waiting[] = [];
  /** As the ledger was opened. */
  #isSynced = true;

  constructor(database: DatabaseSync, on: TransactionSteps) {
    this.#database = database;
    this.#on = on;
  }

  /** True while writes wait for the next commit. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Runs `write` inside the next commit; resolves with its result once the commit has reached the disk. */
  run<T>(write: () => T): Promise<T> {
    return this.#run(write, false);
  }

  /** The same, but that a power cut may take it back until a later write of any process has reached the disk. */
  runLazily<T>(write: () => T): Promise<T> {
    return this.#run(write, true);
  }

  #run<T>(write: () => T, isLazy: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The end of the event loop's turn collects exactly the writes that wait anyway; a longer window only adds delay.
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      this.#waiting.push({ isLazy, write, settle: (result) => resolve(result as T), fail: reject });
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    const fault = this.#commitTogether(group);
    if (fault === null) return;
    // A ledger that somebody else holds is no fault of one write, and each would wait as long again for the same.
    if (group.length === 1 || isLocked(fault.error)) failAll(group, fault.error);
    // One write that fails must not take the others with it: they are made again, each by itself.
    else for (const waiting of group) this.#commitAlone(waiting);
  }

  #commitAlone(waiting: Waiting): void {
    const fault = this.#commitTogether([waiting]);
    if (fault !== null) failAll([waiting], fault.error);
  }

  /** Null when it is durable; else why the writes were undone. */
  #commitTogether(group: readonly Waiting[]): { readonly error: unknown } | null {
    try {
      this.#sync(group.some(({ isLazy }) => !isLazy));
      this.#database.exec('BEGIN IMMEDIATE');
      this.#on.begin();
      const results = group.map(({ write }) => write());
      this.#on.end();
      this.#database.exec('COMMIT');
      this.#on.committed();
      group.forEach(({ settle }, index) => settle(results[index]));
      return null;
    } catch (error) {
      this.#rollBack();
      return { error };
    }
  }

  #sync(isSynced: boolean): void {
    if (this.#isSynced === isSynced) return;
    this.#database.exec(`PRAGMA synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`);
    this.#isSynced = isSynced;
  }

  #rollBack(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
}

function failAll(group: readonly Waiting[], error: unknown): void {
  for (const { fail } of group) fail(asLedgerUnusable(error));
}

// Prepared statements by their text: each is compiled once, wherever it is used. A bound LIMIT is written as `+?` in all of them: SQLite looks
// at a bare one to plan with it, and would compile the statement again for each value.

export type Sql = (text: string) => StatementSync;

export function statements(database: DatabaseSync): Sql {
  const known = new Map<string, StatementSync>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const statement = database.prepare(text);
    known.set(text, statement);
    return statement;
  };
}

// A large batch is written and counted in pieces: a statement over all its rows would delay every other batch for seconds.

/** From a position on, up to and without another. */
export type PositionRange = { readonly from: number; readonly to: number };

/** All positions before `end`, so many at a time. */
export function* positionRanges(end: number, rows: number): Generator<PositionRange> {
  for (let from = 0; from < end; from += rows) yield { from, to: from + rows };
}
