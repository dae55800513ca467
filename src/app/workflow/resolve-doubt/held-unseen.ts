// A row of a lost ledger of which nothing is seen: for a while that may be a read that lags. Where more hangs on it than the row's own payment, it
// is held until it can be looked for again, and nobody has to do anything.
import { isoTime } from '../../../base/clock.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { doubtEndsAt } from '../../../payouts/attempt.ts';
import { HOLDS, liftsItself, newHold } from '../../../payouts/hold.ts';
import type { Progress } from '../../../payouts/progress.ts';
import type { Paydrop } from '../../parts.ts';
import { sentence } from '../../../messages/messages.ts';

const SPARE_MS = 60_000;

/** From when on a look at it proves what it shows (ISO, the service's time): a minute later than it has to be, for that time is known to some seconds only. */
export function unseenUntil(rebuiltAt: number): string {
  return isoTime(doubtEndsAt(rebuiltAt) + SPARE_MS);
}

/** That of a rebuilt batch; one that had not been accepted has none of its own. */
export function untilOf(
  { unseenUntil: known }: BatchRecord,
  { serviceClock, clock }: Pick<Paydrop, 'serviceClock' | 'clock'>,
): string {
  return known ?? unseenUntil(serviceClock.latestNow() ?? clock.now());
}

/** @param rebuiltAt the service's time, in ms, since when it is in doubt. */
export function heldUnseen(progress: Progress, rebuiltAt: number): Progress {
  const { en, fr } = HOLDS.in_doubt_unseen.words;
  const until = unseenUntil(rebuiltAt);
  const reason = sentence('heldUnseen.text', { counted: { en, fr }, until });
  // Until it was looked for again.
  return { ...progress, hold: newHold('in_doubt_unseen', rebuiltAt, reason), lookedBy: null, rebuiltAt };
}

/** True for a row that is held until it can be looked for again. */
export function isUnseenRow({ progress }: Pick<RowRecord, 'progress'>): boolean {
  return liftsItself(progress.hold);
}
