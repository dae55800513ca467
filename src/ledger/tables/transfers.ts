// Which row a transfer belongs to, by the id that we gave it: a notification may come before the service's own id is known here.
import { externalId } from '../../payouts/payout.ts';
import { attemptNumberOf } from '../../payouts/progress.ts';
import { type Plan, send } from '../plan.ts';
import type { BatchRecord, NewRow, RowRecord } from '../records.ts';

/** An id that is there already is not written again: the ids are spread all over the disk. */
const NAME = `
  INSERT INTO transfers (external_id, batch, position, attempt) VALUES ($1, $2, $3, $4)
      ON CONFLICT (external_id) DO UPDATE SET batch = excluded.batch, position = excluded.position
   WHERE transfers.batch <> excluded.batch OR transfers.position <> excluded.position`;

export function* nameTransfer(
  id: string,
  { batch, position }: Pick<RowRecord, 'batch' | 'position'>,
  attempt: number,
): Plan<void> {
  yield* send(NAME, [id, batch, position, attempt]);
}

/** Rows that are registered with transfers, because their ledger was lost. */
export function* nameKnown({ id, fileId }: BatchRecord, rows: readonly NewRow[]): Plan<void> {
  for (const { position, row, progress } of rows) {
    const known = progress.transfer === null ? [] : [attemptNumberOf(progress)];
    for (const attempt of [...progress.deadAttempts.map((dead) => dead.attempt), ...known])
      yield* nameTransfer(externalId(fileId, row, 'transfer', attempt), { batch: id, position }, attempt);
  }
}
