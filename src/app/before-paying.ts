// What has to have come before anything of an accepted batch is sent.
import type { ApprovalWork } from './approval/approval-work.ts';
import { awaitApproval } from './approval/await-approval.ts';
import type { BatchResult } from './batch-result.ts';

/** Null when the batch may be paid now; else what is told of it, and it comes back here. */
export async function beforePaying(work: ApprovalWork): Promise<BatchResult | null> {
  const approval = await awaitApproval(work);
  if (approval !== null) return approval;
  await work.paydrop.ledger.changeBatch(work.batch.id, { waitingFor: null, waitingWords: null });
  return null;
}
