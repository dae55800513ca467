// Which run works on which row, and until when. A queue has the rows to be claimed next: a row enters it when it is let go, and leaves it when it is claimed.
import { SETTLED, type Stage } from '../../payouts/lifecycle.ts';
import type { ClaimRequest } from '../ledger.ts';
import type { RowRecord } from '../records.ts';
import { BEFORE_CREATION, inOrderOfClaims } from '../row-rules.ts';
import type { Found } from '../seals.ts';
import { toRowRecord } from '../stored-rows.ts';
import type { Query } from './connect.ts';
import { CACHED_ROW_COLUMNS, type KnownLines, type PositionRange } from './rows-table.ts';
import type { LedgerWays } from './shared-connections.ts';

/** The queue of a row that nobody holds. */
const QUEUED = `queue = CASE WHEN due_at IS NULL THEN NULL ELSE stage END, queue_at = due_at`;

const LET_GO = `lease_owner = NULL, lease_until = NULL, ${QUEUED}`;

/** A batch has a handful of currencies; the index leads from each to the next. */
const CURRENCIES = `
  WITH RECURSIVE c (currency) AS (
    (SELECT min(source_currency) FROM row_states WHERE batch = $1 AND queue = $2)
    UNION ALL
    SELECT (SELECT min(source_currency) FROM row_states WHERE batch = $1 AND queue = $2 AND source_currency > c.currency)
      FROM c WHERE c.currency IS NOT NULL)
  SELECT currency FROM c WHERE currency IS NOT NULL`;

/** Rows that other runs are claiming at this moment are left to them. Expired claims are few, and have their own index. */
const CLAIM = `
  WITH next AS (
    SELECT batch, position FROM (
      SELECT q.* FROM unnest($4::text[]) AS c (currency)
       CROSS JOIN LATERAL (
         SELECT batch, position, due_at FROM row_states
          WHERE batch = $1 AND queue = $2 AND source_currency = c.currency AND queue_at <= $3
          ORDER BY queue_at, position LIMIT $5 FOR UPDATE SKIP LOCKED) AS q
      UNION ALL
      SELECT * FROM (
        SELECT batch, position, due_at FROM row_states
         WHERE batch = $1 AND lease_until IS NOT NULL AND lease_until <= $3 AND stage = $2 AND due_at <= $3
           AND source_currency <> ALL ($8::text[])
         ORDER BY due_at, position LIMIT $5 FOR UPDATE SKIP LOCKED) AS late) AS free
     ORDER BY due_at, position LIMIT $5),
  claimed AS (
    UPDATE row_states s SET lease_owner = $6, lease_until = $7, hinted = false, queue = NULL, queue_at = NULL
      FROM next WHERE s.batch = next.batch AND s.position = next.position
    RETURNING s.*)
  SELECT ${CACHED_ROW_COLUMNS} FROM claimed s JOIN rows r ON r.batch = s.batch AND r.position = s.position`;

/** Stages with expired claims. */
const LATE = `
  SELECT DISTINCT stage FROM row_states
   WHERE batch = $1 AND lease_until IS NOT NULL AND lease_until <= $2 AND due_at <= $2`;

const IS_PAUSED = 'SELECT 1 AS is_paused FROM batches WHERE id = $1 AND paused = 1';

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
    const lines = await write(async (query) => {
      tries += 1;
      const before = tries === 1 ? [] : await query(CLAIMED, [request.batch, run, until]);
      return before.length > 0 ? before : claimRows(query, run, request, until);
    });
    for (const line of lines) this.#known.set(line);
    return lines.map(toRowRecord).sort((a, b) => a.position - b.position);
  }
}

/** Claims rows inside a commit; gives their lines, with all that a later write of them asks. What there is to claim is asked of all stages together: each question by itself would be a way to the database and back. */
async function claimRows(
  query: Query,
  run: string,
  request: ClaimRequest,
  until: number,
): Promise<readonly Found[]> {
  const { batch, now, withoutFunds } = request;
  const [paused, late, ...queued] = await Promise.all([
    query(IS_PAUSED, [batch]),
    query(LATE, [batch, now]),
    ...inOrderOfClaims(request.stages).map(async (stage) => ({
      stage,
      currencies: (await query(CURRENCIES, [batch, stage])).map(({ currency }) => String(currency)),
    })),
  ]);
  if (paused.length > 0) return [];
  const lateStages = new Set(late.map(({ stage }) => stage));
  const claimed: Found[] = [];
  for (const { stage, currencies } of queued) {
    const left = request.limit - claimed.length;
    if (left <= 0) break;
    const avoided = BEFORE_CREATION.includes(stage) ? withoutFunds : [];
    const served = currencies.filter((currency) => !avoided.includes(currency));
    if (served.length === 0 && !lateStages.has(stage)) continue;
    const values = [batch, stage, now, served, left, run, until, avoided];
    claimed.push(...(await query(CLAIM, values)));
  }
  return claimed;
}

export async function giveBack(query: Query, run: string, { batch, position }: RowRecord): Promise<void> {
  await query(`UPDATE row_states SET ${LET_GO} WHERE batch = $1 AND position = $2 AND lease_owner = $3`, [
    batch,
    position,
    run,
  ]);
}

/** Rows that are only followed come after those to be sent. A row that is due already is not written again. */
const MAKE_DUE = `
  UPDATE row_states SET due_at = next.due_at, queue = CASE WHEN lease_until IS NULL THEN stage END,
         queue_at = CASE WHEN lease_until IS NULL THEN next.due_at END
    FROM (SELECT batch AS of_batch, position AS at, CASE stage WHEN 'confirmed' THEN 1 ELSE 0 END AS due_at FROM row_states
           WHERE batch = $1 AND position >= $2 AND position < $3) AS next
   WHERE batch = of_batch AND position = at AND row_states.due_at IS DISTINCT FROM next.due_at
     AND (NOT $5 OR row_states.due_at IS NOT NULL) AND held IS NULL AND stage <> ALL ($4)`;

export async function makeDue(
  query: Query,
  batch: string,
  { from, to }: PositionRange,
  which: 'all' | 'waiting',
): Promise<void> {
  await query(MAKE_DUE, [batch, from, to, [...SETTLED], which === 'waiting']);
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
export async function endClaimsOf(query: Query, run: string, batch: string | null = null): Promise<void> {
  await query(`UPDATE row_states SET ${LET_GO} WHERE lease_owner = $1 AND ($2::text IS NULL OR batch = $2)`, [
    run,
    batch,
  ]);
}
