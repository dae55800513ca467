// documented → confirmed: pays. Irreversible, and therefore the only call that needs a durable intent (the stage itself) before it.
import { isoTime } from '../base/clock.ts';
import type { Verdict } from '../payouts/verdict.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

export async function confirm(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { transfer } = due.row.progress;
  if (transfer === null) throw new Error('A documented payout has a transfer.');
  await tools.serviceClock.ask(() => tools.service.confirmTransfer(transfer.transferId));
  return {
    kind: 'advanced',
    stage: 'confirmed',
    learned: {
      unsure: false,
      confirmedAt: isoTime(tools.clock.now()),
      // What a confirmed transfer is, by the interface; the next read replaces it.
      transfer: { ...transfer, status: 'submitted', statusCode: '10001' },
    },
  };
}
