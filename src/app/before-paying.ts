// What has to have come before anything of an accepted batch is sent.
import type { ApprovalWork } from './approval/approval-work.ts';
import { awaitApproval } from './approval/await-approval.ts';
import type { BatchResult } from './batch-result.ts';
import { awaitSchedule, withdrawGone } from './schedule/await-schedule.ts';

/** Null when the batch may be paid now; else what is told of it, and it comes back here. */
export async function beforePaying(work: ApprovalWork): Promise<BatchResult | null> {
  const { paydrop, batch } = work;
  const waits =
    // First: what nobody wants any more is not to be approved, and holds up what stands in its place.
    (await withdrawGone(paydrop, batch)) ??
    (await awaitApproval(work)) ??
    (await awaitSchedule(paydrop, batch));
  if (waits !== null) return waits;
  await paydrop.ledger.changeBatch(batch.id, { waitingFor: null, waitingWords: null, stoppedBy: null });
  return null;
}
