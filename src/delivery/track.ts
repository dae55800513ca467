// Follows a transfer that exists: reads it and lets its status decide.
import type { Verdict } from '../payouts/verdict.ts';
import type { Answer } from '../service/payout-service.ts';
import type { Transfer } from '../service/wire.ts';
import { transferExternalId } from './requests.ts';
import type { RunId } from '../payouts/progress.ts';
import { doubtful, judgeTransfer, type Look } from './judge-transfer.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

export async function track(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { transfer } = due.row.progress;
  if (transfer === null) throw new Error('A payout that is followed has a transfer.');
  const { value, serverTime } = await tools.serviceClock.ask(() =>
    tools.service.transfer(transfer.transferId),
  );
  if (value.id !== transfer.transferId || value.externalId.toLowerCase() !== transferExternalId(due)) {
    return doubtful(due.row.progress, null, 'id_collision');
  }
  return judgeShown(due, { value, serverTime }, tools);
}

/** What a transfer that is the row's own says of it, as the service has just shown it. */
export function judgeShown(
  due: DueRow,
  { value, serverTime }: Answer<Transfer>,
  tools: DeliveryTools,
): Verdict {
  return judgeTransfer(due.row.progress, value, lookOf(due.run, tools, serverTime));
}

/** A read that has just been answered. */
export function lookOf(run: RunId, tools: DeliveryTools, serverTime: number | null): Look {
  return {
    run,
    now: tools.clock.now(),
    serverTime,
    latestNow: tools.serviceClock.latestNow(),
    pollEveryMs: tools.pollEveryMs,
  };
}
