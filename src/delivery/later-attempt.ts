// An attempt that had run out may be shown as failed later, by staff who cancel it or by the service itself. Whoever lost the ledger, or holds an
// older copy, must not tell that failure as the end of the row, nor leave it to a person as uncertain: the row may have been given another attempt,
// and have been paid by it.
import type { KnownTransfer } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { externalId } from '../payouts/external-id.ts';
import {
  afterFence,
  FENCE_CONFIRMED_MS,
  FENCE_UNCONFIRMED_MS,
  nextAttempt,
  SECOND_READ_MS,
} from './judge-expiry.ts';
import { doubtful } from './judge-transfer.ts';
import { findAttempt } from './probe-attempts.ts';
import { isInherited } from './taken-over.ts';
import { expiryOf } from './time-left.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** A failure that the service has taken back is read this often, a minute apart, before a person is asked. */
const CONTRADICTIONS_MOST = 3;

/** The verdict, unless the row's attempt has failed, or ended in doubt, and the next one exists or may be hidden from reads. */
export async function unlessLaterAttempt(
  verdict: Verdict,
  due: DueRow,
  tools: DeliveryTools,
): Promise<Verdict> {
  const { progress } = due.row;
  const failed = failedIn(verdict) ?? (isBehind(verdict) ? failedBefore(due) : null);
  const transfer = failed ?? uncertainIn(verdict);
  if (transfer === null || !mayHaveBeenGivenUp(due, transfer, tools)) return verdict;
  const laterId = externalId(due.fileId, due.row.row, 'transfer', progress.transferAttempt + 1);
  const later = await findAttempt(laterId, tools);
  // An answer about something else proves no attempt, and must not lead to one.
  if (later !== null && later.externalId.toLowerCase() !== laterId)
    return doubtful(progress, null, 'id_collision');
  const isReleased = progress.stage === 'confirmed';
  // Of what a person let go on as confirmed the next look at held rows finds the later one: no step leads back from there.
  if (later !== null && isReleased) return { kind: 'held', code: 'confirm_uncertain', learned: { transfer } };
  if (later !== null) {
    return nextAttempt(progress, {
      attempt: progress.transferAttempt,
      transfer,
      proof: 'later-attempt-exists',
      provedAt: later.createdAt,
    });
  }
  const { leftMs, rebuiltAt } = hidden(due, tools);
  const isTakenBack = failed !== null && failedIn(verdict) === null;
  if (leftMs <= 0 && !isTakenBack) return verdict;
  if (isReleased) return { kind: 'waiting', lookAgainMs: afterFence(leftMs), learned: { rebuiltAt } };
  if (leftMs <= 0 && progress.doubts >= CONTRADICTIONS_MOST)
    return { kind: 'held', code: 'status_went_back', learned: { unsure: true } };
  // Remembered as failed, it is not confirmed again by the word of a read that lags.
  return {
    kind: 'advanced',
    stage: 'created',
    learned: {
      ...uncertain(failed),
      transfer,
      unsure: true,
      rebuiltAt,
      doubts: leftMs > 0 ? 0 : progress.doubts + 1,
    },
    afterMs: afterFence(leftMs > 0 ? leftMs : SECOND_READ_MS),
  };
}

/** What did not fail may have been confirmed, and stays so beyond the stage that says it. */
function uncertain(failed: KnownTransfer | null): { readonly mayBeConfirmed?: true } {
  return failed === null ? { mayBeConfirmed: true } : {};
}

function failedIn(verdict: Verdict): KnownTransfer | null {
  return verdict.kind === 'refused' && verdict.stage === 'failed' ? (verdict.learned.transfer ?? null) : null;
}

/** It has run out, and whether it was confirmed before nobody can say. */
function uncertainIn(verdict: Verdict): KnownTransfer | null {
  return verdict.kind === 'held' && verdict.code === 'confirm_uncertain'
    ? (verdict.learned.transfer ?? null)
    : null;
}

/** An earlier look has seen the failure already, while another attempt might still be hidden. */
function failedBefore({ row }: DueRow): KnownTransfer | null {
  const { stage, transfer } = row.progress;
  return stage === 'created' && transfer?.status === 'failed' ? transfer : null;
}

/** What a read says that shows the transfer as it was before it failed. */
function isBehind(verdict: Verdict): boolean {
  return (
    verdict.kind === 'waiting' ||
    (verdict.kind === 'held' && verdict.code === 'confirm_uncertain') ||
    (verdict.kind === 'advanced' && (verdict.stage === 'created' || verdict.stage === 'confirming'))
  );
}

/** Reversed after payout: it had been confirmed. */
const REVERSED = '100001';

/** Only what was never taken by a confirm is given up, only long after its expiry, and only a record that is not our own may not know of it. */
function mayHaveBeenGivenUp(due: DueRow, transfer: KnownTransfer, { serviceClock }: DeliveryTools): boolean {
  const { stage, rebuiltAt, confirmedAt, finalAt } = due.row.progress;
  if (stage === 'paid' || stage === 'failed' || confirmedAt !== null) return false;
  // What had ended, and was released, was never given up: its end had been told.
  if (stage === 'confirmed' && finalAt !== null) return false;
  if (transfer.statusCode === REVERSED) return false;
  if (rebuiltAt === null && !isInherited(due)) return false;
  const latestNow = serviceClock.latestNow();
  const expiredAt = expiryOf(transfer);
  return latestNow === null || expiredAt === null || latestNow > expiredAt + FENCE_UNCONFIRMED_MS;
}

/** How much longer a read may hide what was created before the ledger was lost; the time of a copy that was put back is that of the first look that asks. */
function hidden(
  { row }: DueRow,
  { serviceClock }: DeliveryTools,
): { readonly leftMs: number; readonly rebuiltAt: number | null } {
  const latestNow = serviceClock.latestNow();
  const rebuiltAt = row.progress.rebuiltAt ?? latestNow;
  if (rebuiltAt === null || latestNow === null) return { leftMs: 0, rebuiltAt };
  return { leftMs: rebuiltAt + FENCE_CONFIRMED_MS - latestNow, rebuiltAt };
}
