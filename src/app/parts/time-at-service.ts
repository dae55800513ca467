// What time it is at the service, for whatever may only be done once something there has certainly passed. Our own wall clock may be wrong by an
// hour, and is believed only where the service tells no time at all.
import { isFault } from '../../service/errors.ts';
import type { Answer } from '../../service/payout-service.ts';
import type { Paydrop } from '../parts.ts';

type Clocks = Pick<Paydrop, 'serviceClock' | 'clock'>;

/** A moment by both local clocks: the one may stand still while the machine sleeps, the other may be set. */
export type Moment = { readonly monotonic: number; readonly wall: number };

export function momentOf({ clock }: Pick<Clocks, 'clock'>): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** How long ago it was, rather too long than too short. */
export function sinceMs(at: Moment, now: Moment): number {
  return Math.max(now.monotonic - at.monotonic, now.wall - at.wall);
}

/** The earliest that it can be at the service now, in ms, as far as is known without asking. */
export function earliestNow({ serviceClock, clock }: Clocks): number {
  return serviceClock.earliestNow() ?? clock.now();
}

/** The earliest that it can have been there at a moment after which it was asked, in ms. */
export function earliestAt(clocks: Clocks, at: Moment): number {
  const now = clocks.serviceClock.earliestNow();
  return now === null ? at.wall : now - sinceMs(at, momentOf(clocks));
}

/** The earliest that it can be there now; asked for where no answer has told a time yet. Null when there is no answer. */
export async function askedTime(clocks: Clocks & Pick<Paydrop, 'service'>): Promise<number | null> {
  const { service, serviceClock } = clocks;
  // A service that always fails at the one may answer the other, and what waits for the time must not wait for ever.
  const reads = [() => service.balances(), () => service.payoutCorridors({ limit: 1 })];
  let isAnswered = false;
  for (const read of reads)
    if (!isAnswered && serviceClock.earliestNow() === null) isAnswered = await answers(clocks, read);
  // An error tells the time as well.
  return serviceClock.earliestNow() ?? (isAnswered ? clocks.clock.now() : null);
}

async function answers(
  { serviceClock }: Pick<Clocks, 'serviceClock'>,
  read: () => Promise<Answer<unknown>>,
): Promise<boolean> {
  try {
    await serviceClock.ask(read);
    return true;
  } catch (error) {
    if (!isFault(error)) throw error;
    return false;
  }
}
