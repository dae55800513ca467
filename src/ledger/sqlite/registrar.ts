// How the rows of a file come into the ledger. Those of a large one are registered by a thread with a connection of its own: the payments of other files then
// wait for a commit, and not for all that comes before it. To start it takes as long as some thousand rows, which meanwhile are written as those of small
// files are.
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import type { Words } from '../../base/language.ts';
import { LeaseLost, LedgerUnusable } from '../ledger-unusable.ts';
import type { BatchRecord, Held, NewRow } from '../records.ts';
import { type NewLine, newLineOf, type SealedLine, sealLine } from '../stored-rows.ts';
import type { BatchWrites } from './batch-writes.ts';
import type { GroupCommit } from './group-commit.ts';
import { isUntouched, type KeysTable, type TransfersTable } from './keys-table.ts';
import type { RowWrites } from './row-writes.ts';

/** Which ledger the thread works at, and whose writes its own are. */
export type RegistrarPlace = {
  readonly path: string;
  readonly run: string;
  readonly turns: SharedArrayBuffer;
};

export type RegistrarTask = { readonly held: Held; readonly now: number } & (
  { readonly kind: 'rows'; readonly lines: string } | { readonly kind: 'keys' }
);

/** `ready` comes once, before all else. */
export type RegistrarAnswer = 'ready' | { readonly task: number; readonly fault: RegistrarFault | null };

export type RegistrarFault =
  | { readonly kind: 'lost' }
  | { readonly kind: 'unusable'; readonly words: Words }
  | { readonly kind: 'other'; readonly message: string };

/**
 * Which of the two connections of a process may write next. One that finds the ledger locked looks again ever more seldom, and would miss the short moments
 * between two commits of the thread.
 */
export type Turns = { readonly enter: () => void; readonly leave: () => void };

/** Of the only connection of a process. */
export const ALONE: Turns = { enter: () => undefined, leave: () => undefined };

/** Where it stands that the process wants to write, and that the thread does. */
const PROCESS = 0;
const THREAD = 1;

/** However long the other one takes, SQLite decides in the end. */
const WAIT_MS = 100;

/** The process goes first, because others wait for it: the thread begins no commit before it is done. */
export function turnsOf(shared: SharedArrayBuffer, own: typeof PROCESS | typeof THREAD = THREAD): Turns {
  const words = new Int32Array(shared);
  const other = own === PROCESS ? THREAD : PROCESS;
  return {
    enter: () => {
      if (own === PROCESS) Atomics.store(words, own, 1);
      Atomics.wait(words, other, 1, WAIT_MS);
      if (own === THREAD) Atomics.store(words, own, 1);
    },
    leave: () => {
      Atomics.store(words, own, 0);
      Atomics.notify(words, own);
    },
  };
}

/** To be told that no more comes. */
export const END = 'end';

/** Rows after which a file counts as large. */
const ROWS_LEAST = 1_000;

/** Of the rows that are handed over together: five times what they usually have. Some are made to hurt, and its memory is small. */
const CHARS_MOST = 1024 * 1024;

/** As for the process itself in `npm start`: it throws away what it is given at once. */
const LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };

/** The thread's file, as it is run: TypeScript from a clone, JavaScript from a package. */
const PROGRAM = fileURLToPath(new URL(`./registrar-thread${extname(import.meta.url)}`, import.meta.url));

type Waiting = { readonly held: Held; readonly resolve: () => void; readonly reject: (error: Error) => void };

export class Registrar {
  readonly turns: Turns;
  readonly #place: RegistrarPlace;
  readonly #now: () => number;
  #worker: Worker | null = null;
  #isReady = false;
  /** One that could not be started would not be another time. */
  #mayStart = true;
  #ended: Promise<unknown> = Promise.resolve();
  readonly #waiting = new Map<number, Waiting>();
  #tasks = 0;
  /** How many of each batch came so far. */
  readonly #rows = new Map<string, number>();

  constructor(place: Omit<RegistrarPlace, 'turns'>, now: () => number) {
    const turns = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
    this.#place = { ...place, turns };
    this.turns = turnsOf(turns, PROCESS);
    this.#now = now;
  }

