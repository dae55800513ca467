// The one place where a row may get a second transfer, or goes back to an earlier one. A transfer that is shown as created when its time is over is dead, and the row
// goes on to the next attempt; or the row waits until a look can tell.
import { isoTime } from '../base/clock.ts';
import {
  attemptNumberOf,
  type DeadAttempt,
  type KnownTransfer,
  type Progress,
  type Tenure,
} from '../payouts/progress.ts';
import { deadFrom, evidenceOf, isProvedDead, proving, untilReadMs } from '../payouts/proof.ts';
import { keptComparison } from '../payouts/moved-price.ts';
import type { Verdict } from '../payouts/verdict.ts';

/** A row that expired this often has a cause that another attempt does not cure; each one leaves a reservation behind. */
const ATTEMPTS_MOST = 5;

/** The run that looked, since when the row is in doubt, and the `Date` of that very look, in ms; null when it had none, which proves nothing. */
export type LookedAt = {
  readonly run: Tenure;
  readonly doubtSince: number | null;
  readonly serverTime: number | null;
};

/** The meaning of a read that says `created` for a transfer whose time is over, or whose confirm was refused as too late. */
export function judgeExpiry(progress: Progress, transfer: KnownTransfer, looked: LookedAt): Verdict {
  const { run, doubtSince, serverTime } = looked;
  const [attempt, by] = [evidenceOf(progress), proving(run, doubtSince)];
  if (isProvedDead(attempt, transfer, serverTime, by)) return dead(progress, transfer, looked);
  const from = deadFrom(attempt, transfer, by);
  // A time that cannot be read never passes.
  if (from === Infinity) return { kind: 'held', code: 'confirm_uncertain', learned: { transfer } };
  const lookAgainMs = untilReadMs(from, serverTime);
  return { kind: 'waiting', lookAgainMs, learned: { transfer, lookedBy: null } };
}

function dead(progress: Progress, transfer: KnownTransfer, looked: LookedAt): Verdict {
  if (attemptNumberOf(progress) >= ATTEMPTS_MOST)
    return { kind: 'held', code: 'too_many_attempts', learned: { transfer } };
  const proof = progress.confirm === 'refused-late' ? 'expired-confirm-refused' : 'expired-unconfirmed';
  return nextAttempt(progress, { transfer, proof }, looked);
}

/**
 * The row goes on under the next externalId, which it has to look for first: the one place that decides on another attempt, once this one can pay no more
 * or the next one was shown, which exists only because this one was proved dead. A rebuild only counts those that the service already has. Whether it was
 * the last is not waited for: reads may hide the next one, its create cannot. The service answers that create with 2xx, and there was none, or with 10011,
 * and it is adopted as one that may be confirmed. Waiting would add a quarter of an hour to each resume that finds expired rows, and prove nothing that
 * the create does not. A run vouches for the next attempt only where this one was its own; nothing is concluded about any other before a look can tell.
 */
export function nextAttempt(
  progress: Progress,
  proved: Pick<DeadAttempt, 'transfer' | 'proof'>,
  { run, doubtSince }: Pick<LookedAt, 'run' | 'doubtSince'>,
): Verdict {
  const dead = { attempt: attemptNumberOf(progress), ...proved };
  return {
    kind: 'advanced',
    stage: 'ready',
    learned: {
      quotationAttempt: progress.quotationAttempt + 1,
      deadAttempts: [...progress.deadAttempts, dead],
      price: null,
      comparison: keptComparison(progress),
      transfer: null,
      // One that exists already was made by somebody who may have confirmed it.
      confirm: dead.proof === 'later-attempt-exists' ? 'sent' : 'none',
      // A ledger that did not know how this attempt ended may not know of the next one either.
      mayArriveUntil: doubtSince === null ? null : isoTime(doubtSince),
      begunBy: progress.begunBy === run && doubtSince === null ? run : null,
      // A ledger that is older than reality may not know that the next attempt exists already.
      lookedBy: null,
      silentAt: null,
      document: 'none',
    },
  };
}

// A transfer that was given up but that the service pays after all is the payment of its row: nothing else of the row may be sent, closed or
// told as unpaid. When a person decides so, the row goes back to it and is followed to its end.

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
