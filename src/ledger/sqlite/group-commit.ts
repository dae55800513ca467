// One durable commit for all writes that wait at the same moment: an fsync costs the same for one row as for a hundred. The program goes on while the disk
// writes; what comes meanwhile is the next commit. Writes that nobody relies on before a later one is durable need no fsync: the log is a sequence,
// and a later sync includes everything written before.
import { close, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

import { asLedgerUnusable, BUSY, notSynced } from '../ledger-unusable.ts';
import { madeTogether, type Sharing } from '../sharing.ts';

/** Makes all items of one kind; each has its own result. */
type Make = (items: readonly unknown[]) => readonly unknown[];

type Waiting = {
  readonly kind: number | null;
  readonly isLazy: boolean;
  readonly item: unknown;
  readonly make: Make;
  readonly settle: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
};

type Written = { readonly waiting: Waiting; readonly result: unknown };

/** Called inside each transaction before its first write and behind its last, once it is committed, and once all that is committed has reached the disk. */
type TransactionSteps = {
  readonly begin: () => void;
  readonly end: () => void;
  readonly committed: () => void;
  readonly synced: () => void;
};

/** Brings all that is committed to the disk. */
export type SyncedLog = { readonly sync: () => Promise<void>; readonly close: () => void };

export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #on: TransactionSteps;
  #log: SyncedLog | null;
  #waiting: Waiting[] = [];
  #isUnderWay = false;
  #synced = Promise.resolve();
  /** A disk that failed to write once may have forgotten what it was given: nothing is written behind that. */
  #lost: { readonly error: unknown } | null = null;

  constructor(database: DatabaseSync, on: TransactionSteps, log = logOf(database)) {
    this.#database = database;
    this.#on = on;
    this.#log = log;
  }

  /** True while writes wait for the next commit. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Runs `write` inside the next commit; resolves with its result once the commit has reached the disk. */
  run<T>(write: () => T): Promise<T> {
    return this.#add({ kind: null, isLazy: false, item: null, make: () => [write()] });
  }

  /** The same, but that a power cut may take it back until a later write of any process has reached the disk. */
  runLazily<T>(write: () => T): Promise<T> {
    return this.#add({ kind: null, isLazy: true, item: null, make: () => [write()] });
  }

  /** A way to write items of which all that follow each other are made by one call. */
  sharing<Item, Result>(
    { order, isLazy }: Sharing,
    together: (items: readonly Item[]) => readonly Result[],
  ): (item: Item) => Promise<Result> {
    const make: Make = (items) => together(items as readonly Item[]);
    return (item) => this.#add({ kind: order, isLazy, item, make });
  }

  /** Tells what it finds once the commits that it may have seen have reached the disk: nobody may be told otherwise after a power cut. */
  async read<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      const found = await work();
      await this.#synced;
      if (this.#lost !== null) throw this.#lost.error;
      return found;
    } catch (error) {
      throw asLedgerUnusable(error);
    }
  }

  /** Behind the last write that is waited for. */
  close(): void {
    this.#log?.close();
    this.#log = null;
  }

  #add<T>(write: Omit<Waiting, 'settle' | 'fail'>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ ...write, settle: (result) => resolve(result as T), fail: reject });
      if (!this.#isUnderWay) this.#goOn();
    });
  }

  /** The end of the event loop's turn collects exactly the writes that wait anyway; a longer window only adds delay. */
  #goOn(): void {
    this.#isUnderWay = this.#waiting.length > 0;
    if (this.#isUnderWay) setImmediate(() => this.#commit());
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    const written = this.#written(group);
    const [lazy, awaited] = [written.filter(isLazy), written.filter((each) => !isLazy(each))];
    settleAll(lazy);
    if (this.#log === null || awaited.length === 0) {
      settleAll(awaited);
      this.#goOn();
    } else this.#synced = this.#settleSynced(this.#log, awaited);
  }

  /** Another process may see the commit before it is durable. What it confirms rests on an intent of its own, whose sync includes this commit. */
  async #settleSynced(log: SyncedLog, awaited: readonly Written[]): Promise<void> {
    try {
      await log.sync();
      this.#on.synced();
      settleAll(awaited);
    } catch (fault) {
      this.#lost = { error: notSynced(fault) };
      failAll(
        awaited.map(({ waiting }) => waiting),
        this.#lost.error,
      );
    }
    this.#goOn();
  }

  /** Those that are committed; the others are told why not. */
  #written(group: readonly Waiting[]): readonly Written[] {
    const together = this.#commitTogether(group);
    if (!('error' in together)) return together;
    // A ledger that somebody else holds is no fault of one write, and each would wait as long again for the same.
    if (group.length === 1 || isLocked(together.error)) {
      failAll(group, together.error);
      return [];
    }
    // One write that fails must not take the others with it: they are made again, each by itself.
    return group.flatMap((waiting) => this.#written([waiting]));
  }

  /** Or why the writes were undone. */
  #commitTogether(group: readonly Waiting[]): readonly Written[] | { readonly error: unknown } {
    if (this.#lost !== null) return this.#lost;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      this.#on.begin();
      const written = madeTogether(group).flatMap(writtenTogether);
      this.#on.end();
      this.#database.exec('COMMIT');
      this.#on.committed();
      return written;
    } catch (error) {
      this.#rollBack();
      return { error };
    }
  }

  #rollBack(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}

/** The log of a ledger on a disk. Its commits leave the sync to us; null for a ledger in memory. */
function logOf(database: DatabaseSync): SyncedLog | null {
  const path = database.location();
  if (path === null) return null;
  // The log stands as long as a connection does. Its locks lie elsewhere, so opening it besides SQLite ends none.
  const file = openSync(`${path}-wal`, 'r+');
  database.exec('PRAGMA synchronous = NORMAL');
  let last = Promise.resolve();
  const end = (): void => close(file);
  return { sync: () => (last = synced(file)), close: () => void last.then(end, end) };
}

function synced(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(file, (error) => (error === null ? resolve() : reject(error)));
  });
}

function writtenTogether(group: readonly Waiting[]): readonly Written[] {
  const results = group[0]?.make(group.map(({ item }) => item)) ?? [];
  return group.map((waiting, index) => ({ waiting, result: results[index] }));
}

function isLazy({ waiting }: Written): boolean {
  return waiting.isLazy;
}

/** Another connection holds the file. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
}

function settleAll(group: readonly Written[]): void {
  for (const { waiting, result } of group) waiting.settle(result);
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

/** What it finds, each line as the values of its columns in their order: an object with their names costs twice as much, for each line anew. */
export function linesOf(
  sql: Sql,
  text: string,
  ...values: readonly SQLInputValue[]
): readonly (readonly SQLOutputValue[])[] {
  const statement = sql(text);
  statement.setReturnArrays(true);
  return statement.all(...values) as unknown as readonly (readonly SQLOutputValue[])[];
}
