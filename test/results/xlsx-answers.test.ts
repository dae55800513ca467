// The answers to a workbook are workbooks: what goes back to be fixed comes again exactly as it was, and what is read is readable at once.
import { join } from 'node:path';

import excel, { type Workbook, type Worksheet } from 'exceljs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { checkFile } from '../../src/app/desk/check-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { readRows } from '../../src/rows/formats.ts';
import type { Row } from '../../src/rows/row.ts';
import { writeXlsx, type XlsxSheet } from '../../src/rows/xlsx/xlsx-writer.ts';
import { endsOf, openDesk, PATIENT, transfersOf, type Desk } from '../app/desk.ts';

const HEADER = [
  'reference',
  'destinationCountryIsoCode',
  'transactionMode',
  'deliveryMethod',
  'sourceCurrency',
  'destinationAmount',
  'purposeOfRemittance',
  'receiver.firstName',
  'receiver.lastName',
  'receiver.countryIsoCode',
  'delivery.msisdn',
  'remarque',
  'échéance',
];
const DUE = new Date('2026-11-30T00:00:00Z');
const line = (reference: string, amount: number, msisdn: string | number) =>
  [
    reference,
    'CHN',
    'B2C',
    'wechat',
    'XAF',
    amount,
    'SALARY_PAYMENT',
    'Li',
    'Wei',
    'CHN',
    msisdn,
    '=1+1',
    DUE,
  ] as const;

let desk: Desk;
let paydrop: Paydrop;
let path: string;
let result: BatchResult;

beforeAll(async () => {
  desk = await openDesk();
  paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
  path = (await desk.file('paie.csv', [])).replace(/csv$/, 'xlsx');
  const workbook = new excel.Workbook();
  const sheet = workbook.addWorksheet('Paie');
  sheet.addRow(['Paie de novembre']).font = { bold: true, color: { argb: 'FF1F4E78' } };
  sheet.addRow([]);
  sheet.addRow(HEADER).eachCell((cell) => {
    cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FF1F4E78' } };
    cell.font = { color: { argb: 'FFFFFFFF' } };
  });
  sheet.addRow([...line('A-1', 100.5, '+8613800138000')]).getCell(6).numFmt = '#,##0.00';
  sheet.addRow([...line('A-2', 99_999_999, '+8613800138000')]);
  sheet.addRow([...line('A-3', 200, 8613800138000)]);
  await workbook.xlsx.writeFile(path);
  result = await processBatch(paydrop, path, PATIENT);
});
afterAll(() => desk.close());

async function open(
  kind: string,
): Promise<{ readonly path: string; readonly book: Workbook; readonly sheet: Worksheet }> {
  const at = join(desk.workspace, 'outbox', `paie.${result.summary.batch}.${kind}.xlsx`);
  const book = new excel.Workbook();
  await book.xlsx.readFile(at);
  const [sheet] = book.worksheets;
  if (sheet === undefined) throw new Error('There is a sheet.');
  return { path: at, book, sheet };
}

async function rowsOf(file: string): Promise<readonly Row[]> {
  const { rows } = await readRows(file, { rowsMax: 100, bytesMax: 1_000_000, decimalMark: 'auto' });
  return Array.fromAsync(rows());
}

/** The column of the telephone in the file. */
const PHONE = 10;

/** The header stands in row 3. */
const cellOf = (sheet: Worksheet, header: string, row: number, headerRow = 3) =>
  sheet.getRow(row).getCell((sheet.getRow(headerRow).values as readonly string[]).indexOf(header));

