// What the owner of a batch takes up next: rows that are due, in their order, and none of a batch that is halted or that another run has.
import { expect, it } from 'vitest';

import { BATCH, PAUSED, RESUMED, inStage, movedTo, newRow, newRows, paidFrom } from './records.ts';
import { EVERYTHING, NOW_MS, onlyOne, positions, withRows, type OpenLedgers } from './two-ledgers.ts';
import { dueRows, own, record } from './own.ts';

export function exerciseDueRows(open: OpenLedgers): void {
  owning(open);
  filtering(open);
  onDays(open);
  waiting(open);
  rescheduling(open);
}

function owning(open: OpenLedgers): void {
  it('rows are given to the owner of their batch, and under no older token', async () => {
    const { ledger, other } = await withRows(open, newRows(2));
    const first = await own(ledger, BATCH.id);
    expect(await ledger.dueRows(first, EVERYTHING)).toHaveLength(2);
    expect(await other.dueRows(first, EVERYTHING)).toEqual([]);
    const later = await own(other, BATCH.id);
    expect(await ledger.dueRows(first, EVERYTHING)).toEqual([]);
    expect(await other.dueRows(later, EVERYTHING)).toHaveLength(2);
  });

  it('a batch of a living run is taken over by nobody, and its rows are written by nobody else', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const leased = await own(ledger, BATCH.id);
    const row = onlyOne(await ledger.dueRows(leased, EVERYTHING));
    expect(await other.takeOver(leased)).toBeNull();
    expect(await other.record(leased, row, movedTo('quoted', row))).toMatchObject({ written: false });
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 9)).progress.stage).toBe('ready');
    expect(await ledger.record(leased, row, movedTo('quoted', row))).toMatchObject({ written: true });
  });

  it('a batch that was given back is anybody’s, and who gave it back writes none of its rows', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const leased = await own(ledger, BATCH.id);
    const row = onlyOne(await ledger.dueRows(leased, EVERYTHING));
    expect(await ledger.giveBack(leased)).toBe(true);
    expect(await ledger.record(leased, row, movedTo('quoted', row))).toMatchObject({ written: false });
    const seen = await other.batch(BATCH.id);
    const taken = seen === null ? null : await other.takeOver(seen);
    expect(taken).toMatchObject({ owner: other.run });
    expect(taken).not.toHaveProperty('doubt');
    // It is not his any more.
    expect(await ledger.giveBack(leased)).toBe(true);
    expect(await other.batch(BATCH.id)).toMatchObject({ owner: other.run });
  });
}

function filtering(open: OpenLedgers): void {
  it('no more rows than asked for, in the order of the file, and none that are under way', async () => {
    const { ledger } = await withRows(open, [...newRows(5)].reverse());
    expect(positions(await dueRows(ledger, { ...EVERYTHING, limit: 2 }))).toEqual([0, 1]);
    expect(positions(await dueRows(ledger, { ...EVERYTHING, except: [0, 1] }))).toEqual([2, 3, 4]);
  });

  it('what has been due for longest goes first', async () => {
    const { ledger } = await withRows(open, newRows(3));
    for (const row of await dueRows(ledger, EVERYTHING))
      await record(ledger, row, movedTo('quoted', row, { dueAt: NOW_MS - row.position }));
    expect(positions(await dueRows(ledger, { ...EVERYTHING, limit: 1 }))).toEqual([2]);
  });

  it('a row that is not due yet is left', async () => {
    const { ledger } = await withRows(open, [newRow(0, { isDue: false }), newRow(1)]);
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, row, movedTo('confirmed', row, { dueAt: NOW_MS + 1 }));
    expect(await dueRows(ledger, EVERYTHING)).toEqual([]);
    expect(positions(await dueRows(ledger, { ...EVERYTHING, now: NOW_MS + 1 }))).toEqual([1]);
  });

  it('only rows in the stages asked for', async () => {
    const { ledger } = await withRows(open, [newRow(0), newRow(1, inStage('confirmed'))]);
    expect(positions(await dueRows(ledger, { ...EVERYTHING, stages: ['confirmed', 'paid'] }))).toEqual([1]);
    expect(await dueRows(ledger, { ...EVERYTHING, stages: [] })).toEqual([]);
  });

  it('where funds are out, rows without a transfer are left, and those whose funds are reserved go on', async () => {
    const { ledger } = await withRows(open, [
      newRow(0, paidFrom('XAF')),
      newRow(1, { ...paidFrom('XAF'), ...inStage('quoted') }),
      newRow(2, { ...paidFrom('XAF'), ...inStage('created') }),
      newRow(3, { ...paidFrom('XAF'), ...inStage('confirmed') }),
      newRow(4, paidFrom('EUR')),
    ]);
    const withoutFunds = ['XAF', 'USD'];
    expect(positions(await dueRows(ledger, { ...EVERYTHING, withoutFunds }))).toEqual([2, 3, 4]);
    expect(positions(await dueRows(ledger, EVERYTHING))).toEqual([0, 1, 2, 3, 4]);
  });

  it('nothing of a paused batch, and everything once it goes on', async () => {
    const { ledger, other } = await withRows(open, newRows(2));
    await other.revise(BATCH.id, () => ({ change: PAUSED, event: 'batch paused' }));
    expect(await dueRows(ledger, EVERYTHING)).toEqual([]);
    await other.revise(BATCH.id, () => ({ change: RESUMED, event: 'pause lifted' }));
    expect(await dueRows(ledger, EVERYTHING)).toHaveLength(2);
  });
}

