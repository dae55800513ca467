// A file that is sent back: closed as one that is declined, and its bytes, or corrected ones, come again without a question about that.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../../src/app/desk/check-file.ts';
import { statusOf } from '../../../src/app/desk/batch-status.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import { own } from '../../ledger/own.ts';
import { releaseRows } from '../release.ts';
import { type Desk, endsOf, HURRIED, line, openDesk, PATIENT, transfersOf } from '../desk.ts';
import { message, payment } from '../../rows/pain001/messages.ts';
import { approve, decline, outboxFile, REQUIRED, resume, sendBack } from './two-people.ts';

let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  desk = await openDesk();
  paydrop = await desk.open(REQUIRED);
});
afterEach(() => desk.close());

const TRANSFER = {
  ...{ transferId: 't-1', externalId: 'x-1', quotationId: 'q-1', status: 'created', statusCode: '10000' },
  ...{ sendAmount: '8500', feeAmount: '100', receiveAmount: '100' },
  ...{ createdAt: '2026-11-30T08:00:00Z', expiredAt: '2026-11-30T08:15:00Z' },
};

const SALARIES = [line('A', '100'), line('B', '101')];

const bring = async (name: string, lines: readonly string[] = SALARIES): Promise<BatchResult> =>
  processBatch(paydrop, await desk.file(name, lines), HURRIED, false, ['Paul']);

async function sentBack(lines: readonly string[] = SALARIES): Promise<string> {
  const { batch } = (await bring('salaries.csv', lines)).summary;
  expect(await sendBack(paydrop, batch)).toMatchObject({ kind: 'decided' });
  expect((await resume(paydrop, batch)).summary.state).toBe('closed');
  return batch;
}

async function paid(batch: string): Promise<number> {
  await approve(paydrop, batch);
  return (await resume(paydrop, batch, PATIENT)).summary.outcomes.paid;
}

describe('a file that is sent back', () => {
  it('is closed unpaid, and its answer and status say that it is to be brought again, and why', async () => {
    const batch = await sentBack();
    expect(await endsOf(paydrop, batch)).toEqual(['rejected declined', 'rejected declined']);
    const words = 'Sent back by Marie, to be corrected and brought again: row 2 twice';
    expect(await outboxFile(desk, `salaries.${batch}.result.csv`)).toContain(words);
    const status = await statusOf(paydrop, await own(paydrop.ledger, batch));
    expect(status.words).toMatch(/^Sent back by Marie on .*: row 2 twice/);
    expect(await sendBack(paydrop, batch)).toMatchObject({ kind: 'decided-before' });
  });

  it('is taken again as it was, any number of times, and paid once', async () => {
    const first = await sentBack();
    const path = await desk.file('salaries.csv', SALARIES);
    expect((await checkFile(paydrop, path)).isRepeated).toBeUndefined();
    const second = (await bring('salaries.csv')).summary;
    expect(second).toMatchObject({ state: 'awaiting-approval', outcomes: { pending: 2, held: 0 } });
    expect(second.batch).not.toBe(first);
    expect((await bring('salaries.csv')).isRepeated).toBe(true);
    await sendBack(paydrop, second.batch);
    await resume(paydrop, second.batch);
    const third = (await bring('salaries.csv')).summary.batch;
    expect(await paid(third)).toBe(2);
    expect(await bring('salaries.csv')).toMatchObject({ isRepeated: true, summary: { batch: third } });
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });

  it('is taken again corrected, with the references that it had', async () => {
    await sentBack();
    const { summary } = await bring('salaries.csv', [line('A', '100'), line('B', '99')]);
    expect(summary.outcomes).toMatchObject({ pending: 2, held: 0, duplicate: 0 });
    expect(await paid(summary.batch)).toBe(2);
  });

  it('is taken again corrected under the id of its message', async () => {
    await desk.shut();
    paydrop = await desk.open(
      `${REQUIRED}\niso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }] }`,
    );
    const put = async (amount: string) =>
      processBatch(paydrop, await desk.write(`${amount}.xml`, message([payment({ amount })])), HURRIED);
    const { batch } = (await put('<InstdAmt Ccy="CNY">100</InstdAmt>')).summary;
    await sendBack(paydrop, batch);
    await resume(paydrop, batch);
    const { summary } = await put('<InstdAmt Ccy="CNY">90</InstdAmt>');
    expect(summary).toMatchObject({ state: 'awaiting-approval', outcomes: { pending: 1 } });
  });

  it('is one file where two bring it again at the same moment', async () => {
    await sentBack();
    const ends = await Promise.all([bring('salaries.csv'), bring('again.csv')]);
    expect(new Set(ends.map(({ summary }) => summary.batch)).size).toBe(1);
    expect(await paydrop.ledger.batches()).toHaveLength(2);
  });
});

describe('the same bytes do not come again', () => {
  it('of a file with a row that was cancelled, and whose confirm may have arrived all the same', async () => {
    const batch = await sentBack();
    const leased = await own(paydrop.ledger, batch);
    const [row] = await paydrop.ledger.rows(batch, 0, 1);
    if (row === undefined) throw new Error('The row is there.');
    const progress = { ...row.progress, transfer: TRANSFER, confirm: 'sent' as const };
    await paydrop.ledger.record(leased, row, { progress, dueAt: null, event: 'confirmed without an answer' });
    await paydrop.ledger.giveBack(leased);
    expect(await bring('salaries.csv')).toMatchObject({ isRepeated: true, summary: { batch } });
  });

  it('of a file that was declined for good', async () => {
    const { batch } = (await bring('salaries.csv')).summary;
    await decline(paydrop, batch);
    await resume(paydrop, batch);
    expect(await bring('salaries.csv')).toMatchObject({ isRepeated: true, summary: { batch } });
  });

  it('of a file that was sent back after some of it was paid', async () => {
    const lines = [line('A', '100'), line('', '50'), line('', '50')];
    const { batch } = (await bring('salaries.csv', lines)).summary;
    await approve(paydrop, batch);
    await resume(paydrop, batch);
    expect(await transfersOf(paydrop)).toHaveLength(1);
    const order = { by: 'Marie', reason: 'two of them', rows: null, skip: false };
    await releaseRows(paydrop, await own(paydrop.ledger, batch), order);
    await resume(paydrop, batch);
    expect(await sendBack(paydrop, batch)).toMatchObject({ kind: 'decided' });
    expect((await resume(paydrop, batch, PATIENT)).summary.state).toBe('closed');
    expect(await bring('salaries.csv', lines)).toMatchObject({ isRepeated: true, summary: { batch } });
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });
});
