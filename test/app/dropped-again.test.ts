// A file that comes back in any form pays only what is unpaid: the decision table of rows that were seen before.
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { RESULT_COLUMNS } from '../../src/results/payout-cells.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
let paydrop: Paydrop;

beforeEach(async () => {
  desk = await openDesk();
  paydrop = await desk.open();
});
afterEach(() => desk.close());

let files = 0;

/** Pays a file of these lines; gives what became of its rows. */
async function drop(...lines: readonly string[]): Promise<readonly string[]> {
  files += 1;
  return endsOf(paydrop, await batchOf(await desk.file(`file-${String(files)}.csv`, lines)));
}

async function batchOf(path: string): Promise<string> {
  return (await processBatch(paydrop, path, PATIENT)).summary.batch;
}

/** An answer of a batch, changed by its owner and put where it can be dropped. */
async function answer(batch: string, kind: string, change: (text: string) => string): Promise<string> {
  const outbox = join(desk.workspace, 'outbox');
  const name = `payroll.${batch}.${kind}.csv`;
  const path = await desk.file(name, []);
  await copyFile(join(outbox, name), path);
  await writeFile(path, change(await readFile(path, 'utf8')));
  return path;
}

describe('by reference', () => {
  it('unchanged and paid: a duplicate', async () => {
    expect(await drop(line('A-1', '100'))).toEqual(['paid']);
    expect(await drop(line('A-1', '100'), '')).toEqual(['duplicate duplicate_reference']);
  });

  it('changed and paid: held', async () => {
    await drop(line('A-1', '100'));
    expect(await drop(line('A-1', '101'))).toEqual(['held reference_paid_differently']);
  });

  it('added beside what was paid: paid alone', async () => {
    await drop(line('A-1', '100'));
    expect(await drop(line('A-1', '100'), line('A-2', '101'))).toEqual([
      'duplicate duplicate_reference',
      'paid',
    ]);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });
});

describe('without references', () => {
  it('the same content in another form: every row is held', async () => {
    const [header, ...rows] = [
      'destinationCountryIsoCode;transactionMode;deliveryMethod;sourceCurrency;destinationAmount;purposeOfRemittance;receiver.firstName;receiver.lastName;receiver.countryIsoCode;delivery.msisdn',
      'CHN;B2C;wechat;XAF;100,00;SALARY_PAYMENT;Li;Wei;CHN;+8613800138000',
      'CHN;B2C;wechat;XAF;200,50;SALARY_PAYMENT;Li;Wei;CHN;+8613800138000',
    ];
    expect(await drop(line('', '100.00'), line('', '200.50'))).toEqual(['paid', 'paid']);
    const path = await desk.file('other.csv', []);
    await writeFile(path, `${[header, ...rows].join('\r\n')}\r\n`);
    expect(await endsOf(paydrop, await batchOf(path))).toEqual([
      'held same_payment_recently',
      'held same_payment_recently',
    ]);
  });

  it('two equal rows of one file: both held', async () => {
    expect(await drop(line('', '100'), line('', '100'), line('', '200'))).toEqual([
      'held equal_rows',
      'held equal_rows',
      'paid',
    ]);
  });

  it('a result that is dropped again with one more row: that one is paid', async () => {
    const file = await desk.file('payroll.csv', [line('', '100')]);
    const batch = await batchOf(file);
    const noAnswers = ','.repeat(RESULT_COLUMNS.length);
    const again = await answer(
      batch,
      'result',
      (text) => `${text.trimEnd()}\n${line('', '300')}${noAnswers}\n`,
    );
    expect(await endsOf(paydrop, await batchOf(again))).toEqual(['duplicate duplicate_row', 'paid']);
  });

  it('a result that is dropped again with another amount in a paid row: held, however long ago it was paid', async () => {
    const file = await desk.file('payroll.csv', [line('', '100')]);
    const batch = await batchOf(file);
    const again = await answer(batch, 'result', (text) => text.replace(',100,', ',150,'));
    expect(await endsOf(paydrop, await batchOf(again))).toEqual(['held earlier_row_paid']);
  });

  it('a row of a result that was given a reference of its own: the same payment under another reference', async () => {
    const file = await desk.file('payroll.csv', [line('', '100')]);
    const batch = await batchOf(file);
    const again = await answer(batch, 'result', (text) => text.replace('\n,CHN', '\nDEC-1,CHN'));
    expect(await endsOf(paydrop, await batchOf(again))).toEqual(['held same_payment_other_reference']);
  });
});

it('a rejected file that is fixed and dropped twice, the second time saved another way, pays once', async () => {
  const file = await desk.file('payroll.csv', [line('', '100'), line('', 'x')]);
  const refused = await batchOf(file);
  const fixed = await answer(refused, 'rejected', (text) => text.replace(',x,', ',250,'));
  expect(await endsOf(paydrop, await batchOf(fixed))).toEqual(['paid', 'paid']);
  const resaved = await answer(
    refused,
    'rejected',
    (text) => `${text.replace(',x,', ',250,').replaceAll('\n', '\r\n')}\r\n`,
  );
  expect((await endsOf(paydrop, await batchOf(resaved))).every((end) => end.startsWith('duplicate'))).toBe(
    true,
  );
  expect(await transfersOf(paydrop)).toHaveLength(2);
});

