// Every reason to refuse a workbook, each met by a real one; the message names the sheet and the cell, and says what to do.
import { describe, expect, it, vi } from 'vitest';

import { READER_BOUNDS, type ReaderBounds } from '../../src/rows/xlsx/limits.ts';
import { describeFile } from '../../src/rows/source-file.ts';
import { askReader } from '../../src/rows/xlsx/xlsx-file.ts';
import type { ReadOptions } from '../../src/rows/format.ts';
import { makeZip, type ZipPart } from './make-zip.ts';
import {
  makeWorkbook,
  number,
  rowsXml,
  rowXml,
  workbookParts,
  type Made,
  type MadeSheet,
} from './make-workbook.ts';
import { fileOf, readFileAt, refusalOf } from './read-table.ts';
import { WORKBOOK_REFUSALS, type WorkbookRefusal } from './workbook-refusals.ts';

type Case = {
  readonly content: string | Uint8Array;
  readonly extension?: string;
  readonly options?: Partial<ReadOptions>;
  /** What the message names. */
  readonly says: string;
};

const HEADER = ['reference', 'amount', 'note'];
const ROW = ['A', number(1)];
const DATA = rowsXml([HEADER, ROW]);
const PARTS = workbookParts([{ data: DATA }]);
const GOOD = makeZip(PARTS);

const book = (data: string, sheet: Partial<MadeSheet> = {}, made: Made = {}) =>
  makeWorkbook([{ name: 'Paie', data, ...sheet }], made);
const rows = (...data: readonly (readonly string[])[]) => rowsXml([HEADER, ROW, ...data]);
/** The sound workbook with one part changed. */
const spoilt = (name: string, change: (part: ZipPart) => ZipPart) =>
  makeZip(PARTS.map((part) => (part.name === name ? change(part) : part)));
const SHEET = 'xl/worksheets/sheet1.xml';
const lying = (lies: ZipPart['lies']) => spoilt(SHEET, (part) => ({ ...part, ...(lies && { lies }) }));
const container = (stream: string) =>
  Buffer.concat([
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    Buffer.alloc(2_000_000),
    Buffer.from(stream, 'utf16le'),
  ]);

const STRUCK: Made = { fonts: ['<strike/>'] };
const PARTLY = '<r><rPr><strike val="1"/></rPr><t>WANG</t></r><r><t> LI</t></r>';

