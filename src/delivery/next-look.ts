// When a payout that has ended is looked at again: a reversal or a change by the service's staff may come for months, and only some of them
// are announced. Often at first, then once a day, until no reversal can come any more.
import type { Stage } from '../payouts/lifecycle.ts';

/** Stages whose transfer has ended, and may yet be changed by the service. */
export const ENDED: readonly Stage[] = ['paid', 'failed'];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Mistakes are mended on the day that they are made. */
const FIRST_LOOKS_MS = [HOUR_MS, 6 * HOUR_MS];

/** Local time in ms; null when the window is over. `finalAt` is ISO. */
export function nextLook(finalAt: string | null, now: number, windowMs: number): number | null {
  const endedAt = finalAt === null ? now : Date.parse(finalAt);
  const ageMs = Math.max(0, now - endedAt);
  if (ageMs >= windowMs) return null;
  const afterMs = FIRST_LOOKS_MS.find((ms) => ms > ageMs) ?? (Math.floor(ageMs / DAY_MS) + 1) * DAY_MS;
  return endedAt + Math.min(afterMs, windowMs);
}
