// A confirm that is still under way can pay a row that was cancelled, and a create can leave a reservation that nobody names. So nothing
// of that kind is closed before the service can no longer take either, and has shown that it took none.
import { isoTime } from '../../../base/clock.ts';
import type { RowRecord } from '../../../ledger/records.ts';
import { provableByAnyone } from '../../../payouts/attempt.ts';
import { isBeyondLooking } from '../../../payouts/hold.ts';
import type { Progress } from '../../../payouts/progress.ts';
import { isUnseen } from './decide-held.ts';

/** Whether a row that the look found quiet may be cancelled. */
export function mayClose({ row, progress }: RowRecord, { at, timeless }: LookedWhen): boolean {
  const { transfer, silentAt } = progress;
  const isPast = at > lastMoment(progress);
  if (transfer === null) return !isUnseen(progress) && isPast;
  if (!isDoubtful(progress)) return true;
  // By the service's own time: a look beyond the fence still said `created`.
  return silentAt !== null || (isPast && (isBeyondLooking(progress.hold) || timeless.has(row)));
}

export type LookedWhen = {
  /** The earliest that it can have been at the service at the first of the looks, in ms. */
  readonly at: number;
  /** Row identities that were shown as `created` by a service that has never told a time: `at` is by our own clock. */
  readonly timeless: ReadonlySet<string>;
};

/** When it may be, ISO, in whole minutes; null when waiting does not help, and it has to be looked up. */
export function tryAgainAt(progress: Progress): string | null {
  const last = lastMoment(progress);
  if ((progress.transfer === null && isUnseen(progress)) || !Number.isFinite(last)) return null;
  return isoTime((Math.floor(last / MINUTE_MS) + 1) * MINUTE_MS);
}

const MINUTE_MS = 60_000;

/** Whether only time can tell that nothing comes of it any more. */
export function isFenced(progress: Progress): boolean {
  return lastMoment(progress) > -Infinity;
}

/** What another run did with it, or a copy of our own confirm, may still turn out to have paid it. */
function isDoubtful({ confirm, begunBy, confirmedAt }: Progress): boolean {
  return confirm !== 'none' || begunBy === null || confirmedAt !== null;
}

/** Before a person takes the word of the service for it, nobody vouches for it. */
function lastMoment(progress: Progress): number {
  return provableByAnyone(progress, progress.rebuiltAt);
}