const CASES: Readonly<Record<Exclude<WorkbookRefusal, 'workbook_reader_died'>, readonly Case[]>> = {
  not_workbook: [
    { content: 'reference;amount\nA;1\n', says: 'not an XLSX workbook' },
    { content: 'x', says: 'not an XLSX workbook' },
    { content: makeZip([{ name: 'a.txt', data: 'x' }]), says: 'a zip, but not a workbook' },
    { content: makeZip(PARTS.filter(({ name }) => name !== '_rels/.rels')), says: 'not a workbook in XML' },
  ],
  workbook_damaged: [
    { content: 'PK', says: 'cut off' },
    { content: GOOD.subarray(0, -1), says: 'cut off' },
    { content: GOOD.subarray(0, GOOD.length / 2), says: 'cut off' },
    { content: Buffer.concat([GOOD, Buffer.from('x')]), says: 'cut off' },
    { content: Buffer.concat([Buffer.from('PKxx'), GOOD]), says: 'list of entries' },
    { content: makeZip([...PARTS, { name: 'XL/Workbook.xml', data: '' }]), says: 'the same name' },
    { content: lying({ crc32: 1 }), says: '«xl/worksheets/sheet1.xml» of the file is damaged' },
    { content: lying({ inflatedBytes: 100_000 }), says: 'damaged' },
    { content: lying({ compressedBytes: 20 }), says: 'damaged' },
    { content: lying({ method: 12 }), says: 'unknown way (12)' },
    { content: lying({ name: 'xl/worksheets/sheet2.xml' }), says: 'lacks its part' },
    {
      content: spoilt(SHEET, (part) => ({
        ...part,
        name: 'xl/worksheets/sheet9.xml',
        lies: { name: SHEET },
      })),
      says: 'damaged',
    },
    { content: book('<row r="1"><c r="A1"'), says: 'not well-formed XML' },
    { content: book(`${DATA}&amount;`), says: 'not well-formed XML' },
    { content: book('<row r="1"><b/></row>'), says: '<b> in the wrong place' },
    { content: book('<row r="1"><c r="A1" xmlns="x"/></row>'), says: 'renames' },
    { content: book('<row r="1"><c r="A99999999"/></row>'), says: 'without a reference in row 1' },
    { content: book('<row r="1048577"/>'), says: 'row without a number, after row 0' },
    { content: book(DATA, { behind: '<sheetData/>' }), says: 'has its cells twice' },
    {
      content: book(rows(['B', '<c t="s"><v>7</v></c>'])),
      says: 'Paie!B3 holds a value that cannot be read',
    },
    { content: book(rows(['B', number('1,5')])), says: 'Paie!B3 holds a value that cannot be read' },
    { content: book(rows(['B', number('1', 9)])), says: 'Paie!B3 holds a value that cannot be read' },
    {
      content: spoilt(SHEET, (part) => ({
        ...part,
        data: Buffer.from(`${part.data as string}<!-- \xe9 -->`, 'latin1'),
      })),
      says: 'not in UTF-8',
    },
    {
      content: spoilt(SHEET, ({ name }) => ({ name, data: '<worksheet xmlns="urn:other"/>' })),
      says: 'starts with <worksheet>',
    },
    { content: book('<row>'.repeat(100)), says: 'in the wrong place' },
    {
      content: spoilt('xl/styles.xml', (part) => ({ ...part, data: deep(part.data as string) })),
      says: 'nested too deep',
    },
    { content: makeWorkbook([{ name: 'a&#10;b', data: DATA }]), says: 'an impossible name' },
    { content: makeWorkbook([{ name: 'a'.repeat(300), data: DATA }]), says: 'an impossible name' },
    {
      content: makeZip([...PARTS, { name: 'a'.repeat(300), data: '' }]),
      says: 'name of an entry is too long',
    },
    {
      content: makeWorkbook([
        { name: 'a', data: DATA },
        { name: 'A', data: DATA },
      ]),
      says: 'Two sheets',
    },
  ],
  workbook_bomb: [
    { content: lying({ inflatedBytes: 5 }), says: 'grows beyond its stated size' },
    {
      content: makeZip([...PARTS, { name: 'xl/media/a.bmp', data: Buffer.alloc(20_000_000) }]),
      says: '«xl/media/a.bmp» would grow',
    },
    { content: lying({ inflatedBytes: 4_000_000_000 }), says: 'would grow to 4001 MB' },
    {
      content: makeZip([...PARTS, { name: 'a', data: DATA, lies: { start: 0 } }]),
      says: 'overlaps another one',
    },
    {
      content: makeZip(Array.from({ length: 20_000 }, (_, index) => ({ name: `${index}`, data: '' }))),
      says: '20000',
    },
    {
      content: spoilt(SHEET, (part) => ({
        ...part,
        data: `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${part.data as string}`,
      })),
      says: 'declares entities',
    },
    {
      content: book(DATA, {}, { strings: `<si><t>${'x'.repeat(1_200_000)}</t></si>` }),
      says: 'more than 1048576 characters',
    },
    {
      content: book(`<row r="1" a="${'x'.repeat(1_200_000)}"></row>`),
      says: '«Paie» holds one text or element',
    },
    {
      content: spoilt('xl/workbook.xml', ({ name, data }) => ({ name, data: manySheets(data as string) })),
      says: '300 sheets',
    },
  ],
  workbook_encrypted: [
    { content: container('EncryptedPackage'), says: 'it needs a password' },
    { content: lying({ flags: 1 }), says: '«xl/worksheets/sheet1.xml» of the file is encrypted' },
  ],
  workbook_old_format: [
    { content: container('Workbook'), says: '(.xls)' },
    { content: container('Workbook'), extension: '.xls', says: 'old format of Excel (.xls)' },
    {
      content: Buffer.from([9, 8, 16, 0, 0, 6, 5, 0]),
      extension: '.xls',
      says: 'old format of Excel (.xls)',
    },
    { content: 'reference\tamount\nA-1\t5\n', extension: '.xls', says: 'plain text' },
    { content: Buffer.from('\ufeffreference\tamount', 'utf16le'), extension: '.xls', says: 'plain text' },
    { content: '\ufeff<html><table><tr><td>amount</td></tr></table>', extension: '.xls', says: 'web page' },
    { content: '<?xml version="1.0"?><Workbook/>', extension: '.XLS', says: 'web page (HTML or XML)' },
    { content: makeZip(PARTS), extension: '.xls', says: 'in the new one' },
    { content: 'x', extension: '.xls', says: 'save it as "Excel workbook (.xlsx)"' },
  ],
  workbook_macros: [
    { content: 'x', extension: '.XLSM', says: '(.xlsm)' },
    { content: makeZip([...PARTS, { name: 'xl/vbaProject.bin', data: '' }]), says: 'macros' },
    { content: makeZip([...PARTS, { name: 'xl/macrosheets/sheet1.xml', data: '' }]), says: 'macros' },
    {
      content: book(
        DATA,
        {},
        {
          contentTypes:
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/>',
        },
      ),
      says: 'macros',
    },
  ],
  workbook_external_links: [
    {
      content: makeZip([...PARTS, { name: 'xl/externalLinks/externalLink1.xml', data: '' }]),
      says: 'other files',
    },
    { content: book(DATA, {}, { workbook: '<externalReferences/>' }), says: 'other files' },
  ],
  sheet_not_found: [
    { content: GOOD, options: { sheet: 'Paie' }, says: 'no sheet «Paie»; the workbook has «Sheet1»' },
  ],
  sheets_ambiguous: [
    {
      content: makeWorkbook([{ name: 'Mai', data: DATA }, { data: '' }, { name: 'Juin', data: DATA }]),
      says: '«Mai», «Juin»',
    },
  ],
  hidden_sheet: [
    {
      content: makeWorkbook([{ data: '' }, { name: 'Paie', state: 'hidden', data: DATA }]),
      says: '«Paie» is hidden',
    },
    {
      content: makeWorkbook([{ data: DATA }, { name: 'Paie', state: 'veryHidden', data: DATA }]),
      says: '«Paie»',
    },
    {
      content: makeWorkbook([{ data: DATA }, { name: 'Paie', state: 'hidden', data: DATA }]),
      options: { sheet: 'Paie' },
      says: '«Paie» is hidden',
    },
  ],
  hidden_rows: [
    { content: book(DATA + rowXml(3, ['B', number(2)], 'hidden="1"')), says: 'Row 3 of the sheet «Paie»' },
    { content: book(DATA + rowXml(3, ['B', number(2)], 'ht="0" customHeight="1"')), says: 'Row 3' },
    { content: book(DATA + rowXml(3, ['B', number(2)], 'ht="0.1" customHeight="1"')), says: 'Row 3' },
    { content: book(DATA, { before: '<sheetFormatPr zeroHeight="1"/>' }), says: 'Row 2' },
  ],
  hidden_column: [
    {
      content: book(DATA, { before: '<cols><col min="2" max="2" hidden="1"/></cols>' }),
      says: 'Column B («amount») of the sheet «Paie»',
    },
    { content: book(DATA, { before: '<cols><col min="1" max="3" width="0"/></cols>' }), says: 'Column A' },
    { content: book(DATA, { before: '<cols><col min="1" max="3" width="0.1"/></cols>' }), says: 'Column A' },
  ],
  merged_cells: [
    { content: book(rows(['B']), { behind: merge('B2:B3') }), says: 'Paie!B2:B3' },
    { content: book(rows(['B', number(1)]), { behind: merge('A2:B2') }), says: 'Paie!A2:B2' },
    { content: book(rows(['B', number(1)]), { behind: merge('A3:B3') }), says: 'Paie!A3:B3' },
    { content: book(DATA, { behind: merge('A1:A2') }), says: 'Paie!A1:A2' },
    { content: book(rows(['Total', number(1)]), { behind: merge('A2:B3') }), says: 'Paie!A2:B3' },
  ],
  struck_through: [
    {
      content: book(rows(['B', number(1, 1)], ['C', number(1)], ['D', number(1, 1)]), {}, STRUCK),
      says: 'struck through in these cells: Paie!B3, Paie!B5. Remove',
    },
    { content: book(rows([text('B', 1), number(1)]), {}, STRUCK), says: ': Paie!A3.' },
    { content: book(rows(['<c t="inlineStr"><is>' + PARTLY + '</is></c>', number(1)])), says: ': Paie!A3.' },
    {
      content: book(
        rows(['<c t="s"><v>1</v></c>', number(1)], ['<c t="s"><v>0</v></c>', number(1)]),
        {},
        { strings: `<si><t>B</t></si><si>${PARTLY}</si>` },
      ),
      says: ': Paie!A3.',
    },
    {
      content: book(rows(...Array.from({ length: 30 }, () => ['B', number(1, 1)])), {}, STRUCK),
      says: 'B22…',
    },
  ],
  number_shown_otherwise: ['#,##0,', '0.0,,', ';;;', '"paid"', '#,##0,;[Red]-#,##0,', '#,##0" 000"'].map(
    (format) => ({
      content: book(rows(['B', '<c s="1"><v>1250000</v></c>']), {}, { formats: [format] }),
      says: 'Paie!B3 holds 1250000',
    }),
  ),
  formula_without_value: [
    { content: book(rows(['B', '<c><f>1+1</f></c>'])), says: 'Paie!B3 holds a formula' },
    { content: book(rows(['B', '<c><f>1+1</f><v></v></c>'])), says: 'Paie!B3' },
    { content: book(rows(['', '<c><f>1+1</f><v/></c>'])), says: 'Paie!B3' },
    {
      content: book(
        rows(['B', '<c><f>1+1</f><v>0</v></c>']),
        {},
        { workbook: '<calcPr fullCalcOnLoad="1"/>' },
      ),
      says: 'Paie!B3',
    },
  ],
  cell_error: [
    {
      content: book(rows(['B', '<c t="e"><f>A1</f><v>#REF!</v></c>'])),
      says: 'Paie!B3 shows the error #REF!',
    },
    { content: book(rows(['<c t="e"><v>#N/A</v></c>', number(1)])), says: 'Paie!A3 shows the error #N/A' },
  ],
  cells_repeated: [
    { content: book(`${DATA}<row r="3"><c r="A3"/><c r="A3"/></row>`), says: 'Paie!A3 comes twice' },
    { content: book(`${DATA}<row r="3"><c r="B3"/><c r="A3"/></row>`), says: 'Paie!A3' },
    { content: book(`${DATA}<row r="3"><c r="A2"/></row>`), says: 'Paie!A2' },
    { content: book(`${DATA}${rowXml(2, ['B'])}`), says: 'row 2 comes after row 2' },
    { content: book(`${DATA}${rowXml(1, ['B'])}`), says: 'row 1 comes after row 2' },
  ],
  cell_outside_table: [
    {
      content: book(DATA + rowXml(1_048_576, ['x'])),
      says: 'Paie!A1048576 holds something, below 1048573 empty rows',
    },
    {
      content: book(rows(['B', number(1), '', '', 'x'])),
      says: 'Paie!E3 holds something, next to the table',
    },
    { content: book(`${DATA}<row r="3"><c r="XFD3"><v>1</v></c></row>`), says: 'Paie!XFD3' },
  ],
};

