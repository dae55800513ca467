// Durations as people write and read them.
import { describe, expect, it } from 'vitest';

import { describeDuration, parseDuration } from '../../src/base/duration.ts';

describe('a duration is read', () => {
  it.each([
    ['500ms', 500],
    ['2s', 2_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['5d', 432_000_000],
    ['0', 0],
    ['0s', 0],
    [' 2s ', 2_000],
  ])('%j as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', '-2s', '1.5s', '2 s', '2S', 's', '1h30m', '1e3s', '9999999999s'])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );
});

describe('a duration is told', () => {
  it.each([
    [0, '0 s'],
    [400, '0 s'],
    [45_000, '45 s'],
    [59_600, '1 min 0 s'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
  ])('%i ms as %s', (ms, words) => {
    expect(describeDuration(ms)).toBe(words);
  });
});
