// Which row a transfer belongs to, by the id that we gave it: a notification may come before the service's own id is known here.
import { externalId } from '../../payouts/payout.ts';
import type { NamedTransfer, NewRow, RowRecord } from '../records.ts';
import { ROW_COLUMNS, toRowRecord, isWithoutCall } from './rows-table.ts';
import type { Sql } from './group-commit.ts';
import { attemptNumberOf } from '../../payouts/progress.ts';

/** What stands there already is not written again: the ids lie all over the disk. */
const NAME = `
  INSERT INTO transfers (external_id, batch, position, attempt) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET batch = excluded.batch, position = excluded.position
   WHERE batch <> excluded.batch OR position <> excluded.position`;

const NAMED = `
  SELECT ${ROW_COLUMNS}, attempt, (SELECT file_id FROM batches WHERE id = batch) AS file_id
    FROM transfers JOIN whole_rows USING (batch, position) WHERE external_id = ?`;

/** Also while the row is claimed: whoever looks at this moment may have asked too early. */
const HINT = `
  UPDATE row_states SET due_at = 0, hinted = 1
   WHERE batch = ? AND position = ? AND source_currency IS NOT NULL AND NOT ${isWithoutCall('stage', 'held')}`;

type Place = Pick<RowRecord, 'batch' | 'position'>;

export type TransfersTable = ReturnType<typeof transfersTable>;

export function transfersTable(sql: Sql) {
  const name = (id: string, { batch, position }: Place, attempt: number): void => {
    sql(NAME).run(id, batch, position, attempt);
  };
  return {
    name,
    /** A row that is registered with transfers, because its ledger was lost. */
    nameKnown: (fileId: string, batch: string, { position, row, progress }: NewRow): void => {
      const known = progress.transfer === null ? [] : [attemptNumberOf(progress)];
      for (const attempt of [...progress.deadAttempts.map((dead) => dead.attempt), ...known])
        name(externalId(fileId, row, 'transfer', attempt), { batch, position }, attempt);
    },
    named: (id: string): NamedTransfer | null => {
      const found = sql(NAMED).get(id);
      if (found === undefined) return null;
      const [row, attempt] = [toRowRecord(found), Number(found['attempt'])];
      // A file that was read anew may have another row in this place.
      const isStill = externalId(String(found['file_id']), row.row, 'transfer', attempt) === id;
      return isStill ? { row, attempt } : null;
    },
    hint: ({ batch, position }: Place): boolean => Number(sql(HINT).run(batch, position).changes) === 1,
  };
}
