// Which run works on which row, and until when. A queue has the rows to be claimed next: a row enters it when it is let go, and leaves it when it is claimed.
import { SETTLED, type Stage } from '../../payouts/lifecycle.ts';
import type { ClaimRequest } from '../ledger.ts';
import type { RowRecord } from '../records.ts';
import { BEFORE_CREATION, inOrderOfClaims } from '../row-rules.ts';
import { type Plan, send } from '../plan.ts';
import { toRowRecord } from '../stored-rows.ts';
import { type PositionRange, positionRanges } from '../tables/rows.ts';
import { BY_INDEX, type Query } from './connect.ts';
import { CACHED_ROW_COLUMNS, type KnownLines } from './rows-table.ts';
import { type LedgerWays, writeOne } from './shared-connections.ts';

/** The queue of a row that nobody holds. */
const QUEUED = `queue = CASE WHEN due_at IS NULL THEN NULL ELSE stage END, queue_at = due_at`;

const LET_GO = `lease_owner = NULL, lease_until = NULL, ${QUEUED}`;

/**
 * Of the stages in their order, each with the currencies that wait in it: a batch has a handful of them, and the index leads from each to the next. Rows that
 * other runs are claiming at this moment are left to them. Expired claims are few, and have their own index. One statement, because each question by itself
 * would be a way to the database and back.
 */
const CLAIM = `
  WITH RECURSIVE wanted AS (
    SELECT w.stage, w.place FROM unnest($2::text[]) WITH ORDINALITY AS w (stage, place)
     WHERE NOT EXISTS (SELECT 1 FROM batches WHERE id = $1 AND paused = 1)),
  waiting (stage, place, currency) AS (
    SELECT stage, place, (SELECT min(source_currency) FROM row_states WHERE batch = $1 AND queue = wanted.stage) FROM wanted
    UNION ALL
    SELECT stage, place, (SELECT min(source_currency) FROM row_states WHERE batch = $1 AND queue = w.stage AND source_currency > w.currency)
      FROM waiting w WHERE w.currency IS NOT NULL),
  next AS (
    SELECT batch, position FROM (
      SELECT w.place, q.* FROM waiting w
       CROSS JOIN LATERAL (
         SELECT batch, position, due_at FROM row_states
          WHERE batch = $1 AND queue = w.stage AND source_currency = w.currency AND queue_at <= $3
          ORDER BY queue_at, position LIMIT $4 FOR UPDATE SKIP LOCKED) AS q
       WHERE w.currency IS NOT NULL AND NOT (w.stage = ANY ($7) AND w.currency = ANY ($8))
      UNION ALL
      SELECT w.place, q.* FROM wanted w
       CROSS JOIN LATERAL (
         SELECT batch, position, due_at FROM row_states
          WHERE batch = $1 AND lease_until IS NOT NULL AND lease_until <= $3 AND stage = w.stage AND due_at <= $3
            AND NOT (w.stage = ANY ($7) AND source_currency = ANY ($8))
          ORDER BY due_at, position LIMIT $4 FOR UPDATE SKIP LOCKED) AS q) AS free
     ORDER BY place, due_at, position LIMIT $4),
  claimed AS (
    UPDATE row_states s SET lease_owner = $5, lease_until = $6, hinted = false, queue = NULL, queue_at = NULL
      FROM next WHERE s.batch = next.batch AND s.position = next.position
    RETURNING s.*)
  SELECT ${CACHED_ROW_COLUMNS} FROM claimed s JOIN rows r ON r.batch = s.batch AND r.position = s.position`;

/** To plan the claim takes the database as long as to make it. It takes the plan that it could keep for too dear, because it does not know how few are claimed. */
const KEEP_PLAN = `SELECT ${Object.entries({ ...BY_INDEX, plan_cache_mode: 'force_generic_plan' })
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(', ')}`;

/** What a commit claimed whose answer was lost on its way. */
const CLAIMED = `
  SELECT ${CACHED_ROW_COLUMNS} FROM row_states s JOIN rows r ON r.batch = s.batch AND r.position = s.position
   WHERE s.batch = $1 AND s.lease_owner = $2 AND s.lease_until = $3`;

/** Claims of one run. No two have leases that end at the same moment: by that, a claim is known again. */
export class RunClaims {
  readonly #ways: LedgerWays;
  readonly #known: KnownLines;
  #until = 0;

  constructor(ways: LedgerWays, known: KnownLines) {
    this.#ways = ways;
    this.#known = known;
  }

