// What a price may be at most: exact on both sides of each boundary.
import { describe, expect, it } from 'vitest';

import { priceHits } from '../../src/payouts/limits.ts';

const XAF_EUR = { sourceCurrency: 'XAF', targetCurrency: 'EUR' };
const NONE = { feeShare: null, leastRates: null };

describe('a share of the fee', () => {
  const hit = (feeAmount: string) =>
    priceHits({ sendAmount: '100000', feeAmount, receiveAmount: '150' }, XAF_EUR, {
      ...NONE,
      feeShare: 150,
    })[0];

  it('may be reached', () => expect(hit('1500')).toBeUndefined());

  it('may not be exceeded, and both amounts are said', () => {
    expect(hit('1501')).toMatchObject({
      code: 'over_fee_limit',
      words: { en: 'The fee is 1,501 XAF on 100,000 XAF, and limits.feeShare allows 1.5%.' },
    });
  });
});

describe('a least rate', () => {
  const hit = (receiveAmount: string, leastRates: Record<string, string>) =>
    priceHits({ sendAmount: '100000', feeAmount: '0', receiveAmount }, XAF_EUR, { ...NONE, leastRates })[0];

  it('may be reached', () => expect(hit('152', { 'XAF/EUR': '0.00152' })).toBeUndefined());

  it('may not be undercut by a cent', () => {
    expect(hit('151.99', { 'XAF/EUR': '0.00152' })).toMatchObject({
      code: 'under_rate_limit',
      words: { en: 'One XAF brings 0.0015199 EUR, and limits.leastRates demands 0.00152.' },
    });
  });

  it('of another pair says nothing', () => expect(hit('1', { 'XAF/USD': '0.002' })).toBeUndefined());
});

it('without limits any price may be accepted', () => {
  expect(priceHits({ sendAmount: '1', feeAmount: '9', receiveAmount: '0' }, XAF_EUR, NONE)).toEqual([]);
});
