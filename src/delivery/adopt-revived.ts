// A transfer that was given up, and that the service is paying after all, is the payment of its row: nothing else of the row may be sent, closed or
// told as unpaid beside it. By the word of a person the row goes back to it, and is followed to its end.
import { isoTime } from '../base/clock.ts';
import { attemptNumberOf, type DeadAttempt, type Progress } from '../payouts/progress.ts';

const LIVE: ReadonlySet<string> = new Set(['submitted', 'paid']);

/** The given-up attempt that the service has last shown as on its way or paid; null where none is. */
export function liveAttempt({ deadAttempts }: Progress): DeadAttempt | null {
  return deadAttempts.find(({ transfer }) => LIVE.has(transfer.status)) ?? null;
}

/** True when no transfer of the present attempt can pay any more, as far as can be told, so that the row may go back to the one that does. */
export function mayAdopt({ transfer, confirm, silentAt }: Progress): boolean {
  if (transfer === null) return confirm === 'none';
  return transfer.status === 'failed' || (transfer.status === 'created' && silentAt !== null);
}

/** The row as it stands with the transfer that pays it. What had taken its place is looked at from now on as every other that was given up. */
export function adoptRevived(progress: Progress, live: DeadAttempt, now: number): Progress {
  const others = progress.deadAttempts.filter(({ attempt }) => attempt !== live.attempt);
  return {
    ...progress,
    stage: 'confirmed',
    transfer: live.transfer,
    deadAttempts: [...others, ...givenUp(progress)],
    price: null,
    confirm: 'sent',
    mayArriveUntil: null,
    begunBy: null,
    lookedBy: null,
    silentAt: null,
    hold: null,
    why: null,
    // Confirmed by whoever brought it back: since when is not told.
    confirmedAt: isoTime(now),
    finalAt: null,
    doubts: 0,
  };
}

/** One that failed has ended by the service's own word, and needs no watching. */
function givenUp(progress: Progress): readonly DeadAttempt[] {
  const { transfer, silentAt } = progress;
  if (transfer === null || silentAt === null) return [];
  const provedAt = isoTime(silentAt);
  return [{ attempt: attemptNumberOf(progress), transfer, proof: 'expired-unconfirmed', provedAt }];
}
