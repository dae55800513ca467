// confirming → confirmed: pays. Irreversible, and therefore the only call that needs a durable intent (the stage itself) before it.
import { isoTime } from '../base/clock.ts';
import { isLongOver } from '../payouts/attempt.ts';
import type { KnownTransfer } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { expiryOf } from './time-left.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { lookAtRow } from './reconcile.ts';

export async function confirm(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { transfer } = due.row.progress;
  if (transfer === null) throw new Error('A payout that is being confirmed has a transfer.');
  // What went before the call took so long that nobody expects a confirm any more: only the record of the transfer says what becomes of it.
  if (isTooLate(transfer, tools.serviceClock.latestNow())) return lookAtRow(due, tools);
  await tools.serviceClock.ask(() => tools.service.confirmTransfer(transfer.transferId));
  return {
    kind: 'advanced',
    stage: 'confirmed',
    learned: {
      lookedBy: due.run,
      confirmedAt: isoTime(tools.clock.now()),
      // What a confirmed transfer is, by the interface; the next read replaces it.
      transfer: { ...transfer, status: 'submitted', statusCode: '10001' },
    },
  };
}

function isTooLate(transfer: KnownTransfer, latestNow: number | null): boolean {
  const expiry = expiryOf(transfer);
  return latestNow !== null && expiry !== null && isLongOver(expiry, latestNow);
}
