// An accepted batch waits here until it is approved, or nobody has to be asked. Whether it still costs what was approved is asked when it is sent.
import type { BatchResult } from '../batch-result.ts';
import { batchOf } from '../close/finish-batch.ts';
import { tellWaiting } from '../send/pay-batch.ts';
import { unfinished } from '../unfinished-batch.ts';
import type { ApprovalWork } from './approval-work.ts';
import { settleApproval } from './settle-approval.ts';

/** Null when the batch may go on. */
export async function awaitApproval(work: ApprovalWork): Promise<BatchResult | null> {
  const { paydrop, batch } = work;
  if (await wasSentBefore(work)) return null;
  const end = await settleApproval(work);
  if (end === null) return null;
  await tellWaiting(paydrop, batch, end);
  const result = await unfinished(paydrop, batch);
  const { approval } = await batchOf(paydrop, batch.id);
  const answers = approval?.kind === 'asked' ? [approval.preview] : [];
  return { ...result, summary: { ...result.summary, answers } };
}

/** After a lost ledger: what was sent is followed at once, and the rest is asked for where it would be sent. */
async function wasSentBefore({ paydrop, batch }: ApprovalWork): Promise<boolean> {
  if ((await batchOf(paydrop, batch.id)).approval !== undefined) return false;
  const counts = await paydrop.ledger.stageCounts(batch.id);
  return (['confirmed', 'paid', 'failed'] as const).some((stage) => counts.has(stage));
}
