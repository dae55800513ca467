// When the rows of a batch are looked at next. Only its owner takes them up; that anybody says "look now" (a hint) is counted, so that a look under way does not end it.
import { SETTLED, type Stage } from '../../payouts/lifecycle.ts';
import type { RunId } from '../../payouts/progress.ts';
import type { DueRequest, NextDue, Rescheduled, WhichRows } from '../ledger.ts';
import { find, findAll, findOne, type Plan, send, type Statement, type Ways } from '../plan.ts';
import type { LeasedBatch, RowRecord } from '../records.ts';
import { BEFORE_CREATION, inOrderOfTurns } from '../row-rules.ts';
import type { Found } from '../seals.ts';
import { IS_HALTED } from './orders.ts';
import { CACHED_ROW_COLUMNS, endOf, type Pieces, positionRanges, ROWS } from './rows.ts';

/** Rows that are only followed come behind those to be sent. */
const DUE_AT = `CASE stage WHEN 'confirmed' THEN 1 ELSE 0 END`;

/** Nothing is sent of a row before its day; what was sent of it, as a rebuilt ledger may find, is followed. */
const IS_OPEN = `(pay_on IS NULL OR stage NOT IN ('ready', 'quoted', 'created'))`;

/** A row that is due already is not written again. */
const TO_BE_DUE = `
   WHERE batch = $1 AND position >= $2 AND position < $3 AND due_at IS DISTINCT FROM ${DUE_AT}
     AND ($4 = 0 OR due_at IS NOT NULL) AND ($5 = 0 OR ${IS_OPEN}) AND held IS NULL AND stage = ANY ($6::text[])`;

/** The rows of a day that has come are like all others, and due. */
const OPEN_DAY = `
  UPDATE row_states SET pay_on = NULL, due_at = CASE WHEN held IS NULL AND NOT ${IS_OPEN} THEN 0 ELSE due_at END
   WHERE batch = $1 AND position >= $2 AND position < $3 AND pay_on <= $4`;

/** Rows of days to come may have been priced for a question. */
const NOT_YET = `UPDATE row_states SET due_at = NULL WHERE batch = $1 AND position >= $2 AND position < $3 AND due_at IS NOT NULL AND NOT (${IS_OPEN})`;

/** Rows that one commit makes due, and rows that are asked about at once. */
const WRITTEN_ROWS = 500;

/** See `Ledger.makeDue`. */
export async function makeDue(
  ways: Ways,
  batch: string,
  which: WhichRows,
  of: readonly Stage[],
  pieces: Pieces,
): Promise<void> {
  const stages = of.filter((stage) => !SETTLED.has(stage));
  const [onlyWaiting, onlyOpen] = [which === 'waiting' ? 1 : 0, which === 'open' ? 1 : 0];
  const values = (from: number, to: number) => [batch, from, to, onlyWaiting, onlyOpen, stages];
  const end = await ways.read(() => endOf(batch));
  for (const { from, to } of positionRanges(end, pieces.rows)) {
    if (from > 0) await pieces.turn();
    if (typeof which === 'object') await ways.write(() => send(OPEN_DAY, [batch, from, to, which.upToDay]));
    if (which === 'open') await ways.write(() => send(NOT_YET, [batch, from, to]));
    const isAny = `SELECT 1 AS is_any FROM row_states ${TO_BE_DUE} LIMIT 1`;
    if ((await ways.read(() => findOne(isAny, values(from, to)))) === null) continue;
    for (const part of positionRanges(Math.min(to, end) - from, WRITTEN_ROWS))
      await ways.write(() =>
        send(
          `UPDATE row_states SET due_at = ${DUE_AT} ${TO_BE_DUE}`,
          values(from + part.from, from + part.to),
        ),
      );
  }
}

/** See `Ledger.reschedule`. A row that is held is never due, and a hint that came meanwhile stays. */
export function* reschedule(batch: string, rows: readonly Rescheduled[]): Plan<void> {
  for (const { row, dueAt } of rows) yield* send(RESCHEDULE, [batch, row.position, dueAt, row.hints]);
}

const RESCHEDULE = `
  UPDATE row_states SET due_at = CASE WHEN hints = $4 THEN $3::bigint ELSE 0 END
   WHERE batch = $1 AND position = $2 AND held IS NULL`;

