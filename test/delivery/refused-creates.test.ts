// A create without a response, and then a final refusal: the row is not called rejected before it is certain that the first create left nothing.
import { describe, expect, it } from 'vitest';

import { manualClock } from '../sandbox/manual-clock.ts';
import { deliver, type Delivery, expectBooksExact, stagesOf, transfersOf } from './deliver.ts';
import { first, isCreate, isQuote, isRead, refusal, type Asked } from './meddling-proxy.ts';

const LIFE_MS = 10 * 60_000;
const FENCE_MS = 15 * 60_000;

const isLookUp = (asked: Asked): boolean => isRead(asked) && asked.path.includes('/ext-');

/** The refusal was no end: a transfer was found, named, and given up when its time was over for everybody. */
async function expectPaidByTheSecond(delivery: Delivery): Promise<void> {
  const [first, second] = await transfersOf(delivery);
  expect([first?.status, second?.status]).toEqual(['created', 'paid']);
  expect((await delivery.rows())[0]?.progress).toMatchObject({
    stage: 'paid',
    transfer: { externalId: second?.externalId },
    deadAttempts: [{ attempt: 1, transfer: { externalId: first?.externalId } }],
  });
}

describe('a create refused for good', () => {
  it('after one whose answer was lost, with reads that lag, leaves no reservation unnamed', async () => {
    const lost = first(1, isCreate);
    const stale = first(2, isLookUp);
    let creates = 0;
    const delivery = await deliver({
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        instead: (asked) => {
          return isCreate(asked) && ++creates === 2 ? refusal(400, 10018) : null;
        },
        after: (asked) => {
          if (stale(asked)) return refusal(400, 10013);
          return lost(asked) ? { status: 504, body: '<html>' } : null;
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    await expectPaidByTheSecond(delivery);
  });

  it('after one that was told that the transfer exists (10011), with reads that lag, names that transfer', async () => {
    const toldTwice = first(1, isCreate);
    const stale = first(2, isLookUp);
    let creates = 0;
    const delivery = await deliver({
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        instead: (asked) => (isCreate(asked) && ++creates === 2 ? refusal(400, 10018) : null),
        after: (asked) => {
          if (stale(asked)) return refusal(400, 10013);
          return toldTwice(asked) ? refusal(409, 10011) : null;
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    await expectPaidByTheSecond(delivery);
  });

  it('after one that was lost on its way is rejected once that can arrive no more, and no read can hide it', async () => {
    const clock = manualClock();
    const startedAt = clock.now();
    const dropped = first(1, isCreate);
    const delivery = await deliver({
      clock,
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        instead: (asked) => {
          if (dropped(asked)) return { status: 504, body: '<html>' };
          return isCreate(asked) ? refusal(400, 10018) : null;
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['rejected']);
    expect(clock.now() - startedAt).toBeGreaterThan(LIFE_MS + FENCE_MS);
    expect(await transfersOf(delivery)).toEqual([]);
    await expectBooksExact(delivery);
  });

  it('and no other before it is rejected at once', async () => {
    const clock = manualClock();
    const startedAt = clock.now();
    const delivery = await deliver({
      clock,
      meddling: { instead: (asked) => (isCreate(asked) ? refusal(400, 10018) : null) },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      stage: 'rejected',
      why: { errorCode: '10018' },
    });
    expect(clock.now() - startedAt).toBeLessThan(60_000);
  });
});

describe('a price refused for good', () => {
  it('after a create whose answer was lost is looked behind too, and what is found is given up once it can pay no more', async () => {
    const lost = first(1, isCreate);
    const stale = first(2, isLookUp);
    let prices = 0;
    let creates = 0;
    const delivery = await deliver({
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        instead: (asked) => {
          if (isCreate(asked) && ++creates === 2) return refusal(400, 10009);
          return isQuote(asked) && ++prices === 2 ? refusal(400, 10001) : null;
        },
        after: (asked) => {
          if (stale(asked)) return refusal(400, 10013);
          return lost(asked) ? { status: 504, body: '<html>' } : null;
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    await expectPaidByTheSecond(delivery);
  });
});
