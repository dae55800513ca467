// A row whose corridor is still open is told at once what every remaining corridor asks for, and nothing that only some of them do.
import { describe, expect, it } from 'vitest';

import { BANK, type Cells, validate, WALLET, WALLET_ROW, YEN } from './validation.ts';

const without = (cells: Cells, ...names: readonly string[]): Cells =>
  Object.fromEntries(Object.entries(cells).filter(([name]) => !names.includes(name)));

const OPEN = without(WALLET_ROW, 'payoutCorridorId');
const found = (cells: Cells, corridors = [WALLET, BANK, YEN]) =>
  validate(cells, { corridors }).rejections.map(({ code, column }) => `${code} ${column}`);

const OTHER_WALLET = { ...WALLET, id: 'chn-cny-c2c-alipay', transactionMode: 'C2C' } as const;

describe('an open corridor', () => {
  it.each([
    ['the balance', ['sourceCurrency'], 'source_currency_missing sourceCurrency'],
    ['a name', ['receiver.lastName'], 'receiver_field_missing receiver.lastName'],
    ['an account', ['delivery.msisdn'], 'delivery_field_missing delivery.msisdn'],
  ])('is told together with %s that every one left asks for', (_, missing, fault) => {
    const cells = {
      ...without(OPEN, ...missing),
      destinationCountryIsoCode: 'CHN',
      deliveryMethod: 'alipay',
    };
    expect(found(cells, [WALLET, OTHER_WALLET])).toEqual([
      'corridor_ambiguous destinationCountryIsoCode',
      fault,
    ]);
  });

  it('is not told what only some of them ask for', () => {
    const cells = {
      ...without(OPEN, 'receiver.lastName', 'delivery.msisdn'),
      destinationCountryIsoCode: 'CHN',
    };
    expect(found(cells)).toEqual(['corridor_ambiguous destinationCountryIsoCode']);
  });

  it('leaves out corridors in another currency than the row\u2019s', () => {
    const cells = { ...without(OPEN, 'destinationAmount', 'sourceCurrency'), amount: '100', currency: 'CNY' };
    expect(found(cells, [WALLET, OTHER_WALLET, YEN])).toEqual([
      'corridor_missing payoutCorridorId',
      'source_currency_missing sourceCurrency',
    ]);
  });

  it('says which balances there are', () => {
    const cells = { ...without(OPEN, 'sourceCurrency'), destinationCountryIsoCode: 'CHN' };
    const { rejections } = validate(cells, { corridors: [WALLET, OTHER_WALLET] });
    expect(rejections.at(-1)?.words.en).toBe('Say from which balance to pay: EUR, XAF.');
  });
});
