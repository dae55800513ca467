// How often a step is tried again, and how often a payout that has ended is looked at.
import { expect, it } from 'vitest';

import { nextLook } from '../../src/delivery/time-left.ts';
import { again } from '../../src/payouts/row-machine/changes.ts';
import { freshRow, type Now } from '../../src/payouts/row-machine/row-state.ts';
import { drawing } from './simulated-service.ts';

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
