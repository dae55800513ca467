// What has to have come before anything of an accepted batch is sent.
import type { BatchRecord } from '../ledger/records.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from './compose.ts';
import { awaitSchedule } from './schedule/await-schedule.ts';

/** Null when the batch may be paid now; else what is told of it, and it comes back here. */
export async function beforePaying(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult | null> {
  const timed = await awaitSchedule(paydrop, batch);
  if (timed !== null) return timed;
  await paydrop.ledger.changeBatch(batch.id, { waitingFor: null, waitingWords: null, stoppedBy: null });
  return null;
}
