// The token buckets of those who are not known, as a property: however a few addresses knock, whoever comes seldom is let in.
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { Limiter } from '../../src/web/limits.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

/** The addresses that knock; of so few each has a part of what is kept for those who come seldom, and all together not the whole. */
const LOUD = 15;

const knock = fc.record({
  address: fc.integer({ min: 0, max: LOUD - 1 }),
  times: fc.integer({ min: 1, max: 300 }),
  afterMs: fc.integer({ min: 0, max: 5_000 }),
});

it('a quiet address and a browser that is known pass at every moment of every flood', () => {
  fc.assert(
    fc.property(
      fc.array(knock, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 60 }),
      (knocks, at) => {
        const clock = manualClock();
        const limiter = new Limiter(clock);
        for (const { address, times, afterMs } of knocks.slice(0, at)) {
          clock.advance(afterMs);
          for (let turn = 0; turn < times; turn += 1)
            limiter.mayCallUnauthenticated(`203.0.113.${String(address)}`, null);
        }
        // A person who signs in comes twice, and so does the next one.
        for (const quiet of ['198.51.100.1', '198.51.100.2'])
          for (let turn = 0; turn < 2; turn += 1)
            expect(limiter.mayCallUnauthenticated(quiet, null)).toBe(true);
        expect(limiter.mayCallUnauthenticated('203.0.113.0', 'browser-that-has-signed-in')).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});

it('one address alone is let in no more often than its own bucket fills', () => {
  fc.assert(
    fc.property(fc.array(knock, { minLength: 1, maxLength: 40 }), (knocks) => {
      const clock = manualClock();
      const limiter = new Limiter(clock);
      let [passed, elapsedMs] = [0, 0];
      for (const { times, afterMs } of knocks) {
        clock.advance(afterMs);
        elapsedMs += afterMs;
        for (let turn = 0; turn < times; turn += 1)
          passed += limiter.mayCallUnauthenticated('203.0.113.7', null) ? 1 : 0;
      }
      expect(passed).toBeLessThanOrEqual(100 + elapsedMs / 100);
    }),
    { numRuns: 100 },
  );
});
