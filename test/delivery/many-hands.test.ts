// Two processes on one batch, and a network that loses a fifth of all messages: each row is paid once, and the books agree.
import { describe, expect, it } from 'vitest';

import type { Faults } from '../../src/sandbox/faults.ts';
import { BANK, BATCH, deliver, expectBooksExact, stagesOf, transfersOf } from './deliver.ts';

describe('two runners on one batch', () => {
  it('pay each row once', async () => {
    const rows = 24;
    const delivery = await deliver({
      payouts: Array.from({ length: rows }, (_none, index) => (index % 5 === 0 ? BANK : {})),
    });
    const second = delivery.openAgain();
    const ends = await Promise.all([delivery.run(), delivery.run({ ledger: second })]);
    expect(ends).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(await stagesOf(delivery)).toEqual(Array.from({ length: rows }, () => 'paid'));
    expect(await transfersOf(delivery)).toHaveLength(rows);
    await expectBooksExact(delivery);
  });

  it('of which each believes to be alone, without claims, still pay each row once', async () => {
    const delivery = await deliver({ payouts: Array.from({ length: 12 }, () => ({})) });
    const second = delivery.openAgain();
    const stop = new AbortController();
    const freeing = freeClaims(() => delivery.freeClaims(), stop.signal);
    await Promise.all([delivery.run(), delivery.run({ ledger: second })]);
    stop.abort();
    await freeing;
    await delivery.ledger.makeDue(BATCH, 'all');
    await delivery.run();
    expect(await stagesOf(delivery)).toEqual(Array.from({ length: 12 }, () => 'paid'));
    expect(await transfersOf(delivery)).toHaveLength(12);
    await expectBooksExact(delivery);
  });
});

/** Takes the claims away again and again, as a clock that runs ahead would. */
async function freeClaims(free: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await free();
}

/** Seven faults of 3 % each are about a fifth of all calls. */
const CHAOS: Faults['rules'] = [
  { fault: 'reset', probability: 0.03 },
  { fault: 'drop', probability: 0.03 },
  { fault: 'drop-answer', probability: 0.03 },
  { fault: 'html', acts: true, status: 504, probability: 0.03 },
  { fault: 'html', status: 502, probability: 0.03 },
  { fault: 'cut', probability: 0.03 },
  { fault: 'throttle', retryAfterSeconds: 1, probability: 0.03 },
];

describe('a fifth of all calls lost, delayed or cut', () => {
  it.each([1, 2, 3, 4, 5, 6])('seed %i: every row is paid once, and the books are exact', async (seed) => {
    const payouts = Array.from({ length: 20 }, (_none, index) =>
      index % 4 === 0 ? BANK : index % 4 === 1 ? { sourceCurrency: 'EUR' } : {},
    );
    const delivery = await deliver({ payouts, sandbox: { faults: { seed, rules: CHAOS } } });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(payouts.map(() => 'paid'));
    expect((await delivery.rows()).every(({ progress }) => progress.deadAttempts.length === 0)).toBe(true);
    await expectBooksExact(delivery);
  });
});
