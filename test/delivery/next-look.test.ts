// How often a payout that has ended is looked at again.
import { expect, it } from 'vitest';

import { nextLook } from '../../src/delivery/time-left.ts';

const HOUR_MS = 3_600_000;
const ENDED_AT = '2026-11-20T08:30:00.000Z';

/** All looks, in hours since the end, when each is made a minute late. */
function looksIn(windowMs: number): readonly number[] {
  const endedAt = Date.parse(ENDED_AT);
  const looks: number[] = [];
  for (let now: number | null = endedAt; now !== null;) {
    const at = nextLook(ENDED_AT, now, windowMs);
    if (at !== null) looks.push((at - endedAt) / HOUR_MS);
    now = at === null ? null : at + 60_000;
  }
  return looks;
}

it('looks after an hour, six hours and a day, and then every day until the window is over', () => {
  expect(looksIn(4 * 24 * HOUR_MS)).toEqual([1, 6, 24, 48, 72, 96]);
  expect(looksIn(90 * 24 * HOUR_MS)).toHaveLength(92);
});

it('has its last look at the end of a window, however that falls', () => {
  expect(looksIn(30 * HOUR_MS)).toEqual([1, 6, 24, 30]);
  expect(looksIn(1)).toEqual([1 / HOUR_MS]);
  expect(looksIn(0)).toEqual([]);
});

it('is not misled by a clock that was set back', () => {
  expect(nextLook(ENDED_AT, 0, HOUR_MS)).toBe(Date.parse(ENDED_AT) + HOUR_MS);
});
