// Rows from their tables, and as they are registered.
import { shownPayee } from '../../payouts/shown-payee.ts';
import type { StageOrHeld } from '../../payouts/lifecycle.ts';
import { isMatch, wordsOf } from '../batch-rows.ts';
import type { RowFilter } from '../ledger.ts';
import type { NewRow, PaidBefore, RowRecord } from '../records.ts';
import type { Found } from '../seals.ts';
import { fixedOf, newStateOf, stageOf, textOrNull, toRowRecord } from '../stored-rows.ts';
import type { Query } from './connect.ts';
import type { Tx } from './group-commit.ts';

/** From a position on, up to and without another. */
export type PositionRange = { readonly from: number; readonly to: number };

/** All positions before `end`, so many at a time. */
export function* positionRanges(end: number, rows: number): Generator<PositionRange> {
  for (let from = 0; from < end; from += rows) yield { from, to: from + rows };
}

const ROW_COLUMNS =
  's.batch, s.position, r.row, r.reference, r.lineage, r.fingerprint, r.payout, s.rejections, s.progress, s.version, s.written_by';

/** With all that a write asks of the row, so that it need not be read again. */
export const CACHED_ROW_COLUMNS = `${ROW_COLUMNS}, s.source_currency, s.stage, s.held, s.counted_day, s.counted, r.fixed, r.payee, r.payee_short, r.account`;

const FROM = 'row_states s JOIN rows r ON r.batch = s.batch AND r.position = s.position';

const PAGE = `SELECT ${ROW_COLUMNS} FROM ${FROM} WHERE s.batch = $1 AND s.position >= $2 ORDER BY s.position LIMIT $3`;

export async function pageOf(
  query: Query,
  batch: string,
  from: number,
  limit: number,
): Promise<readonly RowRecord[]> {
  return (await query(PAGE, [batch, from, limit])).map(toRowRecord);
}

const BETWEEN = `SELECT ${CACHED_ROW_COLUMNS} FROM ${FROM} WHERE s.batch = $1 AND s.position >= $2 AND s.position < $3 ORDER BY s.position`;

/** The lines of the rows in a range. */
export function linesBetween(
  query: Query,
  batch: string,
  { from, to }: PositionRange,
): Promise<readonly Found[]> {
  return query(BETWEEN, [batch, from, to]);
}

const LINES = `
  SELECT ${CACHED_ROW_COLUMNS} FROM unnest($1::text[], $2::int[]) AS w (batch, position)
    JOIN row_states s ON s.batch = w.batch AND s.position = w.position JOIN rows r ON r.batch = s.batch AND r.position = s.position
   ORDER BY s.batch, s.position FOR UPDATE OF s`;

type Place = Pick<RowRecord, 'batch' | 'position'>;

/** The lines of these rows, which nobody else writes before the commit ends. */
export async function lockedLines(
  query: Query,
  places: readonly Place[],
): Promise<ReadonlyMap<string, Found>> {
  const found = await query(LINES, [
    places.map(({ batch }) => batch),
    places.map(({ position }) => position),
  ]);
  return new Map(found.map((each) => [keyOf(each), each]));
}

export function keyOf({ batch, position }: Found | Place): string {
  return `${String(batch)}/${String(position)}`;
}

/** The lines of rows that this run has claimed, as it wrote them last: a step need not read again what it knows. Whether it still stands so, the write asks. */
export class KnownLines {
  readonly #lines = new Map<string, Found>();

  get(row: RowRecord): Found | null {
    const found = this.#lines.get(keyOf(row));
    return found?.['version'] === row.version ? found : null;
  }

