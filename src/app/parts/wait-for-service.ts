// A call outside a payout (corridors, balances), asked again while the service is out of reach and somebody is willing to wait.
import { backoffMs } from '../../base/clock.ts';
import type { Words } from '../../base/language.ts';
import { type Wait, waitFor } from '../../ledger/wait.ts';
import { sentence } from '../../messages/messages.ts';
import { type Fault, Refused, Unavailable, isFault } from '../../service/errors.ts';
import type { Answer, PayoutService } from '../../service/payout-service.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from './run-options.ts';

const BACKOFF = { firstMs: 1_000, mostMs: 30_000 } as const;

/** The value, or the fault that is left when the waiting time is over. */
export async function waitForService<T>(
  { clock }: Paydrop,
  { waitMs, signal }: Pick<RunControl, 'waitMs' | 'signal'>,
  call: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly fault: Fault }> {
  const until = clock.now() + waitMs;
  for (let tries = 0; ; tries++) {
    try {
      return { value: await call() };
    } catch (error) {
      if (!isFault(error)) throw error;
      // `Retry-After: 0` is no reason to storm a service.
      const wait = Math.max(error.context.retryAfterMs ?? 0, backoffMs(BACKOFF, tries, clock.random()));
      if (isLasting(error) || signal.aborted || clock.now() + wait > until) return { fault: error };
      await clock.sleep(wait, signal);
    }
  }
}

function isLasting(fault: Fault): boolean {
  return (
    fault instanceof Refused ||
    (fault instanceof Unavailable && ['credentials', 'redirected'].includes(fault.reason))
  );
}

/** What a batch waits for because of a fault. */
export function describeFault(fault: Fault): Wait<'credentials' | 'service'> {
  const isKey = fault instanceof Unavailable && fault.reason === 'credentials';
  return isKey ? waitFor('credentials', CREDENTIALS_WORDS) : waitFor('service', SERVICE_WORDS);
}

export const CREDENTIALS_WORDS: Words = sentence('waitForService.credentials');
export const SERVICE_WORDS: Words = sentence('waitForService.service');

// What is only asked is asked again while the service is out of reach, in commands that carry no rows: a run that met the same would wait as long.

/** A restart of the service or a throttle is over by then; somebody sits and waits for the answer. */
export const PATIENCE_MS = 30_000;

/** The same parts, with reads that are patient until `signal` fires. A call that changes something is made once, as before. */
export function patientReads(paydrop: Paydrop, signal: AbortSignal, waitMs = PATIENCE_MS): Paydrop {
  const { service } = paydrop;
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    const told = await waitForService(paydrop, { waitMs, signal }, call);
    if ('fault' in told) throw told.fault;
    return told.value;
  };
  const patient: PayoutService = {
    ...service,
    payoutCorridors: (filter) => ask(() => service.payoutCorridors(filter)),
    quotation: (id) => ask(() => service.quotation(id)),
    quotationByExternalId: (externalId) => ask(() => service.quotationByExternalId(externalId)),
    transfer: (id) => ask(() => service.transfer(id)),
    transferByExternalId: (externalId) => ask(() => service.transferByExternalId(externalId)),
    transfers: (query) => ask(() => service.transfers(query)),
    balances: () => ask(() => service.balances()),
  };
  return { ...paydrop, service: patient };
}

// What time it is at the service, for whatever may only be done once something there has certainly passed. Our own wall clock may be wrong by an
// hour, and is believed only where the service tells no time at all.

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

/** A clock that is wrong by more is not slow but wrong: nothing is paid at a time while nobody knows which of the two it is. */
const DIFFER_MOST_MS = 5 * 60_000;

/** By how much our clock is certainly ahead of the service's, or behind (below 0), where that is too much; null where both agree, or the service tells no time. */
export function clockDifference({ serviceClock, clock }: Clocks): number | null {
  const [earliest, latest, now] = [serviceClock.earliestNow(), serviceClock.latestNow(), clock.now()];
  if (latest !== null && now - latest > DIFFER_MOST_MS) return now - latest;
  return earliest !== null && earliest - now > DIFFER_MOST_MS ? now - earliest : null;
}

/** What is said of it; null where both agree as far as is known. */
export function differenceWords(clocks: Clocks): Words | null {
  const ms = clockDifference(clocks);
  if (ms === null) return null;
  const [amount, unit] = inUnit(Math.abs(ms));
  return sentence('timeAtService.differ', { amount, unit, isAhead: ms > 0 });
}

const MINUTE_MS = 60_000;
const UNITS = [
  ['days', 24 * 60 * MINUTE_MS],
  ['hours', 60 * MINUTE_MS],
] as const;

/** In few steps, so that the same words stand as long as the same is wrong. */
function inUnit(ms: number): readonly [number, 'days' | 'hours' | 'minutes'] {
  const found = UNITS.find(([, unitMs]) => ms >= 2 * unitMs);
  const [unit, unitMs] = found ?? (['minutes', MINUTE_MS] as const);
  return [Math.round(ms / unitMs), unit];
}

/**
 * The earliest that it can be now by both clocks, as the service tells at this moment: a machine that slept, or whose clock was set, has forgotten
 * what the service said before. Null where it gives no answer.
 */
export async function timeByBoth(clocks: Clocks & Pick<Paydrop, 'service'>): Promise<number | null> {
  const { service, serviceClock, clock } = clocks;
  const isAnswered =
    (await answers(clocks, () => service.balances())) ||
    (await answers(clocks, () => service.payoutCorridors({ limit: 1 })));
  const there = serviceClock.earliestNow();
  if (there !== null) return Math.min(there, clock.now());
  return isAnswered ? clock.now() : null;
}

/** As `differenceWords`, once the service was asked where they seem to differ. */
export async function askedDifference(clocks: Clocks & Pick<Paydrop, 'service'>): Promise<Words | null> {
  if (clockDifference(clocks) === null) return null;
  await timeByBoth(clocks);
  return differenceWords(clocks);
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