function text(content: string, style: number): string {
  return `<c t="inlineStr" s="${style}"><is><t>${content}</t></is></c>`;
}

function merge(area: string): string {
  return `<mergeCells><mergeCell ref="${area}"/></mergeCells>`;
}

function deep(xml: string): string {
  return xml.replace('<numFmts>', `<numFmts>${'<a>'.repeat(100)}${'</a>'.repeat(100)}`);
}

function manySheets(xml: string): string {
  return xml.replace(/<sheets>.*<\/sheets>/, `<sheets>${'<sheet name="a"/>'.repeat(300)}</sheets>`);
}

describe('a workbook is refused', () => {
  const cases = Object.entries(CASES).flatMap(([code, list]) =>
    list.map((each): [string, Case] => [code, each]),
  );
  it.each(cases)('%s (%#)', async (code, { content, extension = '.xlsx', options, says }) => {
    const refused = await refusalOf(fileOf(content, extension), options);
    expect(refused.message).toContain(says);
    expect(refused.code).toBe(code);
  });

  it('for every reason that only a workbook can give', () => {
    expect([...Object.keys(CASES), 'workbook_reader_died'].sort()).toEqual([...WORKBOOK_REFUSALS].sort());
  });

  it('wherever it is cut off, and whichever of its bytes is changed', async () => {
    const step = Math.ceil(GOOD.length / 6);
    for (let at = 0; at < GOOD.length; at += step) {
      expect((await refusalOf(fileOf(GOOD.subarray(0, at + 1), '.xlsx'))).code).toMatch(
        /damaged|not_workbook/,
      );
      const changed = Buffer.from(GOOD);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      const outcome: unknown = await readFileAt(fileOf(changed, '.xlsx')).catch((error: unknown) => error);
      // A byte of a time stamp or of a part that is not read may change; then the rows are the same.
      if (outcome instanceof Error) expect(outcome).toHaveProperty('code');
      else expect(outcome).toHaveProperty('read.length', 1);
    }
  });
});