  /** Writes them all in one commit of the thread; null where whoever asks is to write them. */
  rows(held: Held, lines: readonly NewLine[]): Promise<void> | null {
    this.#rows.set(held.id, (this.#rows.get(held.id) ?? 0) + lines.length);
    const isLarge = this.#isLarge(held);
    if (isLarge && this.#mayStart) this.#worker ??= this.#start();
    const text = isLarge && this.#isReady ? JSON.stringify(lines) : '';
    if (text === '' || text.length > CHARS_MOST) return null;
    return this.#ask({ kind: 'rows', held, now: this.#now(), lines: text });
  }

  /** Writes the keys of the batch, and ends the thread where nobody else needs it; false where there is none. */
  async keys(held: Held): Promise<boolean> {
    if (!this.#isReady || !this.#isLarge(held)) return false;
    try {
      await this.#ask({ kind: 'keys', held, now: this.#now() });
      return true;
    } finally {
      if (this.#waiting.size === 0) await this.close();
    }
  }

  /** Its connection is closed with it. */
  async close(): Promise<void> {
    this.#worker?.ref();
    this.#worker?.postMessage(END);
    this.#forget();
    await this.#ended;
  }

  /** A small file must not wait behind a large one. */
  #isLarge({ id }: Held): boolean {
    return (this.#rows.get(id) ?? 0) >= ROWS_LEAST;
  }

  #ask(task: RegistrarTask): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const number = (this.#tasks += 1);
    this.#waiting.set(number, { held: task.held, resolve, reject });
    this.#worker?.ref();
    this.#worker?.postMessage([number, task]);
    return promise;
  }

  #start(): Worker {
    const worker = new Worker(PROGRAM, {
      workerData: this.#place,
      resourceLimits: LIMITS,
      execArgv: [],
    });
    // Nobody waits for it before it is asked for something.
    worker.unref();
    const { promise, resolve } = Promise.withResolvers<null>();
    this.#ended = promise;
    worker.on('message', (answer: RegistrarAnswer) => this.#hear(worker, answer));
    worker.on('error', (error) =>
      this.#fail(worker, error instanceof Error ? error : new Error('It ended.')),
    );
    worker.on('exit', () => {
      // Should it have been killed in its turn.
      turnsOf(this.#place.turns).leave();
      this.#fail(worker, new Error('The thread that registers rows ended before it had written them.'));
      resolve(null);
    });
    return worker;
  }

  #hear(worker: Worker, answer: RegistrarAnswer): void {
    if (answer === 'ready') {
      this.#isReady = worker === this.#worker;
      return;
    }
    const waiting = this.#waiting.get(answer.task);
    this.#waiting.delete(answer.task);
    if (this.#waiting.size === 0) worker.unref();
    if (answer.fault === null) waiting?.resolve();
    else waiting?.reject(errorOf(answer.fault, waiting.held));
  }

  #fail(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#mayStart = this.#isReady;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#forget();
  }

  #forget(): void {
    this.#worker = null;
    this.#isReady = false;
    this.#rows.clear();
  }
}

function errorOf(fault: RegistrarFault, { id }: Held): Error {
  if (fault.kind === 'lost') return new LeaseLost(id);
  return fault.kind === 'unusable' ? new LedgerUnusable(fault.words) : new Error(fault.message);
}

type Parts = {
  readonly commits: Pick<GroupCommit, 'runLazily'>;
  readonly keys: KeysTable;
  readonly transfers: TransfersTable;
  readonly rowWrites: Pick<RowWrites, 'register'>;
  readonly batchWrites: Pick<BatchWrites, 'registered' | 'assertHeld'>;
  readonly run: string;
};

/** What one connection registers, or has its thread register. */
export class Registration {
  readonly #parts: Parts;
  readonly #registrar: Registrar | null;

  constructor(parts: Parts, registrar: Registrar | null) {
    this.#parts = parts;
    this.#registrar = registrar;
  }

  addRows(held: Held, rows: readonly NewRow[]): Promise<void> {
    const { commits, transfers, run } = this.#parts;
    const lines = rows.map((row) => newLineOf(held.id, row, run));
    const isFirstTime = rows.every(isUntouched);
    const byThread = isFirstTime ? this.#registrar?.rows(held, lines) : null;
    if (byThread) return byThread;
    const sealed = lines.map(sealLine);
    return commits.runLazily(() => {
      const { id, fileId } = this.#register(held, sealed, isFirstTime);
      for (const row of rows) transfers.nameKnown(fileId, id, row);
    });
  }

  /** Rows of a file that is read for the first time. */
  addLines(held: Held, lines: readonly NewLine[]): Promise<void> {
    // Before the commit begins: others wait for its end.
    const sealed = lines.map(sealLine);
    return this.#parts.commits.runLazily(() => void this.#register(held, sealed, true));
  }

  /** Every row of the batch is there: writes the keys that are not. */
  async complete(held: Held): Promise<void> {
    if ((await this.#registrar?.keys(held)) === true) return;
    const { commits, keys, batchWrites } = this.#parts;
    for (const piece of keys.pieces(held.id))
      if (piece === null) await turn();
      else
        await commits.runLazily(() => {
          batchWrites.assertHeld(held);
          keys.put(held.id, piece);
        });
  }

  async close(): Promise<void> {
    await this.#registrar?.close();
  }

  #register(held: Held, lines: readonly SealedLine[], isFirstTime: boolean): BatchRecord {
    const { rowWrites, keys, batchWrites } = this.#parts;
    const batch = batchWrites.registered(held);
    for (const line of lines) rowWrites.register(line);
    const positions = lines.map(({ fixed }) => fixed.position);
    keys.putCounting(batch, positions, isFirstTime);
    return batch;
  }
}