/** Rows of the days of a message: of one that has come, and of two that have not. */
const DAYS = [undefined, '2026-12-01', '2026-12-15'].map((payOn, position) =>
  newRow(position, payOn === undefined ? {} : { payOn }),
);

function onDays(open: OpenLedgers): void {
  it('rows of a day to come are given to a run that sends nothing alone, and are counted apart', async () => {
    const { ledger } = await withRows(open, DAYS);
    expect(positions(await dueRows(ledger, EVERYTHING))).toEqual([0]);
    expect(positions(await dueRows(ledger, { ...EVERYTHING, early: true }))).toEqual([0, 1, 2]);
    expect(Object.fromEntries(await ledger.stageCounts(BATCH.id))).toEqual({ ready: 1, scheduled: 2 });
    const left = async (which: 'all' | 'open') =>
      (await ledger.leftToSend(BATCH.id, which)).values().next().value?.rows;
    expect([await left('all'), await left('open')]).toEqual([3, 1]);
  });

  it('rows of a day to come wait for nothing but their day', async () => {
    const { ledger } = await withRows(open, DAYS);
    expect(await ledger.nextDueAt(BATCH.id, ['ready'], { except: [0] })).toBeNull();
    expect(await ledger.nextDueAt(BATCH.id, ['ready'], { except: [0], early: true })).toBe(0);
    await ledger.makeDue(BATCH.id, 'open');
    expect(await ledger.nextDueAt(BATCH.id, ['ready'], { except: [0], early: true })).toBeNull();
    await ledger.makeDue(BATCH.id, 'all');
    expect(await ledger.nextDueAt(BATCH.id, ['ready'], { except: [0], early: true })).toBe(0);
  });

  it('rows of a day that has come are like all others, whatever was said of them before', async () => {
    const { ledger } = await withRows(open, DAYS);
    await ledger.hint({ batch: BATCH.id, position: 1 });
    expect(positions(await dueRows(ledger, EVERYTHING))).toEqual([0]);
    await ledger.makeDue(BATCH.id, 'open');
    await ledger.makeDue(BATCH.id, { upToDay: '2026-12-01' }, []);
    expect(positions(await dueRows(ledger, EVERYTHING))).toEqual([0, 1]);
    expect(Object.fromEntries(await ledger.stageCounts(BATCH.id))).toEqual({ ready: 2, scheduled: 1 });
  });
}

