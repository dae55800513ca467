// A workbook of a thousand payments with twelve different faults in twelve rows: each is told by cell, fault and remedy, and the file that
// comes back, fixed, pays those twelve and nothing else.
import { join } from 'node:path';

import excel, { type Worksheet } from 'exceljs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { openDesk, PATIENT, type Desk } from './desk.ts';

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
] as const;
type Column = (typeof HEADER)[number];

const ROWS = 1_000;

/** Row by row: the column at fault, what stands in it, and what is said. */
const FAULTS: readonly (readonly [number, Column, string | number, RegExp])[] = [
  [10, 'destinationCountryIsoCode', 'Chinna', /is not a country.*three-letter code/],
  [50, 'transactionMode', 'B2X', /none of B2B.*Write one of these/],
  [90, 'deliveryMethod', 'Pigeon', /none of bankTransfer.*Write one of these/],
  [130, 'sourceCurrency', 'GBP', /cannot be paid from GBP, only from/],
  [200, 'destinationAmount', '', /no amount.*Write one, or delete the row/],
  [300, 'destinationAmount', -5, /Only amounts above zero/],
  [400, 'destinationAmount', 100.123, /CNY has at most 2 decimals.*write the exact amount/],
  [500, 'destinationAmount', 99_999_999, /this corridor pays from.*Change the amount/],
  [600, 'purposeOfRemittance', 'Loyer du mois', /is not a purpose.*Write one of/],
  [700, 'receiver.lastName', '', /requires this of the receiver: .*\(receiver\.lastName\).*Fill it in/],
  [800, 'delivery.msisdn', 8613800138000, /kept as a number.*with # before it.*delete the #/],
  [900, 'reference', 'R-0002', /is already in row 3.*own reference/],
];

let desk: Desk;
let paydrop: Paydrop;
let result: BatchResult;

beforeAll(async () => {
  desk = await openDesk();
  paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
  const path = (await desk.file('paie.csv', [])).replace(/csv$/, 'xlsx');
  const workbook = new excel.Workbook();
  const sheet = workbook.addWorksheet('Paie');
  sheet.addRow([...HEADER]);
  for (let row = 1; row <= ROWS; row++) {
    const number = String(row).padStart(4, '0');
    const amount = 100 + (row % 50) / 4;
    sheet.addRow([
      `R-${number}`,
      'CHN',
      'B2C',
      'wechat',
      'XAF',
      amount,
      'SALARY_PAYMENT',
      'Li',
      `Wei ${number}`,
      'CHN',
      `+861380013${number}`,
    ]);
  }
  for (const [row, column, value] of FAULTS) cellAt(sheet, row, column).value = value;
  await workbook.xlsx.writeFile(path);
  result = await processBatch(paydrop, path, PATIENT);
});
afterAll(() => desk.close());

/** By the row that a spreadsheet program shows. What is wrong stands beside the first column, so the others are found by their headers. */
function cellAt(sheet: Worksheet, row: number, column: Column | 'payout.error' | 'payout.row') {
  const headers = Array.from({ length: sheet.columnCount }, (_, at) => sheet.getCell(1, at + 1).text);
  return sheet.getCell(row, headers.indexOf(column) + 1);
}

async function rejected() {
  const path = join(desk.workspace, 'outbox', `paie.${result.summary.batch}.rejected.xlsx`);
  const book = new excel.Workbook();
  await book.xlsx.readFile(path);
  const sheet = book.getWorksheet('Paie');
  if (sheet === undefined) throw new Error('The sheet has the name that it had.');
  return { path, book, sheet };
}

describe('a thousand payments with twelve faults', () => {
  it('are paid except for the twelve', () => {
    expect(result.summary.outcomes).toMatchObject({ paid: ROWS - FAULTS.length, rejected: FAULTS.length });
  });

  it('come back as twelve rows, each with its cell marked and told what to do', async () => {
    const { sheet } = await rejected();
    expect(sheet.getCell(1, 2).text).toBe('payout.error');
    expect(sheet.rowCount).toBe(1 + FAULTS.length);
    for (const [index, [row, column, , says]] of FAULTS.entries()) {
      const cell = cellAt(sheet, index + 2, column);
      expect(cell.fill, column).toMatchObject({ fgColor: { argb: 'FFFFC7CE' } });
      expect(JSON.stringify(cell.note)).toMatch(says);
      const error = cellAt(sheet, index + 2, 'payout.error').text;
      expect(error.startsWith(`${column}: `), error).toBe(true);
      expect(cellAt(sheet, index + 2, 'payout.row').text).toBe(String(row));
    }
  });

  it('once those are fixed and dropped again, pays them and nothing else', async () => {
    const { path, book, sheet } = await rejected();
    for (const [index, [, column]] of FAULTS.entries()) {
      const good: Partial<Record<Column, string | number>> = {
        destinationAmount: 150,
        reference: 'R-fixed',
        'receiver.lastName': 'Wei',
        'delivery.msisdn': '+8613800138000',
        sourceCurrency: 'XAF',
        purposeOfRemittance: 'Salaire',
        deliveryMethod: 'wechat',
        transactionMode: 'B2C',
        destinationCountryIsoCode: 'Chine',
      };
      cellAt(sheet, index + 2, column).value = good[column] ?? '';
    }
    const fixed = path.replace('outbox', 'inbox');
    await book.xlsx.writeFile(fixed);
    const again = await processBatch(paydrop, fixed, PATIENT);
    expect(again.summary.outcomes).toMatchObject({ paid: FAULTS.length, rejected: 0, duplicate: 0, held: 0 });
    let transfers = 0;
    for (let nextKey: string | null | undefined; nextKey !== null;) {
      const { value } = await paydrop.service.transfers({
        limit: 200,
        ...(nextKey === undefined ? {} : { nextKey }),
      });
      transfers += value.transfers.length;
      nextKey = value.nextKey;
    }
    expect(transfers).toBe(ROWS);
  });
});
