// The one proof that an attempt is dead, and the one rule for every end: silence, or `created`, proves nothing before a certain moment. A raise too early pays
// twice; an end that is told too early makes a person pay again. `npm run trial -- explore` walks every schedule of a row on these very functions.
import { parseIsoTime } from '../base/clock.ts';
import {
  type KnownTransfer,
  mayHaveBeenConfirmed,
  type Progress,
  type QuotedPrice,
  type Tenure,
} from './progress.ts';

/** The service's own time, in ms since 1970. */
export type ServiceTime = number;

/** Beyond `expiredAt` by this much a read proves that a transfer can pay no more. */
export type Fence = {
  /** Where this tenure made it and no confirm was ever intended: the clocks of the service's machines differ by so much. */
  readonly own: number;
  /** Else: by so much and by the age of a read. */
  readonly other: number;
};

/** What is known of a row's present attempt. */
export type Evidence = {
  /** The tenure that has known it from its beginning; null where nobody vouches for it. */
  readonly vouchedBy: Tenure | null;
  readonly transfer: Pick<KnownTransfer, 'status' | 'statusCode' | 'expiredAt'> | null;
  /** A create without an answer may land until then. */
  readonly mayLandUntil: ServiceTime | null;
  /** A confirm may have been sent. */
  readonly isIntended: boolean;
};

/** Who asks, and since when a lost or older ledger may not know what was sent. */
export type Proving = {
  readonly lease: Tenure;
  readonly doubtSince: ServiceTime | null;
  readonly fence: Fence;
};

/** Reversed after payout. */
const REVERSED = '100001';

const MINUTE_MS = 60_000;

/** The `Date` header has whole seconds, so a read exactly at a moment would come a little early. */
const DATE_GRAIN_MS = 1_001;

/** The service's machines differ by a minute at most, and a read is at most a quarter of an hour old. */
export const FENCE: Fence = { own: MINUTE_MS + DATE_GRAIN_MS, other: 16 * MINUTE_MS + DATE_GRAIN_MS };

export function proving(lease: Tenure, doubtSince: ServiceTime | null): Proving {
  return { lease, doubtSince, fence: FENCE };
}

/** What a record says of the attempt that its row stands at. */
export function evidenceOf(progress: Progress): Evidence {
  const { begunBy, transfer, mayArriveUntil, confirmedAt } = progress;
  return {
    vouchedBy: begunBy,
    transfer,
    mayLandUntil: mayArriveUntil === null ? null : (parseIsoTime(mayArriveUntil) ?? Infinity),
    isIntended: mayHaveBeenConfirmed(progress) || confirmedAt !== null,
  };
}

/**
 * Whether the attempt is dead: its transfer was seen, and this read, beyond the last moment at which anybody could confirm it, shows `created`. An attempt
 * that was never seen is never given up.
 * @param at the read's own time; null where the service told none, which proves nothing.
 */
export function isProvedDead(
  attempt: Evidence,
  transfer: Pick<KnownTransfer, 'status' | 'expiredAt'>,
  at: ServiceTime | null,
  by: Proving,
): boolean {
  return at !== null && transfer.status === 'created' && at > deadFrom(attempt, transfer, by);
}

/**
 * A read beyond this moment proves it, whatever the ledger forgot: nobody can confirm it any more. Of two expiries the later one counts, so that no read
 * brings the proof nearer. Infinity where the expiry cannot be read.
 */
export function deadFrom(
  attempt: Evidence,
  transfer: Pick<KnownTransfer, 'expiredAt'>,
  by: Proving,
): ServiceTime {
  const fence = isVouched(attempt, by) && !attempt.isIntended ? by.fence.own : by.fence.other;
  const known = attempt.transfer === null ? -Infinity : expiryOf(attempt.transfer);
  return Math.max(known, expiryOf(transfer)) + fence;
}

/** How long until a read can tell, in ms, from the service's own time of the last one; where it told none, as long as makes sense to wait for one that does. */
export function untilReadMs(from: ServiceTime, at: ServiceTime | null): number {
  return at === null ? MINUTE_MS : Math.max(0, from - at) + 1;
}

