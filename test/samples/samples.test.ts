// The samples are what a newcomer pays first, so they are tests: both files go the whole way, and every byte of their answers is known.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { exitCodeOf, type BatchResult } from '../../src/app/workflow/batch/work.ts';
import { compareWithBooks } from '../../src/app/desk/demo.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { hashFile } from '../../src/inbox/take-file.ts';
import { fixRejected, PAYROLL, SAMPLES, SUPPLIERS } from './sample-files.ts';
import { stableAnswers } from './stable-answers.ts';
import { openPaydrop, PATIENT, transfersOf, type TestPaydrop } from './with-paydrop.ts';

const EXPECTED = join(SAMPLES, 'expected');

async function expectedAnswers(stem: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(EXPECTED)).filter((name) => name.startsWith(`${stem}.`)).sort();
  const texts = names.map(async (name) => [name, await readFile(join(EXPECTED, name), 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

async function expectAnswers({ paydrop }: TestPaydrop, stem: string, batch: string): Promise<void> {
  const answers = await stableAnswers(paydrop.workspace.outbox, batch);
  const expected = await expectedAnswers(stem);
  expect([...answers.keys()].sort()).toEqual([...expected.keys()]);
  for (const [name, text] of expected) expect(answers.get(name), name).toBe(text);
}

describe('under skip-rows, as in the demo', () => {
  let test: TestPaydrop;
  let payroll: BatchResult;
  let suppliers: BatchResult;
  const both = () => [payroll, suppliers];

  beforeAll(async () => {
    test = await openPaydrop('skip-rows');
    payroll = await processBatch(test.paydrop, PAYROLL, PATIENT);
    suppliers = await processBatch(test.paydrop, SUPPLIERS, PATIENT);
  });
  afterAll(() => test.close());

  it('the payroll is paid to the last row', () => {
    expect(payroll.summary.state).toBe('closed');
    expect(payroll.summary.outcomes).toMatchObject({ paid: 36, failed: 0, rejected: 0, held: 0 });
    expect(exitCodeOf(payroll, PATIENT.waitMs)).toBe(0);
  });

  it('the suppliers are paid except for the row to fix and the one that the network refuses', () => {
    expect(suppliers.summary.state).toBe('closed');
    expect(suppliers.summary.outcomes).toMatchObject({ paid: 12, failed: 1, rejected: 1, held: 0 });
    expect(exitCodeOf(suppliers, PATIENT.waitMs)).toBe(4);
  });

  it('the answers of the payroll are the expected ones, byte for byte', () =>
    expectAnswers(test, 'payroll', payroll.summary.batch));

  it('the answers of the suppliers are the expected ones, byte for byte', () =>
    expectAnswers(test, 'suppliers', suppliers.summary.batch));

  it('the archive keeps the file byte for byte, with its invoices and its answers', async () => {
    const { batch, answers } = suppliers.summary;
    const folder = join(test.paydrop.workspace.archive, batch.slice(0, 4), batch.slice(4, 6), batch);
    expect(await readFile(join(folder, 'suppliers.csv'))).toEqual(await readFile(SUPPLIERS));
    expect(await readdir(folder)).toEqual(expect.arrayContaining([...answers]));
    const invoices = await readdir(join(SAMPLES, 'invoices'));
    const hashes = invoices.map((name) => hashFile(join(SAMPLES, 'invoices', name)));
    const kept = (await Promise.all(hashes)).map((hash) => `${hash}.pdf`);
    expect(await readdir(join(folder, 'documents'))).toEqual([...new Set(kept)].sort());
  });

  it("the totals equal the sandbox's books to the minor unit", () => {
    const agreements = compareWithBooks(test.paydrop, both());
    expect(agreements.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(agreements).toContainEqual(expect.objectContaining({ currency: 'XAF', inBooks: '154344375' }));
  });

  it('nothing stays reserved: what failed was released', () => {
    const pending = test.paydrop.sandbox?.books().map(({ pendingAmount }) => pendingAmount);
    expect(pending).toEqual(['0', '0', '0']);
  });

  it('one transfer was created for each row that was sent', async () => {
    // 36 salaries and 13 suppliers: the row to fix never became one.
    expect(await transfersOf(test.paydrop)).toHaveLength(49);
  });

  it.each(['payroll.csv', 'suppliers.csv'])('%s dropped again sends nothing', async (name) => {
    const before = [await transfersOf(test.paydrop), test.paydrop.sandbox?.books()];
    const again = await processBatch(test.paydrop, join(SAMPLES, name), PATIENT);
    expect(again.isRepeated).toBe(true);
    expect(exitCodeOf(again, PATIENT.waitMs)).toBe(3);
    expect([await transfersOf(test.paydrop), test.paydrop.sandbox?.books()]).toEqual(before);
    const { outbox } = test.paydrop.workspace;
    expect(await readdir(outbox)).toContainEqual(
      expect.stringContaining(`${again.summary.batch}.duplicate.json`),
    );
  });

  it('the payroll saved under another name, with other line ends, pays nobody twice', async () => {
    const before = await transfersOf(test.paydrop);
    const copy = join(test.desk, 'payroll (1).csv');
    await writeFile(copy, (await readFile(PAYROLL, 'utf8')).replaceAll('\n', '\r\n'));
    const again = await processBatch(test.paydrop, copy, PATIENT);
    expect(again.summary.outcomes).toMatchObject({ paid: 0, duplicate: 36 });
    expect(await transfersOf(test.paydrop)).toEqual(before);
  });

  it('the rejected row, fixed and dropped with its invoice, is paid alone', async () => {
    const before = await transfersOf(test.paydrop);
    const fixed = await processBatch(test.paydrop, await fixRejected(test, suppliers), PATIENT);
    expect(fixed.summary.file.rows).toBe(1);
    expect(exitCodeOf(fixed, PATIENT.waitMs)).toBe(0);
    expect(await transfersOf(test.paydrop)).toHaveLength(before.length + 1);
  });
});
