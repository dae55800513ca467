// Amounts in every convention, in every encoding and with every delimiter and line end, come back as the exact amounts that were meant.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { withDecimals } from '../../src/base/decimal.ts';
import { type CsvForm, DELIMITERS, ENCODINGS, isLegacyEncoding } from '../../src/rows/form.ts';
import { fitsIn } from '../../src/rows/csv/text.ts';
import { writeCsv } from '../../src/rows/csv/csv-file.ts';
import { readAmount } from '../../src/rows/read-amount.ts';
import { cellOf } from '../../src/rows/row.ts';
import { readTable } from './read-table.ts';

type Convention = {
  readonly mark: '.' | ',';
  readonly thousands: string;
  readonly before: string;
  readonly after: string;
};

const SPACES = ['', ' ', '\u00a0', '’'];
const conventions: fc.Arbitrary<Convention> = fc.constantFrom('.' as const, ',' as const).chain((mark) =>
  fc
    .record({
      mark: fc.constant(mark),
      thousands: fc.constantFrom(...SPACES, mark === '.' ? ',' : '.'),
      before: fc.constantFrom('', '€ ', 'EUR ', '€'),
      after: fc.constant(''),
    })
    .chain((convention) =>
      convention.before === ''
        ? fc.constantFrom(convention, { ...convention, after: ' €' }, { ...convention, after: '\u00a0EUR' })
        : fc.constant(convention),
    ),
);

const forms: fc.Arbitrary<CsvForm> = fc.record({
  kind: fc.constant('csv'),
  delimiter: fc.constantFrom(...DELIMITERS),
  encoding: fc.constantFrom(...ENCODINGS).map((name) => ({ name, bom: name.startsWith('utf-16') })),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  sepLine: fc.boolean(),
  decimalMark: fc.constant('.'),
});

/** Cents, of which at least one amount has some: without, nothing in the column tells the mark. */
const amounts = fc
  .array(fc.integer({ min: 1, max: 999_999_999_999 }), { maxLength: 20 })
  .map((cents) => [...cents, 123_456].map(decimal));

function decimal(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function written(amount: string, { mark, thousands, before, after }: Convention): string {
  const [whole = '', fraction = ''] = amount.split('.');
  return `${before}${whole.replace(/\B(?=(\d{3})+$)/g, thousands)}${mark}${fraction}${after}`;
}

describe('amounts', () => {
  it('are read back exactly, whatever the convention, the encoding, the delimiter and the line end', async () => {
    await fc.assert(
      fc.asyncProperty(forms, conventions, amounts, async (form, convention, meant) => {
        const rows = meant.map((amount, index) => [`R-${index}`, written(amount, convention), 'x']);
        // Some of the encodings have no typographic apostrophe, or no narrow space.
        const { name } = form.encoding;
        const signs = convention.before + convention.thousands + convention.after;
        fc.pre(!isLegacyEncoding(name) || fitsIn(signs, name));
        const lines = [['reference', 'amount', 'Société'], ...rows];
        const bytes = Buffer.concat(await Array.fromAsync(writeCsv(form, [lines], new Set([1]))));
        const { table, read } = await readTable(bytes, { encoding: form.encoding.name });
        const mark = table.decimalMarks.get('amount');
        expect(mark).toBe(convention.mark);
        const back = read.map((row) => readAmount(cellOf(table, row, 'amount'), mark ?? '.'));
        expect(back.map((each) => ('amount' in each ? withDecimals(each.amount, 2) : each.fault))).toEqual(
          meant,
        );
      }),
      { numRuns: 300 },
    );
  });
});
