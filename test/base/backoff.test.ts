// Waits that double, end at a bound, and are spread.
import { describe, expect, it } from 'vitest';

import { backoffMs } from '../../src/base/clock.ts';

const BACKOFF = { firstMs: 100, mostMs: 1_000 };

describe('the wait before the next try', () => {
  it.each([
    [0, 100],
    [1, 200],
    [2, 400],
    [3, 800],
    [4, 1_000],
    [40, 1_000],
    [10_000, 1_000],
  ])('after %i tries is between half of %i ms and all of it', (tries, step) => {
    expect(backoffMs(BACKOFF, tries, 0)).toBe(step / 2);
    expect(backoffMs(BACKOFF, tries, 0.5)).toBe(step * 0.75);
    expect(backoffMs(BACKOFF, tries, 1)).toBe(step);
  });
});
