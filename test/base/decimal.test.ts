// Money is digits and a scale: what is read, what is refused, and the laws of arithmetic against plain bigints.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  addDecimals,
  compareDecimals,
  cutDecimals,
  decimalsOf,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
  toDecimalText,
  withDecimals,
} from '../../src/base/decimal.ts';

/** Far more digits than a float holds, so that any float on the way shows. */
const UNITS = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
const SCALE = fc.integer({ min: 0, max: 8 });

/** A decimal, and the whole number that it is at scale 8. */
const DECIMAL = fc.tuple(UNITS, SCALE).map(([units, scale]) => ({
  text: toDecimalText(`${units.toString()}e-${String(scale)}`) ?? 'unreadable',
  atScale8: units * 10n ** BigInt(8 - scale),
}));

const atScale8 = (text: string) => BigInt(withDecimals(text, 8).replace('.', ''));
const signOf = (value: bigint) => (value < 0n ? -1 : value > 0n ? 1 : 0);

describe('a number is read', () => {
  it.each([
    ['12.30', '12.3'],
    ['1e2', '100'],
    ['1.5E+3', '1500'],
    ['25e-1', '2.5'],
    ['1e-2', '0.01'],
    ['0', '0'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['-0.5', '-0.5'],
    ['007', '7'],
    ['1234567890123456.78', '1234567890123456.78'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
  ])('%s as %s', (text, canonical) => {
    expect(toDecimalText(text)).toBe(canonical);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '.5',
    '5.',
    '1,5',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '--1',
    '1.2.3',
    '١',
  ])('%j is no number', (text) => {
    expect(toDecimalText(text)).toBeNull();
  });

  it('only up to 40 characters and 40 decimals, so that no number makes arithmetic slow', () => {
    expect(toDecimalText('9'.repeat(40))).toBe('9'.repeat(40));
    expect(toDecimalText('9'.repeat(41))).toBeNull();
    expect(toDecimalText('1e40')).toBe(`1${'0'.repeat(40)}`);
    expect(toDecimalText('1e41')).toBeNull();
    expect(toDecimalText('1e-41')).toBeNull();
    expect(toDecimalText('1e999')).toBeNull();
  });
});

describe('for all decimals', () => {
  it('the canonical text reads as itself, without needless zeros', () => {
    fc.assert(
      fc.property(DECIMAL, ({ text }) => {
        expect(toDecimalText(text)).toBe(text);
        expect(text).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/);
      }),
    );
  });

  it('sum and difference are those of the whole numbers', () => {
    fc.assert(
      fc.property(DECIMAL, DECIMAL, (a, b) => {
        expect(atScale8(addDecimals(a.text, b.text))).toBe(a.atScale8 + b.atScale8);
        expect(atScale8(subtractDecimals(a.text, b.text))).toBe(a.atScale8 - b.atScale8);
      }),
    );
  });

  it('a sum gives back what was added', () => {
    fc.assert(
      fc.property(DECIMAL, DECIMAL, (a, b) => {
        expect(subtractDecimals(addDecimals(a.text, b.text), b.text)).toBe(a.text);
      }),
    );
  });

  it('they are ordered like the whole numbers', () => {
    fc.assert(
      fc.property(DECIMAL, DECIMAL, (a, b) => {
        expect(compareDecimals(a.text, b.text)).toBe(signOf(a.atScale8 - b.atScale8));
      }),
    );
  });

  it('written with at least so many decimals they are the same number', () => {
    fc.assert(
      fc.property(DECIMAL, SCALE, ({ text }, decimals) => {
        const written = withDecimals(text, decimals);
        expect(decimalsOf(written)).toBe(Math.max(decimals, decimalsOf(text)));
        expect(compareDecimals(written, text)).toBe(0);
      }),
    );
  });

  it('a quotient of positive numbers is off by at most half a unit of its last decimal', () => {
    const positive = DECIMAL.filter(({ atScale8: units }) => units > 0n);
    fc.assert(
      fc.property(positive, positive, SCALE, (a, b, scale) => {
        const quotient = BigInt(withDecimals(divideDecimals(a.text, b.text, scale), scale).replace('.', ''));
        const doubledError = 2n * (a.atScale8 * 10n ** BigInt(scale) - quotient * b.atScale8);
        expect(doubledError >= -b.atScale8 && doubledError < b.atScale8).toBe(true);
      }),
    );
  });
});

describe('a quotient', () => {
  it.each([
    ['1', '3', 6, '0.333333'],
    ['2', '3', 6, '0.666667'],
    ['1', '8', 2, '0.13'],
    ['655.957', '1', 3, '655.957'],
    ['0', '7', 4, '0'],
    ['85000', '1000.00', 2, '85'],
  ])('%s by %s with %i decimals is %s', (a, b, scale, quotient) => {
    expect(divideDecimals(a, b, scale)).toBe(quotient);
  });
});

describe('a number that is cut', () => {
  it.each([
    ['30656897.64', 0, '30656897'],
    ['101.505', 2, '101.5'],
    ['12', 2, '12'],
    ['0.99', 0, '0'],
  ])('%s to %i decimals is %s', (value, decimals, cut) => {
    expect(cutDecimals(value, decimals)).toBe(cut);
  });
});

describe('the decimals that a value needs', () => {
  it.each([
    ['12', 0],
    ['12.3', 1],
    ['12.34', 2],
    ['-0.5', 1],
  ])('%s needs %i', (value, decimals) => {
    expect(decimalsOf(value)).toBe(decimals);
  });
});

describe('a product', () => {
  it('is exact, however many digits it takes', () => {
    expect(multiplyDecimals('1268750', '1.01')).toBe('1281437.5');
    expect(multiplyDecimals('-0.1', '0.2')).toBe('-0.02');
    expect(multiplyDecimals('99999999999999999999.99', '1.0001')).toBe('100009999999999999999.989999');
  });
});
