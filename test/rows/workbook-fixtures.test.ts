// Workbooks as other programs write them (see fixtures/make-workbooks.py), and the exact rows that must come out.
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { readAmount } from '../../src/rows/read-amount.ts';
import type { ReadOptions } from '../../src/rows/format.ts';
import { cellOf } from '../../src/rows/row.ts';
import { readFileAt, refusalOf } from './read-table.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

/** Each row as its place, its cells, and the first letters of their kinds. */
const read = async (name: string, options: Partial<ReadOptions> = {}) => {
  const file = await readFileAt(pathOf(name), options);
  const rows = file.read.map(({ place, cells, kinds = [] }) => [
    place,
    ...cells,
    kinds.map((kind) => kind.charAt(0)).join(''),
  ]);
  return { ...file, rows };
};

describe('a workbook of openpyxl, saved by LibreOffice', () => {
  it('gives its rows from below a title block, beside an empty column, with computed formulas and a checked total', async () => {
    const { rows, table } = await read('paie.libreoffice.xlsx');
    expect(rows).toEqual([
      [
        'Paie!5',
        '',
        'P-001',
        'Ndongo',
        'Éloïse',
        '1250.3',
        'CNY',
        '+8613800138000',
        '2026-11-30',
        'FALSE',
        'etttnttdb',
      ],
      [
        'Paie!6',
        '',
        'P-002',
        "N'Guessan",
        ' Bœuf, André ',
        '12980',
        'CNY',
        '+8613800138001',
        '2026-11-30T14:30:00',
        'TRUE',
        'etttnttdb',
      ],
      [
        'Paie!8',
        '',
        'P-003',
        'Mba "Junior" <x> & fils',
        'Zoë\n(2)',
        '0.75',
        'CNY',
        '+8613800138002',
        '1900-02-28',
        'P-002/P-003',
        'etttnttdt',
      ],
    ]);
    expect(table.headerPlace).toBe('Paie!4');
    expect(table.totals).toMatchObject({
      place: 'Paie!9',
      sums: [{ canonical: 'amount', sum: '14231.05', cell: 'Paie!E9' }],
    });
    expect(table.form).toMatchObject({ kind: 'xlsx', sheet: 'Paie', decimalMark: '.' });
    expect(table.form).toHaveProperty('numberFormats.4', '#,##0.00');
    expect(table.unknown.map(({ header }) => header)).toEqual(['Date', 'Réglé']);
  });
});

describe('a workbook of openpyxl', () => {
  it('is refused for its formulas, which openpyxl does not compute', async () => {
    const refused = await refusalOf(pathOf('paie.openpyxl.xlsx'));
    expect(refused.code).toBe('formula_without_value');
    expect(refused.message).toContain('Paie!E5');
  });
});

describe.each(['xlsxwriter', 'libreoffice'])('a workbook of XlsxWriter, saved by %s', (program) => {
  it('gives rich text, links, dates from 1904, percents, shown zeros and digits that were kept as numbers', async () => {
    const { rows, table } = await read(`suppliers.${program}.xlsx`);
    const common = rows.map((cells) => cells.slice(0, 10));
    expect(common).toEqual([
      [
        '2',
        '00041',
        'Łódź Trading & Co',
        '10500.3',
        'CNY',
        '62212300000000001',
        'a1@example.com',
        '2026-12-01',
        '12.5%',
        'TRUE',
      ],
      [
        '3',
        '00042',
        '北京贸易公司',
        '99.95',
        'CNY',
        '6221230000000000',
        'a2@example.com',
        '2026-12-02',
        '100%',
        'FALSE',
      ],
      [
        '4',
        '00043',
        'Émile Durand & Fils_x0041_',
        '1000000000000000',
        'CNY',
        '6200000000000000000',
        'a3@example.com',
        '2026-12-03',
        '0%',
        'FALSE',
      ],
    ]);
    expect(rows.map((cells) => cells.at(-1)?.slice(0, 9))).toEqual([
      'ntnttt' + 'dnb',
      'ntntnt' + 'dnb',
      'ntntnt' + 'dnb',
    ]);
    expect(table.form).toHaveProperty('sheet', 'Suppliers');
    expect(table.form).toHaveProperty('numberFormats.0', '00000');
  });
});

describe.each(['xlsxwriter', 'libreoffice'])(
  'a workbook with strings inside its cells, saved by %s',
  (program) => {
    const name = `inline.${program}.xlsx`;

    it('with two sheets that could be paid is refused', async () => {
      expect((await refusalOf(pathOf(name))).message).toContain('«Mayo», «Junio»');
    });

    it('gives the sheet that is named, numbers beside text with a decimal comma', async () => {
      const { read: rows, table } = await read(name, { sheet: 'mayo' });
      const mark = table.decimalMarks.get('amount') ?? '.';
      expect(mark).toBe(',');
      expect(rows.map((row) => [row.place, ...row.cells])).toEqual([
        ['Mayo!2', 'Peña e Hijos', '1234567,89', 'USD', '=1+1 & <dos>'],
        ['Mayo!3', 'Muñoz, S.L.', '1.500,00', 'USD', ' '],
        ['Mayo!4', 'Ñandú', '-5', 'USD', ''],
      ]);
      expect(rows.map((row) => readAmount(cellOf(table, row, 'amount'), mark))).toEqual([
        { amount: '1234567.89', currency: null },
        { amount: '1500', currency: null },
        { fault: 'negative' },
      ]);
    });
  },
);

describe.each(['openpyxl', 'libreoffice'])('a filter, saved by %s', (program) => {
  it('hides a row, which refuses the workbook', async () => {
    const refused = await refusalOf(pathOf(`filtered.${program}.xlsx`));
    expect([refused.code, refused.message]).toEqual(['hidden_rows', expect.stringContaining('Row 3')]);
  });
});
