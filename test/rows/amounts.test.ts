// Numbers as people write them: read exactly under the mark of their column, or not at all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { contradicts, readAmount, readSigned, showMark } from '../../src/rows/read-amount.ts';
import { fileOf, readTable, refusalOf } from './read-table.ts';
import { cpuMs } from '../cpu-time.ts';

const NBSP = '\u00a0';
const NARROW = '\u202f';

describe('readAmount', () => {
  it.each([
    ['1234.5', '.', '1234.5'],
    ['1,234.50', '.', '1234.5'],
    ['1,234,567', '.', '1234567'],
    ['1.234,50', ',', '1234.5'],
    ['1.234', ',', '1234'],
    ['1,234', ',', '1.234'],
    ['1 234,5', ',', '1234.5'],
    [`1${NBSP}234${NBSP}567,05`, ',', '1234567.05'],
    [`1${NARROW}234`, ',', '1234'],
    ["1'234'567.5", '.', '1234567.5'],
    ['12’500', '.', '12500'],
    ['  7 ', '.', '7'],
    ['007', '.', '7'],
    ['.50', '.', '0.5'],
    [',5', ',', '0.5'],
    ['0', '.', '0'],
    ['0.00', '.', '0'],
    ['+5', '.', '5'],
    ['12345678901234567890.12', '.', '12345678901234567890.12'],
  ] as const)('«%s» with %s is %s', (cell, mark, amount) => {
    expect(readAmount(cell, mark)).toEqual({ amount, currency: null });
  });

  it.each([
    ['€ 5,00', ',', '5', '€', 'EUR'],
    [`1${NBSP}234,56${NBSP}€`, ',', '1234.56', '€', 'EUR'],
    ['XAF 500', '.', '500', 'XAF', 'XAF'],
    ['500 F.CFA', '.', '500', 'F.CFA', 'XAF'],
    ['Fr.50', '.', '50', 'Fr.', 'CHF'],
    ['US$1,250.00', '.', '1250', 'US$', 'USD'],
    ['12 cny', '.', '12', 'cny', 'CNY'],
  ] as const)('«%s» with %s is %s in what «%s» may mean', (cell, mark, amount, written, code) => {
    const read = readAmount(cell, mark);
    expect(read).toMatchObject({ amount, currency: { written } });
    expect(contradicts('currency' in read ? read.currency : null, code)).toBe(false);
    expect(contradicts('currency' in read ? read.currency : null, 'NOK')).toBe(true);
  });

  it.each([
    ['', '.', 'empty'],
    [NBSP, '.', 'empty'],
    ['abc', '.', 'not_a_number'],
    ['12.3.4', '.', 'not_a_number'],
    ['1,23', '.', 'not_a_number'],
    ['12,34,567.00', '.', 'not_a_number'],
    ['1 23', '.', 'not_a_number'],
    ['1.', '.', 'not_a_number'],
    ['5%', '.', 'not_a_number'],
    ['1-2', '.', 'not_a_number'],
    ['--5', '.', 'not_a_number'],
    ['(5', '.', 'not_a_number'],
    ['ABC 5', '.', 'not_a_number'],
    ['٣', '.', 'not_a_number'],
    ['=5', '.', 'not_a_number'],
    ['0,123', '.', 'not_a_number'],
    ['1e3', '.', 'exponent_notation'],
    ['6.2E+18', '.', 'exponent_notation'],
    // Java writes neither so small numbers nor so many digits with an exponent.
    ['4.0E3', '.', 'exponent_notation'],
    ['4.0e7', '.', 'exponent_notation'],
    ['1.2345678901234567E16', '.', 'exponent_notation'],
    ['-5', '.', 'negative'],
    ['−5', '.', 'negative'],
    ['5-', '.', 'negative'],
    ['(1 234,56)', ',', 'negative'],
    ['(5,00 €)', ',', 'negative'],
    ['€ 5 XAF', '.', 'two_currencies'],
    ['9'.repeat(45), '.', 'too_many_digits'],
  ] as const)('«%s» with %s is refused: %s', (cell, mark, fault) => {
    expect(readAmount(cell, mark)).toEqual({ fault });
  });

  it('negative zero is zero', () => {
    expect(readAmount('-0.00', '.')).toEqual({ amount: '0', currency: null });
  });

  it('takes linear time on whatever stands in a cell', () => {
    const started = cpuMs();
    for (const text of [
      '1 111'.repeat(200_000),
      '1'.repeat(1_000_000),
      `${' '.repeat(1_000_000)}x`,
      '(-('.repeat(300_000),
    ])
      readSigned(text, '.');
    expect(cpuMs() - started).toBeLessThan(500);
  });

  it('reads back every amount in every way of writing it', () => {
    const group = (whole: string, by: string) => whole.replace(/\B(?=(\d{3})+$)/g, by);
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.bigInt({ min: 0n, max: 99n }),
        fc.constantFrom('', ' ', NBSP, NARROW, "'", '’', 'other'),
        fc.constantFrom('.' as const, ',' as const),
        fc.constantFrom('', '€', 'XAF ', 'FCFA'),
        (whole, cents, grouping, mark, sign) => {
          const by = grouping === 'other' ? (mark === '.' ? ',' : '.') : grouping;
          const text = `${sign}${group(String(whole), by)}${mark}${String(cents).padStart(2, '0')}`;
          const amount = `${whole}.${String(cents).padStart(2, '0')}`.replace(/\.?0+$/, (zeros) =>
            zeros.startsWith('.') ? '' : zeros.replace(/0+$/, ''),
          );
          expect(readAmount(text, mark)).toMatchObject({ amount });
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the mark of a column', () => {
  const markOf = async (cells: readonly string[], decimalMark: '.' | ',' | 'auto' = 'auto') => {
    const content = ['reference;amount', ...cells.map((cell, index) => `R${index};${cell}`)].join('\n');
    return (await readTable(content, { decimalMark })).table.decimalMarks.get('amount');
  };

  it.each([
    [['1.234', '1,5'], ','],
    [['1,234', '1.5'], '.'],
    [['1.234', '1.234.567'], ','],
    [['1,234', '12345.678'], '.'],
    [['1,234', '1 234,567'], ','],
    [['0.123'], '.'],
    [['1.234', '2,50 €'], ','],
    [['100', '2 000', "3'000"], undefined],
    [['1.5', 'n/a', '7e3', '12,34,56'], '.'],
  ] as const)('%j is %s', async (cells, mark) => {
    expect(await markOf(cells)).toBe(mark);
  });

  it('is what the profile says, where the cells leave it open', async () => {
    expect(await markOf(['1.234'], '.')).toBe('.');
    expect(await markOf(['1.234'], ',')).toBe(',');
  });

  it('is decided by the last row of a long file as well as by the first', async () => {
    expect(await markOf([...Array.from({ length: 30_000 }, () => '1.234'), '0,5'])).toBe(',');
  });

  it('is decided for each amount column alone', async () => {
    const { table } = await readTable('sourceAmount;destinationAmount\n1,5;\n;1.5\n');
    expect([...table.decimalMarks]).toEqual([
      ['sourceAmount', ','],
      ['destinationAmount', '.'],
    ]);
    expect(table.form.decimalMark).toBe(',');
    expect((await refusalOf(fileOf('sourceAmount;destinationAmount\n1,5;\n;1.234\n'))).code).toBe(
      'number_ambiguous',
    );
  });

  // A program that writes three decimals means 300 francs; and 1,25,000 is a lakh and a quarter in India, or a slip for a million and a quarter.
  it.each([
    ['a currency without decimals', 'amount;currency\n300.000;XAF\n450.000;XAF\n'],
    ['groups of two digits', 'amount;currency\n1,25,000;XAF\n12,50,000;XAF\n75,000;XAF\n'],
  ])('is not told by %s: what is wrong by a thousand is asked', async (_what, content) => {
    expect((await refusalOf(fileOf(content))).code).toBe('number_ambiguous');
  });

  it('cells that are no numbers, percentages among them, are no evidence', async () => {
    const content = 'reference;amount\nA;12.5%\nB;v 1.25\nC;1.234\n';
    expect((await refusalOf(fileOf(content))).code).toBe('number_ambiguous');
  });
});

describe('showMark', () => {
  it.each([
    ['1.234', ',', '1.234,00'],
    ['11.2345', '.', '11.2345'],
    ['1,234 €', '.', '1,234.00 €'],
    ['1234', ',', '1234'],
    ['1.5', '.', '1.5'],
    ['1 234,567', ',', '1 234,567'],
    ['n/a', ',', 'n/a'],
  ] as const)(
    '«%s» under %s is written «%s», which is the same number and alone proves the mark',
    (cell, mark, shown) => {
      expect(showMark(cell, mark)).toBe(shown);
      expect(readSigned(shown, mark)).toEqual(readSigned(cell, mark));
      expect(showMark(shown, mark)).toBe(shown);
    },
  );

  it.each([
    ['1.234', '.'],
    ['-12,500', ','],
  ] as const)('«%s» under %s may be thousands, and is left to whoever corrects it', (cell, mark) => {
    expect(showMark(cell, mark)).toBe(cell);
  });
});