describe('rejected', () => {
  it('holds the rows to fix as they came, cell for cell, on a sheet of the same name', async () => {
    const { path: rejected, sheet } = await open('rejected');
    const [, ...wrong] = await rowsOf(path);
    const back = await rowsOf(rejected);
    expect(sheet.name).toBe('Paie');
    // But a telephone that was a number: it is text now, to be compared.
    const asCame = <T>(all: readonly (readonly T[] | undefined)[]) =>
      all.map((row) => row?.slice(0, HEADER.length).toSpliced(PHONE, 1));
    // What is wrong stands beside the first column.
    const own = <T>(row: readonly T[] | undefined) => row?.toSpliced(1, 1);
    expect(asCame(back.map(({ cells }) => own(cells)))).toEqual(asCame(wrong.map(({ cells }) => cells)));
    expect(asCame(back.map(({ kinds }) => own(kinds)))).toEqual(asCame(wrong.map(({ kinds }) => kinds)));
  });

  it('says beside the first column what is wrong, a line for each fault, by the names of the columns', async () => {
    const { sheet } = await open('rejected');
    const header = (sheet.getRow(3).values as readonly string[]).slice(1);
    expect(header).toEqual([
      ...[HEADER[0], 'payout.error', ...HEADER.slice(1)],
      ...['payout.batch', 'payout.row'],
    ]);
    expect(sheet.getCell('B4').text).toMatch(/^destinationAmount: [^\n]+$/);
    expect(sheet.getCell('B5').text).toMatch(/^delivery\.msisdn: /);
  });

  it('marks each faulty cell, and says there what is wrong', async () => {
    const { sheet } = await open('rejected');
    const amount = cellOf(sheet, 'destinationAmount', 4);
    const phone = cellOf(sheet, 'delivery.msisdn', 5);
    expect(JSON.stringify(amount.note)).toContain('Change the amount');
    expect(JSON.stringify(phone.note)).toContain('delete the #');
    expect(phone.value).toBe('#8613800138000');
    expect(phone.numFmt).toBe('@');
    for (const cell of [amount, phone]) expect(cell.fill).toMatchObject({ fgColor: { argb: 'FFFFC7CE' } });
    expect(cellOf(sheet, 'destinationAmount', 5).note).toBeUndefined();
  });

  it('is refused again while nobody has compared the telephone', async () => {
    const { path: rejected, book, sheet } = await open('rejected');
    cellOf(sheet, 'destinationAmount', 4).value = 300;
    const dropped = rejected.replace('outbox', 'inbox').replace('.xlsx', '-uncompared.xlsx');
    await book.xlsx.writeFile(dropped);
    const { summary } = await checkFile(paydrop, dropped);
    expect(summary.outcomes).toMatchObject({ rejected: 1, pending: 1 });
  });

  it('once fixed and dropped again pays what is fixed, and nothing else', async () => {
    const { path: rejected, book, sheet } = await open('rejected');
    cellOf(sheet, 'destinationAmount', 4).value = 300;
    cellOf(sheet, 'delivery.msisdn', 5).value = '+8613800138000';
    await book.xlsx.writeFile(rejected.replace('outbox', 'inbox'));
    const again = await processBatch(paydrop, rejected.replace('outbox', 'inbox'), PATIENT);
    expect(await endsOf(paydrop, again.summary.batch)).toEqual(['paid', 'paid']);
    expect(await transfersOf(paydrop)).toHaveLength(3);
  });
});

describe('the title block and the header', () => {
  it.each(['rejected', 'result'])('are in %s what they were', async (kind) => {
    const { sheet } = await open(kind);
    expect(sheet.getCell('A1')).toMatchObject({
      value: 'Paie de novembre',
      font: { bold: true, color: { argb: 'FF1F4E78' } },
    });
    expect(sheet.getRow(2).hasValues).toBe(false);
    const header = cellOf(sheet, 'destinationAmount', 3);
    expect(header.value).toBe('destinationAmount');
    expect(header.fill).toMatchObject({ fgColor: { argb: 'FF1F4E78' } });
    expect(header.font).toMatchObject({ bold: true, color: { argb: 'FFFFFFFF' } });
  });
});

it('a title keeps its background as far as its text runs on', async () => {
  const sheet: XlsxSheet = {
    name: 'One',
    title: [[{ value: 'Salaires de novembre 2026', fill: 'FF1F4E78', color: 'FFFFFFFF' }]],
    header: ['a', 'b', 'c', 'd'],
    widths: [10, 10, 10, 10],
    rows: [],
  };
  const book = new excel.Workbook();
  await book.xlsx.load(Buffer.concat(await Array.fromAsync(writeXlsx([sheet]))) as never);
  const title = book.worksheets[0]?.getRow(1);
  const filled = [1, 2, 3, 4].map((column) => title?.getCell(column).style.fill?.type === 'pattern');
  expect(filled).toEqual([true, true, true, false]);
});

describe('a column that is missing', () => {
  it('is told in the cell that a person would look at, and beside the row', async () => {
    const workbook = new excel.Workbook();
    const sheet = workbook.addWorksheet('Paie');
    const without = HEADER.indexOf('receiver.firstName');
    const cells = line('M-1', 100, '+8613800138000');
    sheet.addRow(HEADER.toSpliced(without, 2, 'Nom et prénoms'));
    sheet.addRow([...cells.slice(0, without), 'NGO BIKOÏ Clarisse', ...cells.slice(without + 2)]);
    const at = path.replace('paie', 'sans-prenom');
    await workbook.xlsx.writeFile(at);
    const { summary } = await processBatch(paydrop, at, PATIENT);
    const rejected = new excel.Workbook();
    const name = summary.answers.find((each) => each.includes('.rejected.')) ?? '';
    await rejected.xlsx.readFile(join(desk.workspace, 'outbox', name));
    const [back] = rejected.worksheets;
    const whole = back && cellOf(back, 'Nom et prénoms', 2, 1);
    expect(JSON.stringify(whole?.note)).toContain('receiver.firstName');
    expect(JSON.stringify(whole?.note)).toContain('receiver.lastName');
    expect(whole?.fill).toMatchObject({ fgColor: { argb: 'FFFFC7CE' } });
    const error = back?.getCell('B2');
    expect(error?.value).toContain('First name (receiver.firstName) and Last name (receiver.lastName): ');
    expect(error?.text.match(/in two columns/g)).toHaveLength(1);
    expect(error?.fill).toMatchObject({ fgColor: { argb: 'FFFFC7CE' } });
  });
});

