// Follows a transfer that exists: reads it and lets its status decide.
import type { Verdict } from '../payouts/verdict.ts';
import type { Answer } from '../service/payout-service.ts';
import type { Transfer } from '../service/wire.ts';
import { transferExternalId } from './requests.ts';
import { doubtful, judgeTransfer, type ReadTimes } from './judge-transfer.ts';
import { takenOver } from './taken-over.ts';
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
  const taken = takenOver(due);
  const verdict = judgeTransfer({ ...due.row.progress, ...taken }, value, readTimes(tools, serverTime));
  return 'learned' in verdict ? { ...verdict, learned: { ...taken, ...verdict.learned } } : verdict;
}

/** The times that belong to a read that has just been answered. */
export function readTimes(tools: DeliveryTools, serverTime: number | null): ReadTimes {
  return {
    now: tools.clock.now(),
    serverTime,
    latestNow: tools.serviceClock.latestNow(),
    pollEveryMs: tools.pollEveryMs,
  };
}