/** Of two expiries of a transfer the later one is kept. */
export function withLaterExpiry(
  { transfer }: { readonly transfer: KnownTransfer | null },
  shown: KnownTransfer,
): KnownTransfer {
  const isEarlier = transfer !== null && expiryOf(transfer) > expiryOf(shown);
  return isEarlier ? { ...shown, expiredAt: transfer.expiredAt } : shown;
}

/** This very tenure knows the attempt from its beginning. */
export function isVouched(
  { vouchedBy }: Pick<Evidence, 'vouchedBy'>,
  { lease }: Pick<Proving, 'lease'>,
): boolean {
  return vouchedBy === lease;
}

/** What a tenure vouches for is in no doubt: the service gave it a 2xx after the ledger was lost. */
function doubtEnds(attempt: Evidence, by: Proving): ServiceTime {
  return by.doubtSince === null || isVouched(attempt, by) ? -Infinity : by.doubtSince + by.fence.other;
}

/** From this moment on, by the service's time, no read can hide what was done before the ledger was lost. */
export function doubtEndsAt(doubtSince: ServiceTime): ServiceTime {
  return doubtSince + FENCE.other;
}

/** Nothing of the row is at the service, and nothing can come: it may end without a look. A reservation of our own that nobody ever meant to confirm pays nothing. */
export function isCertainlyUnpaid(
  row: Evidence & { readonly confirmedAt: unknown; readonly deadAttempts: readonly unknown[] },
  by: Proving,
): boolean {
  const isUntouched = !row.isIntended && row.confirmedAt === null && row.mayLandUntil === null;
  return isVouched(row, by) && isUntouched && row.deadAttempts.length === 0;
}

/** After a read that found no transfer of the present attempt: when can none be hidden any more? Null where this read is enough. */
export function unseenUntil(attempt: Evidence, at: ServiceTime | null, by: Proving): ServiceTime | null {
  const landed = attempt.mayLandUntil === null ? -Infinity : attempt.mayLandUntil + by.fence.other;
  const from = Math.max(landed, doubtEnds(attempt, by));
  return from === -Infinity || (at !== null && at > from) ? null : from;
}

/**
 * Whether another attempt may follow this one that the ledger does not know. None is given up before its time is over for every machine of the service, nor
 * once it was paid; and a tenure knows what it raised itself.
 * @param at the time of the read that showed how this one ended.
 */
export function mayHaveNext(
  attempt: Pick<Evidence, 'vouchedBy' | 'transfer'> & { readonly confirmedAt: number | null },
  at: ServiceTime | null,
  by: Pick<Proving, 'lease'>,
): boolean {
  if (isVouched(attempt, by) || attempt.transfer === null) return false;
  // One that was taken was never given up; 0 says that nobody here knows of its confirm.
  if (attempt.confirmedAt !== null && attempt.confirmedAt > 0) return false;
  if (attempt.transfer.statusCode === REVERSED) return false;
  return at === null || at > expiryOf(attempt.transfer);
}

/** After a read that found no next attempt: when can none be hidden any more? Null where this read is enough. */
export function nextHiddenUntil(attempt: Evidence, at: ServiceTime | null, by: Proving): ServiceTime | null {
  const from = doubtEnds(attempt, by);
  return from === -Infinity || (at !== null && at > from) ? null : from;
}

/** From when on a read of `created`, or none, proves that nothing of the attempt can pay, whoever asks; -Infinity where nothing of it was ever sent. */
export function deadForAnyone(progress: Progress): ServiceTime {
  const { transfer, mayLandUntil } = evidenceOf(progress);
  const end = transfer === null ? (mayLandUntil ?? -Infinity) : expiryOf(transfer);
  return end + FENCE.other;
}

/** The service's time at which it can no longer be confirmed; Infinity for one that cannot be read, which never passes. */
export function expiryOf({ expiredAt }: { readonly expiredAt: string }): ServiceTime {
  return parseIsoTime(expiredAt) ?? Infinity;
}

/** Until when a create at the present price, or an earlier one, may still land. */
export function landsUntil({
  mayLandUntil,
  price,
}: Pick<Evidence, 'mayLandUntil'> & { readonly price: QuotedPrice | null }): ServiceTime | null {
  return price === null ? mayLandUntil : Math.max(mayLandUntil ?? -Infinity, expiryOf(price));
}
