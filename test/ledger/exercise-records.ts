// Records of a ledger: a row is written by compare-and-set, so that nobody overwrites what he has not seen.
import { expect, it } from 'vitest';

import { BATCH, movedTo, newRow, newRows } from './records.ts';
import { EVERYTHING, LEASE_MS, NOW_MS, onlyOne, withRows, type OpenLedgers } from './two-ledgers.ts';

export function exerciseRecords(open: OpenLedgers): void {
  writing(open);
  comparing(open);
  keeping(open);
}

function writing(open: OpenLedgers): void {
  it('what is recorded is read back by everybody, with the run that wrote it', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await other.claim(EVERYTHING));
    const change = movedTo('failed', row, {
      progress: {
        ...row.progress,
        stage: 'failed',
        errorCode: '100003',
        reason: { en: 'Account closed.', fr: 'Compte fermé.' },
      },
    });
    expect(await other.record(row, change)).toEqual({ written: true, paused: false });
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10))).toEqual({
      ...row,
      progress: change.progress,
      version: row.version + 1,
      writtenBy: other.run,
    });
  });

  it('rejections stay when the change names none, and are replaced when it does', async () => {
    const rejections = [{ code: 'refused_by_service', column: 'payout', message: 'No.' }] as const;
    const { ledger } = await withRows(open, [newRow(0, { rejections })]);
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await ledger.record(row, movedTo('quoted', row));
    const after = onlyOne(await ledger.rows(BATCH.id, 0, 10));
    expect(after.rejections).toEqual(rejections);
    await ledger.record(after, movedTo('rejected', after, { rejections: [] }));
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10)).rejections).toEqual([]);
  });

  it('whoever records in a paused batch is told to stop, and what it records still counts', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await other.changeBatch(BATCH.id, { paused: true });
    expect(await ledger.record(row, movedTo('created', row))).toEqual({ written: true, paused: true });
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10)).progress.stage).toBe('created');
  });

  it('a thousand records that wait at once are all written', async () => {
    const { ledger } = await withRows(open, newRows(1_000));
    const rows = await ledger.claim({ ...EVERYTHING, limit: 1_000 });
    const results = await Promise.all(rows.map((row) => ledger.record(row, movedTo('quoted', row))));
    expect(results.every(({ written }) => written)).toBe(true);
    expect([...(await ledger.stageCounts(BATCH.id))]).toEqual([['quoted', 1_000]]);
  });
}

function comparing(open: OpenLedgers): void {
  it('a version that is out of date is refused and changes nothing', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const stale = onlyOne(await ledger.claim(EVERYTHING));
    const fresh = onlyOne(await other.claim({ ...EVERYTHING, now: NOW_MS + LEASE_MS }));
    await other.record(fresh, movedTo('created', fresh));
    expect(await ledger.record(stale, movedTo('quoted', stale))).toMatchObject({ written: false });
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10))).toMatchObject({
      progress: { stage: 'created' },
      version: 1,
      writtenBy: other.run,
    });
  });

  it('of many records of one version at once, exactly one is written', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    const runs = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ledger : other));
    const results = await Promise.all(runs.map((run) => run.record(row, movedTo('quoted', row))));
    expect(results.filter(({ written }) => written)).toHaveLength(1);
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 10)).version).toBe(1);
  });

  it('a row of a batch that was refused meanwhile is not brought back', async () => {
    const { ledger } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await ledger.refuseBatch(BATCH.id, '2026-11-20T09:00:00.000Z');
    expect(await ledger.record(row, movedTo('quoted', row))).toMatchObject({ written: false });
    expect(await ledger.rows(BATCH.id, 0, 10)).toEqual([]);
  });
}

function keeping(open: OpenLedgers): void {
  it('a claim that is kept stays with its run until the lease ends', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await ledger.record(row, movedTo('quoted', row, { dueAt: 0, keepClaim: true }));
    expect(await other.claim(EVERYTHING)).toEqual([]);
    expect(await other.claim({ ...EVERYTHING, now: NOW_MS + LEASE_MS })).toHaveLength(1);
  });

  it('a claim that is not kept ends with the record', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const row = onlyOne(await ledger.claim(EVERYTHING));
    await ledger.record(row, movedTo('quoted', row, { dueAt: 0 }));
    expect(onlyOne(await other.claim(EVERYTHING)).progress.stage).toBe('quoted');
  });
}
