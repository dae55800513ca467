// Which row a transfer belongs to, by the id that we gave it: a notification may come before the service's own id is known here.
import type { NamedTransfer, NewRow, RowRecord } from '../records.ts';
import { ROW_COLUMNS, toRowRecord, WITHOUT_NEXT_CALL } from './rows-table.ts';
import type { Sql } from './statements.ts';

/** The id is made of the file and the row again: a file that was read anew may have another row in this place. */
const NAMED_QUERY = `
  SELECT ${ROW_COLUMNS}, (SELECT attempt FROM transfers WHERE external_id = ?1) AS attempt FROM rows
   WHERE (batch, position) = (SELECT batch, position FROM transfers WHERE external_id = ?1)
     AND ?1 = transfer_external_id((SELECT file_id FROM batches WHERE id = batch), row, attempt)`;

/** Also while the row is claimed: whoever looks at this moment may have asked too early. */
const HINT = `
  UPDATE rows SET due_at = 0, hinted = 1
   WHERE batch = ? AND position = ? AND payout IS NOT NULL
     AND stage NOT IN ${WITHOUT_NEXT_CALL}`;

export type TransfersTable = ReturnType<typeof transfersTable>;

export function transfersTable(sql: Sql) {
  const name = (batch: string, position: number, row: string, attempt: number): void => {
    sql(
      `INSERT OR REPLACE INTO transfers (external_id, batch, position, attempt)
       SELECT transfer_external_id(file_id, ?, ?2), id, ?, ?2 FROM batches WHERE id = ?`,
    ).run(row, attempt, position, batch);
  };
  return {
    /** A row that is registered with transfers, because its ledger was lost. */
    nameKnown: (batch: string, { position, row, progress }: NewRow): void => {
      for (const { attempt } of progress.deadAttempts) name(batch, position, row, attempt);
      if (progress.transfer !== null) name(batch, position, row, progress.transferAttempt);
    },
    /** A row that leaves `ready`: from here on the transfer of its attempt may exist. */
    nameNext: ({ batch, position, row, progress }: RowRecord): void =>
      name(batch, position, row, progress.transferAttempt),
    named: (externalId: string): NamedTransfer | null => {
      const found = sql(NAMED_QUERY).get(externalId);
      return found === undefined ? null : { row: toRowRecord(found), attempt: Number(found['attempt']) };
    },
    hint: ({ batch, position }: Pick<RowRecord, 'batch' | 'position'>): boolean =>
      Number(sql(HINT).run(batch, position).changes) === 1,
  };
}
