// Interface: GET /payout-corridors, and what the corridors must offer to a caller that is tried against them.
import { describe, expect, it } from 'vitest';

import { CORRIDORS } from '../../src/sandbox/corridors.ts';
import { DELIVERY_METHODS, TRANSACTION_MODES } from '../../src/service/wire.ts';
import { refusalOf } from './sandbox-client.ts';
import { withSandbox } from './with-sandbox.ts';

const FIELDS = [
  'id',
  'sourceCurrencies',
  'targetCurrency',
  'destinationCountryIsoCode',
  'transactionMode',
  'deliveryMethod',
  'bankName',
  'isEnabled',
  'minimumTransactionAmount',
  'maximumTransactionAmount',
  'requiredSendingEntityFields',
  'requiredReceivingEntityFields',
  'requiredDeliveryMethodFields',
];

describe('GET /payout-corridors', () => {
  it('shows every field of the interface and no other', async () => {
    const { client } = await withSandbox();
    const { list } = await client.get('/payout-corridors');
    for (const corridor of list) expect(Object.keys(corridor)).toEqual(FIELDS);
  });

  it('lists the enabled corridors only', async () => {
    const { client } = await withSandbox();
    const { list } = await client.get('/payout-corridors');
    expect(list.every(({ isEnabled }) => isEnabled === true)).toBe(true);
    expect(list).toHaveLength(CORRIDORS.filter(({ isEnabled }) => isEnabled).length);
    expect(CORRIDORS.some(({ isEnabled }) => !isEnabled)).toBe(true);
  });

  it('gives the bounds as numbers and a missing bank name as null', async () => {
    const { client } = await withSandbox();
    const { list } = await client.get('/payout-corridors?limit=1');
    expect(list[0]).toMatchObject({ minimumTransactionAmount: 100, bankName: null });
  });

  it.each([
    ['currency', 'targetCurrency', 'NGN'],
    ['destinationCountryIsoCode', 'destinationCountryIsoCode', 'FRA'],
    ['transactionMode', 'transactionMode', 'C2C'],
    ['deliveryMethod', 'deliveryMethod', 'wechat'],
  ])('filters by %s', async (parameter, field, value) => {
    const { client } = await withSandbox();
    const { list } = await client.get(`/payout-corridors?${parameter}=${value}`);
    expect(list.length).toBeGreaterThan(0);
    expect(new Set(list.map((corridor) => corridor[field]))).toEqual(new Set([value]));
  });

  it('applies all filters together', async () => {
    const { client } = await withSandbox();
    const { list } = await client.get(
      '/payout-corridors?currency=CNY&transactionMode=B2C&deliveryMethod=alipay',
    );
    expect(list.map(({ id }) => id)).toEqual(['chn-cny-b2c-alipay']);
  });

  it('answers an empty list when nothing matches', async () => {
    const { client } = await withSandbox();
    expect((await client.get('/payout-corridors?currency=JPY')).text).toBe('[]');
  });

  it.each(['1', '200'])('takes the limit %s', async (limit) => {
    const { client } = await withSandbox();
    const { status, list } = await client.get(`/payout-corridors?limit=${limit}`);
    expect(status).toBe(200);
    expect(list.length).toBeLessThanOrEqual(Number(limit));
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=many',
    'limit=',
    'transactionMode=X2X',
    'deliveryMethod=cash',
  ])('refuses %s and names the field', async (query) => {
    const { client } = await withSandbox();
    const reply = await client.get(`/payout-corridors?${query}`);
    expect(refusalOf(reply)).toBe('400/10001');
    expect(String(reply.json['message'])).toContain(query.split('=')[0]);
  });
});

describe('the corridors', () => {
  it('cover every transaction mode and every delivery method', () => {
    const enabled = CORRIDORS.filter(({ isEnabled }) => isEnabled);
    expect(new Set(enabled.map(({ transactionMode }) => transactionMode))).toEqual(
      new Set(TRANSACTION_MODES),
    );
    expect(new Set(enabled.map(({ deliveryMethod }) => deliveryMethod))).toEqual(new Set(DELIVERY_METHODS));
  });

  it('have ids of their own', () => {
    expect(new Set(CORRIDORS.map(({ id }) => id)).size).toBe(CORRIDORS.length);
  });

  it('offer alternative groups, named banks, and short and long quotations', () => {
    expect(
      CORRIDORS.some(({ requiredDeliveryMethodFields }) => requiredDeliveryMethodFields.length > 1),
    ).toBe(true);
    expect(CORRIDORS.some(({ bankName }) => bankName !== null)).toBe(true);
    const lives = CORRIDORS.map(({ quoteLifeMs }) => quoteLifeMs);
    expect([Math.min(...lives), Math.max(...lives)]).toEqual([60_000, 1_800_000]);
  });
});
