// Two processes that want one batch, and a network that loses a fifth of all messages: each row is paid once, and the books agree.
import { describe, expect, it } from 'vitest';

import type { Faults } from '../../src/sandbox/faults.ts';
import { BANK, BATCH, deliver, expectBooksExact, stagesOf, transfersOf } from './deliver.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import { own } from '../ledger/own.ts';

describe('two processes that want one batch', () => {
  it('pay each row once: who has it no more stops before its next record, wherever it stands', async () => {
    const rows = 24;
    let calls = 0;
    let takeOver: () => Promise<unknown> = () => Promise.resolve();
    const delivery = await deliver({
      payouts: Array.from({ length: rows }, (_none, index) => (index % 5 === 0 ? BANK : {})),
      meddling: {
        instead: async () => {
          calls += 1;
          if (calls === 40) await takeOver();
          return null;
        },
      },
    });
    const second = delivery.openAgain();
    takeOver = () => own(second, BATCH);
    await expect(delivery.run()).rejects.toThrow(LeaseLost);
    expect(await delivery.run({ ledger: second })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(Array.from({ length: rows }, () => 'paid'));
    expect(await transfersOf(delivery)).toHaveLength(rows);
    await expectBooksExact(delivery);
  });
});

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
