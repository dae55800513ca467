// Repeats a call outside a payout (corridors, balances) while the service is out of reach and the caller is willing to wait.
import { setImmediate as turn } from 'node:timers/promises';

import { backoffMs } from '../../base/clock.ts';
import type { Words } from '../../base/language.ts';
import { type Wait, waitFor } from '../../ledger/wait.ts';
import { sentence } from '../../messages/messages.ts';
import { type Fault, Refused, Unavailable, isFault } from '../../service/errors.ts';
import type { Answer, PayoutService } from '../../service/payout-service.ts';
import { CORRIDORS_LIMIT, type PayoutCorridor } from '../../service/wire.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from './run-options.ts';
import { serviceWords } from './service-trouble.ts';

const BACKOFF = { firstMs: 1_000, mostMs: 30_000 } as const;

/** The value, or the last fault when the waiting time is over. `onWait` is called once, before the first wait. */
export async function waitForService<T>(
  { clock }: Paydrop,
  { waitMs, signal }: Pick<RunControl, 'waitMs' | 'signal'>,
  call: () => Promise<T>,
  onWait: (fault: Fault) => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly value: T } | { readonly fault: Fault }> {
  const until = clock.now() + waitMs;
  for (let tries = 0; ; tries++) {
    try {
      return { value: await call() };
    } catch (error) {
      if (!isFault(error)) throw error;
      // `Retry-After: 0` is no permission to flood a service.
      const wait = Math.max(error.context.retryAfterMs ?? 0, backoffMs(BACKOFF, tries, clock.random()));
      if (isLasting(error) || signal.aborted || clock.now() + wait > until) return { fault: error };
      if (tries === 0) await onWait(error);
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

/** The wait of a batch because of a fault. */
export function describeFault(fault: Fault): Wait<'credentials' | 'service'> {
  const isKey = fault instanceof Unavailable && fault.reason === 'credentials';
  return isKey
    ? waitFor('credentials', CREDENTIALS_WORDS)
    : waitFor('service', serviceWords(fault.context.networkCause));
}

export const CREDENTIALS_WORDS: Words = sentence('waitForService.credentials');
export const SERVICE_WORDS: Words = serviceWords(null);

// In commands that carry no rows, reads are repeated while the service is out of reach: a run in the same situation would wait as long.

/** A restart of the service or a throttle ends within this time, and a person is waiting for the answer. */
export const PATIENCE_MS = 30_000;

/** The same parts, but reads are repeated until `signal` fires. A call that changes something is still made once. */
export function patientReads(paydrop: Paydrop, signal: AbortSignal): Paydrop {
  const { service } = paydrop;
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    const told = await waitForService(paydrop, { waitMs: PATIENCE_MS, signal }, call);
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

/** The same parts, which are asking for the corridors already: a file waits for them behind its copy. They are asked for again where that failed. */
export async function askingAhead(paydrop: Paydrop): Promise<Paydrop> {
  const { service, serviceClock } = paydrop;
  // Its answer shows the service's time too, which is asked for before the first price where nothing has shown it.
  let ahead: Promise<Answer<readonly PayoutCorridor[]> | null> | null = serviceClock
    .ask(() => service.payoutCorridors(ALL_CORRIDORS))
    .catch(() => null);
  const payoutCorridors: PayoutService['payoutCorridors'] = async (filter = {}) => {
    const isAhead = Object.keys(filter).length === 1 && filter.limit === ALL_CORRIDORS.limit;
    const asked = isAhead ? ahead : null;
    if (isAhead) ahead = null;
    return (await asked) ?? service.payoutCorridors(filter);
  };
  // The question has left before the process loads, or does, anything else that lets nothing out meanwhile.
  for (let turns = 0; turns < TURNS_TO_LEAVE; turns += 1) await turn();
  return { ...paydrop, service: { ...service, payoutCorridors } };
}

/** To open a connection, to hear that it is open, and to write; of one that takes longer, at least the first. */
const TURNS_TO_LEAVE = 3;

/** The question for all of them, as far as one response has them. */
export const ALL_CORRIDORS = { limit: CORRIDORS_LIMIT.most } as const;

// The service's time, for everything that may happen only after something there has certainly passed. Our own wall clock may be wrong by an
// hour, so it counts only where the service shows no time at all.

type Clocks = Pick<Paydrop, 'serviceClock' | 'clock'>;

/** A moment by both local clocks: the monotonic one may stand still while the machine sleeps, and the wall clock may be set. */
export type Moment = { readonly monotonic: number; readonly wall: number };

export function momentOf({ clock }: Pick<Clocks, 'clock'>): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** The time since then; if in doubt, the longer one. */
export function sinceMs(at: Moment, now: Moment): number {
  return Math.max(now.monotonic - at.monotonic, now.wall - at.wall);
}

/** The earliest time that it can be at the service now, in ms, as far as is known without asking. */
export function earliestNow({ serviceClock, clock }: Clocks): number {
  return serviceClock.earliestNow() ?? clock.now();
}

/** The earliest service time for a moment after which the service was asked, in ms. */
export function earliestAt(clocks: Clocks, at: Moment): number {
  const now = clocks.serviceClock.earliestNow();
  return now === null ? at.wall : now - sinceMs(at, momentOf(clocks));
}

/** A difference of more than this is a wrong clock, not a slow one: nothing is paid at a set time until it is known which clock is right. */
const DIFFER_MOST_MS = 5 * 60_000;

/** How far our clock is certainly ahead of the service's (or behind, below 0), if that is too much; null where both agree, or the service shows no time. */
export function clockDifference({ serviceClock, clock }: Clocks): number | null {
  const [earliest, latest, now] = [serviceClock.earliestNow(), serviceClock.latestNow(), clock.now()];
  if (latest !== null && now - latest > DIFFER_MOST_MS) return now - latest;
  return earliest !== null && earliest - now > DIFFER_MOST_MS ? now - earliest : null;
}

/** The words for the difference; null where both agree as far as is known. */
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

/** In few steps, so that the words stay the same as long as the fault does. */
function inUnit(ms: number): readonly [number, 'days' | 'hours' | 'minutes'] {
  const found = UNITS.find(([, unitMs]) => ms >= 2 * unitMs);
  const [unit, unitMs] = found ?? (['minutes', MINUTE_MS] as const);
  return [Math.round(ms / unitMs), unit];
}

/**
 * The earliest time that it can be now by both clocks, from a fresh call: a machine that slept, or whose clock was set, has lost what the service
 * said before. Null where the service gives no answer.
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

/** Like `differenceWords`, but asks the service first where the clocks seem to differ. */
export async function askedDifference(clocks: Clocks & Pick<Paydrop, 'service'>): Promise<Words | null> {
  if (clockDifference(clocks) === null) return null;
  await timeByBoth(clocks);
  return differenceWords(clocks);
}

/** The earliest time that it can be at the service now; asks if no response has shown a time yet. Null when there is no answer. */
export async function askedTime(clocks: Clocks & Pick<Paydrop, 'service'>): Promise<number | null> {
  const { service, serviceClock } = clocks;
  // A service that always fails at one of the calls may answer the other; a wait for the time must not last for ever.
  const reads = [() => service.balances(), () => service.payoutCorridors({ limit: 1 })];
  let isAnswered = false;
  for (const read of reads)
    if (!isAnswered && serviceClock.earliestNow() === null) isAnswered = await answers(clocks, read);
  // An error response shows the time as well.
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
