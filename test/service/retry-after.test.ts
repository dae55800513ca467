// `Retry-After` in every form that is met, and in forms that mean nothing.
import { describe, expect, it } from 'vitest';

import { retryAfterMs } from '../../src/service/read-answer.ts';

const NOW = Date.parse('2026-11-20T08:30:00.000Z');
const LONGEST_MS = 5 * 60_000;

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 120 ', 120_000],
    ['86400', LONGEST_MS],
    ['999999999', LONGEST_MS],
    ['99999999999999999999', LONGEST_MS],
    ['Fri, 20 Nov 2026 08:30:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 08:29:30 GMT', 0],
    ['Fri, 20 Nov 2099 08:30:30 GMT', LONGEST_MS],
  ])('%j is a wait of %i ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it.each([undefined, '', 'soon', '-5', '1.5', '120, 60', 'minutes 5', 'NaN'])(
    '%j says nothing',
    (header) => {
      expect(retryAfterMs(header, NOW)).toBeNull();
    },
  );
});
