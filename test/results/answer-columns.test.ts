// The columns that answers add are relied on by name and by place: people read the first, imports skip to the last.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';
import excel from 'exceljs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { HEADER, line, openDesk, PATIENT, type Desk } from '../app/desk.ts';
import { SUPPLIERS } from '../samples/sample-files.ts';
import { openPaydrop, type TestPaydrop } from '../samples/with-paydrop.ts';

async function tablesIn(outbox: string): Promise<ReadonlyMap<string, readonly (readonly string[])[]>> {
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.csv'));
  const tables = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(outbox, name), 'utf8');
      const delimiter = name.startsWith('suppliers') ? ';' : ',';
      return [name.split('.').at(-2) ?? '', parse(text, { delimiter, bom: true })] as const;
    }),
  );
  return new Map(tables);
}

describe('in the sandbox', () => {
  let test: TestPaydrop;

  beforeAll(async () => {
    test = await openPaydrop('skip-rows');
    await previewFile(test.paydrop, SUPPLIERS, PATIENT);
    await processBatch(test.paydrop, SUPPLIERS, PATIENT);
  });
  afterAll(() => test.close());

  it.each(['result', 'rejected', 'preview', 'reconciliation'])(
    'every row of %s says so in its last column',
    async (kind) => {
      const [header = [], ...rows] = (await tablesIn(test.paydrop.workspace.outbox)).get(kind) ?? [];
      expect(header.at(-1)).toBe('payout.sandbox');
      expect(new Set(rows.map((row) => row.at(-1)))).toEqual(new Set(['SANDBOX']));
    },
  );

  it('the columns of a result stand in their order, what people read first and ids last', async () => {
    const [header = []] = (await tablesIn(test.paydrop.workspace.outbox)).get('result') ?? [];
    expect(header.slice(header.indexOf('payout.row'))).toEqual([
      ...['payout.row', 'payout.outcome', 'payout.reason', 'payout.sourceCurrency', 'payout.sendAmount'],
      ...['payout.feeAmount', 'payout.destinationCurrency', 'payout.receiveAmount', 'payout.rate'],
      ...['payout.status', 'payout.statusCode', 'payout.errorCode', 'payout.createdAt'],
      ...['payout.confirmedAt', 'payout.finalAt', 'payout.attempts', 'payout.externalId'],
      ...['payout.transferId', 'payout.quotationId', 'payout.batch', 'payout.sandbox'],
    ]);
  });

  it('several faults of one kind in a row have one code', async () => {
    const text =
      'reference,payoutCorridorId,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.firstName\nM-1,chn-cny-b2c-alipay,XAF,100,OTHER,\n';
    const path = join(test.desk, 'two-faults.csv');
    await writeFile(path, text);
    const { summary } = await processBatch(test.paydrop, path, PATIENT);
    const name = summary.answers.find((each) => each.includes('.result.')) ?? '';
    const [row] = parse<Record<string, string>>(
      await readFile(join(test.paydrop.workspace.outbox, name), 'utf8'),
      { columns: true },
    );
    expect(row?.['payout.errorCode']).toBe('receiver_field_missing delivery_field_missing');
  });

  it('the sheet of totals says so first', async () => {
    const workbook = new excel.Workbook();
    const sheet = workbook.addWorksheet('Paie');
    sheet.addRows([HEADER.split(','), line('S-1', '100').split(',')]);
    const path = join(test.desk, 'paie.xlsx');
    await workbook.xlsx.writeFile(path);
    const { summary } = await processBatch(test.paydrop, path, PATIENT);
    const result = summary.answers.find((name) => name.includes('.result.')) ?? '';
    const book = new excel.Workbook();
    await book.xlsx.readFile(join(test.paydrop.workspace.outbox, result));
    expect(book.getWorksheet('Totals')?.getCell('A2').value).toBe('SANDBOX: play money');
  });
});

describe('at a real service', () => {
  let desk: Desk;

  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk.close());

  it('no answer speaks of a sandbox', async () => {
    const paydrop = await desk.open();
    await processBatch(paydrop, await desk.file('paie.csv', [line('R-1', '100')]), PATIENT);
    const tables = await tablesIn(paydrop.workspace.outbox);
    expect([...tables.keys()].sort()).toEqual(['reconciliation', 'result']);
    expect([...tables.values()].flat(2)).not.toContain('payout.sandbox');
  });

  it('a file of semicolons without a decimal in it gets decimal commas', async () => {
    const paydrop = await desk.open();
    const text = `${HEADER}\n${line('C-1', '150')}\n`.replaceAll(',', ';');
    const { summary } = await processBatch(paydrop, await desk.write('paie-fr.csv', text), PATIENT);
    const name = summary.answers.find((each) => each.includes('.result.')) ?? '';
    const answer = await readFile(join(paydrop.workspace.outbox, name), 'utf8');
    const [row] = parse<Record<string, string>>(answer, { delimiter: ';', columns: true });
    expect(row?.['payout.receiveAmount']).toBe('150,00');
    expect(row?.['payout.rate']).toMatch(/^0,\d+$/);
  });
});
