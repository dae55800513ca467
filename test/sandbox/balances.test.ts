// Interface: the balance effects of each transition, and GET /public/balances; the sandbox's own books and control endpoints.
import { describe, expect, it } from 'vitest';

import { addDecimals } from '../../src/base/decimal.ts';
import { confirmed, created, quoted, refusalOf, statusOf, transferRequest } from './sandbox-client.ts';
import { withSandbox, type TestSandbox } from './with-sandbox.ts';

/** What 1000 CNY to an Alipay wallet takes: 84646 XAF and fees of 1270 and 250. */
const DEBIT = 86_166;
const OPENING = 500_000_000;

function xaf({ books }: TestSandbox) {
  const { availableAmount, pendingAmount, debitedAmount } =
    books().find(({ currency }) => currency === 'XAF') ?? {};
  return {
    available: Number(availableAmount),
    pending: Number(pendingAmount),
    debited: Number(debitedAmount),
  };
}

describe('GET /public/balances', () => {
  it('shows the available and the pending part of each source currency', async () => {
    const { client } = await withSandbox();
    await created(client);
    expect((await client.get('/public/balances')).list).toEqual([
      { currency: 'USD', availableAmount: 1_000_000, pendingAmount: 0 },
      { currency: 'EUR', availableAmount: 1_000_000, pendingAmount: 0 },
      { currency: 'XAF', availableAmount: OPENING - DEBIT, pendingAmount: DEBIT },
    ]);
  });
});

describe('the balance', () => {
  it('is not touched by a quotation', async () => {
    const sandbox = await withSandbox();
    await quoted(sandbox.client);
    expect(xaf(sandbox)).toEqual({ available: OPENING, pending: 0, debited: 0 });
  });

  it('has sendAmount + feeAmount reserved by create, still reserved by confirm, and debited by paid', async () => {
    const sandbox = await withSandbox();
    const { id } = await created(sandbox.client);
    const reserved = { available: OPENING - DEBIT, pending: DEBIT, debited: 0 };
    expect(xaf(sandbox)).toEqual(reserved);
    await sandbox.client.post(`/transfers/${String(id)}/confirm`);
    expect(xaf(sandbox)).toEqual(reserved);
    sandbox.clock.advance(300);
    expect(await statusOf(sandbox.client, id)).toBe('paid/20000');
    expect(xaf(sandbox)).toEqual({ available: OPENING - DEBIT, pending: 0, debited: DEBIT });
  });

  it('is released by failed', async () => {
    const sandbox = await withSandbox();
    const id = await confirmed(sandbox.client, { deliveryMethodInfo: { msisdn: '+860100003' } });
    sandbox.clock.advance(300);
    expect(await statusOf(sandbox.client, id)).toBe('failed/100003');
    expect(xaf(sandbox)).toEqual({ available: OPENING, pending: 0, debited: 0 });
  });

  it('gets the funds of a reversed payout back', async () => {
    const sandbox = await withSandbox();
    const id = await confirmed(sandbox.client, { deliveryMethodInfo: { msisdn: '+860100001' } });
    sandbox.clock.advance(300);
    expect(await statusOf(sandbox.client, id)).toBe('paid/20000');
    expect(xaf(sandbox).debited).toBe(DEBIT);
    sandbox.clock.advance(1_000);
    expect(await statusOf(sandbox.client, id)).toBe('failed/100001');
    expect(xaf(sandbox)).toEqual({ available: OPENING, pending: 0, debited: 0 });
  });

  it('is covered to the last franc', async () => {
    const sandbox = await withSandbox({ balances: { XAF: String(2 * DEBIT) } });
    await created(sandbox.client);
    await created(sandbox.client);
    expect(xaf(sandbox)).toEqual({ available: 0, pending: 2 * DEBIT, debited: 0 });
    const { id } = await quoted(sandbox.client);
    expect(refusalOf(await sandbox.client.post('/transfers', transferRequest(id)))).toBe('500/10024');
  });

  it('is never overdrawn by creates at the same time', async () => {
    const sandbox = await withSandbox({ balances: { XAF: String(3 * DEBIT) } });
    const quotations = await Promise.all(Array.from({ length: 8 }, () => quoted(sandbox.client)));
    const replies = await Promise.all(
      quotations.map(({ id }) => sandbox.client.post('/transfers', transferRequest(id))),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(xaf(sandbox)).toEqual({ available: 0, pending: 3 * DEBIT, debited: 0 });
  });

  it('keeps euro cents exactly', async () => {
    const sandbox = await withSandbox({ balances: { EUR: '0.3' } });
    await sandbox.client.post('/sandbox/top-up', '{"currency":"EUR","amount":1234567890123456.78}');
    expect((await sandbox.client.get('/public/balances')).text).toContain('1234567890123457.08');
  });
});

describe('the control endpoints', () => {
  it('top up what is available', async () => {
    const sandbox = await withSandbox();
    const { status } = await sandbox.client.post('/sandbox/top-up', { currency: 'XAF', amount: 1_000 });
    expect([status, xaf(sandbox).available]).toEqual([200, OPENING + 1_000]);
  });

  it('set what is available and leave the pending part', async () => {
    const sandbox = await withSandbox();
    await created(sandbox.client);
    await sandbox.client.post('/sandbox/balances', { currency: 'XAF', availableAmount: '12' });
    expect(xaf(sandbox)).toMatchObject({ available: 12, pending: DEBIT });
  });

  it('show books whose deposits are always the sum of the rest', async () => {
    const { client, clock } = await withSandbox();
    for (const msisdn of ['1', '0100001', '0100004', '0060000', '0010027'])
      await client.post(
        `/transfers/${String((await created(client, { deliveryMethodInfo: { msisdn } }))['id'])}/confirm`,
      );
    await client.post('/sandbox/balances', { currency: 'XAF', availableAmount: 77 });
    clock.advance(300);
    for (const book of (await client.get('/sandbox/books')).list) {
      const parts = ['availableAmount', 'pendingAmount', 'debitedAmount'].map((part) => String(book[part]));
      expect(parts.reduce(addDecimals)).toBe(String(book['depositedAmount']));
    }
  });

  it('switch a corridor off and on', async () => {
    const { client } = await withSandbox();
    const listed = async () =>
      (await client.get('/payout-corridors?deliveryMethod=wechat&transactionMode=B2C')).list.length;
    await client.post('/sandbox/corridors/chn-cny-b2c-wechat', { isEnabled: false });
    expect(await listed()).toBe(0);
    await client.post('/sandbox/corridors/chn-cny-b2c-wechat', { isEnabled: true });
    expect(await listed()).toBe(1);
  });

  it.each([
    ['/sandbox/top-up', { currency: 'GBP', amount: 1 }],
    ['/sandbox/top-up', { currency: 'XAF', amount: 0.5 }],
    ['/sandbox/top-up', { currency: 'XAF', amount: -1 }],
    ['/sandbox/balances', { currency: 'XAF' }],
    ['/sandbox/corridors/chn-cny-b2c-wechat', { isEnabled: 'no' }],
  ])('refuse nonsense: %s %j', async (path, body) => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.post(path, body))).toBe('400/10001');
  });
});
