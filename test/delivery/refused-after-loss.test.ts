// A row was paid, and then its ledger was lost and rebuilt. While reads do not show the payment yet, the service refuses the row for good: if
// its owner were told so, he would correct the row and pay it again.
import { describe, expect, it } from 'vitest';

import { FRESH, type Progress } from '../../src/payouts/progress.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { always, deliver, stagesOf, transfersOf, type Delivery } from './deliver.ts';
import { isCreate, isQuote, refusal, type Asked, type Reply } from './meddling-proxy.ts';
import { record } from '../ledger/own.ts';

const FENCE_MS = 15 * 60_000;
const LAG_MS = 110_000;

type Refusing = {
  readonly payouts?: readonly Partial<Payout>[];
  readonly instead?: (asked: Asked) => Partial<Reply> | null;
  readonly after?: (asked: Asked, reply: Reply) => Partial<Reply> | null;
  /** The row as the ledger knows it then. */
  readonly known?: (now: number, paid: Progress) => Progress;
};

/** Paid; from then on what a new run sends is refused, its ledger knows the row as rebuilt, or as `known` says, and reads by external id lag. */
async function paidAndForgotten(
  { payouts = [{}], instead = () => null, after = () => null, known = rebuilt }: Refusing,
  lagMs = LAG_MS,
): Promise<Delivery> {
  const clock = manualClock();
  let hiddenUntil = 0;
  let isLost = false;
  const delivery = await deliver({
    clock,
    payouts,
    sandbox: { quoteLifeMs: 30 * 60_000 },
    meddling: {
      instead: (asked) => (isLost ? instead(asked) : null),
      after: (asked, reply) => {
        const isHidden = asked.path.includes('/transfers/ext-') && clock.now() < hiddenUntil;
        if (isHidden && reply.status === 200) return refusal(404, 10013);
        return isLost ? after(asked, reply) : null;
      },
    },
  });
  await delivery.run();
  const [row] = await delivery.rows();
  if (row === undefined) throw new Error('The row is there.');
  expect(row.progress.stage).toBe('paid');
  const progress = known(clock.now(), row.progress);
  await record(delivery.ledger, row, { progress, dueAt: 0, event: 'forgotten' });
  hiddenUntil = clock.now() + lagMs;
  isLost = true;
  return delivery;
}

const rebuilt = (): Progress => ({ ...FRESH, confirm: 'sent' });
const quoteRefused =
  (status: number, code: number) =>
  (asked: Asked): Partial<Reply> | null =>
    isQuote(asked) ? refusal(status, code) : null;
const createRefused =
  (status: number, code: number) =>
  (asked: Asked): Partial<Reply> | null =>
    isCreate(asked) ? refusal(status, code) : null;

describe('a row that was paid, and is refused for good while reads do not show it', () => {
  it.each([
    ['its price', quoteRefused(400, 10001)],
    ['its price, time after time', quoteRefused(500, 10003)],
    ['its transfer', createRefused(400, 10018)],
  ] as const)('of %s, is found paid', async (_what, instead) => {
    const delivery = await paidAndForgotten({ instead });
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect(await transfersOf(delivery)).toHaveLength(1);
  });

  it.each<[string, Refusing['instead'], (price: Progress['price']) => Partial<Progress>]>([
    ['its transfer', createRefused(400, 10018), (price) => ({ stage: 'quoted', price })],
    ['its next price', quoteRefused(400, 10001), () => ({ quotationAttempt: 2 })],
    ['its first price', quoteRefused(400, 10001), () => ({})],
    ['its first price, time after time', quoteRefused(500, 10003), () => ({})],
  ])('of %s, and of which an older copy of the ledger knows less, is found paid', async (...given) => {
    const [, instead = () => null, copy] = given;
    const known = (_now: number, { price }: Progress) => ({ ...FRESH, ...copy(price) });
    const delivery = await paidAndForgotten({ instead, known });
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect(await transfersOf(delivery)).toHaveLength(1);
  });

  it('for an amount that has come out of bounds, is found paid', async () => {
    const after = (asked: Asked, { status, body }: Reply) => {
      if (!isQuote(asked) || status >= 300) return null;
      return { body: JSON.stringify({ ...(JSON.parse(body) as object), destinationAmount: 1 }) };
    };
    const payouts = [{ requested: { side: 'source', amount: '100000' } }] as const;
    const delivery = await paidAndForgotten({ payouts, after });
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
  });
});

describe('a row that was never paid, and is refused for good', () => {
  const refused = { instead: quoteRefused(400, 10001) };

  it('after a rebuild, is rejected once no read can hide a payment of it', async () => {
    const delivery = await paidAndForgotten(refused, Infinity);
    const from = delivery.clock.now();
    const ledger = delivery.openAgain();
    expect(await delivery.run({ ledger }, { doubtSince: always(from) })).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      stage: 'rejected',
      why: { errorCode: '10001' },
    });
    expect(delivery.clock.now() - from).toBeGreaterThan(FENCE_MS);
  });

  it('and of which another run had a price, is rejected once no read can hide a payment of it, and no later', async () => {
    const known = (_now: number, { price }: Progress) => ({ ...FRESH, stage: 'quoted' as const, price });
    const delivery = await paidAndForgotten({ instead: createRefused(400, 10018), known }, Infinity);
    const from = delivery.clock.now();
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['rejected']);
    expect(delivery.clock.now() - from).toBeGreaterThan(FENCE_MS);
    expect(delivery.clock.now() - from).toBeLessThan(2 * FENCE_MS);
  });

  // An older copy of the ledger may have been put back between the two runs, and nothing tells it from the latest.
  it('and that another run takes up, is rejected once no read can hide a payment of it, and no later', async () => {
    const delivery = await deliver({ meddling: { instead: quoteRefused(400, 10001) } });
    const from = delivery.clock.now();
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['rejected']);
    expect(delivery.clock.now() - from).toBeGreaterThan(FENCE_MS);
    expect(delivery.clock.now() - from).toBeLessThan(2 * FENCE_MS);
  });

  it('and that the same run has had from its beginning, is rejected at once', async () => {
    const delivery = await deliver({ meddling: { instead: quoteRefused(400, 10001) } });
    const from = delivery.clock.now();
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['rejected']);
    expect(delivery.clock.now() - from).toBeLessThan(FENCE_MS);
  });
});
