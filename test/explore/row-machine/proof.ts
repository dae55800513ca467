// The one proof that an attempt is dead, and the one rule for every end. A raise too early pays twice; an end that is told too early makes a person pay again.
import { parseIsoTime } from '../../../src/base/clock.ts';
import type { KnownTransfer } from '../../../src/payouts/progress.ts';
import type { Fence, Now, RowState, ServiceTime } from './row-state.ts';

const MINUTE_MS = 60_000;

/** The `Date` header has whole seconds, so a read exactly at a moment would come a little early. */
const DATE_GRAIN_MS = 1_001;

/** The service's machines differ by a minute at most, and a read is at most a quarter of an hour old. */
export const FENCE: Fence = { own: MINUTE_MS + DATE_GRAIN_MS, other: 16 * MINUTE_MS + DATE_GRAIN_MS };

/**
 * Whether the attempt is dead: its transfer was seen, and this read, beyond the last moment at which anybody could confirm it, shows `created`. An attempt
 * that was never seen is never given up.
 * @param at the read's own time; null where the service told none, which proves nothing.
 */
export function isProvedDead(
  row: RowState,
  transfer: KnownTransfer,
  at: ServiceTime | null,
  now: Now,
): boolean {
  return at !== null && transfer.status === 'created' && at > deadFrom(row, transfer, now);
}

/** A read beyond this moment proves it, whatever the ledger forgot: nobody can confirm it any more. Infinity where the expiry cannot be read. */
export function deadFrom(row: RowState, transfer: KnownTransfer, now: Now): ServiceTime {
  const fence = isVouched(row, now) && !row.isIntended ? now.fence.own : now.fence.other;
  return expiryOf(transfer) + fence;
}

/** This very lease knows the attempt from its beginning. */
export function isVouched({ vouchedBy }: RowState, { lease }: Now): boolean {
  return vouchedBy === lease;
}

/** What a lease vouches for is in no doubt: the service gave it a 2xx after the ledger was lost. */
function doubtEnds(row: RowState, now: Now): ServiceTime {
  return now.doubtSince === null || isVouched(row, now) ? -Infinity : now.doubtSince + now.fence.other;
}

/** Nothing of the row is at the service, and nothing can come: it may end without a look. A reservation of our own that nobody ever meant to confirm pays nothing. */
export function isCertainlyUnpaid(row: RowState, now: Now): boolean {
  const { isIntended, confirmedAt, mayLandUntil, deadAttempts } = row;
  const isUntouched = !isIntended && confirmedAt === null && mayLandUntil === null;
  return isVouched(row, now) && isUntouched && deadAttempts.length === 0;
}

/** After a read that found no transfer of the present attempt: when can none be hidden any more? Null where this read is enough. */
export function unseenUntil(row: RowState, at: ServiceTime | null, now: Now): ServiceTime | null {
  const landed = row.mayLandUntil === null ? -Infinity : row.mayLandUntil + now.fence.other;
  const from = Math.max(landed, doubtEnds(row, now));
  return from === -Infinity || (at !== null && at > from) ? null : from;
}

/**
 * Whether another attempt may follow this one that the ledger does not know. None is given up before its time is over for every machine of the service, and
 * a lease knows what it raised itself.
 * @param at the time of the read that showed how this one ended.
 */
export function mayHaveNext(row: RowState, at: ServiceTime | null, now: Now): boolean {
  if (isVouched(row, now) || row.transfer === null) return false;
  return at === null || at > expiryOf(row.transfer);
}

/** After a read that found no next attempt: when can none be hidden any more? Null where this read is enough. */
export function nextHiddenUntil(row: RowState, at: ServiceTime | null, now: Now): ServiceTime | null {
  const from = doubtEnds(row, now);
  return from === -Infinity || (at !== null && at > from) ? null : from;
}

/** The service's time at which it can no longer be confirmed; Infinity for one that cannot be read, which never passes. */
export function expiryOf({ expiredAt }: { readonly expiredAt: string }): ServiceTime {
  return parseIsoTime(expiredAt) ?? Infinity;
}

/** Until when a create at the present price, or an earlier one, may still land. */
export function landsUntil({ mayLandUntil, price }: RowState): ServiceTime | null {
  if (price === null) return mayLandUntil;
  return Math.max(mayLandUntil ?? -Infinity, expiryOf(price));
}
