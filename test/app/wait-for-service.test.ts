// A call that is repeated while the service is away: within the given time, and never as a flood.
import { describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { waitForService } from '../../src/app/parts/wait-for-service.ts';
import { Unavailable } from '../../src/service/errors.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

/** How often a call that is always told to come back after this time is made within a minute. */
async function callsInAMinute(retryAfterMs: number | null): Promise<number> {
  const clock = manualClock();
  const passing = {
    ...clock,
    sleep: (ms: number) => {
      clock.advance(ms);
      return Promise.resolve();
    },
  };
  let calls = 0;
  const control = { waitMs: 60_000, signal: new AbortController().signal };
  const result = await waitForService({ clock: passing } as unknown as Paydrop, control, () => {
    calls += 1;
    // A storm would never end.
    if (calls > 1_000) return Promise.resolve();
    return Promise.reject(
      new Unavailable('throttled', {
        operation: 'payoutCorridors',
        httpStatus: 429,
        serverTime: null,
        retryAfterMs,
      }),
    );
  });
  expect(result).toHaveProperty('fault');
  return calls;
}

describe('a service that is out for longer than may be waited', () => {
  it.each([null, 0, 10])('and says Retry-After %j ms is asked ever more rarely', async (retryAfterMs) => {
    expect(await callsInAMinute(retryAfterMs)).toBeLessThan(10);
  });

  it('and asks for a long wait is asked after it', async () => {
    expect(await callsInAMinute(25_000)).toBe(3);
  });
});
