// The heart of exactly-once: when a transfer that was created and never ended may be called dead, so that the row may be given a new one.
// Moving to a new externalId too early is the one way to pay twice, so every doubt here ends in waiting or in a person's hands.
import { isoTime } from '../base/clock.ts';
import {
  mayHaveBeenConfirmed,
  type DeadAttempt,
  type KnownTransfer,
  type Progress,
} from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { expiryOf } from './time-left.ts';

/** Beyond the expiry by this much, by the service's own time, when no confirm can have been sent: covers clocks that differ between its machines. */
export const FENCE_UNCONFIRMED_MS = 60_000;

/** The same when a confirm may have been sent, or another run had the row: must exceed any time for which a read may be stale. */
export const FENCE_CONFIRMED_MS = 15 * 60_000;

/** Two reads beyond the fence must be this far apart, so that one stale copy cannot give both. */
export const SECOND_READ_MS = 60_000;

/** A row that expired this often has a cause that another attempt does not cure; each one leaves a reservation behind. */
const ATTEMPTS_MOST = 5;

/**
 * What a read that says `created` means for a transfer whose time is over.
 * @param serverTime the `Date` of that very read, in ms; null when it had none, which proves nothing.
 */
export function judgeExpiry(progress: Progress, transfer: KnownTransfer, serverTime: number | null): Verdict {
  const expiredAt = expiryOf(transfer);
  if (expiredAt === null) return { kind: 'held', code: 'confirm_uncertain', learned: { transfer } };
  if (serverTime === null)
    return { kind: 'waiting', lookAgainMs: SECOND_READ_MS, learned: { transfer, unsure: true } };
  if (mayHaveBeenConfirmed(progress)) return judgeMaybeConfirmed(progress, transfer, expiredAt, serverTime);
  return progress.inherited
    ? readTwice(progress, transfer, expiredAt, { serverTime, proof: 'expired-unconfirmed' })
    : judgeUnconfirmed(progress, transfer, expiredAt, serverTime);
}

function judgeUnconfirmed(
  progress: Progress,
  transfer: KnownTransfer,
  expiredAt: number,
  serverTime: number,
): Verdict {
  const fence = expiredAt + FENCE_UNCONFIRMED_MS;
  return serverTime > fence
    ? dead(progress, transfer, 'expired-unconfirmed', serverTime)
    : lookAfter(fence - serverTime, transfer);
}

function judgeMaybeConfirmed(
  progress: Progress,
  transfer: KnownTransfer,
  expiredAt: number,
  serverTime: number,
): Verdict {
  const fence = expiredAt + FENCE_CONFIRMED_MS;
  if (progress.confirmLateAt === null) {
    // The write path has to say that it is too late. Asking is confirming the same transfer, which can only ever pay it once;
    // long after the expiry nobody expects a confirm any more, so then a person asks instead.
    return serverTime > fence
      ? { kind: 'held', code: 'confirm_uncertain', learned: { transfer } }
      : {
          kind: 'advanced',
          stage: 'confirming',
          learned: { transfer, unsure: false },
          ...pauseAfterDemand(progress),
        };
  }
  return readTwice(progress, transfer, expiredAt, { serverTime, proof: 'expired-confirm-refused' });
}

/** Nothing is attached to what is too late. A machine of the service whose clock is behind misses the document instead, until its time has come. */
function pauseAfterDemand({ uploads, isAttached }: Progress): { readonly afterMs?: number } {
  return uploads > 0 && !isAttached ? { afterMs: FENCE_UNCONFIRMED_MS } : {};
}

/** Two reads beyond the longer fence: what a record of this run cannot vouch for, only time can. */
function readTwice(
  progress: Progress,
  transfer: KnownTransfer,
  expiredAt: number,
  { serverTime, proof }: { readonly serverTime: number; readonly proof: DeadAttempt['proof'] },
): Verdict {
  const fence = expiredAt + FENCE_CONFIRMED_MS;
  if (serverTime <= fence) return lookAfter(fence - serverTime, transfer);
  if (progress.stillCreatedAt === null) {
    return {
      ...lookAfter(SECOND_READ_MS, transfer),
      learned: { transfer, unsure: true, stillCreatedAt: serverTime },
    };
  }
  const apart = serverTime - progress.stillCreatedAt;
  return apart >= SECOND_READ_MS
    ? dead(progress, transfer, proof, serverTime)
    : lookAfter(SECOND_READ_MS - apart, transfer);
}

/** The `Date` header has whole seconds, so a look exactly at the fence would come a moment early. */
const DATE_GRAIN_MS = 1_001;

/** The wait after which a read is certain to be beyond a fence that is so far away. */
export function afterFence(ms: number): number {
  return ms + DATE_GRAIN_MS;
}

function lookAfter(ms: number, transfer: KnownTransfer): Verdict & { kind: 'waiting' } {
  return { kind: 'waiting', lookAgainMs: afterFence(ms), learned: { transfer, unsure: true } };
}

function dead(
  progress: Progress,
  transfer: KnownTransfer,
  proof: DeadAttempt['proof'],
  serverTime: number,
): Verdict {
  if (progress.transferAttempt >= ATTEMPTS_MOST)
    return { kind: 'held', code: 'too_many_attempts', learned: { transfer } };
  return nextAttempt(progress, {
    attempt: progress.transferAttempt,
    transfer,
    proof,
    provedAt: isoTime(serverTime),
  });
}

/** The row goes on under the next externalId, which it has to look for first. */
export function nextAttempt(progress: Progress, dead: DeadAttempt): Verdict {
  return {
    kind: 'advanced',
    stage: 'ready',
    learned: {
      transferAttempt: progress.transferAttempt + 1,
      quotationAttempt: progress.quotationAttempt + 1,
      deadAttempts: [...progress.deadAttempts, dead],
      price: null,
      transfer: null,
      // One that exists already was made by somebody who may have confirmed it.
      mayBeConfirmed: dead.proof === 'later-attempt-exists',
      mayArriveUntil: null,
      // A ledger that did not know how this attempt ended may not know of the next one either.
      inherited: progress.inherited || progress.rebuiltAt !== null,
      // A ledger that is older than reality may not know that the next attempt exists already.
      unsure: true,
      confirmLateAt: null,
      stillCreatedAt: null,
      uploads: 0,
      isAttached: false,
    },
  };
}
