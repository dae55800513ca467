// Rows read from their tables: by their place, by a filter, by the id of a transfer, and all of a batch together.
import type { CountedAs } from '../../payouts/lifecycle.ts';
import type { RefusalCounts } from '../../payouts/limits.ts';
import { externalId } from '../../payouts/payout.ts';
import { shownPayee } from '../../payouts/shown-payee.ts';
import { isMatch, wordsOf } from '../batch-rows.ts';
import type { LeftToSend, RowFilter } from '../ledger.ts';
import { find, findOne, native, type Plan } from '../plan.ts';
import type { NamedTransfer, PaidBefore, RowRecord } from '../records.ts';
import { addLeft, BEFORE_CREATION } from '../row-rules.ts';
import type { Found } from '../seals.ts';
import { stageOf, textOrNull, toRowRecord } from '../stored-rows.ts';

export const ROW_COLUMNS =
  's.batch, s.position, r.row, r.reference, r.lineage, r.fingerprint, r.payout, s.rejections, s.progress, s.version, s.hints, s.written_by';

/** With all that a write asks of the row, so that it need not be read again. */
export const CACHED_ROW_COLUMNS = `${ROW_COLUMNS}, s.source_currency, s.stage, s.held, s.counted_day, s.counted, fixed, r.payee, r.payee_short, r.account`;

export const ROWS = 'row_states s JOIN rows r ON r.batch = s.batch AND r.position = s.position';

/** As `stageOrHeld` has it. */
const STAGE_OR_HELD = `CASE WHEN s.held IS NULL THEN s.stage ELSE 'held' END`;

/** The same, apart from rows whose day has not come. */
const STANDS_AS = `CASE WHEN s.held IS NOT NULL THEN 'held' WHEN s.pay_on IS NOT NULL AND s.stage IN ('ready', 'quoted', 'created') THEN 'scheduled' ELSE s.stage END`;

/** From a position on, up to and without another. */
export type PositionRange = { readonly from: number; readonly to: number };

/** All positions before `end`, so many at a time. */
export function* positionRanges(end: number, rows: number): Generator<PositionRange> {
  for (let from = 0; from < end; from += rows) yield { from, to: from + rows };
}

/** A large batch is read in pieces, of so many rows, with a turn for everybody else between two of them: one statement over all its rows would hold up the others. */
export type Pieces = { readonly rows: number; readonly turn: () => Promise<void> };

function* turnIn({ from }: PositionRange, pieces: Pieces): Plan<void> {
  if (from > 0) yield* native(() => pieces.turn());
}

// By their place.

const PAGE = `SELECT ${ROW_COLUMNS} FROM ${ROWS} WHERE s.batch = $1 AND s.position >= $2 ORDER BY s.position LIMIT $3`;

export function* pageOf(batch: string, from: number, limit: number): Plan<readonly RowRecord[]> {
  return (yield* find(PAGE, [batch, from, limit])).map(toRowRecord);
}

const BETWEEN = `SELECT ${CACHED_ROW_COLUMNS} FROM ${ROWS} WHERE s.batch = $1 AND s.position >= $2 AND s.position < $3 ORDER BY s.position`;

/** The lines of the rows in a range. */
export function linesBetween(batch: string, { from, to }: PositionRange): Plan<readonly Found[]> {
  return find(BETWEEN, [batch, from, to]);
}

/** The position behind the last row. */
export function* endOf(batch: string): Plan<number> {
  const found = yield* findOne('SELECT max(position) AS last FROM row_states WHERE batch = $1', [batch]);
  return Number(found?.['last'] ?? -1) + 1;
}

export function* totalOf(batch: string): Plan<number> {
  return Number(
    (yield* findOne('SELECT count(*) AS total FROM row_states WHERE batch = $1', [batch]))?.['total'],
  );
}

const IS_PRICE_OPEN = `
  SELECT 1 AS is_open FROM row_states
   WHERE batch = $1 AND ((stage IN ('ready', 'quoted') AND due_at IS NOT NULL) OR stage = 'rejected') LIMIT 1`;

/** True while a row waits for its price, or was rejected: a file with no wrong row may still be refused for it. */
export function* arePricesOpen(batch: string): Plan<boolean> {
  return (yield* findOne(IS_PRICE_OPEN, [batch])) !== null;
}

const COUNTS = `
  SELECT ${STANDS_AS} AS stage, count(*) AS rows FROM row_states s
   WHERE s.batch = $1 AND s.position >= $2 AND s.position < $3 GROUP BY 1`;

export function* stageCounts(batch: string, pieces: Pieces): Plan<ReadonlyMap<CountedAs, number>> {
  const counts = new Map<CountedAs, number>();
  for (const range of positionRanges(yield* endOf(batch), pieces.rows)) {
    yield* turnIn(range, pieces);
    for (const { stage: name, rows } of yield* find(COUNTS, [batch, range.from, range.to])) {
      const stage = name === 'scheduled' ? name : stageOf(name);
      counts.set(stage, (counts.get(stage) ?? 0) + Number(rows));
    }
  }
  return counts;
}

// By a filter: looked for some thousand at a time, because no index serves them. An index on what every step changes would cost each payment more than the few
// who look are worth. What may fit by the text of its columns is found; whether it does is asked of the record.

/** Some ten milliseconds. */
const SEARCHED_ROWS = 5_000;

/** The fewest that are asked for at once: few of them may fit. */
const FOUND_LEAST = 200;

