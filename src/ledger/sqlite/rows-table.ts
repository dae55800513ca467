// Rows to and from their table.
import type { Payout } from '../../payouts/payout.ts';
import { shownPayee } from '../../payouts/shown-payee.ts';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import type { StageOrHeld } from '../../payouts/lifecycle.ts';
import type { Counted, NewRow, PaidBefore, RowRecord } from '../records.ts';
import { isMatch, wordsOf } from '../batch-rows.ts';
import type { RowChange, RowFilter } from '../ledger.ts';
import { encountersOf, PAYEE, duplicateOf } from './encounters-query.ts';
import { COUNTED_ROW_COLUMNS, STATE_COLUMNS } from '../seals.ts';
import { linesOf, type PositionRange, positionRanges, type Sql } from './group-commit.ts';
import {
  countedOf,
  fixedOf,
  newStateOf,
  stageOf,
  stateAfter,
  textOrNull,
  toRowRecord,
} from '../stored-rows.ts';

/** What is asked of a table beside the way to it. */
type AllBut<Of extends (sql: Sql, ...rest: never[]) => unknown> =
  Parameters<Of> extends [Sql, ...infer Rest] ? Rest : never;

export type RowsTableRow = Readonly<Record<string, SQLOutputValue>>;

/** A record before and after a write, as far as the history and the limits ask. */
export type WrittenRow = { readonly before: RowsTableRow; readonly after: RowsTableRow };

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

/** As `stageOrHeld` has it. */
export const STAGE_OR_HELD = `CASE WHEN held IS NULL THEN stage ELSE 'held' END`;

/** The day of the last one that is asked for: a batch is named by its day, and what lies before it is not read. */
const DAY_OF_LAST = `
  SELECT substr(k.batch, 1, 8) FROM row_keys k CROSS JOIN whole_rows r ON r.batch = k.batch AND r.position = k.position
   WHERE k.kind = ${PAYEE} AND k.key = ?1 AND r.payee = ?1 AND r.stage = 'paid' ORDER BY k.batch DESC, k.position DESC LIMIT 1 OFFSET ?2 - 1`;

const PAID_TO_QUERY = `
  SELECT r.account, b.accepted_at, r.payout,
         json_extract(r.progress, '$.transfer.receiveAmount') AS receive_amount
    FROM row_keys k CROSS JOIN whole_rows r ON r.batch = k.batch AND r.position = k.position JOIN batches b ON b.id = r.batch
   WHERE k.kind = ${PAYEE} AND k.key = ?1 AND k.batch >= coalesce((${DAY_OF_LAST}), '') AND r.payee = ?1 AND r.stage = 'paid' ORDER BY b.accepted_at DESC, r.batch, r.position DESC LIMIT +?2`;

/** Of a row that a file with no wrong row may still be refused for. */
const IS_PRICE_OPEN = "((stage IN ('ready', 'quoted') AND due_at IS NOT NULL) OR stage = 'rejected')";

export type RowsTable = ReturnType<typeof rowsTable>;

