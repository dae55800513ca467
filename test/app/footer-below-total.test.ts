// Under the total of most lists stand a place, a date and signatures: the total is checked all the same, and nobody is paid by a remark.
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import { checkFile } from '../../src/app/desk/check-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { makeWorkbook, number, rowsXml } from '../rows/make-workbook.ts';
import { readFileAt } from '../rows/read-table.ts';
import { HEADER, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const COLUMNS = `${HEADER},Remarque`;
const AMOUNT = HEADER.split(',').indexOf('destinationAmount');
const POLICIES = ['refuse-file', 'skip-rows'] as const;
const config = (policy: (typeof POLICIES)[number]) => `policy: { onInvalidRows: ${policy} }`;

const payment = (reference: string, amount: string) => `${line(reference, amount)},`.split(',');
const below = (texts: Readonly<Record<number, string>>) =>
  COLUMNS.split(',').map((_, index) => texts[index] ?? '');
const total = (sum: string, word = 'TOTAL') => below({ 0: word, [AMOUNT]: sum });
const remark = (text: string) => below({ 11: text });

const PAID = [payment('A-1', '100'), payment('A-2', '200')];

const KINDS = {
  csv: (rows: readonly (readonly string[])[]) => [COLUMNS, ...rows.map((row) => row.join(','))].join('\n'),
  xlsx: (rows: readonly (readonly string[])[]) => {
    const cells = rows.map((row) =>
      row.map((cell, index) => (index === AMOUNT && /^\d+$/.test(cell) ? number(cell) : cell)),
    );
    return makeWorkbook([{ data: rowsXml([COLUMNS.split(','), ...cells]) }]);
  },
} as const;

describe.each(Object.entries(KINDS))('in a file of kind %s', (kind, written) => {
  const write = (rows: readonly (readonly string[])[]) => desk.write(`pay.${kind}`, written(rows));

  it.each(POLICIES)('a wrong total above a signature refuses the file (%s)', async (policy) => {
    const paydrop = await desk.open(config(policy));
    const file = await write([...PAID, total('999'), remark('Douala'), remark('Signature')]);
    const result = await processBatch(paydrop, file, PATIENT);
    expect(result.summary.state).toBe('refused');
    expect(said(result.words).join(' ')).toContain('999');
    expect(said(result.words).join(' ')).toContain('add up to 300');
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it.each(POLICIES)('a right total is told, and the lines below it once (%s)', async (policy) => {
    const paydrop = await desk.open(config(policy));
    const file = await write([...PAID, total('300'), remark('Douala'), remark('Signature')]);
    const said = [
      'Total in F4: 300, agrees with the 2 rows.',
      'Rows 5–6 pay nobody and are not read: Douala; Signature.',
    ];
    expect((await checkFile(paydrop, file)).about).toEqual(said);
    const result = await processBatch(paydrop, file, PATIENT);
    expect(result.about).toEqual(expect.arrayContaining(said));
    expect(result.summary.outcomes).toMatchObject({ paid: 2, rejected: 0 });
  });

  it('a reference alone is a row to fix, and keeps no total from being checked', async () => {
    const paydrop = await desk.open(config('skip-rows'));
    const signed = below({ 0: 'A-3' });
    const wrong = await processBatch(paydrop, await write([...PAID, total('999'), signed]), PATIENT);
    expect(wrong.summary.state).toBe('refused');
    const right = await processBatch(paydrop, await write([...PAID, total('300'), signed]), PATIENT);
    expect(right.summary.outcomes).toMatchObject({ paid: 2, rejected: 1 });
    expect(await rejectedText(right)).toContain('is below the total in F4');
  });

  it('a sum among the payments is told as that, and is never paid', async () => {
    const paydrop = await desk.open(config('skip-rows'));
    const [one = [], two = []] = PAID;
    const sums = [total('100', 'Sous-total'), two, total('200', 'Sous-total'), total('300')];
    const result = await processBatch(paydrop, await write([one, ...sums]), PATIENT);
    expect(result.about?.[0]).toBe('Total in F6: 300, agrees with the 2 rows.');
    expect(result.summary.outcomes).toMatchObject({ paid: 2, rejected: 2 });
    expect(await rejectedText(result)).toContain('This row is a total («Sous-total»), not a payment.');
    expect(await rejectedText(result)).not.toContain('purpose');
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });
});

it.each([
  'Arrêté le présent état à la somme de trois cents yuans',
  'Fait à Douala, le 28 novembre 2026',
  'NB : virement urgent',
  'Le DAF',
  'La Directrice Générale',
])('%s closes a list without a total, whatever column it stands in, and refuses nothing', async (text) => {
  const paydrop = await desk.open(config('refuse-file'));
  const file = await desk.write('pay.csv', KINDS.csv([...PAID, below({ 0: text.replace(',', '') })]));
  const { summary, about } = await processBatch(paydrop, file, PATIENT);
  expect(summary.outcomes).toMatchObject({ paid: 2, rejected: 0 });
  expect(about?.[0]).toMatch(/^Row 4 pays nobody and is not read: /);
});

it('the other sheets of a workbook that hold anything are named as not read', async () => {
  const sheet = (name: string, rows: readonly (readonly string[])[]) => ({ name, data: rowsXml(rows) });
  const sheets = [
    sheet('Paie', [COLUMNS.split(','), ...PAID]),
    sheet('Suite', [payment('A-3', '500')]),
    { ...sheet('Notes', [['secret']]), state: 'hidden' as const },
    sheet('Blank', []),
  ];
  const { about } = await checkFile(await desk.open(), await desk.write('pay.xlsx', makeWorkbook(sheets)));
  expect(about).toEqual(['Only the sheet «Paie» is paid. Not read: «Suite».']);
});

it.each([
  ['delivery.msisdn', '+8613800138000'],
  ['reference', 'A-3'],
  ['destinationAmount', '50'],
])(
  'row_below_total: with nothing but %s a row is none of the lines that are not read',
  async (column, cell) => {
    const row = below({ [HEADER.split(',').indexOf(column)]: cell });
    const file = await desk.write('pay.csv', KINDS.csv([...PAID, total('300'), row]));
    const { summary, about } = await checkFile(await desk.open(), file);
    expect(summary.outcomes).toMatchObject({ rejected: 1 });
    expect(about?.[0]).toBe('Total in F4: 300, agrees with the 2 rows.');
    expect(about?.join(' ')).not.toContain('not read');
  },
);

async function rejectedText({ summary }: BatchResult): Promise<string> {
  const name = summary.answers.find((answer) => answer.includes('.rejected.')) ?? '';
  const { read } = await readFileAt(join(desk.workspace, 'outbox', name));
  return read.flatMap(({ cells }) => cells).join(' ');
}
