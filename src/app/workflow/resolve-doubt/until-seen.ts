// Before a batch goes on: what was held because reads might have hidden it is looked for again, as soon as that proves anything.
import type { BatchRecord } from '../../../ledger/records.ts';
import { waitFor } from '../../../ledger/wait.ts';
import type { BatchResult } from '../batch-result.ts';
import type { Paydrop } from '../../parts.ts';
import { batchOf } from '../close/finish-batch.ts';
import { waiting } from '../unfinished-batch.ts';
import { settleUnseen } from './settle-unseen.ts';
import { waitsForReads } from './wait-for-reads.ts';

/** Null when the batch goes on; else what is told of it, and it comes back here. */
export async function untilSeen(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult | null> {
  if (batch.unseenUntil === undefined) return null;
  await settleUnseen(paydrop);
  const words = await waitsForReads(paydrop, await batchOf(paydrop, batch.id));
  return words === null ? null : waiting(paydrop, batch, waitFor('service', words));
}
