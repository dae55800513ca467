// Who works on which row, and until when. What is claimed next stands at the front of an index, however large the batch is.
import type { Stage } from '../../payouts/lifecycle.ts';
import type { ClaimRequest } from '../ledger.ts';
import type { RowRecord } from '../records.ts';
import { ROW_COLUMNS, toRowRecord } from './rows-table.ts';
import type { Sql } from './statements.ts';

/** Stages in which funds are still to be reserved: the ones that a lack of funds stops. */
const BEFORE_CREATION: readonly Stage[] = ['ready', 'quoted'];

const CLAIM = `
  UPDATE rows SET lease_owner = ?1, lease_until = ?2
   WHERE batch = ?3 AND position IN (
     SELECT position FROM rows
      WHERE batch = ?3 AND stage = ?4 AND due_at <= ?5 AND (lease_until IS NULL OR lease_until <= ?5)
        AND coalesce(source_currency, '') NOT IN (SELECT value FROM json_each(?6))
      ORDER BY due_at, position LIMIT ?7)
  RETURNING ${ROW_COLUMNS}`;

const IS_PAUSED = 'SELECT 1 FROM batches WHERE id = ? AND paused = 1';

/** Of the rows that nobody holds, the first of the index; of those that are held there are few. */
const NEXT_FREE = `
  SELECT due_at AS due FROM rows
   WHERE batch = ? AND stage = ? AND due_at IS NOT NULL AND lease_until IS NULL ORDER BY due_at LIMIT 1`;
const NEXT_HELD = `
  SELECT min(max(due_at, lease_until)) AS due FROM rows
   WHERE batch = ? AND lease_until IS NOT NULL AND due_at IS NOT NULL
     AND stage IN (SELECT value FROM json_each(?))`;

export type ClaimsTable = ReturnType<typeof claimsTable>;

export function claimsTable(sql: Sql, run: string) {
  return {
    /** What is furthest on its way comes first, so that no quotation ages while new ones are asked for. */
    claim: (request: ClaimRequest): readonly RowRecord[] => {
      if (sql(IS_PAUSED).get(request.batch) !== undefined) return [];
      const claimed: RowRecord[] = [];
      for (const stage of request.stages.toReversed())
        if (claimed.length < request.limit)
          claimed.push(...claimOf(sql, run, request, stage, request.limit - claimed.length));
      return claimed.sort((a, b) => a.position - b.position);
    },
    giveBack: ({ batch, position }: RowRecord): void => {
      sql(
        'UPDATE rows SET lease_owner = NULL, lease_until = NULL WHERE batch = ? AND position = ? AND lease_owner = ?',
      ).run(batch, position, run);
    },
    end: (isAlive: (owner: string) => boolean): void => {
      const owners = sql(
        'SELECT DISTINCT lease_owner AS owner FROM rows WHERE lease_until IS NOT NULL',
      ).all();
      for (const owner of owners.map((found) => String(found['owner'])).filter((owner) => !isAlive(owner)))
        sql(
          'UPDATE rows SET lease_owner = NULL, lease_until = NULL WHERE lease_until IS NOT NULL AND lease_owner = ?',
        ).run(owner);
    },
    nextDueAt: (batch: string, stages: readonly Stage[]): number | null => {
      const found = [
        ...stages.map((stage) => sql(NEXT_FREE).get(batch, stage)),
        sql(NEXT_HELD).get(batch, JSON.stringify(stages)),
      ].flatMap((row) => (typeof row?.['due'] === 'number' ? [row['due']] : []));
      return found.length === 0 ? null : Math.min(...found);
    },
  };
}

function claimOf(
  sql: Sql,
  run: string,
  { batch, now, leaseMs, withoutFunds }: ClaimRequest,
  stage: Stage,
  limit: number,
): readonly RowRecord[] {
  const avoided = BEFORE_CREATION.includes(stage) ? withoutFunds : [];
  return sql(CLAIM)
    .all(run, now + leaseMs, batch, stage, now, JSON.stringify(avoided), limit)
    .map(toRowRecord);
}
