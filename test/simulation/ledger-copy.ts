// The database of the ledger in memory, copies of it, and what it holds of each row. A restored copy is what a backup, a snapshot of a machine
// or a lost commit leaves behind.
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';

import { addDecimals } from '../../src/base/decimal.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import { ROW_COLUMNS, ROWS } from '../../src/ledger/tables/rows.ts';
import { toRowRecord } from '../../src/ledger/stored-rows.ts';
import { ensureSchema } from '../../src/ledger/sqlite/schema.ts';
import { referenceKey } from '../../src/payouts/payment-keys.ts';
import { attemptNumberOf, stageOrHeld, type Progress } from '../../src/payouts/progress.ts';
import type { RowFacts } from '../invariants/journal.ts';
import { processAt } from '../ledger/machines.ts';

/** What begins and ends every commit. */
const ALWAYS_THE_SAME: ReadonlySet<string> = new Set(['BEGIN IMMEDIATE', 'COMMIT']);

/** Compiles each statement once for all processes and schedules: with their few rows, compiling would cost more than running. */
class LastingDatabase extends DatabaseSync {
  readonly #known = new Map<string, StatementSync>();

  override prepare(text: string): StatementSync {
    const known = this.#known.get(text) ?? super.prepare(text);
    this.#known.set(text, known);
    return known;
  }

  override exec(text: string): void {
    if (ALWAYS_THE_SAME.has(text)) this.prepare(text).run();
    else super.exec(text);
  }
}

/** Schedules follow one another, and a new schema for each would take longer than many of them. */
const idle: DatabaseSync[] = [];

/** An empty ledger; to be given back with `putBack`. */
export function openDatabase(): DatabaseSync {
  return idle.pop() ?? newDatabase();
}

export function putBack(database: DatabaseSync): void {
  wipe(database);
  idle.push(database);
}

function newDatabase(): DatabaseSync {
  const database = new LastingDatabase(':memory:');
  database.exec('PRAGMA foreign_keys = ON');
  database.function('reference_key', { deterministic: true }, (reference) =>
    typeof reference === 'string' ? referenceKey(reference) : null,
  );
  database.function('add_decimals', { deterministic: true }, (a, b) => addDecimals(String(a), String(b)));
  ensureSchema(database, processAt());
  // The triggers hold people off; a disk that forgets asks nobody.
  database.exec('DROP TRIGGER groups_stay_as_they_are; DROP TRIGGER groups_stay');
  return database;
}

/** In the order in which they can be filled. */
const TABLES = ['runs', 'batches', 'rows', 'row_states', 'spent', 'groups', 'transfers'] as const;

export type Copy = Readonly<
  Record<(typeof TABLES)[number], readonly Readonly<Record<string, SQLOutputValue>>[]>
>;

export function copyOf(database: DatabaseSync): Copy {
  const all = (table: string) => database.prepare(`SELECT * FROM ${table}`).all();
  return {
    runs: all('runs'),
    batches: all('batches'),
    rows: all('rows'),
    row_states: all('row_states'),
    spent: all('spent'),
    groups: all('groups'),
    transfers: all('transfers'),
  };
}

/** Empties the ledger: the file was deleted, and a new one stands in its place. */
export function wipe(database: DatabaseSync): void {
  for (const table of TABLES.toReversed()) database.prepare(`DELETE FROM ${table}`).run();
}

export function restore(database: DatabaseSync, copy: Copy): void {
  wipe(database);
  for (const table of TABLES) {
    for (const record of copy[table]) {
      const names = Object.keys(record);
      const marks = names.map(() => '?').join(', ');
      const values = Object.values(record) as SQLInputValue[];
      database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...values);
    }
  }
}

export function recordsIn(database: DatabaseSync): readonly RowRecord[] {
  return database.prepare(`SELECT ${ROW_COLUMNS} FROM ${ROWS} ORDER BY s.position`).all().map(toRowRecord);
}

/** A new one that takes its place has it too: that another is told from it is tested with files. */
export function idIn(database: DatabaseSync): string {
  return String(database.prepare("SELECT value FROM meta WHERE name = 'ledger'").get()?.['value']);
}

/** The epoch of the one batch. */
export function epochIn(database: DatabaseSync): number {
  return Number(database.prepare("SELECT record ->> '$.epoch' AS epoch FROM batches").get()?.['epoch']);
}

export function factsIn(database: DatabaseSync): readonly RowFacts[] {
  return recordsIn(database).map(({ row, progress }) => rowFacts(row, progress));
}

export function rowFacts(row: string, progress: Progress): RowFacts {
  const { price, transfer, hold, deadAttempts } = progress;
  return {
    row,
    stage: stageOrHeld(progress),
    transferAttempt: attemptNumberOf(progress),
    quotationId: price?.quotationId ?? null,
    transferId: transfer?.transferId ?? null,
    status: transfer?.status ?? null,
    heldCode: hold?.code ?? null,
    deadAttempts: deadAttempts.map(({ attempt, proof, transfer: { transferId } }) => ({
      attempt,
      proof,
      transferId,
    })),
  };
}
