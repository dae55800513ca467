// Which run works on which row, and until when. The next row to be claimed is at the front of an index, however large the batch is.
import type { Stage } from '../../payouts/lifecycle.ts';
import type { ClaimRequest } from '../ledger.ts';
import type { RowRecord } from '../records.ts';
import { BEFORE_CREATION, inOrderOfClaims } from '../row-rules.ts';
import { ROW_COLUMNS, rowsOf } from './rows-table.ts';
import type { PositionRange } from '../tables/rows.ts';
import type { Sql } from './group-commit.ts';

/** A batch has a handful of currencies; the index leads from each to the next. */
const NEXT_CURRENCY = `
  SELECT min(source_currency) AS currency FROM row_states
   WHERE batch = ? AND stage = ? AND source_currency > ? AND due_at IS NOT NULL`;

const CANDIDATES = `
  SELECT due_at, position FROM row_states
   WHERE batch = ?1 AND stage = ?2 AND source_currency = ?3 AND due_at <= ?4 AND (lease_until IS NULL OR lease_until <= ?4)
   ORDER BY due_at, position LIMIT +?5`;

const CLAIM = `
  UPDATE row_states SET lease_owner = ?, lease_until = ?, hinted = 0
   WHERE batch = ? AND position IN (SELECT value FROM json_each(?))`;

const CLAIMED = `
  SELECT ${ROW_COLUMNS} FROM whole_rows WHERE batch = ? AND position IN (SELECT value FROM json_each(?))`;

const IS_PAUSED = 'SELECT 1 FROM batches WHERE id = ? AND paused = 1';

/** Of the rows that nobody holds, the first of the index; those that are held are few, and have an index of their own, which would not be chosen unasked. */
const NEXT_FREE = `
  SELECT due_at AS due FROM row_states
   WHERE batch = ? AND stage = ? AND source_currency = ? AND due_at IS NOT NULL AND lease_until IS NULL
   ORDER BY due_at LIMIT 1`;
const NEXT_HELD = `
  SELECT min(max(due_at, lease_until)) AS due FROM row_states INDEXED BY rows_claimed
   WHERE batch = ? AND lease_until IS NOT NULL AND due_at IS NOT NULL
     AND stage IN (SELECT value FROM json_each(?))`;

/** Rows that are only followed come behind those to be sent. */
const DUE_AT = `CASE stage WHEN 'confirmed' THEN 1 ELSE 0 END`;

/** A row that is due already is not written again. */
const toBeDue = (which: 'all' | 'waiting'): string => `
   WHERE batch = ? AND position >= ? AND position < ? AND due_at IS NOT ${DUE_AT}
     ${which === 'waiting' ? 'AND due_at IS NOT NULL' : ''}
     AND held IS NULL AND stage IN (SELECT value FROM json_each(?))`;

type MakeDue = [batch: string, range: PositionRange, which: 'all' | 'waiting', stages: readonly Stage[]];

export function claimsTable(sql: Sql, run: string) {
  return {
    claim: (request: ClaimRequest): readonly RowRecord[] => {
      if (sql(IS_PAUSED).get(request.batch) !== undefined) return [];
      const claimed: RowRecord[] = [];
      for (const stage of inOrderOfClaims(request.stages))
        if (claimed.length < request.limit)
          claimed.push(...claimOf(sql, run, request, stage, request.limit - claimed.length));
      return claimed.sort((a, b) => a.position - b.position);
    },
    giveBack: ({ batch, position }: RowRecord): void => {
      sql(
        'UPDATE row_states SET lease_owner = NULL, lease_until = NULL WHERE batch = ? AND position = ? AND lease_owner = ?',
      ).run(batch, position, run);
    },
    /** True where `makeDue` has something to write. */
    isAnyToBeDue: (...[batch, { from, to }, which, stages]: MakeDue): boolean =>
      sql(`SELECT 1 FROM row_states ${toBeDue(which)} LIMIT 1`).get(
        batch,
        from,
        to,
        JSON.stringify(stages),
      ) !== undefined,
    makeDue: (...[batch, { from, to }, which, stages]: MakeDue): void => {
      sql(`UPDATE row_states SET due_at = ${DUE_AT} ${toBeDue(which)}`).run(
        batch,
        from,
        to,
        JSON.stringify(stages),
      );
    },
    /** False when the row is no longer as it was seen, or another run holds it. */
    schedule: ({ batch, position, version }: RowRecord, dueAt: number | null, now: number): boolean => {
      const { changes } = sql(
        // If a hint came since the claim, the look may have been too early.
        `UPDATE row_states SET due_at = CASE WHEN held IS NOT NULL THEN NULL WHEN hinted = 1 THEN 0 ELSE ? END, lease_owner = NULL, lease_until = NULL
          WHERE batch = ? AND position = ? AND version = ? AND (lease_until IS NULL OR lease_until <= ? OR lease_owner = ?)`,
      ).run(dueAt, batch, position, version, now, run);
      return Number(changes) === 1;
    },
    nextDueAt: (batch: string, stages: readonly Stage[]): number | null => {
      const found = [
        ...stages.flatMap((stage) =>
          currenciesOf(sql, batch, stage).map((currency) => sql(NEXT_FREE).get(batch, stage, currency)),
        ),
        sql(NEXT_HELD).get(batch, JSON.stringify(stages)),
      ].flatMap((row) => (typeof row?.['due'] === 'number' ? [row['due']] : []));
      return found.length === 0 ? null : Math.min(...found);
    },
  };
}

/** Ends all claims of a run. */
export function endClaimsOf(sql: Sql, run: string): void {
  sql(`${END_CLAIMS} AND lease_owner = ?`).run(run);
}

/** Ends those of a run on one batch. */
export function endClaimsOn(sql: Sql, batch: string, run: string): void {
  sql(`${END_CLAIMS} AND batch = ? AND lease_owner = ?`).run(batch, run);
}

const END_CLAIMS =
  'UPDATE row_states INDEXED BY rows_claimed SET lease_owner = NULL, lease_until = NULL WHERE lease_until IS NOT NULL';

function claimOf(
  sql: Sql,
  run: string,
  { batch, now, leaseMs, withoutFunds }: ClaimRequest,
  stage: Stage,
  limit: number,
): readonly RowRecord[] {
  const avoided = BEFORE_CREATION.includes(stage) ? withoutFunds : [];
  const candidates = currenciesOf(sql, batch, stage)
    .filter((currency) => !avoided.includes(currency))
    .flatMap((currency) => sql(CANDIDATES).all(batch, stage, currency, now, limit))
    .map((found) => ({ dueAt: Number(found['due_at']), position: Number(found['position']) }))
    .sort((a, b) => a.dueAt - b.dueAt || a.position - b.position);
  if (candidates.length === 0) return [];
  const positions = JSON.stringify(candidates.slice(0, limit).map(({ position }) => position));
  sql(CLAIM).run(run, now + leaseMs, batch, positions);
  return rowsOf(sql, CLAIMED, batch, positions);
}

/** The source currencies of the rows of a stage that are ever due; a row without a payout has none, and is not. */
function currenciesOf(sql: Sql, batch: string, stage: Stage): readonly string[] {
  const found: string[] = [];
  for (let last = ''; ;) {
    const next = sql(NEXT_CURRENCY).get(batch, stage, last)?.['currency'];
    if (typeof next !== 'string') return found;
    found.push(next);
    last = next;
  }
}
