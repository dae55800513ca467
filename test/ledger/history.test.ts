// The ledger's history can only be extended, and every change by hand, in it or in the records that it vouches for, is found.
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, it } from 'vitest';

import { describeHistory } from '../../src/app/desk/finding.ts';
import { FROM_START } from '../../src/ledger/history.ts';
import { type Ledger, changeBatch } from '../../src/ledger/ledger.ts';
import { BATCH, movedTo, newRows, readBy } from './records.ts';
import { ledgerFiles } from './ledger-files.ts';
import { EVERYTHING, onlyOne } from './two-ledgers.ts';
import { dueRows, own, record, reserve } from './own.ts';

const { newPath, open } = ledgerFiles();

/** Events: 1 announced; 2 to 4 rows registered, which are one group; 5 and 6 rows quoted. */
async function filled(): Promise<{ readonly ledger: Ledger; readonly path: string }> {
  const path = newPath();
  const ledger = open(path);
  await ledger.addBatch(readBy(ledger));
  await ledger.addRows(await own(ledger, BATCH.id), newRows(3));
  const rows = await dueRows(ledger, { ...EVERYTHING, limit: 2 });
  for (const row of rows) await record(ledger, row, movedTo('quoted', row));
  return { ledger, path };
}

/** As somebody would who has the file and a program for databases. */
function byHand(path: string, statements: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(statements);
  } finally {
    database.close();
  }
}

const UNLOCK = 'DROP TRIGGER groups_stay; DROP TRIGGER groups_stay_as_they_are;';
const SOUND = {
  fault: null,
  batchFault: null,
  rowFault: null,
  sumFault: null,
  lastHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
};

describe('the history of a ledger', () => {
  it('goes on behind the number of an event, as the first release gave it', async () => {
    const { ledger } = await filled();
    const { events } = await ledger.history.events(null, FROM_START, 100);
    for (const [index] of events.entries()) {
      const since = (await ledger.history.events(null, String(index + 1), 100)).events;
      expect(since.map(({ cursor }) => cursor)).toEqual(events.slice(index + 1).map(({ cursor }) => cursor));
    }
    expect((await ledger.history.events(null, String(events.length + 1), 100)).events).toHaveLength(
      events.length,
    );
  });

  it('is sound after every kind of write, those of another process included', async () => {
    const { ledger, path } = await filled();
    const other = open(path);
    const row = onlyOne(await dueRows(other, { ...EVERYTHING, stages: ['ready'] }));
    await Promise.all([
      record(other, row, movedTo('quoted', row)),
      changeBatch(ledger, await own(ledger, BATCH.id), { epoch: 3 }),
      other.makeDue(BATCH.id, 'all'),
    ]);
    await ledger.clearRows(await own(ledger, BATCH.id));
    await ledger.addRows(await own(ledger, BATCH.id), newRows(2));
    expect(await other.history.verify()).toEqual({ events: 12, ...SOUND });
  });

  it('ends the run for good under which an older copy was put in its place, and no other', async () => {
    const { ledger, path } = await filled();
    const other = open(path);
    const row = onlyOne(await dueRows(ledger, { ...EVERYTHING, stages: ['ready'] }));
    const leased = await own(ledger, BATCH.id);
    byHand(path, `${UNLOCK} DELETE FROM groups WHERE seq = 6`);
    await expect(record(ledger, row, movedTo('quoted', row))).rejects.toThrow('An older copy was put in');
    expect(ledger.runs.ended.aborted).toBe(true);
    await expect(changeBatch(ledger, leased, { epoch: 3 })).rejects.toThrow();
    expect(await other.hint(row)).toBe(true);
  });

  it.each([
    ['an update', `UPDATE groups SET events = replace(events, 'registered', 'paid') WHERE seq = 2`],
    ['a deletion', 'DELETE FROM groups WHERE seq = 2'],
  ])('refuses %s', async (_, statement) => {
    const { ledger, path } = await filled();
    expect(() => byHand(path, statement)).toThrow('The history is only ever added to.');
    expect(await ledger.history.verify()).toEqual({ events: 6, ...SOUND });
  });

  it.each(['last', 'at', 'batch', 'from_position', 'to_position', 'hash', 'events'])(
    'names the group whose %s was edited, by its first event',
    async (column) => {
      const { ledger, path } = await filled();
      byHand(path, `${UNLOCK} UPDATE groups SET ${column} = 7 WHERE seq = 2`);
      const { fault } = await ledger.history.verify();
      expect(fault).toMatchObject({ kind: 'event-forged', place: { seq: 2 } });
    },
  );

  it('names an event that was put over another one, which no trigger sees', async () => {
    const { ledger, path } = await filled();
    byHand(
      path,
      `REPLACE INTO groups SELECT seq, last, at, batch, from_position, to_position, hash, replace(events, 'quoted', 'paid'), chain, chain_seq FROM groups WHERE seq = 5`,
    );
    expect((await ledger.history.verify()).fault).toMatchObject({
      kind: 'event-forged',
      place: { seq: 5, row: '2' },
    });
  });

  it('names the events that were taken out', async () => {
    const { ledger, path } = await filled();
    byHand(path, `${UNLOCK} DELETE FROM groups WHERE seq IN (2, 5)`);
    expect((await ledger.history.verify()).fault).toEqual({ kind: 'events-missing', from: 2, to: 5 });
  });

  it('names the record behind an event that was taken off its end', async () => {
    const { ledger, path } = await filled();
    byHand(path, `${UNLOCK} DELETE FROM groups WHERE seq = 6`);
    expect(await ledger.history.verify()).toEqual({
      ...SOUND,
      events: 5,
      rowFault: { kind: 'edited', batch: BATCH.id, row: '3' },
    });
  });

  it('names an event that was put in, also after the ledger has gone on', async () => {
    const { ledger, path } = await filled();
    byHand(
      path,
      `INSERT INTO groups (seq, last, at, batch, from_position, to_position, hash, events)
       VALUES (7, 7, '', '${BATCH.id}', 0, 0, 'x', '[[0,"paid",null,null,null]]')`,
    );
    await changeBatch(ledger, await own(ledger, BATCH.id), { epoch: 3 });
    expect((await ledger.history.verify()).fault).toMatchObject({ kind: 'event-forged', place: { seq: 7 } });
  });
});

