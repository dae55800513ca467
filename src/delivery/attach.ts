// created → confirming: attaches the supporting document. The same bytes may be sent again as long as the transfer is `created`.
import { isAttached } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { intendToConfirm } from './create.ts';
import { mayConfirm } from './time-left.ts';
import { lookAtRow } from './reconcile.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

export async function attach(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { payout, progress } = due.row;
  const { transfer } = progress;
  if (transfer === null) throw new Error('A created payout has a transfer.');
  // Too late to confirm: only the record of the transfer says what becomes of it.
  if (!mayConfirm(transfer, tools.serviceClock.latestNow())) return lookAtRow(due, tools);
  const { document } = payout;
  if (document === null || isAttached(progress)) return intendToConfirm({});
  const bytes = await tools.readDocument(document);
  if (bytes === null) return { kind: 'held', code: 'document_changed', learned: {} };
  await tools.serviceClock.ask(() =>
    tools.service.uploadAttachment(transfer.transferId, { contentType: document.contentType, bytes }),
  );
  const attached = progress.document === 'none' ? 'attached' : 'attached-again';
  return mayConfirm(transfer, tools.serviceClock.latestNow())
    ? intendToConfirm({ document: attached })
    : { kind: 'advanced', stage: 'created', learned: { document: attached } };
}