it('a cell of more text than any program keeps in one refuses the workbook', async () => {
  const refused = await refusalOf(fileOf(book(rows(['B', number(1), 'x'.repeat(70_000)])), '.xlsx'));
  expect([refused.code, refused.message]).toEqual(['row_too_long', expect.stringContaining('Paie!C3')]);
});

describe('the process that reads workbooks', () => {
  const read = async (bounds: Partial<ReaderBounds>) => {
    const source = await describeFile(fileOf(GOOD, '.xlsx'), { bytesMax: 1_000_000 });
    return Array.fromAsync(
      askReader(
        source,
        { sheet: null, aliases: [], header: 'auto', isList: false, isPeek: false },
        { ...READER_BOUNDS, ...bounds },
      ),
    );
  };

  it('is given up when nothing comes of it, or when it takes too long in all', async () => {
    await expect(read({ silenceMsMax: 1 })).rejects.toMatchObject({ code: 'workbook_reader_died' });
    await expect(read({ waitMsMax: 1 })).rejects.toMatchObject({ code: 'workbook_reader_died' });
  });

  it('does not outlive a reading, however that ends', async () => {
    const twice = book(rowsXml([['reference', 'amount', 'Montant'], ROW]));
    expect((await refusalOf(fileOf(twice, '.xlsx'))).code).toBe('column_twice');
    const { rows: all } = await readFileAt(
      fileOf(book(rows(...Array.from({ length: 5_000 }, () => ROW))), '.xlsx'),
    );
    for await (const { place } of all()) if (place === '3') break;
    await vi.waitFor(() => expect(process.getActiveResourcesInfo()).not.toContain('ProcessWrap'), 20_000);
  });

  it('dies alone when its memory is used up, and the next one reads on', async () => {
    await expect(read({ heapMbMax: 1 })).rejects.toMatchObject({
      code: 'workbook_reader_died',
      message: expect.stringContaining('memory') as string,
    });
    expect((await read({})).at(-1)?.kind).toBe('end');
  });
});
