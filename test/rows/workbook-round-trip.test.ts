// Any table that a workbook can hold comes back exactly, whether our own few lines of XML wrote it, or exceljs, a library that we did not write.
import fc from 'fast-check';
import ExcelJS from 'exceljs';
import { describe, expect, it } from 'vitest';

import { escapeXml, makeWorkbook } from './make-workbook.ts';
import { fileOf, readFileAt } from './read-table.ts';

const HEADER = ['reference', 'amount', 'Note', 'receiver.city'];

/** A cell and the XML of it. */
type Written = { readonly text: string; readonly kind: string; readonly xml: (reference: string) => string };

const TROUBLE = [
  '<',
  '&',
  '"',
  "'",
  ']]>',
  '_x0041_',
  '_',
  '\r',
  '\n',
  '\t',
  '\u0007',
  ' ',
  '=',
  '+',
  'é',
  '北',
  '😀',
  '\u202e',
  '0',
  'E',
];
const texts = fc.oneof(
  fc
    .array(fc.constantFrom(...TROUBLE), { minLength: 1, maxLength: 8 })
    .map((characters) => characters.join('')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('=1+1', "'=1", '+237699000000', '00123', '6.2E+18', '1,5', 'TRUE'),
);

const textCells: fc.Arbitrary<Written> = fc
  .tuple(texts, fc.constantFrom('inlineStr', 'str', 'rich'))
  .map(([text, type]) => ({ text, kind: 'text', xml: (reference) => textXml(reference, text, type) }));

/** Line ends as XML itself would change them are escaped, as programs do. */
function textXml(reference: string, text: string, type: string): string {
  const safe = escapeXml(text).replaceAll('\r', '_x000D_');
  if (type === 'str') return `<c r="${reference}" t="str"><f>A1</f><v>${safe}</v></c>`;
  const t = (part: string) => `<t xml:space="preserve">${part}</t>`;
  const content = type === 'rich' ? `<r>${t(safe)}</r><r><rPr/>${t('')}</r>` : t(safe);
  return `<c r="${reference}" t="inlineStr"><is>${content}</is></c>`;
}

const numberCells: fc.Arbitrary<Written> = fc
  .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 0, max: 4 }))
  .map(([units, scale]) => {
    const digits = Math.abs(units)
      .toString()
      .padStart(scale + 1, '0');
    const plain =
      scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/, '');
    const text = units < 0 && plain !== '0' ? `-${plain}` : plain;
    // As Excel stores it: the nearest double with seventeen digits.
    const stored = Number(text).toPrecision(17);
    return { text, kind: 'number', xml: (reference) => `<c r="${reference}"><v>${stored}</v></c>` };
  });

const booleanCells: fc.Arbitrary<Written> = fc.boolean().map((is) => ({
  text: is ? 'TRUE' : 'FALSE',
  kind: 'boolean',
  xml: (reference) => `<c r="${reference}" t="b"><v>${is ? 1 : 0}</v></c>`,
}));

const emptyCells: fc.Arbitrary<Written> = fc.constantFrom(
  { text: '', kind: 'empty', xml: () => '' },
  { text: '', kind: 'empty', xml: (reference: string) => `<c r="${reference}" s="0"/>` },
);

const anyCells = fc.oneof(textCells, numberCells, booleanCells, emptyCells);
/** A reference in each row, so that none is empty and none is a total. */
const rows = fc.tuple(
  textCells.map((cell): Written => ({
    ...cell,
    text: `R${cell.text}`,
    xml: (at) => textXml(at, `R${cell.text}`, 'inlineStr'),
  })),
  numberCells,
  anyCells,
  anyCells,
);

describe('a table', () => {
  it('of texts, numbers, booleans and gaps is read back exactly, with the kinds of its cells', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 80 }), async (table) => {
        const header = HEADER.map((name, column) => textXml(`${'ABCD'.charAt(column)}1`, name, 'inlineStr'));
        const data = table.map(
          (cells, index) =>
            `<row r="${index + 2}">${cells.map(({ xml }, column) => xml(`${'ABCD'.charAt(column)}${index + 2}`)).join('')}</row>`,
        );
        const content = makeWorkbook([{ data: `<row r="1">${header.join('')}</row>${data.join('')}` }]);
        const { read } = await readFileAt(fileOf(content, '.xlsx'));
        expect(read.map(({ cells }) => cells)).toEqual(table.map((cells) => cells.map(({ text }) => text)));
        expect(read.map(({ kinds }) => kinds)).toEqual(table.map((cells) => cells.map(({ kind }) => kind)));
        expect(read.map(({ place }) => place)).toEqual(table.map((_, index) => String(index + 2)));
      }),
      { numRuns: 15 },
    );
  });

  it('of texts that exceljs wrote is read back exactly, with shared strings and without', async () => {
    // exceljs writes neither carriage returns nor what XML cannot carry, and does not escape what looks like an escape.
    const plain = texts.filter(
      (text) => !/[\0-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9a-f]{4}_/i.test(text) && text.isWellFormed(),
    );
    const table = fc.array(fc.tuple(plain, fc.integer({ min: 1, max: 9_999 }), plain, plain), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(table, fc.boolean(), async (written, useSharedStrings) => {
        const book = new ExcelJS.Workbook();
        const sheet = book.addWorksheet('Paie');
        sheet.addRow(HEADER);
        for (const [reference, ...cells] of written) sheet.addRow([`R${reference}`, ...cells]);
        const content = await book.xlsx.writeBuffer({ useSharedStrings });
        const { read } = await readFileAt(fileOf(new Uint8Array(content), '.xlsx'));
        expect(read.map(({ cells }) => cells)).toEqual(
          written.map(([reference, amount, ...cells]) => [`R${reference}`, String(amount), ...cells]),
        );
      }),
      { numRuns: 10 },
    );
  });

  it('is understood by exceljs as by us', async () => {
    const table = [HEADER, ['A', 1250.5, 'Éloïse <x> & "y"', ' Douala '], ['B', 0.1, '=1+1', '北京']];
    const book = new ExcelJS.Workbook();
    const sheet = book.addWorksheet('Paie');
    for (const row of table) sheet.addRow(row);
    sheet.getCell('C4').value = { formula: 'B2*2', result: 2501 };
    sheet.getCell('A4').value = { richText: [{ text: 'C' }, { text: '-1', font: { bold: true } }] };
    sheet.getCell('B4').value = { text: '7', hyperlink: 'mailto:a@example.com' };
    sheet.getCell('D4').value = new Date('2026-11-30T00:00:00Z');
    sheet.getCell('D4').numFmt = 'dd/mm/yyyy';
    const path = fileOf(new Uint8Array(await book.xlsx.writeBuffer()), '.xlsx');
    const { read } = await readFileAt(path);
    const back = new ExcelJS.Workbook();
    await back.xlsx.readFile(path);
    const theirs = [2, 3, 4].map((row) =>
      ['A', 'B', 'C', 'D'].map((column) => back.getWorksheet('Paie')?.getCell(`${column}${row}`).text),
    );
    const ours = read.map(({ cells }) => cells);
    expect(ours.slice(0, 2)).toEqual(theirs.slice(0, 2));
    expect(ours[2]).toEqual(['C-1', '7', '2501', '2026-11-30']);
    expect(theirs[2]?.slice(0, 3)).toEqual(['C-1', '7', '2501']);
  });
});
