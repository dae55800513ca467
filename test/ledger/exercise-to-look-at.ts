// Which batches a look takes up: what is open, and of the closed only those that may have changed, however many there are.
import { expect, it } from 'vitest';

import type { BatchRecord } from '../../src/ledger/records.ts';
import { type Ledger, changeBatch } from '../../src/ledger/ledger.ts';
import { batchNumber, inStage, movedTo, newRow } from './records.ts';
import { EVERYTHING, NOW_MS, onlyOne, type OpenLedgers } from './two-ledgers.ts';
import { waitFor } from '../../src/ledger/wait.ts';
import { dueRows, own, record } from './own.ts';

const ENDED_AT = '2026-11-20T09:00:00.000Z';

const ids = (batches: readonly BatchRecord[]) => batches.map(({ id }) => id);

async function closed(ledger: Ledger, digit: number, change: Partial<BatchRecord> = {}): Promise<string> {
  const batch = batchNumber(digit, { state: 'closing' });
  await ledger.addBatch(batch);
  await changeBatch(ledger, await own(ledger, batch.id), { state: 'closed', ...change });
  return batch.id;
}

/** A closed batch with a paid row that is looked at again at `dueAt`. */
async function closedWithRow(ledger: Ledger, digit: number, dueAt: number | null): Promise<string> {
  const batch = batchNumber(digit, { state: 'checking' });
  await ledger.addBatch(batch);
  await ledger.addRows(await own(ledger, batch.id), [newRow(0, inStage('confirmed'))]);
  await changeBatch(ledger, await own(ledger, batch.id), { state: 'pricing' });
  await changeBatch(ledger, await own(ledger, batch.id), { state: 'accepted' });
  await changeBatch(ledger, await own(ledger, batch.id), { state: 'sending' });
  const row = onlyOne(await dueRows(ledger, { ...EVERYTHING, batch: batch.id }));
  await record(ledger, row, movedTo('paid', row, { dueAt }));
  await changeBatch(ledger, await own(ledger, batch.id), { state: 'closing' });
  await changeBatch(ledger, await own(ledger, batch.id), { state: 'closed' });
  return batch.id;
}

export function exerciseToLookAt(open: OpenLedgers): void {
  it('every batch that is neither closed nor refused is looked at, the oldest first', async () => {
    const { ledger, other } = await open();
    await ledger.addBatch(batchNumber(2, { acceptedAt: '2026-11-21T08:00:00.000Z', state: 'sending' }));
    await ledger.addBatch(batchNumber(1, { state: 'checking' }));
    await ledger.addBatch(batchNumber(3, { state: 'refused' }));
    await closed(ledger, 4);
    expect(ids(await other.batches({ toLookAt: NOW_MS }))).toEqual([batchNumber(1).id, batchNumber(2).id]);
  });

  it('a closed batch is looked at once a row that has ended is due', async () => {
    const { ledger, other } = await open();
    const id = await closedWithRow(ledger, 1, NOW_MS);
    await closedWithRow(ledger, 2, null);
    expect(ids(await other.batches({ toLookAt: NOW_MS - 1 }))).toEqual([]);
    expect(ids(await other.batches({ toLookAt: NOW_MS }))).toEqual([id]);
  });

  it('a closed batch is looked at while its answers are due, and while it waits for somebody', async () => {
    const { ledger, other } = await open();
    const answers = await closed(ledger, 1, { finished: { at: ENDED_AT, due: 'changed' } });
    const waits = await closed(ledger, 2, { wait: waitFor('held-rows', { en: '', fr: '', es: '' }) });
    await closed(ledger, 3, { finished: { at: ENDED_AT, due: null } });
    expect(ids(await other.batches({ toLookAt: NOW_MS }))).toEqual([answers, waits]);
    await changeBatch(ledger, await own(ledger, answers), { finished: { at: ENDED_AT, due: null } });
    expect(ids(await other.batches({ toLookAt: NOW_MS }))).toEqual([waits]);
  });

  it('pages of batches come newest first and go on where the last one ended, also among those of one moment', async () => {
    const { ledger, other } = await open();
    const at = (hour: number) => ({ acceptedAt: `2026-11-20T0${String(hour)}:00:00.000Z` });
    for (const [digit, hour] of [
      [1, 3],
      [2, 1],
      [3, 2],
      [4, 2],
    ] as const)
      await ledger.addBatch(batchNumber(digit, at(hour)));
    const [one, two, three, four] = [1, 2, 3, 4].map((digit) => batchNumber(digit).id);
    const first = await other.batches({ before: null, limit: 2 });
    expect(ids(first)).toEqual([one, four]);
    const second = await other.batches({ before: first[1] ?? null, limit: 2 });
    expect(ids(second)).toEqual([three, two]);
    expect(await other.batches({ before: second[1] ?? null, limit: 2 })).toEqual([]);
  });
}
