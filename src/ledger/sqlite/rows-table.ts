// Rows to and from their table.
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

import type { Counted, NewRow, RowRecord } from '../records.ts';
import type { RowChange } from '../ledger.ts';
import { COUNTED_ROW_COLUMNS, STATE_COLUMNS } from '../seals.ts';
import { countedOf, fixedOf, newStateOf, stateAfter, toRowRecord } from '../stored-rows.ts';
import type { PositionRange } from '../tables/rows.ts';
import { linesOf, type Sql } from './group-commit.ts';

export type RowsTableRow = Readonly<Record<string, SQLOutputValue>>;

/** A record before and after a write, as far as the history and the limits ask. */
type WrittenRow = { readonly before: RowsTableRow; readonly after: RowsTableRow };

export const ROW_COLUMNS =
  'batch, position, row, reference, lineage, fingerprint, payout, rejections, progress, version, written_by';

/** The rows that a query for `ROW_COLUMNS` finds: each line has its values in that order. */
export function rowsOf(sql: Sql, query: string, ...values: readonly SQLInputValue[]): readonly RowRecord[] {
  return linesOf(sql, query, ...values).map((line) =>
    toRowRecord({
      batch: line[0],
      position: line[1],
      row: line[2],
      reference: line[3],
      lineage: line[4],
      fingerprint: line[5],
      payout: line[6],
      rejections: line[7],
      progress: line[8],
      version: line[9],
      written_by: line[10],
    }),
  );
}

/** Rows that are never looked at by themselves. */
export const isWithoutCall = (stage: string, held: string): string =>
  `(${held} IS NOT NULL OR ${stage} IN ('failed', 'rejected', 'duplicate'))`;

export type RowsTable = ReturnType<typeof rowsTable>;

export function rowsTable(sql: Sql, run: string) {
  return {
    /** Gives the record as it was written. */
    insert: (batch: string, row: NewRow): RowsTableRow => insertRow(sql, run, batch, row),
    /** Gives those that counted against the limits. */
    clear: (batch: string): readonly RowsTableRow[] => clearRows(sql, batch),
    between: (batch: string, { from, to }: PositionRange): readonly RowRecord[] =>
      pageOf(sql, batch, from, to - from).filter(({ position }) => position < to),
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

function pageOf(sql: Sql, batch: string, from: number, limit: number): readonly RowRecord[] {
  return rowsOf(
    sql,
    `SELECT ${ROW_COLUMNS} FROM whole_rows WHERE batch = ? AND position >= ? ORDER BY position LIMIT +?`,
    ...[batch, from, limit],
  );
}

/** What a write of a row leaves, beside what it was given: read first, because a write that gave back the whole record would cost twice. */
const BEFORE_WRITE = `
  SELECT source_currency, fixed, counted_day, counted FROM row_states
   WHERE batch = ? AND position = ? AND version = ?`;

type BeforeWrite = readonly [SQLOutputValue, SQLOutputValue, SQLOutputValue, SQLOutputValue];

/** A step that is followed by the next at once leaves the claim alone: naming its columns would write their index again. */
const writeOf = (claim: string): string => `
  UPDATE row_states SET stage = ?1, held = ?10, progress = ?2, rejections = ?3,
         due_at = CASE WHEN ?10 IS NOT NULL THEN NULL WHEN hinted = 1 AND NOT ${isWithoutCall('?1', '?10')} THEN 0 ELSE ?4 END, version = version + 1, written_by = ?5,
         counted_day = ?6, counted = ?7 ${claim}
   WHERE batch = ?8 AND position = ?9`;

const WRITE = { keepClaim: writeOf(''), endClaim: writeOf(', lease_owner = NULL, lease_until = NULL') };

function writeRow(sql: Sql, run: string, row: RowRecord, change: RowChange): WrittenRow | null {
  const { batch, position, version } = row;
  const [found] = linesOf(sql, BEFORE_WRITE, batch, position, version) as readonly BeforeWrite[];
  if (found === undefined) return null;
  const [source_currency, fixed, counted_day, counted] = found;
  const before = { batch, position, source_currency, fixed, counted_day, counted };
  const written = stateAfter(row, change, countedOf(before), run);
  const { stage, held, progress, rejections, written_by } = written;
  const write = sql(change.keepClaim ? WRITE.keepClaim : WRITE.endClaim);
  const counts = [written.counted_day, written.counted] as const;
  write.run(stage, progress, rejections, change.dueAt, written_by, ...counts, batch, position, held);
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
