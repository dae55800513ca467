// How much time an all-or-nothing file needs, and what its owner is told where there is not enough.
import { describe, expect, it } from 'vitest';

import type { Survey } from '../../src/app/workflow/all-or-nothing/survey-whole.ts';
import { isTimeFor, tooSlowWords } from '../../src/app/workflow/all-or-nothing/whole-in-time.ts';

const SURVEY: Survey = {
  standings: { stands: 0, excused: 3, refused: 0, held: 0, open: 1_200 },
  refusedRows: [],
  callsToReserve: 2_400,
  callsToConfirm: 1_200,
  firstExpiry: Infinity,
  provableAt: -Infinity,
  tooLate: 0,
  confirmed: 0,
  maybeConfirmed: 0,
  mayHaveGone: 0,
  hiddenUntil: -Infinity,
  sample: [],
};

const MINUTE_MS = 60_000;

describe('the time that is left', () => {
  it('has to be half as long again as the calls take, and some seconds', () => {
    expect(isTimeFor(100, 100, 20_000)).toBe(true);
    expect(isTimeFor(100, 100, 16_000)).toBe(false);
    expect(isTimeFor(0, 100, 1_000)).toBe(true);
  });

  it('is never enough once it is over', () => {
    expect(isTimeFor(1, 1, 0)).toBe(false);
    expect(isTimeFor(1, 1, -1_000)).toBe(false);
  });

  it('is enough where nothing stands that could run out', () => {
    expect(isTimeFor(1_000_000, 1_000, Infinity)).toBe(true);
  });
});

describe('a file at the pace that was measured', () => {
  it('fits, and nothing is said', () => {
    expect(tooSlowWords(SURVEY, { msPerCall: 10, lifeMs: 15 * MINUTE_MS })).toBeNull();
  });

  it('does not fit: how many rows, how long they take, how long there is', () => {
    expect(tooSlowWords(SURVEY, { msPerCall: 250, lifeMs: 15 * MINUTE_MS })?.en).toBe(
      'The file is paid whole or not at all (policy.strategy: reserve-then-confirm), so all its rows must be reserved and confirmed before the quotations expire, after 15 min 0 s. 1200 rows need about 22 min 30 s at the pace measured now (4 calls a second, with room for a slower hour).',
    );
  });

  it('is tried where nobody can tell how long the quotations live', () => {
    expect(tooSlowWords(SURVEY, { msPerCall: 250, lifeMs: null })).toBeNull();
  });
});
