// created → confirming → confirmed: the document is attached, then the transfer is confirmed. The same bytes may be sent again as long as it is `created`.
import { isoTime } from '../base/clock.ts';
import { intendToConfirm } from './calls.ts';
import { lookAtRow } from './reconcile.ts';
import { mayConfirm } from './time-left.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { isAttached } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';

export async function attach(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { payout, progress } = due.row;
  const { transfer } = progress;
  if (transfer === null) throw new Error('A created payout has a transfer.');
  // Too late to confirm: only the service's record of the transfer says how it ends.
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

// confirming → confirmed: pays. Irreversible, and therefore the only call that needs a durable intent (the stage itself) before it.

export async function confirm(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { transfer, confirm: sent } = due.row.progress;
  if (transfer === null) throw new Error('A payout that is being confirmed has a transfer.');
  // Too late, by the service's word or by its time: only its record of the transfer says how it ends.
  if (sent === 'refused-late' || !mayConfirm(transfer, tools.serviceClock.latestNow()))
    return lookAtRow(due, tools);
  await tools.serviceClock.ask(() => tools.service.confirmTransfer(transfer.transferId));
  return {
    kind: 'advanced',
    stage: 'confirmed',
    learned: {
      lookedBy: due.run,
      confirmedAt: isoTime(tools.clock.now()),
      // The interface defines a confirmed transfer so; the next read replaces it.
      transfer: { ...transfer, status: 'submitted', statusCode: '10001' },
    },
  };
}
