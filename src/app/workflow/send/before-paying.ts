// What has to have come before anything of an accepted batch is sent.
import type { ApprovalWork } from '../approval/approval-work.ts';
import { awaitApproval } from '../approval/await-approval.ts';
import type { BatchResult } from '../batch-result.ts';
import { awaitSchedule } from '../schedule/await-schedule.ts';
import { withdrawGone } from '../schedule/withdraw-gone.ts';

/** Null when the batch may be paid now; else what is told of it, and it comes back here. */
export async function beforePaying(work: ApprovalWork): Promise<BatchResult | null> {
  const waits = await waitsFor(work);
  if (waits !== null) return waits;
  const { paydrop, batch } = work;
  await paydrop.ledger.changeBatch(batch.id, { waitingFor: null, waitingWords: null, stoppedBy: null });
  return null;
}

async function waitsFor(work: ApprovalWork): Promise<BatchResult | null> {
  const { paydrop, batch } = work;
  // First: what nobody wants any more is not to be approved, and holds up what stands in its place.
  const standing = await withdrawGone(paydrop, batch);
  if (standing !== null && typeof standing === 'object') return standing;
  const unapproved = await awaitApproval(work);
  // What has begun was begun at its time.
  return unapproved ?? (standing === 'begun' ? null : awaitSchedule(paydrop, batch));
}
