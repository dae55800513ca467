// Shapes of answers: what the interface shows is demanded, what it does not show is taken in any sensible form, what is new is ignored.
import { describe, expect, it } from 'vitest';

import { CALLS, outcomeOf } from './calls.ts';
import { hostileServer, json, text } from './hostile-server.ts';
import { openClient } from './open-client.ts';
import { CORRIDOR, QUOTATION, TRANSFER } from './wire-samples.ts';

const clientOf = async (body: string) =>
  openClient({ baseUrl: (await hostileServer(text(200, body))).baseUrl });
const clientGiven = (body: unknown) => clientOf(JSON.stringify(body));
const without = (body: object, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

describe('a field that nobody knows', () => {
  it('is ignored in a quotation, a transfer and a corridor', async () => {
    const news = { version: 2, nested: { deep: [1.5] } };
    const quotation = await (await clientGiven({ ...QUOTATION, ...news })).quotation('q-1');
    expect(Object.keys(quotation.value)).toEqual(Object.keys(QUOTATION));
    const transfer = await (await clientGiven({ ...TRANSFER, ...news })).transfer('t-1');
    expect(transfer.value.id).toBe('t-1');
    const corridors = await (await clientGiven([{ ...CORRIDOR, ...news }])).payoutCorridors();
    expect(corridors.value).toHaveLength(1);
  });

  it('is kept in a party and in the delivery, whose fields the interface does not show in full', async () => {
    const deliveryMethodInfo = { msisdn: '+86', walletLevel: 'gold', email: null };
    const { value } = await (await clientGiven({ ...TRANSFER, deliveryMethodInfo })).transfer('t-1');
    expect(value.deliveryMethodInfo).toEqual(deliveryMethodInfo);
  });
});

describe('a field that is needed', () => {
  it.each(Object.keys(QUOTATION))('%s: a quotation without it is none', async (field) => {
    const client = await clientGiven(without(QUOTATION, field));
    expect(await outcomeOf(CALLS.createQuotation(client))).toBe('Unanswered malformed');
  });

  it.each(Object.keys(TRANSFER))('%s: a transfer without it is none', async (field) => {
    const client = await clientGiven(without(TRANSFER, field));
    expect(await outcomeOf(CALLS.createTransfer(client))).toBe('Unanswered malformed');
  });

  it.each(Object.keys(CORRIDOR))('%s: a corridor without it is none', async (field) => {
    const client = await clientGiven([without(CORRIDOR, field)]);
    expect(await outcomeOf(CALLS.payoutCorridors(client))).toBe('Unanswered malformed');
  });

  it.each(['"85000"', 'null', 'true', '1e400', '{}'])('an amount that is %s is no amount', async (amount) => {
    const client = await clientOf(
      JSON.stringify(TRANSFER).replace('"sendAmount":85000', `"sendAmount":${amount}`),
    );
    expect(await outcomeOf(CALLS.createTransfer(client))).toBe('Unanswered malformed');
  });

  it.each(['[]', '5', '"Mei"', 'true'])('a party or a delivery that is %s is none', async (party) => {
    for (const field of ['receiver', 'deliveryMethodInfo']) {
      const client = await clientOf(
        JSON.stringify({ ...TRANSFER, [field]: 'here' }).replace('"here"', party),
      );
      expect(await outcomeOf(CALLS.createTransfer(client))).toBe('Unanswered malformed');
    }
  });

  it('statusCode is text: a number is no transfer', async () => {
    const client = await clientGiven({ ...TRANSFER, statusCode: 10000 });
    expect(await outcomeOf(CALLS.createTransfer(client))).toBe('Unanswered malformed');
  });

  it('an unknown status, code or timestamp is read all the same, so that nothing created is lost', async () => {
    const odd = { status: 'cancelled', statusCode: '100007', expiredAt: 'soon' };
    expect((await (await clientGiven({ ...TRANSFER, ...odd })).transfer('t-1')).value).toMatchObject(odd);
  });
});

describe('amounts', () => {
  it.each([
    ['1234567890123456.78', '1234567890123456.78'],
    ['85000.00', '85000'],
    ['8.5e4', '85000'],
    ['0.1', '0.1'],
  ])('%s comes in as %s', async (sent, read) => {
    const client = await clientOf(
      JSON.stringify(TRANSFER).replace('"sendAmount":85000', `"sendAmount":${sent}`),
    );
    expect((await client.transfer('t-1')).value.sendAmount).toBe(read);
  });

  it('go out with exactly the digits given, as a number', async () => {
    const { baseUrl, seen } = await hostileServer(json(200, QUOTATION));
    const asked = { externalId: 'e', sourceCurrency: 'EUR', targetCurrency: 'EUR', transactionMode: 'B2B' };
    await openClient({ baseUrl }).createQuotation({
      ...asked,
      payoutCorridorId: 'c',
      mode: 'SOURCE_AMOUNT',
      sourceAmount: '1234567890123456.78',
    });
    expect(seen[0]?.body).toContain('"sourceAmount":1234567890123456.78');
    expect(seen[0]?.body).not.toContain('destinationAmount');
  });
});

describe('the body of a list is not shown', () => {
  it.each([
    ['a bare list', [TRANSFER]],
    ['a list in an envelope', { data: [TRANSFER], total: 1 }],
    ['a list under another name', { transfers: [TRANSFER], next: null }],
  ])('%s serves', async (_name, body) => {
    const { value } = await (await clientGiven(body)).transfers({});
    expect(value.transfers.map(({ id }) => id)).toEqual(['t-1']);
  });

  it.each([
    ['no list', { total: 0 }],
    ['two lists', { a: [TRANSFER], b: [] }],
    ['a list with something else in it', [TRANSFER, { id: 't-2' }]],
    ['one transfer', TRANSFER],
  ])('%s is no list', async (_name, body) => {
    expect(await outcomeOf((await clientGiven(body)).transfers({}))).toBe('Unanswered malformed');
  });

  it('an empty one is empty', async () => {
    expect((await (await clientGiven([])).transfers({})).value).toEqual({ transfers: [], nextKey: null });
  });
});

describe('the balance record is not shown', () => {
  const XAF = [{ currency: 'XAF', available: '1250.5', pending: '7' }];
  it.each<readonly [string, unknown]>([
    ['a list', [{ currency: 'XAF', available: 1250.5, pending: 7 }]],
    ['the names of the sandbox', [{ currency: 'XAF', availableAmount: 1250.5, pendingAmount: 7 }]],
    ['an envelope', { balances: [{ currency: 'XAF', available: 1250.5, pending: 7 }] }],
    ['keys that are currencies', { XAF: { available: 1250.5, pending: 7 } }],
    ['the same in an envelope', { data: { XAF: { available: 1250.5, pending: 7 } } }],
    ['a single record', { currency: 'XAF', availableBalance: 1250.5, pendingBalance: 7 }],
    ['amounts as text', [{ currencyCode: 'XAF', balance: '1250.50', reserved: '7' }]],
  ])('%s serves', async (_name, body) => {
    expect((await (await clientGiven(body)).balances()).value).toEqual(XAF);
  });

  it.each<readonly [string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['an object of something else', { ok: true }],
    ['a list of texts', ['XAF']],
    ['a record without a currency', [{ available: 5 }]],
  ])('%s says nothing and disturbs nobody', async (_name, body) => {
    expect((await (await clientGiven(body)).balances()).value).toEqual([]);
  });

  it('a missing pending part is unknown', async () => {
    const { value } = await (await clientGiven([{ currency: 'XAF', available: 5 }])).balances();
    expect(value).toEqual([{ currency: 'XAF', available: '5', pending: null }]);
  });
});