/** A row stands in both. */
const TABLES = ['rows', 'row_states'];

describe('a record that does not follow from the history is named', () => {
  it.each([
    ['stage', `'paid'`],
    ['payout', `replace(payout, '"amount":"', '"amount":"9')`],
    ['progress', `json_set(progress, '$.quotationAttempt', 2)`],
    ['reference_key', `'x'`],
    ['fingerprint', `'x'`],
    ['version', '0'],
  ])('a row whose %s was edited', async (column, value) => {
    const { ledger, path } = await filled();
    const table = ['stage', 'progress', 'version'].includes(column) ? 'row_states' : 'rows';
    byHand(path, `UPDATE ${table} SET ${column} = ${value} WHERE position = 1`);
    expect(await ledger.history.verify()).toEqual({
      ...SOUND,
      events: 6,
      rowFault: { kind: 'edited', batch: BATCH.id, row: '3' },
    });
  });

  it.each(TABLES.map((table) => [table]))('a row that was taken out of %s alone', async (table) => {
    const { ledger, path } = await filled();
    byHand(path, `DELETE FROM ${table} WHERE position = 2`);
    expect((await ledger.history.verify()).rowFault).toEqual({ kind: 'missing', batch: BATCH.id, row: '4' });
  });

  it('a row that was taken out', async () => {
    const { ledger, path } = await filled();
    for (const table of TABLES) byHand(path, `DELETE FROM ${table} WHERE position = 2`);
    expect((await ledger.history.verify()).rowFault).toEqual({ kind: 'missing', batch: BATCH.id, row: '4' });
  });

  it('a row that was put in, also under the number of one that was rightly removed', async () => {
    const { ledger, path } = await filled();
    for (const table of TABLES)
      byHand(path, `CREATE TABLE kept_${table} AS SELECT * FROM ${table} WHERE position = 1`);
    await ledger.clearRows(await own(ledger, BATCH.id));
    for (const table of TABLES) {
      byHand(path, `INSERT INTO ${table} SELECT * FROM kept_${table}`);
      expect((await ledger.history.verify()).rowFault).toEqual({ kind: 'added', batch: BATCH.id, row: '3' });
    }
  });

  it('a row, or a group, that was put in before all others', async () => {
    const { ledger, path } = await filled();
    for (const table of TABLES) {
      byHand(
        path,
        `CREATE TABLE kept AS SELECT * FROM ${table} WHERE position = 2; UPDATE kept SET position = -5;`,
      );
      byHand(path, `INSERT INTO ${table} SELECT * FROM kept; DROP TABLE kept;`);
    }
    expect((await ledger.history.verify()).rowFault).toMatchObject({ kind: 'added', batch: BATCH.id });
    byHand(path, `CREATE TABLE kept AS SELECT * FROM groups LIMIT 1; UPDATE kept SET seq = -5, last = -5;`);
    byHand(path, `INSERT INTO groups SELECT * FROM kept;`);
    expect((await ledger.history.verify()).fault).not.toBeNull();
  });

  it('a sum on which limits rest', async () => {
    const { ledger, path } = await filled();
    const [row] = await ledger.rows(BATCH.id, 0, 1);
    if (row === undefined) throw new Error('There are no rows.');
    const limits = { perRow: null, perPayeePerDay: null, perFile: null, perDay: null };
    await reserve(ledger, row, '10', limits, '2026-11-20');
    expect((await ledger.history.verify()).sumFault).toBeNull();
    byHand(path, `UPDATE spent SET amount = '9' WHERE scope = 'file'`);
    expect((await ledger.history.verify()).sumFault).toEqual({ of: `file ${BATCH.id} on 2026-11-20 in XAF` });
    byHand(path, `DELETE FROM spent WHERE scope = 'file'`);
    expect((await ledger.history.verify()).sumFault).toEqual({ of: `file ${BATCH.id} on 2026-11-20 in XAF` });
  });

  it('a key by which others would have met a row, taken out', async () => {
    const { ledger, path } = await filled();
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'pricing' });
    expect((await ledger.history.verify()).rowFault).toBeNull();
    byHand(path, 'DELETE FROM row_keys WHERE position = 1');
    const { rowFault } = await ledger.history.verify();
    expect(rowFault).toEqual({ kind: 'edited', batch: BATCH.id, row: '3' });
  });

  it('a batch that was edited, taken out or put in', async () => {
    const { ledger, path } = await filled();
    const faultAfter = async (statement: string) => {
      byHand(path, statement);
      return (await ledger.history.verify()).batchFault;
    };
    const place = { batch: BATCH.id, row: null };
    expect(await faultAfter(`UPDATE batches SET paused = 1`)).toEqual({ kind: 'edited', ...place });
    byHand(path, `CREATE TABLE kept AS SELECT * FROM batches`);
    expect(await faultAfter(`DELETE FROM batches`)).toEqual({ kind: 'missing', ...place });
    expect(
      await faultAfter(
        `INSERT INTO batches SELECT '1', file_id, NULL, 0, '', NULL, 0, 0, record, 'firm', 0, '', 0, '{}', 0 FROM kept`,
      ),
    ).toEqual({
      kind: 'added',
      batch: '1',
      row: null,
    });
  });
});

describe('what is said of a changed ledger', () => {
  it('nothing when it is sound', () => expect(describeHistory({ events: 3, ...SOUND })).toEqual([]));

  it('where it was changed, and what to do', () => {
    const words = describeHistory({
      events: 9,
      lastHash: '',
      fault: { kind: 'events-missing', from: 2, to: 3 },
      batchFault: { kind: 'added', batch: 'b', row: null },
      rowFault: { kind: 'edited', batch: 'b', row: '12' },
      sumFault: { of: 'day 2026-11-20 in XAF' },
    });
    expect(words.slice(0, 4).map(({ en }) => en)).toEqual([
      "Events 2 to 3 of the ledger's history were taken out by hand.",
      'The record of batch b was put in by hand: the history does not know it.',
      'Row 12 of batch b is not as the ledger left it: it was edited by hand, or its last events were taken out.',
      'The running sum of the day 2026-11-20 in XAF, on which the limits rest, is not the sum of its rows.',
    ]);
    expect(words.at(-1)?.en).toMatch(/^Pay nothing more with this ledger\./);
  });
});
