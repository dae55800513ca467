// Rows to and from their table.
import type { SQLOutputValue } from 'node:sqlite';

import type { Counted, NewRow, RowRecord } from '../records.ts';
import type { RowChange } from '../ledger.ts';
import { COUNTED_ROW_COLUMNS, STATE_COLUMNS } from '../seals.ts';
import { countedOf, fixedOf, newStateOf, stateAfter } from '../stored-rows.ts';
import { linesOf, type Sql } from './group-commit.ts';

export type RowsTableRow = Readonly<Record<string, SQLOutputValue>>;

/** A record before and after a write, as far as the history and the limits ask. */
type WrittenRow = { readonly before: RowsTableRow; readonly after: RowsTableRow };

export type RowsTable = ReturnType<typeof rowsTable>;

export function rowsTable(sql: Sql, run: string) {
  return {
    /** Gives the record as it was written. */
    insert: (batch: string, row: NewRow): RowsTableRow => insertRow(sql, run, batch, row),
    /** Gives those that counted against the limits. */
    clear: (batch: string): readonly RowsTableRow[] => clearRows(sql, batch),
    /** The record as it is. */
    at: ({ batch, position }: Pick<RowRecord, 'batch' | 'position'>): RowsTableRow | null =>
      sql(`SELECT ${STATE_COLUMNS} FROM row_states WHERE batch = ? AND position = ?`).get(batch, position) ??
      null,
    /** The record while it is as it was seen; else null. */
    seen: (row: RowRecord): RowsTableRow | null =>
      sql(
        `SELECT ${COUNTED_ROW_COLUMNS} FROM whole_rows WHERE batch = ? AND position = ? AND version = ?`,
      ).get(row.batch, row.position, row.version) ?? null,
    /** What the row counts for against the limits; gives the record as it was written. */
    count: (batch: string, position: number, counted: Counted | null): RowsTableRow =>
      writtenBy(
        sql(
          `UPDATE row_states SET counted_day = ?, counted = ? WHERE batch = ? AND position = ? RETURNING ${STATE_COLUMNS}`,
        ).get(counted?.day ?? null, counted?.amount ?? null, batch, position),
      ),
    /** Writes the row and what it counts for; null when it is no longer as it was seen. */
    write: (row: RowRecord, change: RowChange): WrittenRow | null => writeRow(sql, run, row, change),
  };
}

function clearRows(sql: Sql, batch: string): readonly RowsTableRow[] {
  const counted = sql(`SELECT ${STATE_COLUMNS} FROM row_states WHERE batch = ? AND counted IS NOT NULL`).all(
    batch,
  );
  for (const table of ['row_states', 'rows']) sql(`DELETE FROM ${table} WHERE batch = ?`).run(batch);
  return counted;
}

/** What a write of a row leaves, beside what it was given: read first, because a write that gave back the whole record would cost twice. */
const BEFORE_WRITE = `
  SELECT source_currency, fixed, counted_day, counted FROM row_states
   WHERE batch = ? AND position = ? AND version = ?`;

type BeforeWrite = readonly [SQLOutputValue, SQLOutputValue, SQLOutputValue, SQLOutputValue];

/** If a hint came since it was read, the look may have been too early. */
const WRITE = `
  UPDATE row_states SET stage = ?1, held = ?10, progress = ?2, rejections = ?3,
         due_at = CASE WHEN ?10 IS NOT NULL THEN NULL WHEN hints <> ?11 AND ?1 NOT IN ('failed', 'rejected', 'duplicate') THEN 0 ELSE ?4 END, version = version + 1, written_by = ?5,
         counted_day = ?6, counted = ?7
   WHERE batch = ?8 AND position = ?9`;

function writeRow(sql: Sql, run: string, row: RowRecord, change: RowChange): WrittenRow | null {
  const { batch, position, version, hints } = row;
  const [found] = linesOf(sql, BEFORE_WRITE, batch, position, version) as readonly BeforeWrite[];
  if (found === undefined) return null;
  const [source_currency, fixed, counted_day, counted] = found;
  const before = { batch, position, source_currency, fixed, counted_day, counted };
  const written = stateAfter(row, change, countedOf(before), run);
  const { stage, held, progress, rejections, written_by } = written;
  const counts = [written.counted_day, written.counted] as const;
  const place = [batch, position, held, hints] as const;
  sql(WRITE).run(stage, progress, rejections, change.dueAt, written_by, ...counts, ...place);
  return { before, after: { ...before, ...written } };
}

function insertRow(sql: Sql, run: string, batch: string, row: NewRow): RowsTableRow {
  const fixed = fixedOf(batch, row);
  const state = newStateOf(fixed, row, run);
  sql(
    `INSERT INTO rows (batch, position, row, source_currency, reference, reference_key, lineage, fingerprint, payment, payee, payee_short, account, payout)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(...Object.values(fixed));
  sql(
    `INSERT INTO row_states (batch, position, source_currency, fixed, stage, held, rejections, progress, version, written_by, due_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(...Object.values(state), row.isDue && row.progress.hold === null ? 0 : null);
  return { ...state, counted_day: null, counted: null };
}

function writtenBy(returned: RowsTableRow | undefined): RowsTableRow {
  if (returned === undefined) throw new Error('A write of one row gives the record that it wrote.');
  return returned;
}
