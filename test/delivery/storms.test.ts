// A service that asks for patience: fewer calls are under way, none is made before its time, no row fails, and everything is paid once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { BANK, deliver, expectBooksExact, stagesOf, transfersOf, type Delivery } from './deliver.ts';
import { isConfirm, isCreate, isQuote, isUpload, type Asked, type Reply } from './meddling-proxy.ts';

const MINUTE_MS = 60_000;
const LANES = 16;

const many = (rows: number) =>
  Array.from({ length: rows }, (_none, index) => (index % 3 === 0 ? BANK : { sourceCurrency: 'EUR' }));

const isMutation = (asked: Asked): boolean =>
  isQuote(asked) || isCreate(asked) || isConfirm(asked) || isUpload(asked);

async function expectPaidOnce(delivery: Delivery, rows: number): Promise<void> {
  expect(await stagesOf(delivery)).toEqual(Array.from({ length: rows }, () => 'paid'));
  expect((await transfersOf(delivery)).map(({ status }) => status)).toEqual(
    Array.from({ length: rows }, () => 'paid'),
  );
  // No id changed: whatever went unanswered was found, not made again.
  for (const { progress } of await delivery.rows()) expect(progress.transferAttempt).toBe(1);
  await expectBooksExact(delivery);
}

/** Counts the mutations that are under way together, those apart that were sent after a moment. */
function gauge() {
  const underWay = { before: 0, after: 0 };
  const counts: { before: number; after: { readonly calls: number; readonly lanes: number }[] } = {
    before: 0,
    after: [],
  };
  let now: keyof typeof underWay = 'before';
  return {
    counts,
    over: (): void => {
      now = 'after';
    },
    /** Keeps a call long enough for all others that may come to be there too. */
    hold: async (asked: Asked, lanes: number): Promise<void> => {
      if (!isMutation(asked)) return;
      const sent = now;
      underWay[sent] += 1;
      if (sent === 'before') counts.before = Math.max(counts.before, underWay.before);
      else counts.after.push({ calls: underWay.after, lanes });
      for (let turns = 0; turns < 30; turns++) await nextTurn();
      underWay[sent] -= 1;
    },
  };
}

describe('a storm', () => {
  it.each([
    [429, 'quotations', isQuote],
    [429, 'creates', isCreate],
    [429, 'confirms', isConfirm],
    [503, 'quotations', isQuote],
    [503, 'creates', isCreate],
    [503, 'confirms', isConfirm],
    [503, 'uploads', isUpload],
  ] as const)('of %i on %s leaves half of the calls under way, or fewer', async (status, _on, matches) => {
    const rows = 40;
    const { counts, over, hold } = gauge();
    const box: { delivery?: Delivery } = {};
    let struck = 0;
    const delivery = await deliver({
      payouts: many(rows),
      lanes: LANES,
      meddling: {
        instead: async (asked) => {
          await hold(asked, box.delivery?.pacer.lanes ?? 0);
          if (!matches(asked) || struck >= 10) return null;
          struck += 1;
          if (struck === 10) over();
          return { status, body: '' };
        },
      },
    });
    box.delivery = delivery;
    expect(await delivery.run({ concurrency: LANES })).toEqual({ kind: 'done' });
    expect(counts.before).toBeGreaterThan(LANES / 2);
    expect(counts.after[0]?.lanes).toBeLessThanOrEqual(LANES / 2);
    // Later they grow again, as time passes.
    for (const { calls, lanes } of counts.after) expect(calls).toBeLessThanOrEqual(lanes);
    await expectPaidOnce(delivery, rows);
  });
});

describe('ten minutes of 429', () => {
  const header = (value: string): Partial<Reply> => ({ headers: new Headers({ 'retry-after': value }) });

  it.each([
    ['seconds', () => header('7'), 100],
    ['a date', (clock: ManualClock) => header(new Date(clock.now() + 30_000).toUTCString()), 60],
    ['a date that has passed', (clock: ManualClock) => header(new Date(clock.now() - 1).toUTCString()), 100],
    ['an absurd time, which is obeyed for five minutes at most', () => header('99999999'), 30],
    ['nothing', () => ({}), 100],
    ['0, which does not take the back-off away', () => header('0'), 100],
    ['what is no time', () => header('soon'), 100],
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