function waiting(open: OpenLedgers): void {
  it('knows when the next row is due that is not under way', async () => {
    const { ledger } = await withRows(open, newRows(2));
    const ask = (except: readonly number[] = []) =>
      ledger.nextDueAt(BATCH.id, ['ready', 'confirmed'], { except });
    expect(await ask()).toBe(0);
    expect(await ask([0, 1])).toBeNull();
    const [first, second] = await dueRows(ledger, EVERYTHING);
    if (first === undefined || second === undefined) throw new Error('Both rows were due.');
    await record(ledger, first, movedTo('confirmed', first, { dueAt: NOW_MS + 5_000 }));
    expect(await ask([1])).toBe(NOW_MS + 5_000);
    await record(ledger, second, movedTo('confirmed', second, { dueAt: NOW_MS + 4_000 }));
    expect(await ask()).toBe(NOW_MS + 4_000);
  });

  it('nothing is due next in other stages, or when nothing more is to be done', async () => {
    const { ledger } = await withRows(open, newRows(1));
    expect(await ledger.nextDueAt(BATCH.id, ['confirmed'])).toBeNull();
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, row, movedTo('paid', row));
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
    expect(positions(await dueRows(ledger, EVERYTHING))).toEqual([0, 1]);
  });

  it('rows of the stages that are asked for are made due, however far behind they stand', async () => {
    const later = newRow(6_000, { isDue: false });
    const first = newRow(0, { isDue: false, ...inStage('confirmed') });
    const { ledger } = await withRows(open, [first, later]);
    await ledger.makeDue(BATCH.id, 'all', ['ready', 'quoted']);
    expect(positions(await dueRows(ledger, EVERYTHING))).toEqual([6_000]);
    await ledger.makeDue(BATCH.id, 'all', ['confirmed']);
    expect(positions(await dueRows(ledger, EVERYTHING))).toEqual([0, 6_000]);
  });

  it('of the rows that wait, those put off by a clock that was ahead are made due, and none that nothing is asked of', async () => {
    const { ledger } = await withRows(open, [newRow(0), newRow(1, { isDue: false })]);
    const row = onlyOne(await ledger.rows(BATCH.id, 0, 1));
    await ledger.reschedule(await own(ledger, BATCH.id), [{ row, dueAt: NOW_MS + 36_000_000 }]);
    expect(await dueRows(ledger, EVERYTHING)).toEqual([]);
    await ledger.makeDue(BATCH.id, 'waiting');
    expect(positions(await dueRows(ledger, EVERYTHING))).toEqual([0]);
  });

  it('of the rows that were made due those still to be sent go first: the others would stand before each of them', async () => {
    const { ledger } = await withRows(open, [newRow(0, inStage('confirmed')), newRow(1), newRow(2)]);
    await ledger.makeDue(BATCH.id, 'all');
    expect(positions(await dueRows(ledger, { ...EVERYTHING, limit: 2 }))).toEqual([1, 2]);
  });
}

function rescheduling(open: OpenLedgers): void {
  it('a row is looked at again when that was said, and nothing else of it has changed', async () => {
    const { ledger, other } = await withRows(open, [newRow(0, { isDue: false, ...inStage('paid') })]);
    const before = onlyOne(await ledger.rows(BATCH.id, 0, 10));
    await ledger.reschedule(await own(ledger, BATCH.id), [{ row: before, dueAt: NOW_MS + 1 }]);
    expect(await other.nextDueAt(BATCH.id, ['paid'])).toBe(NOW_MS + 1);
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10))).toEqual(before);
    await ledger.reschedule(await own(ledger, BATCH.id), [{ row: before, dueAt: null }]);
    expect(await ledger.nextDueAt(BATCH.id, ['paid'])).toBeNull();
  });

  it('by no run that has the batch no more, and a row that is held never', async () => {
    const { ledger, other } = await withRows(open, [newRow(0), newRow(1, inStage('held'))]);
    const [row, held] = await ledger.rows(BATCH.id, 0, 10);
    const leased = await own(ledger, BATCH.id);
    if (row === undefined || held === undefined) throw new Error('Both are there.');
    await ledger.reschedule(leased, [{ row: held, dueAt: 0 }]);
    expect(await ledger.nextDueAt(BATCH.id, ['ready'], { except: [0] })).toBeNull();
    await own(other, BATCH.id);
    await expect(ledger.reschedule(leased, [{ row, dueAt: null }])).rejects.toThrow();
    expect(await ledger.nextDueAt(BATCH.id, ['ready'])).toBe(0);
  });
}
