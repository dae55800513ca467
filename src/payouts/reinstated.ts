// A transfer that was given up but that the service pays after all is the payment of its row: nothing else of the row may be sent, closed or
// told as unpaid. When a person decides so, the row goes back to it and is followed to its end.
import { isoTime } from '../base/clock.ts';
import { attemptNumberOf, type DeadAttempt, hasGoneOn, type Progress } from './progress.ts';

/** The given-up attempt that the service has last shown as on its way or paid; null where none is. */
export function liveAttempt({ deadAttempts }: Pick<Progress, 'deadAttempts'>): DeadAttempt | null {
  return deadAttempts.find(({ transfer }) => hasGoneOn(transfer)) ?? null;
}

/** True when no transfer of the present attempt can pay any more, as far as can be told, so that the row may go back to the one that does. */
export function mayAdopt({ transfer, confirm, silentAt }: Progress): boolean {
  if (transfer === null) return confirm === 'none';
  return transfer.status === 'failed' || (transfer.status === 'created' && silentAt !== null);
}

/** The row with the transfer that pays it. The transfer that had taken its place is watched from now on, like every other that was given up. */
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
    // Confirmed by those who brought it back; the service does not say when.
    confirmedAt: isoTime(now),
    finalAt: null,
    doubts: 0,
  };
}

/** One that failed has ended by the service's own word, and needs no watching. */
function givenUp(progress: Progress): readonly DeadAttempt[] {
  const { transfer, silentAt } = progress;
  if (transfer?.status !== 'created' || silentAt === null) return [];
  return [{ attempt: attemptNumberOf(progress), transfer, proof: 'expired-unconfirmed' }];
}
