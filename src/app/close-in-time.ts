// A confirm that is still under way can pay a row that was closed unpaid, and a create can leave a reservation that nobody names. So nothing
// of that kind is closed before the service can no longer take either.
import { isoTime, parseIsoTime } from '../base/clock.ts';
import { FENCE_CONFIRMED_MS } from '../delivery/judge-expiry.ts';
import type { Progress } from '../payouts/progress.ts';
import { isUnseen } from './decide-held.ts';

/** Whether the row may be closed unpaid. `now` is our wall time in ms. */
export function mayClose(progress: Progress, now: number): boolean {
  return !isUnseen(progress) && now > lastMoment(progress);
}

/** When it may be, ISO, in whole minutes; null when waiting does not help, and it has to be looked up. */
export function tryAgainAt(progress: Progress): string | null {
  const last = lastMoment(progress);
  if (isUnseen(progress) || !Number.isFinite(last)) return null;
  return isoTime((Math.floor(last / MINUTE_MS) + 1) * MINUTE_MS);
}

const MINUTE_MS = 60_000;

/** Of a transfer that is known no second one can be created under its id. */
function lastMoment({ transfer, mayBeConfirmed, confirmedAt, mayArriveUntil }: Progress): number {
  const isDoubtful = mayBeConfirmed || confirmedAt !== null;
  const known = transfer !== null && isDoubtful ? transfer.expiredAt : null;
  const end = transfer === null ? mayArriveUntil : known;
  // A time that cannot be read never passes.
  return end === null ? -Infinity : (parseIsoTime(end) ?? Infinity) + FENCE_CONFIRMED_MS;
}
