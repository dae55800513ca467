// An order about held rows, carried out at once: whoever gives it has the batch for that moment.
import type { Paydrop, Records } from '../../src/app/parts.ts';
import {
  releaseRows as releaseLeased,
  type ReleaseEnd,
  type ReleaseOrder,
} from '../../src/app/workflow/decisions/release-rows.ts';
import { underLease } from '../../src/ledger/ledger.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';

export async function releaseRows(
  records: Pick<Records, 'ledger' | 'workspace' | 'clock'> | Paydrop,
  { id }: Pick<BatchRecord, 'id'>,
  order: ReleaseOrder,
): Promise<ReleaseEnd> {
  for (;;) {
    const seen = await records.ledger.batch(id);
    const released =
      seen === null
        ? null
        : underLease(records.ledger, seen, (batch) => releaseLeased(records, batch, order));
    // A daemon of the same run may end its go with the batch at this very moment.
    const end = await released?.catch((error: unknown) => {
      if (error instanceof LeaseLost) return 'again' as const;
      throw error;
    });
    if (end === 'again') continue;
    if (end === null || end === undefined) throw new Error('Nobody else has the batch.');
    return end;
  }
}
