// Quotations that live hardly longer than a row takes: no transfer is created that cannot be confirmed, and nothing goes round in circles.
import { describe, expect, it } from 'vitest';

import { addDecimals } from '../../src/base/decimal.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { count, deliver, expectBooksExact, stagesOf, transfersOf, type Delivery } from './deliver.ts';
import { isConfirm, isCreate, isQuote, type Asked, type Reply } from './meddling-proxy.ts';

/** When the quotation of each create that was let through runs out. */
function watchLives(clock: ManualClock) {
  const expiries = new Map<string, number>();
  const leftMs: number[] = [];
  return {
    leftMs,
    created: ({ body }: Asked): void => {
      const { quotationId } = JSON.parse(body) as { quotationId: string };
      leftMs.push((expiries.get(quotationId) ?? 0) - clock.now());
    },
    after: (asked: Asked, { body }: Reply): null => {
      if (!isQuote(asked)) return null;
      const { id, expiredAt } = JSON.parse(body) as { id: string; expiredAt: string };
      expiries.set(id, Date.parse(expiredAt));
      return null;
    },
  };
}

describe('a service whose creates and confirms take eight seconds each', () => {
  it('gets no create under a quotation that has less left, but a new question of price first', async () => {
    const clock = manualClock();
    const { leftMs, created, after } = watchLives(clock);
    let creates = 0;
    const delivery = await deliver({
      clock,
      payouts: Array.from({ length: 12 }, () => ({})),
      sandbox: { quoteLifeMs: 60_000 },
      meddling: {
        after,
        instead: (asked) => {
          if (isConfirm(asked)) clock.advance(8_000);
          if (!isCreate(asked)) return null;
          // What waits before it is created comes back with too little time: first 15 of 60 s, later 5.
          creates += 1;
          if (creates === 4 || creates === 8)
            return { status: 429, headers: new Headers({ 'retry-after': creates === 4 ? '45' : '55' }) };
          created(asked);
          clock.advance(8_000);
          return null;
        },
      },
    });
    expect(await delivery.run({ concurrency: 1 })).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    expect(await transfersOf(delivery)).toHaveLength(12);
    expect(count(delivery, 'POST', '/rates')).toBe(14);
    expect(Math.min(...leftMs)).toBeGreaterThan(16_000);
  });
});

describe('a service that bears ten calls a second, and quotations of three seconds', () => {
  it('make the pace smaller until a row fits into the life of its quotation', async () => {
    const rows = 60;
    const clock = manualClock();
    const delivery = await deliver({
      clock,
      lanes: 16,
      payouts: Array.from({ length: rows }, () => ({})),
      sandbox: { quoteLifeMs: 3_000 },
      meddling: {
        instead: (asked) => {
          if (isQuote(asked) || isCreate(asked) || isConfirm(asked)) clock.advance(100);
          return null;
        },
      },
    });
    const lanes: number[] = [];
    const onMoved = (_from: string, to: string): void => {
      if (to === 'confirmed') lanes.push(delivery.rateControl.lanes('mutation'));
    };
    expect(await delivery.run({ concurrency: 16, onMoved })).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    // The rows of sixteen lanes together take more than five seconds; only of the first of them may some come too late.
    expect(Math.max(...lanes)).toBeLessThan(16);
    expect(lanes.at(-1)).toBeLessThanOrEqual(10);
    expect(await transfersOf(delivery)).toHaveLength(rows + (await reservedByDead(delivery)).length);
    expect((await transfersOf(delivery)).length).toBeLessThanOrEqual(rows + 2 * 16);
    expect(count(delivery, 'POST', '/rates')).toBeLessThan(2 * rows);
    await expectBooksExact(delivery, await reservedByDead(delivery));
  });
});

/** What transfers that can no longer be confirmed keep reserved. */
async function reservedByDead(delivery: Delivery): Promise<readonly string[]> {
  const dead = (await delivery.rows()).flatMap(({ progress }) => progress.deadAttempts);
  return dead.map(({ transfer }) => addDecimals(transfer.sendAmount, transfer.feeAmount));
}