describe('the same bytes', () => {
  it('are a duplicate, and paid once more only on purpose, as often as that is said', async () => {
    const file = await desk.file('rent.csv', [line('A-1', '100'), line('', '200')]);
    const first = await processBatch(paydrop, file, PATIENT);
    expect(await processBatch(paydrop, file, PATIENT)).toMatchObject({ isRepeated: true });
    const second = await processBatch(paydrop, file, PATIENT, true);
    const third = await processBatch(paydrop, file, PATIENT, true);
    expect([second, third].map(({ summary }) => summary.batch)).toEqual([
      `${first.summary.batch}-2`,
      `${first.summary.batch}-3`,
    ]);
    expect(second.summary).toMatchObject({ state: 'closed', outcomes: { paid: 2 } });
    expect(await transfersOf(paydrop)).toHaveLength(6);
  });

  it('are not paid again on purpose while the last time is not finished', async () => {
    const cut = await desk.open('', 'nobody');
    const file = await desk.file('rent.csv', [line('A-1', '100')]);
    await processBatch(cut, file, HURRIED);
    expect(await processBatch(cut, file, HURRIED, true)).toMatchObject({ isRepeated: true });
    expect(await cut.ledger.batches()).toHaveLength(1);
  });

  it('that cannot be paid again are answered under a name of their own: what was paid is not denied', async () => {
    const file = await desk.file('rent.csv', [line('A-1', '100')]);
    const { summary: first } = await processBatch(paydrop, file, PATIENT);
    const names = async () => (await readdir(join(desk.workspace, 'outbox'))).sort();
    const before = await names();
    const control = await desk.write('rent.control.json', '{ "rows": 7 }');
    const { summary, words } = await processBatch(paydrop, file, PATIENT, true);
    expect(summary).toMatchObject({ batch: `${first.batch}-2`, state: 'refused' });
    expect(said(words).join(' ')).toContain(`rent.${first.batch}-2.refused.json`);
    expect(await names()).toEqual([...before, `rent.${first.batch}-2.refused.json`].sort());
    expect(await readdir(join(desk.workspace, 'refused'))).toEqual([`${first.batch}-2`]);
    expect(await paydrop.ledger.batch(first.batch)).toMatchObject({ state: 'closed' });
    await rm(control);
    expect((await processBatch(paydrop, file, PATIENT, true)).summary).toMatchObject({
      batch: `${first.batch}-2`,
      outcomes: { paid: 1 },
    });
  });

  it('said to be paid again, but never paid before, are paid as usual', async () => {
    const file = await desk.file('rent.csv', [line('A-1', '100')]);
    const { summary } = await processBatch(paydrop, file, PATIENT, true);
    expect(summary.batch).toMatch(/^\d{8}-[0-9a-f]{8}$/);
  });
});

describe('a row that its owner has fixed in a spreadsheet program', () => {
  it('is not paid to the account whose zeros that program dropped', async () => {
    const wrong = line('A-1', 'x').replace('+8613800138000', '0045718263');
    const batch = await batchOf(await desk.file('payroll.csv', [wrong]));
    const fixed = await answer(batch, 'rejected', (text) =>
      text.replace(',x,', ',100,').replace('0045718263', '45718263'),
    );
    const again = await processBatch(paydrop, fixed, PATIENT);
    expect(again.summary.outcomes).toMatchObject({ rejected: 1 });
    const name = again.summary.answers.find((each) => each.endsWith('.rejected.csv'));
    const text = await readFile(join(desk.workspace, 'outbox', name ?? ''), 'utf8');
    expect(text).toContain('"45718263"" was ""0045718263""');
    expect(await transfersOf(paydrop)).toEqual([]);
  });
});

describe('a file of the same name that leaves out a row', () => {
  it('says that the row is still being paid', async () => {
    const stays = line('A-2', '200').replace('+8613800138000', '+8613810060000');
    await processBatch(paydrop, await desk.file('payroll.csv', [line('A-1', '100'), stays]), HURRIED);
    const { words } = await processBatch(
      paydrop,
      await desk.file('payroll.csv', [line('A-1', '100')]),
      HURRIED,
    );
    expect(said(words).join(' ')).toMatch(/still to be paid by batch .*: row 3/);
  });

  it('says nothing of rows that have ended', async () => {
    await processBatch(
      paydrop,
      await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', '200')]),
      PATIENT,
    );
    const { words } = await processBatch(
      paydrop,
      await desk.file('payroll.csv', [line('A-1', '100')]),
      PATIENT,
    );
    expect(said(words).join(' ')).not.toContain('still being paid');
  });
});

describe('a known receiver on another account', () => {
  const moved = (reference: string) => line(reference, '300').replace('+8613800138000', '+8613800138999');

  it('is paid with a warning, unless the policy holds it (new_account)', async () => {
    await drop(line('A-1', '100'));
    expect(await drop(moved('A-2'))).toEqual(['paid']);
    const strict = await desk.open('policy: { newAccount: hold }');
    const third = await desk.file('third.csv', [
      line('A-3', '300').replace('+8613800138000', '+8613800138777'),
      line('A-4', '400'),
    ]);
    const { summary } = await processBatch(strict, third, PATIENT);
    expect(await endsOf(strict, summary.batch)).toEqual(['held new_account', 'paid']);
    const order = { by: 'Awa', reason: 'called him', rows: null, skip: false };
    await releaseRows(strict, (await strict.ledger.batch(summary.batch)) as BatchRecord, order);
    await resumeBatches(strict, summary.batch, PATIENT);
    expect(await endsOf(strict, summary.batch)).toEqual(['paid', 'paid']);
  });
});
