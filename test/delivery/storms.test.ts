// A service that asks for patience: fewer calls are in progress, none is made before its time, no row fails, and everything is paid once.
import { describe, expect, it } from 'vitest';

import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { BANK, deliver, expectBooksExact, stagesOf, transfersOf, type Delivery } from './deliver.ts';
import { isConfirm, isCreate, isQuote, isUpload, type Reply } from './meddling-proxy.ts';

const MINUTE_MS = 60_000;
const LANES = 16;

const many = (rows: number) =>
  Array.from({ length: rows }, (_none, index) => (index % 3 === 0 ? BANK : { sourceCurrency: 'EUR' }));

async function expectPaidOnce(delivery: Delivery, rows: number): Promise<void> {
  expect(await stagesOf(delivery)).toEqual(Array.from({ length: rows }, () => 'paid'));
  expect((await transfersOf(delivery)).map(({ status }) => status)).toEqual(
    Array.from({ length: rows }, () => 'paid'),
  );
  // No id changed: unanswered calls were found, not made again.
  for (const { progress } of await delivery.rows()) expect(progress.deadAttempts).toEqual([]);
  await expectBooksExact(delivery);
}

describe('a burst', () => {
  it.each([
    // Ten at the very start of a process look like a limit, and are tried beyond after some seconds.
    [429, 'quotations', isQuote, 15],
    [429, 'creates', isCreate, 15],
    [429, 'confirms', isConfirm, 15],
    [503, 'quotations', isQuote, 5],
    [503, 'creates', isCreate, 5],
    [503, 'confirms', isConfirm, 5],
    [503, 'uploads', isUpload, 5],
  ] as const)('of ten %i on %s delays their rows by seconds', async (status, _on, matches, secondsMost) => {
    const rows = 40;
    const clock = manualClock();
    const startedAt = clock.now();
    let struck = 0;
    const confirmedAt: number[] = [];
    const delivery = await deliver({
      clock,
      payouts: many(rows),
      lanes: LANES,
      meddling: {
        instead: (asked) => {
          if (isConfirm(asked)) confirmedAt.push(clock.now() - startedAt);
          if (!matches(asked) || struck >= 10) return null;
          struck += 1;
          return { status, body: '' };
        },
      },
    });
    expect(await delivery.run({ concurrency: LANES })).toEqual({ kind: 'done' });
    expect(confirmedAt.at(-1)).toBeLessThan(secondsMost * 1_000);
    await expectPaidOnce(delivery, rows);
  });
});

describe('one call that is told to stay away for a minute', () => {
  it.each([
    [429, isQuote],
    [429, isConfirm],
    [503, isCreate],
  ] as const)('(%i) keeps its own row waiting and no other', async (status, matches) => {
    const clock = manualClock();
    const startedAt = clock.now();
    let isStruck = false;
    const confirmedAt: number[] = [];
    const delivery = await deliver({
      clock,
      payouts: many(12),
      meddling: {
        instead: (asked) => {
          if (isConfirm(asked)) confirmedAt.push(clock.now() - startedAt);
          if (isStruck || !matches(asked)) return null;
          isStruck = true;
          return { status, body: '', headers: new Headers({ 'retry-after': '60' }) };
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    const waited = confirmedAt.filter((ms) => ms >= 60_000);
    expect(waited).toHaveLength(1);
    expect(Math.max(...confirmedAt.filter((ms) => ms < 60_000))).toBeLessThan(2_000);
    await expectPaidOnce(delivery, 12);
  });
});

describe('ten minutes of 429', () => {
  const header = (value: string): Partial<Reply> => ({ headers: new Headers({ 'retry-after': value }) });

  it.each([
    ['seconds', () => header('7'), 130],
    ['a date', (clock: ManualClock) => header(new Date(clock.now() + 30_000).toUTCString()), 60],
    ['a date that has passed', (clock: ManualClock) => header(new Date(clock.now() - 1).toUTCString()), 130],
    ['an absurd time, which is obeyed for five minutes at most', () => header('99999999'), 30],
    ['nothing', () => ({}), 130],
    ['0, which does not take the back-off away', () => header('0'), 130],
    ['what is no time', () => header('soon'), 130],
  ] as const)('that ask for %s', async (_name, reply, callsMost) => {
    const rows = 12;
    const clock = manualClock();
    const over = clock.now() + 10 * MINUTE_MS;
    let refused = 0;
    const delivery = await deliver({
      clock,
      payouts: many(rows),
      meddling: {
        instead: () => {
          if (clock.now() >= over) return null;
          refused += 1;
          return { status: 429, body: '', ...reply(clock) };
        },
      },
    });
    expect(await delivery.run({ concurrency: 8 })).toEqual({ kind: 'done' });
    expect(refused).toBeLessThan(callsMost);
    expect(clock.now() - over).toBeLessThan(8 * MINUTE_MS);
    await expectPaidOnce(delivery, rows);
  });
});

describe('half an hour of 502, 503 and 504', () => {
  it.each([
    ['creates', isCreate],
    ['confirms', isConfirm],
  ] as const)(
    'from the first %s on is waited out, and then everything is paid',
    async (_what, breaksOutAt) => {
      const rows = 12;
      const clock = manualClock();
      let over = Infinity;
      let calls = 0;
      const delivery = await deliver({
        clock,
        payouts: many(rows),
        sandbox: { quoteLifeMs: 120 * MINUTE_MS },
        meddling: {
          instead: (asked) => {
            if (over === Infinity && breaksOutAt(asked)) over = clock.now() + 30 * MINUTE_MS;
            const isOut = over !== Infinity && clock.now() < over;
            return isOut ? { status: 502 + (calls++ % 3), body: '<html>' } : null;
          },
        },
      });
      expect(await delivery.run({ concurrency: 8 })).toEqual({ kind: 'done' });
      expect(calls).toBeLessThan(300);
      await expectPaidOnce(delivery, rows);
    },
  );
});