  set(line: Found): void {
    // Whatever was claimed and never written must not stay for ever.
    if (this.#lines.size >= LINES_MAX) this.#lines.clear();
    this.#lines.set(keyOf(line), line);
  }

  forget(row: Pick<RowRecord, 'batch' | 'position'>): void {
    this.#lines.delete(keyOf(row));
  }
}

const LINES_MAX = 10_000;

// Of a whole batch.

/** The position behind the last row. */
export async function endOf(query: Query, batch: string): Promise<number> {
  const [found] = await query('SELECT max(position) AS last FROM row_states WHERE batch = $1', [batch]);
  return Number(found?.['last'] ?? -1) + 1;
}

export async function totalOf(query: Query, batch: string): Promise<number> {
  const [found] = await query('SELECT count(*) AS total FROM row_states WHERE batch = $1', [batch]);
  return Number(found?.['total']);
}

/** Of all rows of a batch, summed: each write of a row adds one. */
export async function versionsOf(query: Query, batch: string): Promise<number> {
  const [found] = await query('SELECT sum(version) AS versions FROM row_states WHERE batch = $1', [batch]);
  return Number(found?.['versions'] ?? 0);
}

const IS_PRICE_OPEN = `
  SELECT 1 AS is_open FROM row_states
   WHERE batch = $1 AND ((stage IN ('ready', 'quoted') AND due_at IS NOT NULL) OR stage = 'rejected') LIMIT 1`;

/** True while a row waits for its price, or was rejected. */
export async function arePricesOpen(query: Query, batch: string): Promise<boolean> {
  return (await query(IS_PRICE_OPEN, [batch])).length > 0;
}

/** As `stageOrHeld` has it. */
const STAGE_OR_HELD = `CASE WHEN held IS NULL THEN stage ELSE 'held' END`;

const COUNTS = `SELECT ${STAGE_OR_HELD} AS stage, count(*) AS rows FROM row_states WHERE batch = $1 GROUP BY 1`;

export async function stageCounts(query: Query, batch: string): Promise<ReadonlyMap<StageOrHeld, number>> {
  const counts = await query(COUNTS, [batch]);
  return new Map(counts.map((count) => [stageOf(count['stage']), Number(count['rows'])]));
}

/** The day of the last one that is asked for: a batch is named by its day, and what lies before it is not read. */
const DAY_OF_LAST = `SELECT left(r.batch, 8) FROM ${FROM} WHERE r.payee = $1 AND s.stage = 'paid' ORDER BY r.batch DESC LIMIT 1 OFFSET $2 - 1`;

const PAID_TO = `
  SELECT r.account, (SELECT accepted_at FROM batches WHERE id = r.batch) AS accepted_at, ${ROW_COLUMNS} FROM ${FROM}
   WHERE r.payee = $1 AND r.batch >= coalesce((${DAY_OF_LAST}), '') AND s.stage = 'paid' ORDER BY accepted_at DESC, r.batch, r.position DESC LIMIT $2`;

export async function paidTo(query: Query, payee: string, limit: number): Promise<readonly PaidBefore[]> {
  return (await query(PAID_TO, [payee, limit])).map((found) => {
    const { payout, progress } = toRowRecord(found);
    return {
      receiveAmount: String(progress.transfer?.receiveAmount ?? null),
      targetCurrency: String(payout?.targetCurrency ?? null),
      account: textOrNull(found['account']),
      shownAccount: shownPayee(payout).account,
      acceptedAt: String(found['accepted_at']),
    };
  });
}

// By a filter: whatever may fit by the text of its columns; whether it does is asked of the record, so that every ledger finds the same.

/** Some ten milliseconds. */
const SEARCHED_ROWS = 5_000;

const MATCHING = `
  SELECT ${ROW_COLUMNS} FROM ${FROM}
   WHERE s.batch = $1 AND s.position >= $2 AND s.position < $3
     AND ($4::text[] IS NULL OR ${STAGE_OR_HELD} = ANY ($4))
     AND ($5::text IS NULL OR position($5 IN s.progress) > 0 OR position($5 IN s.rejections) > 0)
     AND NOT EXISTS (SELECT 1 FROM unnest($6::text[]) AS l (likely)
                      WHERE r.row || ' ' || coalesce(r.reference, '') || ' ' || coalesce(r.payout, '') NOT ILIKE likely)
   ORDER BY s.position`;

export async function matchingRows(
  query: Query,
  batch: string,
  from: number,
  filter: RowFilter,
  limit: number,
): Promise<readonly RowRecord[]> {
  const code = filter.code === undefined ? null : JSON.stringify(filter.code);
  // JSON writes some characters otherwise, and not every database knows the capitals of every language: any may stand there.
  const likely = wordsOf(filter).map((word) => `%${word.replace(/[^a-z0-9]+/g, '%')}%`);
  const found: RowRecord[] = [];
  const end = await endOf(query, batch);
  for (const range of positionRanges(end, SEARCHED_ROWS)) {
    if (range.to <= from) continue;
    const values = [batch, Math.max(from, range.from), range.to, filter.stages ?? null, code, likely];
    const rows = (await query(MATCHING, values)).map(toRowRecord).filter((row) => isMatch(row, filter));
    found.push(...rows.slice(0, limit - found.length));
    if (found.length === limit) break;
  }
  return found;
}

// Registering.

const ADD_ROWS = `
  INSERT INTO rows (batch, position, row, source_currency, reference, reference_key, lineage, fingerprint, payment, payee, payee_short, account, payout, fixed)
  SELECT $1, * FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
                           $12::text[], $13::text[], $14::text[])`;

const ADD_STATES = `
  INSERT INTO row_states (batch, position, source_currency, stage, held, rejections, progress, version, written_by, due_at, queue, queue_at)
  SELECT $1, position, source_currency, stage, held, rejections, progress, 0, written_by, due_at,
         CASE WHEN due_at IS NOT NULL THEN stage END, due_at
    FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
      AS s (position, source_currency, stage, held, rejections, progress, written_by, due_at)`;

/** Gives the records as they are written. */
export function insertRows(
  { query }: Tx,
  run: string,
  batch: string,
  rows: readonly NewRow[],
): readonly Found[] {
  const made = rows.map((row) => {
    const fixed = fixedOf(batch, row);
    const dueAt = row.isDue && row.progress.hold === null ? 0 : null;
    return { fixed, state: newStateOf(fixed, row, run), dueAt };
  });
  const fixedColumn = (name: keyof (typeof made)[number]['fixed']) => made.map(({ fixed }) => fixed[name]);
  const stateColumn = (name: keyof (typeof made)[number]['state']) => made.map(({ state }) => state[name]);
  const names = [
    'position',
    'row',
    'source_currency',
    'reference',
    'reference_key',
    'lineage',
    'fingerprint',
    'payment',
    'payee',
    'payee_short',
    'account',
    'payout',
  ] as const;
  const ofState = [
    'position',
    'source_currency',
    'stage',
    'held',
    'rejections',
    'progress',
    'written_by',
  ] as const;
  void query(ADD_ROWS, [batch, ...names.map(fixedColumn), stateColumn('fixed')]);
  void query(ADD_STATES, [batch, ...ofState.map(stateColumn), made.map(({ dueAt }) => dueAt)]);
  return made.map(({ state }) => ({ ...state, counted_day: null, counted: null }));
}

/** Removes all rows of a batch; gives those that counted against the limits. */
export async function removeRows(query: Query, batch: string): Promise<readonly Found[]> {
  const counted = await query(
    'SELECT batch, position, source_currency, counted_day, counted FROM row_states WHERE batch = $1 AND counted IS NOT NULL',
    [batch],
  );
  for (const table of ['row_states', 'rows']) await query(`DELETE FROM ${table} WHERE batch = $1`, [batch]);
  return counted;
}
