// The one place that knows what time it is and that can wait or draw at random, so that tests own all three.
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Wall time in milliseconds since 1970, for records that people read; it may be wrong or jump. */
  now(): number;
  /** Milliseconds that only grow, for durations. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` fires; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number from 0 (included) to 1 (excluded). */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(Math.max(0, ms), undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // The only rejection of a delay is its own abort, and being woken early is what the caller asked for.
      if (signal?.aborted !== true) throw error;
    }
  },
  random: () => Math.random(),
};

/** A signal that fires after `ms` of real time, for I/O. Call `clear` when the work ends, or the timer outlives it. */
export function startDeadline(ms: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, clear: callAfter(ms, () => controller.abort()) };
}

/** Calls `call` after `ms` of real time, for I/O. Call the returned function when the work ends, or the timer outlives it. */
export function callAfter(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Calls `call` every `ms` of real time, until the returned function is called. It does not keep the process alive. */
export function repeatEvery(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms).unref();
  return () => clearInterval(timer);
}

/** A moment as the ledger, the answers and the interface write it: ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Its day, `yyyy-mm-dd`, in UTC. */
export function dayOf(ms: number): string {
  return isoTime(ms).slice(0, 'yyyy-mm-dd'.length);
}

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** Where its two digits stand. */
const DAY_OF_MONTH = 'yyyy-mm-'.length;

/** Reads an ISO 8601 UTC timestamp; null for any other form, so that no guess about a time zone decides about money. */
export function parseIsoTime(text: string): number | null {
  const ms = ISO_UTC.test(text) ? Date.parse(text) : NaN;
  // A day that does not exist, such as 31 November, would silently become the next day.
  const isDay = new Date(ms).getUTCDate() === Number(text.slice(DAY_OF_MONTH, DAY_OF_MONTH + 2));
  return isDay ? ms : null;
}

// How long to wait before the next try: the wait doubles up to a bound, and is random so that waiting rows do not all return at once.

type Backoff = { readonly firstMs: number; readonly mostMs: number };

/** The wait before try number `tries + 1`, in milliseconds: between half and all of the doubled step. `random` is from 0 to 1. */
export function backoffMs(backoff: Backoff, tries: number, random: number): number {
  // 30 doublings are longer than any `mostMs`; more would overflow the shift.
  const step = Math.min(backoff.mostMs, backoff.firstMs * 2 ** Math.min(tries, 30));
  return Math.round(step / 2 + (step / 2) * random);
}
