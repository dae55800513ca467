// An attempt that had run out may be shown as failed later, by staff who cancel it or by the service itself. Whoever lost the ledger, or holds an
// older copy, must not tell that failure as the end of the row, nor leave it to a person as uncertain: the row may have been given another attempt,
// and have been paid by it.
import { attemptOf, isLast, untilLookAgainMs, type Shown } from '../payouts/attempt.ts';
import type { KnownTransfer, Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { externalId } from '../payouts/external-id.ts';
import { nextAttempt } from './judge-expiry.ts';
import { doubtful } from './judge-transfer.ts';
import { lookUpAttempt } from './probe-attempts.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** A failure that the service has taken back is read this often, a minute apart, before a person is asked. */
const CONTRADICTIONS_MOST = 3;

const SECOND_LOOK_MS = 60_000;

const NOT_ASKED: Shown = { transfer: null, at: null };

/** The verdict, unless the row's attempt has failed, or ended in doubt, and the next one exists or may be hidden from reads. */
export async function unlessLaterAttempt(
  verdict: Verdict,
  due: DueRow,
  tools: DeliveryTools,
): Promise<Verdict> {
  const { run } = due;
  const { progress } = due.row;
  const failed = failedIn(verdict) ?? (isBehind(verdict) ? failedBefore(due) : null);
  const transfer = failed ?? uncertainIn(verdict);
  if (transfer === null || isTold(progress)) return verdict;
  const attempt = attemptOf(progress);
  const shown: Shown = { transfer, at: tools.serviceClock.latestNow() };
  const askLast = (laterShown: Shown) => isLast(attempt, shown, laterShown, run, progress.rebuiltAt);
  if (askLast(NOT_ASKED) === 'yes') return verdict;
  const laterId = externalId(due.fileId, due.row.row, 'transfer', progress.transferAttempt + 1);
  const { transfer: later, at } = await lookUpAttempt(laterId, tools);
  // An answer about something else proves no attempt, and must not lead to one.
  if (later !== null && later.externalId.toLowerCase() !== laterId)
    return doubtful(progress, null, 'id_collision');
  const isReleased = progress.stage === 'confirmed';
  // Of what a person let go on as confirmed the next look at held rows finds the later one: no step leads back from there.
  if (later !== null && isReleased) return { kind: 'held', code: 'confirm_uncertain', learned: { transfer } };
  if (later !== null) {
    const { transferAttempt: attempt } = progress;
    const proof = 'later-attempt-exists';
    return nextAttempt(progress, { attempt, transfer, proof, provedAt: later.createdAt }, run);
  }
  const last = askLast({ transfer: null, at });
  // Of a ledger that nobody had doubted the doubt begins with the first look that asks.
  const rebuiltAt = progress.rebuiltAt ?? at;
  const isTakenBack = failed !== null && failedIn(verdict) === null;
  if (last === 'yes' && !isTakenBack) return verdict;
  const waitMs = typeof last === 'string' ? SECOND_LOOK_MS : untilLookAgainMs(last, at);
  if (isReleased) return { kind: 'waiting', lookAgainMs: waitMs, learned: { rebuiltAt } };
  if (last === 'yes' && progress.doubts >= CONTRADICTIONS_MOST)
    return { kind: 'held', code: 'status_went_back', learned: { lookedBy: null } };
  // Remembered as failed, it is not confirmed again by the word of a read that lags.
  return {
    kind: 'advanced',
    stage: 'created',
    learned: {
      ...uncertain(failed),
      transfer,
      lookedBy: null,
      rebuiltAt,
      doubts: last === 'yes' ? progress.doubts + 1 : 0,
    },
    afterMs: waitMs,
  };
}

/** What did not fail may have been confirmed, and stays so beyond the stage that says it. */
function uncertain(failed: KnownTransfer | null): { readonly confirm?: 'sent' } {
  return failed === null ? { confirm: 'sent' } : {};
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

/** What had ended, or was confirmed, was never given up: its end had been told. */
function isTold({ stage, confirmedAt, finalAt }: Progress): boolean {
  return (
    stage === 'paid' ||
    stage === 'failed' ||
    confirmedAt !== null ||
    (stage === 'confirmed' && finalAt !== null)
  );
}