/** Also while its owner looks at it: that look may have been too early. */
const HINT = `
  UPDATE row_states SET due_at = 0, hints = hints + 1
   WHERE batch = $1 AND position = $2 AND source_currency IS NOT NULL AND held IS NULL AND stage NOT IN ('failed', 'rejected', 'duplicate')
  RETURNING position`;

/** See `Ledger.hint`. */
export function* hintRow({ batch, position }: Pick<RowRecord, 'batch' | 'position'>): Plan<boolean> {
  return (yield* find(HINT, [batch, position])).length === 1;
}

/** Of each stage the currencies that wait in it: a batch has a handful, and the index leads from each to the next. */
const WAITING = `
  WITH RECURSIVE waiting (stage, currency) AS (
    SELECT wanted, (SELECT min(source_currency) FROM row_states WHERE batch = $1 AND row_states.stage = wanted AND due_at IS NOT NULL)
      FROM unnest($2::text[]) AS wanted
    UNION ALL
    SELECT stage, (SELECT min(source_currency) FROM row_states
                    WHERE batch = $1 AND row_states.stage = waiting.stage AND due_at IS NOT NULL AND source_currency > waiting.currency)
      FROM waiting WHERE currency IS NOT NULL)`;

const NEXT_DUE = `
  ${WAITING}
  SELECT min((SELECT due_at FROM row_states
               WHERE batch = $1 AND row_states.stage = waiting.stage AND source_currency = waiting.currency AND due_at IS NOT NULL
                 AND ($4 = 1 OR ${IS_OPEN}) AND NOT (position = ANY ($3::int[])) ORDER BY due_at LIMIT 1)) AS due
    FROM waiting WHERE currency IS NOT NULL`;

/** See `Ledger.nextDueAt`. */
export function* nextDueAt(
  batch: string,
  stages: readonly Stage[],
  { except = [], early = false }: NextDue = {},
): Plan<number | null> {
  const due = (yield* findOne(NEXT_DUE, [batch, stages, except, early ? 1 : 0]))?.['due'];
  return typeof due === 'number' ? due : null;
}

// What the owner of a batch takes up next. It is at the front of an index, however large the batch is.

/** Nothing of a batch that is halted, or that is not this run's. */
const TO_TAKE_UP = `
  ${WAITING}
  SELECT stage, currency FROM waiting WHERE currency IS NOT NULL
     AND EXISTS (SELECT 1 FROM batches WHERE id = $1 AND owner = $3 AND token = $4 AND is_free = 0 AND NOT ${IS_HALTED})`;

const DUE = `
  SELECT ${CACHED_ROW_COLUMNS}, s.due_at FROM ${ROWS}
   WHERE s.batch = $1 AND s.stage = $2 AND s.source_currency = $3 AND s.due_at <= $4 AND NOT (s.position = ANY ($5::int[]))
     AND ($7 = 1 OR ${IS_OPEN})
   ORDER BY s.due_at, s.position LIMIT $6`;

/** See `Ledger.dueRows`: lines with `CACHED_ROW_COLUMNS`. */
export function* dueRows(
  run: RunId,
  { id, token }: LeasedBatch,
  { stages, now, limit, withoutFunds, except, early = false }: DueRequest,
): Plan<readonly Found[]> {
  const waiting = yield* find(TO_TAKE_UP, [id, stages, run, token]);
  const due: Found[] = [];
  for (const stage of inOrderOfTurns(stages)) {
    const avoided = BEFORE_CREATION.includes(stage) ? withoutFunds : [];
    const left = limit - due.length;
    const asked = waiting
      .filter((each) => each['stage'] === stage && !avoided.includes(String(each['currency'])))
      .map(({ currency = null }) => ({
        text: DUE,
        values: [id, stage, currency, now, except, left, early ? 1 : 0],
      }));
    if (left === 0 || asked.length === 0) continue;
    const found = (yield* findAll(asked as readonly Statement[])).flat();
    due.push(...found.sort(byTime).slice(0, left));
  }
  return due.sort((one, two) => Number(one['position']) - Number(two['position']));
}

function byTime(one: Found, two: Found): number {
  const ms = Number(one['due_at']) - Number(two['due_at']);
  return ms === 0 ? Number(one['position']) - Number(two['position']) : ms;
}
