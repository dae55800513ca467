// Decimals of currencies by ISO 4217, where a wrong one moves the decimal point of somebody's salary.
import { describe, expect, it } from 'vitest';

import { currencyDecimals, fitsCurrency, formatAmount } from '../../src/base/currency.ts';

describe('the decimals of a currency', () => {
  it.each([
    ['XAF', 0],
    ['XOF', 0],
    ['VND', 0],
    ['JPY', 0],
    ['EUR', 2],
    ['USD', 2],
    ['CNY', 2],
    ['IDR', 2],
    ['HUF', 2],
    ['TND', 3],
    ['KWD', 3],
    ['XCG', 2],
  ])('of %s are %i', (currency, decimals) => {
    expect(currencyDecimals(currency)).toBe(decimals);
  });

  it.each(['', 'XYZ', 'XX', 'constructor', '__proto__', 'toString'])('of %j are unknown', (currency) => {
    expect(currencyDecimals(currency)).toBeNull();
  });
});

describe('an amount fits its currency', () => {
  it.each([
    ['1500', 'XAF', true],
    ['1500.5', 'XAF', false],
    ['12.34', 'CNY', true],
    ['12.345', 'CNY', false],
    ['12.345', 'TND', true],
    ['12', 'XYZ', false],
  ])('%s %s: %j', (amount, currency, fits) => {
    expect(fitsCurrency(amount, currency)).toBe(fits);
  });
});

describe('an amount is written as its currency writes it', () => {
  it.each([
    ['14250', 'CNY', '14250.00'],
    ['14250.5', 'CNY', '14250.50'],
    ['14250', 'XAF', '14250'],
    ['0.005', 'EUR', '0.005'],
    ['7', 'XYZ', '7'],
  ])('%s %s as %s', (amount, currency, written) => {
    expect(formatAmount(amount, currency)).toBe(written);
  });
});
