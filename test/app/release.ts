// An order about held rows, carried out at once: whoever gives it has the batch for that moment.
import type { Paydrop, Records } from '../../src/app/parts.ts';
import {
  releaseRows as releaseLeased,
  type ReleaseEnd,
  type ReleaseOrder,
} from '../../src/app/workflow/decisions/release-rows.ts';
import { underLease } from '../../src/ledger/ledger.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';

export async function releaseRows(
  records: Pick<Records, 'ledger' | 'workspace' | 'clock'> | Paydrop,
  { id }: Pick<BatchRecord, 'id'>,
  order: ReleaseOrder,
): Promise<ReleaseEnd> {
  const seen = await records.ledger.batch(id);
  const end =
    seen === null
      ? null
      : await underLease(records.ledger, seen, (batch) => releaseLeased(records, batch, order));
  if (end === null) throw new Error('Nobody else has the batch.');
  return end;
}
