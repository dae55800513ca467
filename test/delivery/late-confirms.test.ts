// Confirms that arrive late, are refused for a reason that is not final, or were made by somebody else: one transfer, followed to its end.
import { describe, expect, it } from 'vitest';

import { PAUSED } from '../ledger/records.ts';
import { BATCH, count, deliver, expectBooksExact, stagesOf, transfersOf, type Delivery } from './deliver.ts';
import { first, isConfirm, isCreate, isRead, refusal, type Asked, type Meddling } from './meddling-proxy.ts';
import { own } from '../ledger/own.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';

const GATEWAY_PAGE = { status: 504, body: '<html>' };

/** A delivery whose meddling may use the service itself, as another tool with the same key does. */
async function meddled(
  meddling: (confirm: (path: string) => Promise<void>) => Meddling,
  payout = {},
): Promise<Delivery> {
  const confirm = async (path: string): Promise<void> => {
    await delivery.sandbox.client.post(path);
  };
  const delivery: Delivery = await deliver({ payouts: [payout], meddling: meddling(confirm) });
  return delivery;
}

const ofConfirm = ({ path }: Asked): string => path;
const ofCreated = (body: string): string =>
  `/transfers/${(JSON.parse(body) as { readonly id: string }).id}/confirm`;

async function expectOnePaid(delivery: Delivery): Promise<void> {
  expect(await delivery.run()).toEqual({ kind: 'done' });
  expect(await stagesOf(delivery)).toEqual(['paid']);
  expect(await transfersOf(delivery)).toMatchObject([{ status: 'paid' }]);
  await expectBooksExact(delivery);
}

describe('a confirm that never happened, whatever was answered to it', () => {
  it.each([
    ['200', null],
    ['confirmed already (10015)', refusal(500, 10015)],
  ])('(%s) is made again, and pays once', async (_name, told) => {
    const isLost = first(1, isConfirm);
    const delivery = await deliver({
      meddling: {
        instead: (asked) => (isLost(asked) ? (told ?? { status: 200, body: '' }) : null),
      },
    });
    await expectOnePaid(delivery);
    expect(count(delivery, 'POST', '/confirm')).toBe(2);
  });

  it('time after time is left to a person, and to three repetitions', async () => {
    const delivery = await deliver({
      meddling: { instead: (asked) => (isConfirm(asked) ? { status: 200, body: '' } : null) },
    });
    expect(await delivery.run({ waitMs: 7_200_000 })).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress.hold?.code).toBe('status_went_back');
    expect(count(delivery, 'POST', '/confirm')).toBe(4);
    expect(await transfersOf(delivery)).toMatchObject([{ status: 'created' }]);
  });

  it('is not made again once the batch is paused', async () => {
    const isLost = first(1, isConfirm);
    const delivery: Delivery = await deliver({
      meddling: { instead: (asked) => (isLost(asked) ? { status: 200, body: '' } : null) },
      onWait: async () => changeBatch(delivery.ledger, await own(delivery.ledger, BATCH), PAUSED),
    });
    expect(await delivery.run()).toEqual({ kind: 'paused' });
    expect(count(delivery, 'POST', '/confirm')).toBe(1);
  });
});

describe('a confirm that arrives after its caller has given up', () => {
  it('and after a look that said created is met by a second one (10015), and pays once', async () => {
    let confirms = 0;
    const delivery = await meddled((confirm) => ({
      instead: async (asked) => {
        if (!isConfirm(asked)) return null;
        confirms += 1;
        if (confirms === 1) return GATEWAY_PAGE;
        await confirm(ofConfirm(asked));
        return null;
      },
    }));
    await expectOnePaid(delivery);
    expect(confirms).toBe(2);
  });

  it('and in time, while a second one is refused as too late (10016), is found submitted and pays once', async () => {
    let confirms = 0;
    const delivery = await meddled((confirm) => ({
      instead: async (asked) => {
        if (!isConfirm(asked)) return null;
        confirms += 1;
        if (confirms === 1) return GATEWAY_PAGE;
        await confirm(ofConfirm(asked));
        return refusal(400, 10016);
      },
    }));
    await expectOnePaid(delivery);
  });

  it('and was refused by the network meanwhile is a failed row, though a second one says that it is confirmed (10015)', async () => {
    const lost = first(1, isConfirm);
    const stale = first(1, isRead);
    const delivery = await meddled(
      () => ({
        after: (asked, { body }) => {
          if (lost(asked)) return GATEWAY_PAGE;
          if (!stale(asked)) return null;
          return {
            body: body.replace(/"status":"\w+"/, '"status":"created"').replace(/"1\d{4,5}"/, '"10000"'),
          };
        },
      }),
      { deliveryMethodInfo: { msisdn: '+8613800010027' } },
    );
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['failed']);
    expect(await transfersOf(delivery)).toHaveLength(1);
    await expectBooksExact(delivery);
  });
});

describe('a transfer that somebody else confirmed', () => {
  it('before our own confirm (10015) is followed, and paid once', async () => {
    const delivery = await meddled((confirm) => ({
      instead: async (asked) => {
        if (isConfirm(asked)) await confirm(ofConfirm(asked));
        return null;
      },
    }));
    await expectOnePaid(delivery);
    expect(count(delivery, 'POST', '/confirm')).toBe(1);
  });

  it('while the answer to our create was lost is adopted as it stands, and never confirmed by us', async () => {
    const created: string[] = [];
    const lost = first(1, isCreate);
    const delivery = await meddled((confirm) => ({
      instead: async (asked) => {
        const path = created.pop();
        if (isRead(asked) && path !== undefined) await confirm(path);
        return null;
      },
      after: (asked, { body }) => {
        if (!lost(asked)) return null;
        created.push(ofCreated(body));
        return GATEWAY_PAGE;
      },
    }));
    await expectOnePaid(delivery);
    expect(count(delivery, 'POST', '/confirm')).toBe(0);
  });
});

describe('a document that is demanded (10022) for a wallet', () => {
  it('is for a person: nothing is created in its place', async () => {
    const delivery = await meddled(() => ({
      instead: (asked) => (isConfirm(asked) ? refusal(400, 10022) : null),
    }));
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({ hold: { code: 'document_demanded' } });
    expect(await transfersOf(delivery)).toMatchObject([{ status: 'created' }]);
  });
});
