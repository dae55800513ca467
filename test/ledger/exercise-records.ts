// Records of a ledger: a row is written by compare-and-set, so that nobody overwrites what he has not seen.
import { expect, it } from 'vitest';

import { sameWords } from '../../src/base/language.ts';
import { changeBatch, type Ledger } from '../../src/ledger/ledger.ts';
import { tenureOf } from '../../src/ledger/records.ts';
import { begunBy } from '../../src/payouts/progress.ts';

import { BATCH, PAUSED, movedTo, newRow, newRows } from './records.ts';
import { EVERYTHING, onlyOne, withRows, type OpenLedgers } from './two-ledgers.ts';
import { dueRows, own, record } from './own.ts';

export function exerciseRecords(open: OpenLedgers): void {
  writing(open);
  vouching(open);
  comparing(open);
}

function writing(open: OpenLedgers): void {
  it('what is recorded is read back by everybody', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await dueRows(other, EVERYTHING));
    const change = movedTo('failed', row, {
      progress: {
        ...row.progress,
        stage: 'failed',
        why: {
          errorCode: '100003',
          reason: { en: 'Account closed.', fr: 'Compte fermé.', es: 'Cuenta cerrada.' },
        },
      },
    });
    expect(await record(other, row, change)).toEqual({ written: true, isHalted: false });
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10))).toEqual({
      ...row,
      progress: change.progress,
      version: row.version + 1,
    });
  });

  it('rejections stay when the change names none, and are replaced when it does', async () => {
    const rejections = [{ code: 'refused_by_service', column: 'payout', words: sameWords('No.') }] as const;
    const { ledger } = await withRows(open, [newRow(0, { rejections })]);
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, row, movedTo('quoted', row));
    const after = onlyOne(await ledger.rows(BATCH.id, 0, 10));
    expect(after.rejections).toEqual(rejections);
    await record(ledger, after, movedTo('rejected', after, { rejections: [] }));
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10)).rejections).toEqual([]);
  });

  it('whoever records in a paused batch is told to stop, and what it records still counts', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await other.revise(BATCH.id, () => ({ change: PAUSED, event: 'batch paused' }));
    expect(await record(ledger, row, movedTo('created', row))).toEqual({ written: true, isHalted: true });
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10)).progress.stage).toBe('created');
  });

  it('a thousand records that wait at once are all written', async () => {
    const { ledger } = await withRows(open, newRows(1_000));
    const rows = await dueRows(ledger, { ...EVERYTHING, limit: 1_000 });
    const results = await Promise.all(rows.map((row) => record(ledger, row, movedTo('quoted', row))));
    expect(results.every(({ written }) => written)).toBe(true);
    expect([...(await ledger.stageCounts(BATCH.id))]).toEqual([['quoted', 1_000]]);
  });
}

/** Who vouches for what was done with an attempt: only the run that has had it all the while. */
function vouching(open: OpenLedgers): void {
  const own = async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    const change = movedTo('created', row, { progress: { ...begunBy(ledger.run), stage: 'created' } });
    await record(ledger, row, change);
    return { ledger, other };
  };
  const rowOf = async (ledger: Ledger) => onlyOne(await ledger.rows(BATCH.id, 0, 10));

  it('a run vouches for what it began, as long as it alone writes the record', async () => {
    const { ledger } = await own();
    const row = await rowOf(ledger);
    await record(ledger, row, movedTo('confirming', row));
    const { progress } = await rowOf(ledger);
    expect(progress).toMatchObject({ begunBy: ledger.run, lookedBy: ledger.run, confirm: 'none' });
  });

  it('once another run has written the record nobody does, the first run neither', async () => {
    const { ledger, other } = await own();
    const row = await rowOf(other);
    await record(other, row, movedTo('created', row));
    const again = await rowOf(ledger);
    expect(again.progress).toMatchObject({ begunBy: null, lookedBy: null });
    await record(ledger, again, movedTo('created', again));
    expect((await rowOf(ledger)).progress).toMatchObject({ begunBy: null, lookedBy: null });
  });

  it('no run can be written down by another as the one that vouches', async () => {
    const { ledger, other } = await own();
    const row = await rowOf(other);
    const progress = { ...row.progress, begunBy: ledger.run, lookedBy: other.run };
    await record(other, row, movedTo('created', row, { progress }));
    expect((await rowOf(other)).progress).toMatchObject({ begunBy: null, lookedBy: other.run });
  });

  it('a take-over by the same run is another tenure, and a lease of another run is none', async () => {
    const { ledger, other } = await own();
    const first = await ledger.batch(BATCH.id);
    const again = first === null ? null : await ledger.takeOver(first);
    if (first === null || again === null) throw new Error('It is ours to take over.');
    expect(tenureOf(again, ledger.run)).not.toBe(tenureOf(first, ledger.run));
    expect(tenureOf(again, other.run)).toBe(other.run);
  });

  it('no lease of a run is written down as vouching for what was begun under another of its leases', async () => {
    const { ledger } = await own();
    const [earlier, later] = [`${ledger.run}/1`, `${ledger.run}/2`];
    const row = await rowOf(ledger);
    await record(
      ledger,
      row,
      movedTo('created', row, { progress: { ...row.progress, ...begunBy(earlier) } }),
    );
    const again = await rowOf(ledger);
    expect(again.progress).toMatchObject({ begunBy: earlier, lookedBy: earlier });
    const progress = { ...again.progress, lookedBy: later };
    await record(ledger, again, movedTo('created', again, { progress }));
    expect((await rowOf(ledger)).progress).toMatchObject({ begunBy: null, lookedBy: later });
  });

  it('an intent to confirm is vouched for by nobody once another run writes the record', async () => {
    const { ledger, other } = await own();
    const row = await rowOf(ledger);
    await record(ledger, row, movedTo('confirming', row));
    const intended = await rowOf(other);
    await record(other, intended, movedTo('confirming', intended));
    expect((await rowOf(other)).progress).toMatchObject({
      stage: 'confirming',
      begunBy: null,
      lookedBy: null,
    });
  });
}

function comparing(open: OpenLedgers): void {
  it('a version that is out of date is refused and changes nothing', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const stale = onlyOne(await dueRows(ledger, EVERYTHING));
    const fresh = onlyOne(await dueRows(other, EVERYTHING));
    await record(other, fresh, movedTo('created', fresh));
    expect(await record(ledger, stale, movedTo('quoted', stale))).toMatchObject({ written: false });
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10))).toMatchObject({
      progress: { stage: 'created' },
      version: 1,
    });
  });

  it('of many records of one version at once, exactly one is written', async () => {
    const { ledger } = await withRows(open, newRows(1));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    const times = Array.from({ length: 20 });
    const results = await Promise.all(times.map(() => record(ledger, row, movedTo('quoted', row))));
    expect(results.filter(({ written }) => written)).toHaveLength(1);
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10)).version).toBe(1);
  });

  it('a row of a batch that was refused meanwhile is not brought back', async () => {
    const { ledger } = await withRows(open, newRows(1));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await changeBatch(ledger, await own(ledger, BATCH.id), {
      state: 'refused',
      finished: { at: '2026-11-20T09:00:00.000Z', due: null },
      wait: null,
    });
    expect(await record(ledger, row, movedTo('quoted', row))).toMatchObject({ written: false });
    expect(await ledger.rows(BATCH.id, 0, 10)).toEqual([]);
  });
}