describe('on paper', () => {
  it.each([
    ['rejected', null],
    // What only programs ask for is left out.
    ['result', 'payout.rate'],
    ['reconciliation', null],
  ])('%s is one page across, with its header on each', async (kind, last) => {
    const { sheet } = await open(kind);
    const header = kind === 'reconciliation' ? 1 : 3;
    expect(sheet.pageSetup).toMatchObject({
      ...{ orientation: 'landscape', paperSize: 9, fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
      printTitlesRow: `${String(header)}:${String(header)}`,
    });
    const area = /^A1:([A-Z]+)\d+$/.exec(sheet.pageSetup.printArea ?? '')?.[1];
    expect(area === undefined ? null : sheet.getCell(`${area}${String(header)}`).value).toBe(last);
  });
});

describe('the outcome in the language of the reader', () => {
  it.each([
    ['fr', 'payé'],
    ['es', 'pagado'],
  ])('stands before the columns that programs read, and is not read again (%s)', async (language, paid) => {
    const foreign = await openDesk();
    try {
      const spoken = await foreign.open(`language: ${language}`);
      const at = (await foreign.file('paie.csv', [])).replace(/csv$/, 'xlsx');
      const workbook = new excel.Workbook();
      const sheet = workbook.addWorksheet('Paie');
      sheet.addRow(HEADER);
      sheet.addRow([...line('F-1', 100, '+8613800138000')]);
      await workbook.xlsx.writeFile(at);
      const { summary } = await processBatch(spoken, at, PATIENT);
      const name = summary.answers.find((each) => each.includes('.result.')) ?? '';
      const book = new excel.Workbook();
      await book.xlsx.readFile(join(foreign.workspace, 'outbox', name));
      const [back] = book.worksheets;
      const header = (back?.getRow(1).values as readonly string[]).slice(1);
      const added = header.slice(HEADER.length);
      expect(added.slice(0, 3)).toEqual([`payout.outcome.${language}`, 'payout.row', 'payout.outcome']);
      expect(back && cellOf(back, `payout.outcome.${language}`, 2, 1).value).toBe(paid);
      expect(back && cellOf(back, 'payout.outcome', 2, 1).value).toBe('paid');
      const { table } = await readRows(join(foreign.workspace, 'outbox', name), {
        ...{ rowsMax: 100, bytesMax: 1_000_000, decimalMark: 'auto' },
      });
      const unknown = table.columns
        .filter(({ canonical }) => canonical === null)
        .map((column) => column.header);
      expect(unknown).toEqual(['remarque', 'échéance']);
    } finally {
      await foreign.close();
    }
  });

  it('is the code itself in English', async () => {
    const { sheet } = await open('result');
    expect(sheet.getRow(3).values).not.toContain('payout.outcome.fr');
  });
});

describe('result', () => {
  it('freezes and filters its header, and has real numbers, moments and text', async () => {
    const { sheet } = await open('result');
    const header = sheet.getRow(3).values as readonly string[];
    const cell = (name: string) => sheet.getRow(4).getCell(header.indexOf(name));
    expect(sheet.views).toMatchObject([{ state: 'frozen', ySplit: 3 }]);
    expect(sheet.autoFilter).toBeTruthy();
    expect(cell('payout.receiveAmount')).toMatchObject({ value: 100.5, numFmt: '#,##0.00' });
    expect(typeof cell('payout.sendAmount').value).toBe('number');
    expect(cell('payout.finalAt').value).toBeInstanceOf(Date);
    expect(cell('destinationAmount')).toMatchObject({ value: 100.5, numFmt: '#,##0.00' });
    expect(cell('échéance').value).toEqual(DUE);
  });

  it('shows text that looks like a formula, and never runs it', async () => {
    const { path: at, sheet } = await open('result');
    expect(sheet.getCell('L4').value).toBe('=1+1');
    expect((await rowsOf(at))[0]?.cells[11]).toBe('=1+1');
  });

  it('adds the totals on a sheet that is not taken for payments', async () => {
    const { path: at, book } = await open('result');
    const totals = book.getWorksheet('Totals')?.getSheetValues().slice(1) as readonly (readonly string[])[];
    expect(totals.some((row) => row.slice(1).join(' ') === 'received CNY 100.5')).toBe(true);
    expect(await rowsOf(at)).toHaveLength(3);
  });
});

it('reconciliation has one line for each payout', async () => {
  const { sheet } = await open('reconciliation');
  expect(sheet.rowCount).toBe(4);
  expect(sheet.getCell('D2').value).toBe(100.5);
});

it('the same sheets give the same bytes, whenever they are written', async () => {
  const sheet: XlsxSheet = {
    name: 'One',
    header: ['a'],
    widths: [10],
    rows: [[{ value: 'x' }], [{ value: { decimal: '1.50' } }]],
  };
  const bytes = async () => Buffer.concat(await Array.fromAsync(writeXlsx([sheet])));
  const first = await bytes();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  const later = await bytes().finally(() => vi.useRealTimers());
  expect(later.equals(first)).toBe(true);
});