export function rowsTable(sql: Sql, run: string) {
  return {
    /** Gives the record as it was written. */
    insert: (batch: string, row: NewRow): RowsTableRow => insertRow(sql, run, batch, row),
    /** Gives those that counted against the limits. */
    clear: (batch: string): readonly RowsTableRow[] => clearRows(sql, batch),
    page: (batch: string, from: number, limit: number): readonly RowRecord[] =>
      pageOf(sql, batch, from, limit),
    between: (batch: string, { from, to }: PositionRange): readonly RowRecord[] =>
      pageOf(sql, batch, from, to - from).filter(({ position }) => position < to),
    /** Of all rows of a batch, summed: each write of a row adds one. */
    versions: (batch: string): number => versionsOf(sql, batch),
    /** The position behind the last row. */
    end: (batch: string): number =>
      Number(sql('SELECT max(position) AS last FROM row_states WHERE batch = ?').get(batch)?.['last'] ?? -1) +
      1,
    total: (batch: string): number => totalOf(sql, batch),
    /** True while a row waits for its price, or was rejected. */
    arePricesOpen: (batch: string): boolean => arePricesOpen(sql, batch),
    encounters: (...of: AllBut<typeof encountersOf>): ReturnType<typeof encountersOf> =>
      encountersOf(sql, ...of),
    duplicateOf: (...of: AllBut<typeof duplicateOf>): ReturnType<typeof duplicateOf> =>
      duplicateOf(sql, ...of),
    paidTo: (payee: string, limit: number): readonly PaidBefore[] =>
      sql(PAID_TO_QUERY).all(payee, limit).map(toPaidBefore),
    stageCounts: (batch: string, { from, to }: PositionRange): ReadonlyMap<StageOrHeld, number> => {
      const counts = sql(
        `SELECT ${STAGE_OR_HELD} AS stage, count(*) AS rows FROM row_states WHERE batch = ? AND position >= ? AND position < ? GROUP BY 1`,
      ).all(batch, from, to);
      return new Map(counts.map((count) => [stageOf(count['stage']), Number(count['rows'])]));
    },
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

function totalOf(sql: Sql, batch: string): number {
  return Number(sql('SELECT count(*) AS total FROM row_states WHERE batch = ?').get(batch)?.['total']);
}

function versionsOf(sql: Sql, batch: string): number {
  const found = sql('SELECT sum(version) AS versions FROM row_states WHERE batch = ?').get(batch);
  return Number(found?.['versions'] ?? 0);
}

function arePricesOpen(sql: Sql, batch: string): boolean {
  return (
    sql(`SELECT 1 FROM row_states WHERE batch = ?1 AND ${IS_PRICE_OPEN} LIMIT 1`).get(batch) !== undefined
  );
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

function toPaidBefore(found: RowsTableRow): PaidBefore {
  const payout = JSON.parse(String(found['payout'])) as Payout;
  return {
    receiveAmount: String(found['receive_amount']),
    targetCurrency: payout.targetCurrency,
    account: textOrNull(found['account']),
    shownAccount: shownPayee(payout).account,
    acceptedAt: String(found['accepted_at']),
  };
}

// Rows of a batch by a filter: looked for some thousand at a time, with a turn for everybody else between them, because no index serves them. An index
// on what every step changes would cost each payment more than the few who look are worth.

/** Some ten milliseconds. */
const SEARCHED_ROWS = 5_000;

/** @param end the position behind the last row of the batch. */
export async function matchingRows(
  sql: Sql,
  batch: string,
  { from, to: end }: PositionRange,
  filter: RowFilter,
  limit: number,
): Promise<readonly RowRecord[]> {
  const found: RowRecord[] = [];
  for (const { from: start, to } of positionRanges(end, SEARCHED_ROWS)) {
    if (to <= from) continue;
    if (start > from) await turn();
    found.push(...matchingIn(sql, batch, { from: Math.max(from, start), to }, filter, limit - found.length));
    if (found.length === limit) break;
  }
  return found;
}

/** Whatever may fit by the text of its columns; whether it does is asked of the record, so that every ledger finds the same. */
const MATCHING = `
  SELECT ${ROW_COLUMNS} FROM whole_rows
   WHERE batch = ?1 AND position >= ?2 AND position < ?3
     AND (?4 IS NULL OR ${STAGE_OR_HELD} IN (SELECT value FROM json_each(?4)))
     AND (?5 IS NULL OR instr(progress, ?5) > 0 OR instr(rejections, ?5) > 0)
     AND NOT EXISTS (SELECT 1 FROM json_each(?6)
                      WHERE row || ' ' || coalesce(reference, '') || ' ' || coalesce(payout, '') NOT LIKE value)
   ORDER BY position`;

function matchingIn(
  sql: Sql,
  batch: string,
  { from, to }: PositionRange,
  filter: RowFilter,
  limit: number,
): readonly RowRecord[] {
  const stages = filter.stages === undefined ? null : JSON.stringify(filter.stages);
  const code = filter.code === undefined ? null : JSON.stringify(filter.code);
  // Of capitals SQLite knows those of English alone, and JSON writes some characters otherwise: any may stand there.
  const likes = wordsOf(filter).map((word) => `%${word.replace(/[^a-z0-9]+/g, '%')}%`);
  const found: RowRecord[] = [];
  for (const each of sql(MATCHING).iterate(batch, from, to, stages, code, JSON.stringify(likes))) {
    if (found.length === limit) break;
    const row = toRowRecord(each);
    if (isMatch(row, filter)) found.push(row);
  }
  return found;
}
