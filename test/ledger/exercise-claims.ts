// Claims of a ledger: a due row is handed to one run at a time, for as long as its lease lasts.
import { expect, it } from 'vitest';

import type { Ledger } from '../../src/ledger/ledger.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { BATCH, PAUSED, RESUMED, inStage, movedTo, newRow, newRows, paidFrom } from './records.ts';
import {
  EVERYTHING,
  LEASE_MS,
  NOW_MS,
  onlyOne,
  positions,
  withRows,
  type OpenLedgers,
} from './two-ledgers.ts';

async function known(ledger: Ledger): Promise<BatchRecord> {
  const batch = await ledger.batch(BATCH.id);
  if (batch === null) throw new Error('It is there.');
  return batch;
}

export function exerciseClaims(open: OpenLedgers): void {
  sharing(open);
  filtering(open);
  givingBack(open);
  waiting(open);
  scheduling(open);
}

function sharing(open: OpenLedgers): void {
  it('no row is claimed twice by two runs that claim at once', async () => {
    const { ledger, other } = await withRows(open, newRows(50));
    const claims = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? ledger : other).claim({ ...EVERYTHING, limit: 7 }),
    );
    const claimed = positions((await Promise.all(claims)).flat());
    expect(claimed).toHaveLength(50);
    expect(new Set(claimed).size).toBe(50);
  });

  it('a row that its own run holds is not handed to it again', async () => {
    const { ledger } = await withRows(open, newRows(1));
    expect(await ledger.claim(EVERYTHING)).toHaveLength(1);
    expect(await ledger.claim(EVERYTHING)).toEqual([]);
  });

  it('rows that a carrier left behind a fault are free for the next carrier of the same run, and of no other run', async () => {
    const { ledger, other } = await withRows(open, newRows(3));
    const left = await ledger.claim({ ...EVERYTHING, limit: 2 });
    await other.claim({ ...EVERYTHING, limit: 1 });
    expect(await ledger.takeOver(await known(ledger))).not.toBeNull();
    expect(positions(await ledger.claim(EVERYTHING))).toEqual(positions(left));
  });

  it('a claim ends with its lease, not before', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    await ledger.claim(EVERYTHING);
    expect(await other.claim({ ...EVERYTHING, now: NOW_MS + LEASE_MS - 1 })).toEqual([]);
    expect(await other.claim({ ...EVERYTHING, now: NOW_MS + LEASE_MS })).toHaveLength(1);
  });

  it('claims of a dead run are ended at once, those of a living one are not', async () => {
    const { ledger, other, kill } = await withRows(open, newRows(2));
    await ledger.claim({ ...EVERYTHING, limit: 1 });
    await other.claim(EVERYTHING);
    await other.runs.endDead();
    expect(await other.claim(EVERYTHING)).toEqual([]);
    await kill();
    await other.runs.endDead();
    expect(positions(await other.claim(EVERYTHING))).toEqual([0]);
  });
}

function filtering(open: OpenLedgers): void {
  it('no more rows are claimed than asked for, in the order of the file', async () => {
    const { ledger } = await withRows(open, [...newRows(5)].reverse());
    expect(positions(await ledger.claim({ ...EVERYTHING, limit: 2 }))).toEqual([0, 1]);
    expect(positions(await ledger.claim({ ...EVERYTHING, limit: 9 }))).toEqual([2, 3, 4]);
  });

  it('what has been due for longest goes first', async () => {
    const { ledger } = await withRows(open, newRows(3));
    for (const row of await ledger.claim(EVERYTHING))
      await ledger.record(row, movedTo('quoted', row, { dueAt: NOW_MS - row.position }));
    expect(positions(await ledger.claim({ ...EVERYTHING, limit: 1 }))).toEqual([2]);
  });

  it('a row that is not due yet is left', async () => {
    const { ledger } = await withRows(open, [newRow(0, { isDue: false }), newRow(1)]);
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await ledger.record(row, movedTo('confirmed', row, { dueAt: NOW_MS + 1 }));
    expect(await ledger.claim(EVERYTHING)).toEqual([]);
    expect(positions(await ledger.claim({ ...EVERYTHING, now: NOW_MS + 1 }))).toEqual([1]);
  });

  it('only rows in the stages asked for are claimed', async () => {
    const { ledger } = await withRows(open, [newRow(0), newRow(1, inStage('confirmed'))]);
    expect(positions(await ledger.claim({ ...EVERYTHING, stages: ['confirmed', 'paid'] }))).toEqual([1]);
    expect(await ledger.claim({ ...EVERYTHING, stages: [] })).toEqual([]);
  });

  it('where funds are out, rows without a transfer are left, and those whose funds are reserved go on', async () => {
    const { ledger } = await withRows(open, [
      newRow(0, paidFrom('XAF')),
      newRow(1, { ...paidFrom('XAF'), ...inStage('quoted') }),
      newRow(2, { ...paidFrom('XAF'), ...inStage('created') }),
      newRow(3, { ...paidFrom('XAF'), ...inStage('confirmed') }),
      newRow(4, paidFrom('EUR')),
    ]);
    expect(positions(await ledger.claim({ ...EVERYTHING, withoutFunds: ['XAF', 'USD'] }))).toEqual([2, 3, 4]);
    expect(positions(await ledger.claim(EVERYTHING))).toEqual([0, 1]);
  });

  it('nothing of a paused batch is claimed, and everything once it goes on', async () => {
    const { ledger, other } = await withRows(open, newRows(2));
    await other.revise(BATCH.id, () => ({ change: PAUSED, event: 'batch paused' }));
    expect(await ledger.claim(EVERYTHING)).toEqual([]);
    await other.revise(BATCH.id, () => ({ change: RESUMED, event: 'pause lifted' }));
    expect(await ledger.claim(EVERYTHING)).toHaveLength(2);
  });

  it('nothing of another batch is claimed', async () => {
    const { ledger } = await withRows(open, newRows(2));
    expect(await ledger.claim({ ...EVERYTHING, batch: '20261120-00000000' })).toEqual([]);
  });
}

