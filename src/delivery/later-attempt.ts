// An attempt that had run out may be shown as failed later, by staff who cancel it or by the service itself. Whoever lost the ledger, or holds an
// older copy, must not tell that failure as the end of the row: the row may have been given another attempt, and have been paid by it.
import type { KnownTransfer } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { externalId } from '../payouts/external-id.ts';
import { afterFence, FENCE_CONFIRMED_MS, FENCE_UNCONFIRMED_MS, nextAttempt } from './judge-expiry.ts';
import { findAttempt } from './probe-attempts.ts';
import { expiryOf } from './time-left.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { isInherited } from './track.ts';

/** The verdict, unless it calls a row failed whose next attempt exists, or may be hidden from reads. */
export async function unlessLaterAttempt(
  verdict: Verdict,
  due: DueRow,
  tools: DeliveryTools,
): Promise<Verdict> {
  const { progress } = due.row;
  const transfer = verdict.kind === 'refused' && verdict.stage === 'failed' ? verdict.learned.transfer : null;
  if (transfer === null || transfer === undefined || !mayHaveBeenGivenUp(due, transfer, tools))
    return verdict;
  const later = await findAttempt(
    externalId(due.fileId, due.row.row, 'transfer', progress.transferAttempt + 1),
    tools,
  );
  const leftMs = hiddenForMs(due, tools);
  if (later !== null) {
    return nextAttempt(progress, {
      attempt: progress.transferAttempt,
      transfer,
      proof: 'later-attempt-exists',
      provedAt: later.createdAt,
    });
  }
  if (leftMs <= 0) return verdict;
  return {
    kind: 'advanced',
    stage: 'created',
    learned: { transfer, unsure: true },
    afterMs: afterFence(leftMs),
  };
}

/** Only what was never seen submitted is given up, only long after its expiry, and only a record that is not our own may not know of it. */
function mayHaveBeenGivenUp(due: DueRow, transfer: KnownTransfer, { serviceClock }: DeliveryTools): boolean {
  const { stage, rebuiltAt } = due.row.progress;
  if (stage === 'confirmed' || stage === 'paid' || stage === 'failed') return false;
  if (rebuiltAt === null && !isInherited(due)) return false;
  const latestNow = serviceClock.latestNow();
  const expiredAt = expiryOf(transfer);
  return latestNow === null || expiredAt === null || latestNow > expiredAt + FENCE_UNCONFIRMED_MS;
}

/** How much longer a read may hide what was created before the ledger was lost. */
function hiddenForMs({ row }: DueRow, { serviceClock }: DeliveryTools): number {
  const { rebuiltAt } = row.progress;
  const latestNow = serviceClock.latestNow();
  if (rebuiltAt === null || latestNow === null) return 0;
  return rebuiltAt + FENCE_CONFIRMED_MS - latestNow;
}
