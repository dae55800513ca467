// Which row a transfer belongs to, by the id that we gave it: a notification may come before the service's own id is known here.
import { externalId } from '../../payouts/payout.ts';
import { attemptNumberOf } from '../../payouts/progress.ts';
import type { BatchRecord, NewRow, RowRecord } from '../records.ts';
import type { Query } from './connect.ts';

/** An id that is there already is not written again: the ids are spread all over the disk. */
const NAME = `
  INSERT INTO transfers (external_id, batch, position, attempt)
  SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) ORDER BY 1
      ON CONFLICT (external_id) DO UPDATE SET batch = excluded.batch, position = excluded.position
   WHERE transfers.batch <> excluded.batch OR transfers.position <> excluded.position`;

type Place = Pick<RowRecord, 'batch' | 'position'>;

type Named = { readonly row: Place; readonly attempt: number };

export async function nameTransfers(query: Query, names: ReadonlyMap<string, Named>): Promise<void> {
  if (names.size === 0) return;
  const named = [...names.values()];
  await query(NAME, [
    [...names.keys()],
    named.map(({ row }) => row.batch),
    named.map(({ row }) => row.position),
    named.map(({ attempt }) => attempt),
  ]);
}

/** Rows that are registered with transfers, because their ledger was lost. */
export async function nameKnown(
  query: Query,
  { id, fileId }: BatchRecord,
  rows: readonly NewRow[],
): Promise<void> {
  const names = new Map<string, Named>();
  for (const { position, row, progress } of rows) {
    const known = progress.transfer === null ? [] : [attemptNumberOf(progress)];
    for (const attempt of [...progress.deadAttempts.map((dead) => dead.attempt), ...known])
      names.set(externalId(fileId, row, 'transfer', attempt), { row: { batch: id, position }, attempt });
  }
  await nameTransfers(query, names);
}

/** Also while the row is claimed: the run that looks at this moment may have asked too early. */
const HINT = `
  UPDATE row_states SET due_at = 0, hinted = true, queue = CASE WHEN lease_until IS NULL THEN stage END,
         queue_at = CASE WHEN lease_until IS NULL THEN 0 END
   WHERE batch = $1 AND position = $2 AND source_currency IS NOT NULL AND held IS NULL AND stage NOT IN ('failed', 'rejected', 'duplicate')
  RETURNING position`;

export async function hintRow(query: Query, { batch, position }: Place): Promise<boolean> {
  return (await query(HINT, [batch, position])).length === 1;
}
