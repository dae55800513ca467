// How often a step is tried again, and how often a payout that has ended is looked at.
import { expect, it } from 'vitest';

import { nextLook } from '../../src/delivery/time-left.ts';
import { again } from '../../src/payouts/row-machine/changes.ts';
import { freshRow, type Now } from '../../src/payouts/row-machine/row-state.ts';
import { drawing } from './simulated-service.ts';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
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

it('looks after an hour and six hours, then every night for a week, and then every week', () => {
  // A Friday: the nights at 17.5 hours and so on, the Mondays from the tenth day on.
  expect(looksIn(8 * DAY_HOURS * HOUR_MS)).toEqual([
    1, 6, 17.5, 41.5, 65.5, 89.5, 113.5, 137.5, 161.5, 185.5, 192,
  ]);
  expect(looksIn(90 * DAY_HOURS * HOUR_MS)).toHaveLength(2 + 8 + 12 + 1);
});

it('looks at what ended at different times in one night, at the same moment', () => {
  const now = Date.parse('2026-12-20T12:00:00Z');
  const ends = [
    '2026-12-19T23:00:00Z',
    '2026-12-16T07:31:12Z',
    '2026-11-01T00:00:00Z',
    '2026-11-30T19:45:00Z',
  ];
  const monday = Date.parse('2026-12-21T02:00:00Z');
  expect(ends.map((at) => nextLook(at, now, 90 * DAY_HOURS * HOUR_MS))).toEqual(ends.map(() => monday));
});

it('has its last look at the end of a window, however that falls', () => {
  expect(looksIn(30 * HOUR_MS)).toEqual([1, 6, 17.5, 30]);
  expect(looksIn(1)).toEqual([1 / HOUR_MS]);
  expect(looksIn(0)).toEqual([]);
});

it('is not misled by a clock that was set back', () => {
  expect(nextLook(ENDED_AT, 0, HOUR_MS)).toBe(Date.parse(ENDED_AT) + HOUR_MS);
});

/** The wait in ms after so many tries without an answer. */
function waitAfter(tries: number, leastMs = 0, random = 1): number {
  const now = { local: 0, random } as Now;
  return again({ ...freshRow(null), tries: tries - 1 }, now, leastMs).due;
}

it('tries a step that got no answer within two seconds, and ever more rarely only where eight tries got none', () => {
  const soon = Array.from({ length: 8 }, (_none, index) => waitAfter(index + 1));
  expect(soon).toEqual([500, 1_000, ...Array.from({ length: 6 }, () => 2_000)]);
  expect([9, 10, 11, 12, 40].map((tries) => waitAfter(tries))).toEqual([
    4_000, 8_000, 16_000, 30_000, 30_000,
  ]);
  expect(waitAfter(1, 7_000)).toBe(7_000);
});

/** How long a row waits on its way to the confirm where one call in five is lost: a step that was lost is looked at before it is tried again. */
function waitsOf(draw: () => number): number {
  let waited = 0;
  // Price, create, confirm.
  for (let step = 0; step < 3; step += 1) {
    let isUnsure = false;
    for (let tries = 0; ;)
      if (draw() < 0.2) {
        tries += 1;
        waited += waitAfter(tries, 0, draw());
        isUnsure = true;
      } else if (isUnsure) isUnsure = false;
      else break;
  }
  return waited;
}

it('keeps the unluckiest of 300 rows waiting for no more than 15 seconds on 95 of 100 rough days', () => {
  const draw = drawing(7);
  const days = Array.from({ length: 1_000 }, () =>
    Math.max(...Array.from({ length: 300 }, () => waitsOf(draw))),
  ).sort((one, other) => one - other);
  expect(days[950]).toBeLessThanOrEqual(15_000);
});
