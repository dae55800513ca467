// Which rows are to be taken up, when, and by whom: the due times and claims of the rows, which say nothing of what was paid.
import { SETTLED, type Stage } from '../../payouts/lifecycle.ts';
import type { ClaimRequest } from '../ledger.ts';
import type { RowRecord } from '../records.ts';
import { ROW_COLUMNS, toRowRecord } from './rows-table.ts';
import type { Sql } from './statements.ts';

/** Stages in which funds are still to be reserved: the ones that a lack of funds stops. */
const BEFORE_CREATION: readonly Stage[] = ['ready', 'quoted'];

const CLAIM = `
  UPDATE rows SET lease_owner = ?, lease_until = ?
   WHERE batch = ?3 AND position IN (
     SELECT position FROM rows
      WHERE batch = ?3 AND due_at <= ?4 AND (lease_until IS NULL OR lease_until <= ?4)
        AND stage IN (SELECT value FROM json_each(?5))
        AND NOT (stage IN (SELECT value FROM json_each(?6)) AND source_currency IN (SELECT value FROM json_each(?7)))
        AND NOT EXISTS (SELECT 1 FROM batches WHERE id = ?3 AND paused = 1)
      ORDER BY due_at, position LIMIT ?8)
  RETURNING ${ROW_COLUMNS}`;

const NEXT_DUE = `
  SELECT min(max(due_at, coalesce(lease_until, 0))) AS due FROM rows
   WHERE batch = ? AND due_at IS NOT NULL AND stage IN (SELECT value FROM json_each(?))`;

export type DueRows = ReturnType<typeof dueRows>;

export function dueRows(sql: Sql, run: string) {
  return {
    claim: (request: ClaimRequest): readonly RowRecord[] => claim(sql, run, request),
    nextDueAt: (batch: string, stages: readonly Stage[]): number | null => {
      const due = sql(NEXT_DUE).get(batch, JSON.stringify(stages))?.['due'];
      return typeof due === 'number' ? due : null;
    },
    unclaim: ({ batch, position }: RowRecord): void => {
      sql(
        'UPDATE rows SET lease_owner = NULL, lease_until = NULL WHERE batch = ? AND position = ? AND lease_owner = ?',
      ).run(batch, position, run);
    },
    makeDue: (batch: string): void => {
      sql('UPDATE rows SET due_at = 0 WHERE batch = ? AND stage NOT IN (SELECT value FROM json_each(?))').run(
        batch,
        JSON.stringify([...SETTLED]),
      );
    },
    endClaims: (isAlive: (owner: string) => boolean): void => {
      const owners = sql(
        'SELECT DISTINCT lease_owner AS owner FROM rows WHERE lease_owner IS NOT NULL',
      ).all();
      for (const owner of owners.map((found) => String(found['owner'])).filter((owner) => !isAlive(owner)))
        sql('UPDATE rows SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = ?').run(owner);
    },
  };
}

function claim(sql: Sql, run: string, request: ClaimRequest): readonly RowRecord[] {
  const { batch, now, leaseMs, limit, stages, withoutFunds } = request;
  return sql(CLAIM)
    .all(
      run,
      now + leaseMs,
      batch,
      now,
      JSON.stringify(stages),
      JSON.stringify(BEFORE_CREATION),
      JSON.stringify(withoutFunds),
      limit,
    )
    .map(toRowRecord)
    .sort((a, b) => a.position - b.position);
}
