// What a set time says of the batches that a daemon could take up: which of them has work by now, and when the next one will.
import type { BatchRecord } from '../../../ledger/records.ts';
import { isTimeToLook } from './await-time.ts';
import { mayBeWithdrawn } from './still-stands.ts';

/** Null when no time is set for the batch, or it has begun: then something else decides. @param hasLeft its file has gone from its folder. */
export function hasTimedWork(batch: BatchRecord, hasLeft: boolean, now: number): boolean | null {
  if (batch.state !== 'accepted' || batch.payAt === undefined || hasLeft) return null;
  return isTimeToLook(batch, now) ? null : false;
}

/** True for a batch that is to be withdrawn, whatever it waits for: as long as it stands, its file is not asked for as it is now. */
export function isToWithdraw(batch: BatchRecord, hasLeft: boolean): boolean {
  return hasLeft && batch.state === 'accepted' && mayBeWithdrawn(batch);
}

/** Milliseconds until the first of them is to be paid. */
export function nextTimeIn(batches: readonly BatchRecord[], now: number): number {
  const times = batches
    .filter(({ state, payAt }) => state === 'accepted' && payAt !== undefined)
    .map(({ payAt }) => Date.parse(payAt?.at ?? '') - now);
  return Math.min(Infinity, ...times.filter((inMs) => inMs > 0));
}