  /** A claim that is made again gives the rows of the first try: held by this run, and known to nobody in it, they would wait for the end of their lease. */
  async claim(request: ClaimRequest): Promise<readonly RowRecord[]> {
    const { run, write } = this.#ways;
    const until = (this.#until = Math.max(request.now + request.leaseMs, this.#until + 1));
    let tries = 0;
    const lines = await write(async (query, end) => {
      tries += 1;
      const before = tries === 1 ? [] : await query(CLAIMED, [request.batch, run, until]);
      if (before.length > 0) return before;
      const { batch, stages, now, limit, withoutFunds } = request;
      const inOrder = inOrderOfClaims(stages);
      const values = [batch, inOrder, now, limit, run, until, BEFORE_CREATION, withoutFunds];
      const answers = Promise.all([query(KEEP_PLAN), query(CLAIM, values)]);
      end();
      return (await answers)[1];
    });
    for (const line of lines) this.#known.set(line);
    return lines.map(toRowRecord).sort((a, b) => a.position - b.position);
  }
}

export async function giveBack(query: Query, run: string, { batch, position }: RowRecord): Promise<void> {
  await query(`UPDATE row_states SET ${LET_GO} WHERE batch = $1 AND position = $2 AND lease_owner = $3`, [
    batch,
    position,
    run,
  ]);
}

/** Rows that are only followed come after those to be sent. */
const DUE_AT = `CASE stage WHEN 'confirmed' THEN 1 ELSE 0 END`;

/** A row that is due already is not written again. */
const TO_BE_DUE = `
   WHERE batch = $1 AND position >= $2 AND position < $3 AND due_at IS DISTINCT FROM ${DUE_AT}
     AND ($4 OR due_at IS NOT NULL) AND held IS NULL AND stage = ANY ($5)`;

const MAKE_DUE = `
  UPDATE row_states SET due_at = ${DUE_AT}, queue = CASE WHEN lease_until IS NULL THEN stage END,
         queue_at = CASE WHEN lease_until IS NULL THEN ${DUE_AT} END ${TO_BE_DUE}`;

/** Rows that one commit makes due, and rows that are asked about at once. */
const WRITTEN_ROWS = 1_000;
const ASKED_ROWS = 10_000;

/** @param end the position behind the last row. */
export async function makeDue(
  ways: LedgerWays,
  batch: string,
  end: number,
  which: 'all' | 'waiting',
  of: readonly Stage[],
): Promise<void> {
  const stages = of.filter((stage) => !SETTLED.has(stage));
  const values = ({ from, to }: PositionRange) => [batch, from, to, which === 'all', stages];
  for (const { from, to } of positionRanges(end, ASKED_ROWS)) {
    const range = { from, to: Math.min(to, end) };
    const isAny = `SELECT 1 AS is_any FROM row_states ${TO_BE_DUE} LIMIT 1`;
    if ((await ways.read((query) => query(isAny, values(range)))).length === 0) continue;
    for (const part of positionRanges(range.to - from, WRITTEN_ROWS)) {
      const written = { from: from + part.from, to: from + part.to };
      await writeOne(ways, (query) => query(MAKE_DUE, values(written)));
    }
  }
}

/** If a hint came since the claim, the look may have been too early. */
const SCHEDULE = `
  WITH next AS (
    SELECT batch, position, CASE WHEN held IS NOT NULL THEN NULL WHEN hinted THEN 0 ELSE $3::bigint END AS due_at FROM row_states
     WHERE batch = $1 AND position = $2 AND version = $4 AND (lease_until IS NULL OR lease_until <= $5 OR lease_owner = $6)
       FOR UPDATE)
  UPDATE row_states s SET due_at = next.due_at, lease_owner = NULL, lease_until = NULL,
         queue = CASE WHEN next.due_at IS NOT NULL THEN stage END, queue_at = next.due_at
    FROM next WHERE s.batch = next.batch AND s.position = next.position
  RETURNING s.position`;

/** False when the row is no longer as it was seen, or another run holds it. */
export async function schedule(
  query: Query,
  run: string,
  { batch, position, version }: RowRecord,
  dueAt: number | null,
  now: number,
): Promise<boolean> {
  return (await query(SCHEDULE, [batch, position, dueAt, version, now, run])).length === 1;
}

const NEXT_FREE = `
  SELECT min(queue_at) AS due FROM row_states WHERE batch = $1 AND queue = ANY ($2)`;
const NEXT_HELD = `
  SELECT min(greatest(due_at, lease_until)) AS due FROM row_states
   WHERE batch = $1 AND lease_until IS NOT NULL AND due_at IS NOT NULL AND stage = ANY ($2)`;

export async function nextDueAt(
  query: Query,
  batch: string,
  stages: readonly Stage[],
): Promise<number | null> {
  const found = (
    await Promise.all([NEXT_FREE, NEXT_HELD].map((text) => query(text, [batch, stages])))
  ).flat();
  const due = found.flatMap((each) => (typeof each['due'] === 'number' ? [each['due']] : []));
  return due.length === 0 ? null : Math.min(...due);
}

/** Ends all claims of a run, or those on one batch. */
export function* endClaimsOf(run: string, batch: string | null = null): Plan<void> {
  yield* send(`UPDATE row_states SET ${LET_GO} WHERE lease_owner = $1 AND ($2::text IS NULL OR batch = $2)`, [
    run,
    batch,
  ]);
}