function givingBack(open: OpenLedgers): void {
  it('a row that is given back is as it was, and claimed by the next who asks', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await ledger.unclaim(row);
    expect(onlyOne(await other.claim(EVERYTHING))).toEqual(row);
  });

  it('a run cannot give back what another one has claimed since', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await other.claim({ ...EVERYTHING, now: NOW_MS + LEASE_MS });
    await ledger.unclaim(row);
    expect(await ledger.claim({ ...EVERYTHING, now: NOW_MS + LEASE_MS })).toEqual([]);
  });
}

function waiting(open: OpenLedgers): void {
  it('knows when the next row is due, or its claim ends', async () => {
    const { ledger } = await withRows(open, newRows(2));
    const ask = () => ledger.nextDueAt(BATCH.id, ['ready', 'confirmed']);
    expect(await ask()).toBe(0);
    const [first, second] = await ledger.claim(EVERYTHING);
    expect(await ask()).toBe(NOW_MS + LEASE_MS);
    if (first === undefined || second === undefined) throw new Error('Both rows were due.');
    await ledger.record(first, movedTo('confirmed', first, { dueAt: NOW_MS + 5_000 }));
    expect(await ask()).toBe(NOW_MS + 5_000);
    await ledger.record(second, movedTo('confirmed', second, { dueAt: NOW_MS + 4_000 }));
    expect(await ask()).toBe(NOW_MS + 4_000);
  });

  it('nothing is due next in other stages, or when nothing more is to be done', async () => {
    const { ledger } = await withRows(open, newRows(1));
    expect(await ledger.nextDueAt(BATCH.id, ['confirmed'])).toBeNull();
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await ledger.record(row, movedTo('paid', row));
    expect(await ledger.nextDueAt(BATCH.id, ['ready', 'paid'])).toBeNull();
  });

  it('every row that is not settled is made due at once, and no settled one', async () => {
    const { ledger } = await withRows(open, [
      newRow(0, { isDue: false }),
      newRow(1, { isDue: false, ...inStage('confirmed') }),
      newRow(2, { isDue: false, ...inStage('held') }),
      newRow(3, { isDue: false, ...inStage('paid') }),
    ]);
    await ledger.makeDue(BATCH.id, 'all');
    expect(positions(await ledger.claim(EVERYTHING))).toEqual([0, 1]);
  });

  it('rows of the stages that are asked for are made due, however far behind they stand', async () => {
    const later = newRow(6_000, { isDue: false });
    const { ledger } = await withRows(open, [newRow(0, inStage('confirmed')), later]);
    await ledger.makeDue(BATCH.id, 'all', ['ready', 'quoted']);
    expect(positions(await ledger.claim({ ...EVERYTHING, stages: ['ready'] }))).toEqual([6_000]);
    await ledger.makeDue(BATCH.id, 'all', ['confirmed']);
    expect(positions(await ledger.claim(EVERYTHING))).toEqual([0]);
  });

  it('of the rows that wait, those put off by a clock that was ahead are made due, and none that nothing is asked of', async () => {
    const { ledger } = await withRows(open, [newRow(0), newRow(1, { isDue: false })]);
    const row = onlyOne(await ledger.rows(BATCH.id, 0, 1));
    await ledger.schedule(row, { now: NOW_MS, dueAt: NOW_MS + 36_000_000, event: null });
    expect(await ledger.claim(EVERYTHING)).toEqual([]);
    await ledger.makeDue(BATCH.id, 'waiting');
    expect(positions(await ledger.claim(EVERYTHING))).toEqual([0]);
  });

  it('of the rows that were made due those still to be sent go first: the others would stand before each of them', async () => {
    const { ledger } = await withRows(open, [newRow(0, inStage('confirmed')), newRow(1), newRow(2)]);
    await ledger.makeDue(BATCH.id, 'all');
    expect(positions(await ledger.claim({ ...EVERYTHING, limit: 2 }))).toEqual([1, 2]);
    expect(positions(await ledger.claim(EVERYTHING))).toEqual([0]);
  });
}

function scheduling(open: OpenLedgers): void {
  it('a row is looked at again when that was said, and nothing else of it has changed', async () => {
    const { ledger, other } = await withRows(open, [newRow(0, { isDue: false, ...inStage('paid') })]);
    const before = onlyOne(await ledger.rows(BATCH.id, 0, 10));
    expect(await other.schedule(before, { now: NOW_MS, dueAt: NOW_MS + 1, event: 'look' })).toBe(true);
    expect(await ledger.nextDueAt(BATCH.id, ['paid'])).toBe(NOW_MS + 1);
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10))).toEqual(before);
    expect(await ledger.schedule(before, { now: NOW_MS, dueAt: null, event: null })).toBe(true);
    expect(await ledger.nextDueAt(BATCH.id, ['paid'])).toBeNull();
  });

  it('scheduling ends the own claim, and leaves the row of another run alone', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    expect(await other.schedule(row, { now: NOW_MS, dueAt: null, event: null })).toBe(false);
    expect(await ledger.schedule(row, { now: NOW_MS, dueAt: 0, event: null })).toBe(true);
    expect(await other.claim(EVERYTHING)).toHaveLength(1);
  });

  it('a row that was written meanwhile is not scheduled by who has not seen it', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await ledger.record(row, movedTo('confirmed', row));
    expect(await other.schedule(row, { now: NOW_MS, dueAt: null, event: null })).toBe(false);
  });
}