const MATCHING = `
  SELECT ${ROW_COLUMNS} FROM ${ROWS}
   WHERE s.batch = $1 AND s.position >= $2 AND s.position < $3
     AND ($4 = 0 OR ${STAGE_OR_HELD} = ANY ($5::text[]))
     AND ($6::text IS NULL OR strpos(s.progress, $6) > 0 OR strpos(s.rejections, $6) > 0)
     AND NOT EXISTS (SELECT 1 FROM unnest($7::text[]) AS likely
                      WHERE r.row || ' ' || coalesce(r.reference, '') || ' ' || coalesce(r.payout, '') NOT ILIKE likely)
   ORDER BY s.position LIMIT $8`;

export function* matchingRows(
  batch: string,
  from: number,
  filter: RowFilter,
  limit: number,
  { turn }: Pieces,
): Plan<readonly RowRecord[]> {
  const code = filter.code === undefined ? null : JSON.stringify(filter.code);
  // JSON writes some characters otherwise, and not every database knows the capitals of every language: any may stand there.
  const likely = wordsOf(filter).map((word) => `%${word.replace(/[^a-z0-9]+/g, '%')}%`);
  const asked = [filter.stages === undefined ? 0 : 1, filter.stages ?? [], code, likely];
  const most = Math.max(limit, FOUND_LEAST);
  const found: RowRecord[] = [];
  const end = yield* endOf(batch);
  for (let at = from; at < end && found.length < limit;) {
    if (at > from) yield* native(turn);
    const to = at + SEARCHED_ROWS;
    const page = (yield* find(MATCHING, [batch, at, to, ...asked, most])).map(toRowRecord);
    found.push(...page.filter((row) => isMatch(row, filter)));
    const last = page.at(-1);
    at = page.length < most || last === undefined ? to : last.position + 1;
  }
  return found.slice(0, limit);
}

// By a transfer's id, which we gave it: a notification may come before the service's own id is known here.

const NAMED = `
  SELECT ${ROW_COLUMNS}, t.attempt, b.file_id
    FROM transfers t JOIN row_states s ON s.batch = t.batch AND s.position = t.position
    JOIN rows r ON r.batch = t.batch AND r.position = t.position JOIN batches b ON b.id = t.batch
   WHERE t.external_id = $1`;

export function* transferNamed(id: string): Plan<NamedTransfer | null> {
  const found = yield* findOne(NAMED, [id]);
  if (found === null) return null;
  const [row, attempt] = [toRowRecord(found), Number(found['attempt'])];
  // A file that was read again may have another row in this place.
  const isStill = externalId(String(found['file_id']), row.row, 'transfer', attempt) === id;
  return isStill ? { row, attempt } : null;
}

/** Of a row with `ROW_COLUMNS`, and `accepted_at`: the payment that was made with it. */
export function toPaidBefore(found: Found): PaidBefore {
  const { payout, progress } = toRowRecord(found);
  return {
    receiveAmount: String(progress.transfer?.receiveAmount ?? null),
    targetCurrency: String(payout?.targetCurrency ?? null),
    account: textOrNull(found['account']),
    shownAccount: shownPayee(payout).account,
    acceptedAt: String(found['accepted_at']),
  };
}

// How many the service or the network has decided, and refused: read from the rows as they stand.

/** The service's codes are numbers; ours say nothing of the service. */
const REFUSALS = `
  SELECT count(*) AS decided,
         coalesce(sum(CASE WHEN stage IN ('failed', 'rejected') OR (stage = 'confirmed' AND code IS NOT NULL) THEN 1 ELSE 0 END), 0) AS refused
    FROM (SELECT stage, CASE WHEN strpos(progress, 'errorCode') > 0 THEN progress::json -> 'why' ->> 'errorCode' END AS code FROM row_states
           WHERE batch = $1 AND held IS NULL AND stage IN ('confirmed', 'paid', 'failed', 'rejected')) AS ended
   WHERE stage <> 'rejected' OR strpos('0123456789', substr(code, 1, 1)) > 0`;

export function* refusalCounts(batch: string): Plan<RefusalCounts> {
  const found = yield* findOne(REFUSALS, [batch]);
  return { decided: Number(found?.['decided']), refused: Number(found?.['refused']) };
}

// What is left to send: the rows before creation that do not count against the limits yet.

const LEFT = `
  SELECT ${ROW_COLUMNS} FROM ${ROWS}
   WHERE s.batch = $1 AND s.position > $2 AND s.stage = ANY ($3::text[]) AND s.held IS NULL AND s.counted IS NULL AND r.payout IS NOT NULL
     AND ($5 = 1 OR s.pay_on IS NULL)
   ORDER BY s.position LIMIT $4`;

/** Some ten milliseconds. */
const LEFT_ROWS = 500;

export function* leftToSend(
  batch: string,
  which: 'all' | 'open',
  { turn }: Pieces,
): Plan<ReadonlyMap<string, LeftToSend>> {
  const left = new Map<string, LeftToSend>();
  for (let behind = -1; ;) {
    const page = (yield* find(LEFT, [
      batch,
      behind,
      BEFORE_CREATION,
      LEFT_ROWS,
      which === 'all' ? 1 : 0,
    ])).map(toRowRecord);
    const last = page.at(-1);
    if (last === undefined) return left;
    for (const row of page) addLeft(left, row);
    behind = last.position;
    yield* native(turn);
  }
}
