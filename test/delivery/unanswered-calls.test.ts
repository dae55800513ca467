// Calls whose response is lost: paydrop first finds out what happened, then goes on under the same ids, and pays once.
import { describe, expect, it } from 'vitest';

import type { Faults } from '../../src/sandbox/faults.ts';
import type { Operation } from '../../src/service/errors.ts';
import { count, deliver, expectBooksExact, stagesOf, transfersOf, BANK } from './deliver.ts';
import { first, isConfirm, isRead } from './meddling-proxy.ts';
import { TRANSFER } from './due-row.ts';

type Rule = NonNullable<Faults['rules']>[number];

/** Each fault, and whether the service did what it was asked. */
const FAULTS: readonly (readonly [string, Rule, boolean])[] = [
  ['an answer dropped', { fault: 'drop-answer' }, true],
  ['a cut answer', { fault: 'cut' }, true],
  ['a gateway page behind which it was done', { fault: 'html', status: 504, acts: true }, true],
  ['a request dropped', { fault: 'drop' }, false],
  ['a reset', { fault: 'reset' }, false],
  ['a gateway page', { fault: 'html', status: 502 }, false],
  ['a throttle', { fault: 'throttle', retryAfterSeconds: 2 }, false],
];

const struckOnce = (operation: Operation, rule: Rule, payout = {}) =>
  deliver({
    payouts: [payout],
    sandbox: { faults: { rules: [{ ...rule, operations: [operation], times: 1 }] } },
  });

describe('a create met by', () => {
  it.each(FAULTS)('%s makes one transfer, under the one id', async (_name, rule, acted) => {
    const delivery = await struckOnce('createTransfer', rule);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect(await transfersOf(delivery)).toMatchObject([{ externalId: TRANSFER.externalId, status: 'paid' }]);
    // What was done is adopted by a look, not asked for again.
    expect(count(delivery, 'POST', '/transfers')).toBe(acted ? 1 : 2);
    expect(count(delivery, 'GET', `/transfers/ext-${TRANSFER.externalId}`)).toBeGreaterThan(0);
    await expectBooksExact(delivery);
  });
});

describe('a confirm met by', () => {
  // The body of a confirm is empty: there is nothing to cut.
  it.each(FAULTS.filter(([, { fault }]) => fault !== 'cut'))('%s pays once', async (_name, rule, acted) => {
    const delivery = await struckOnce('confirmTransfer', rule);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect(await transfersOf(delivery)).toHaveLength(1);
    expect(count(delivery, 'POST', '/confirm')).toBe(acted ? 1 : 2);
    await expectBooksExact(delivery);
  });
});

describe('a quotation and an upload met by', () => {
  it.each(FAULTS)('%s end in one paid transfer', async (_name, rule) => {
    for (const operation of ['createQuotation', 'uploadAttachment'] as const) {
      const delivery = await struckOnce(operation, rule, BANK);
      expect(await delivery.run()).toEqual({ kind: 'done' });
      expect(await stagesOf(delivery)).toEqual(['paid']);
      expect(await transfersOf(delivery)).toHaveLength(1);
      await expectBooksExact(delivery);
    }
  });
});

describe('reads that lag behind', () => {
  it('a create that no look-up shows yet is sent again under the same id, and then adopted', async () => {
    const unseen = first(3, ({ path }) => path.startsWith('/transfers/ext-'));
    const delivery = await deliver({
      sandbox: { faults: { rules: [{ fault: 'drop-answer', operations: ['createTransfer'], times: 1 }] } },
      meddling: {
        after: (asked) =>
          unseen(asked) ? { status: 500, body: '{"errorCode":10013,"message":"not found"}' } : null,
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect(await transfersOf(delivery)).toHaveLength(1);
  });

  it('a confirm that was taken while reads say created is never followed by another transfer', async () => {
    const lost = first(1, isConfirm);
    // As many stale reads as fit into more than the whole life of the quotation.
    const stale = first(40, isRead);
    const delivery = await deliver({
      sandbox: { quoteLifeMs: 60_000 },
      meddling: {
        after: (asked, reply) =>
          lost(asked)
            ? { status: 504, body: '<html>' }
            : stale(asked)
              ? {
                  body: reply.body
                    .replace(/"(submitted|paid)"/, '"created"')
                    .replace(/"(10001|20000)"/, '"10000"'),
                }
              : null,
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await transfersOf(delivery)).toHaveLength(1);
    expect(await stagesOf(delivery)).toEqual(['paid']);
    await expectBooksExact(delivery);
  });
});

describe('a confirm refused by the network (10027)', () => {
  const REFUSED = { deliveryMethodInfo: { msisdn: '+8613800010027' } };

  it('is a failed row with that code, without a second confirm', async () => {
    const delivery = await deliver({ payouts: [REFUSED] });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      stage: 'failed',
      why: { errorCode: '10027' },
    });
    expect(count(delivery, 'POST', '/confirm')).toBe(1);
    await expectBooksExact(delivery);
  });

  it('is a failed row also when the refusal got lost', async () => {
    const delivery = await struckOnce('confirmTransfer', { fault: 'drop-answer' }, REFUSED);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['failed']);
    expect(count(delivery, 'POST', '/confirm')).toBe(1);
    await expectBooksExact(delivery);
  });

  it('but still created long after its expiry is held for a person, and never confirmed again', async () => {
    const delivery = await deliver({
      meddling: {
        instead: (asked) =>
          isConfirm(asked) ? { status: 500, body: '{"errorCode":10027,"message":"refused"}' } : null,
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      hold: { code: 'network_undecided' },
    });
    expect(count(delivery, 'POST', '/confirm')).toBe(1);
    expect(await transfersOf(delivery)).toHaveLength(1);
  });
});
