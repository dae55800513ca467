// What only a database shows that several machines use: a history of several chains, the fate of a commit whose response is lost, and that a database which
// went back is noticed.
import pg from 'pg';
import { describe, expect, it } from 'vitest';

import { FROM_START } from '../../src/ledger/history.ts';
import { LedgerUnusable } from '../../src/ledger/ledger-unusable.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';
import type { PostgresLedger } from '../../src/ledger/postgres/postgres-ledger.ts';
import type { Limits } from '../../src/payouts/limits.ts';
import { atEnd } from '../at-end.ts';
import { openGate } from '../cluster/gate.ts';
import { processAt } from './machines.ts';
import { dueRows, own, record } from './own.ts';
import { byHand, cutLife, cutWriters, openIn, ownServer } from './postgres-ledgers.ts';
import { BATCH, batchNumber, movedTo, newRows, paidFrom, readBy } from './records.ts';
import { EVERYTHING, onlyOne } from './two-ledgers.ts';

const newSchema = ownServer();
const SOUND = { fault: null, batchFault: null, rowFault: null, sumFault: null };
const UNLOCK = 'DROP TRIGGER groups_stay ON groups;';

/** Two processes on one ledger, of whose batch the first has two rows recorded. */
async function filled(rows = 3): Promise<{ url: string; ledger: PostgresLedger; other: PostgresLedger }> {
  const url = newSchema();
  const ledger = await openIn(url, processAt({ pid: 10 }));
  const other = await openIn(url, processAt({ pid: 20 }));
  await ledger.addBatch(readBy(ledger));
  await ledger.addRows(await own(ledger, BATCH.id), newRows(rows, paidFrom('XAF')));
  for (const row of await dueRows(ledger, { ...EVERYTHING, limit: 2 }))
    await record(ledger, row, movedTo('quoted', row));
  return { url, ledger, other };
}

/** A batch of its own, with seventy rows that are due. */
async function rowsOf(run: PostgresLedger, digit: number) {
  const announced = await run.addBatch(readBy(run, batchNumber(digit)));
  if ('earlier' in announced) throw new Error('It is there already.');
  const leased = announced.added;
  await run.addRows(leased, newRows(70, paidFrom('XAF')));
  return { run, leased, rows: await run.dueRows(leased, EVERYTHING) };
}

describe('the history of several runs', () => {
  it('is one, and sound; what is edited by hand in it, or in what it vouches for, is named', async () => {
    const { url, ledger, other } = await filled();
    const row = onlyOne(await dueRows(other, { ...EVERYTHING, stages: ['ready'] }));
    await record(other, row, movedTo('quoted', row));
    await changeBatch(ledger, await own(ledger, BATCH.id), { epoch: 3 });
    expect(await other.history.verify()).toMatchObject({ events: 10, ...SOUND });
    await expect(byHand(url, `UPDATE groups SET at = ''`)).rejects.toThrow('only ever added to');
    await byHand(url, `UPDATE row_states SET stage = 'paid' WHERE position = 1`);
    expect(await other.history.verify()).toMatchObject({ rowFault: { kind: 'edited', row: '3' } });
    await byHand(url, `${UNLOCK} UPDATE groups SET events = replace(events, 'registered', 'paid')`);
    expect(await other.history.verify()).toMatchObject({
      fault: { kind: 'event-forged', place: { seq: 2 } },
    });
  });

  it('ends a run for good once its new connection finds an older database, and no other run', async () => {
    const { url, ledger, other } = await filled();
    const row = onlyOne(await dueRows(ledger, { ...EVERYTHING, stages: ['ready'] }));
    await byHand(url, `${UNLOCK} DELETE FROM groups WHERE run = '${ledger.run}' AND last = 6`);
    await cutWriters(url);
    await expect(record(ledger, row, movedTo('quoted', row))).rejects.toThrow('older copy');
    expect([ledger.runs.ended.aborted, ledger.runs.mayCall()]).toEqual([true, false]);
    await expect(record(ledger, row, movedTo('quoted', row))).rejects.toThrow(LedgerUnusable);
    expect(await record(other, row, movedTo('quoted', row))).toMatchObject({ written: true });
  });
});

describe('a connection that breaks', () => {
  it('under writes loses none of them and makes none twice', async () => {
    const { url, ledger } = await filled(400);
    const rows = await dueRows(ledger, { ...EVERYTHING, limit: 400, stages: ['ready'] });
    const results = [];
    for (let from = 0; from < rows.length; from += 40) {
      const some = rows.slice(from, from + 40).map((row) => record(ledger, row, movedTo('quoted', row)));
      await cutWriters(url);
      results.push(...(await Promise.all(some)));
    }
    expect(results.filter(({ written }) => written)).toHaveLength(398);
    const versions = (await ledger.rows(BATCH.id, 0, 500)).map(({ version }) => version);
    expect(new Set(versions)).toEqual(new Set([1]));
    expect(await ledger.history.verify()).toMatchObject(SOUND);
  });

  it('after two commits were sent, and before either was heard, makes none of their writes twice', async () => {
    const { url } = await filled(200);
    const { port } = new URL(url);
    const gate = await openGate(() => Number(port));
    atEnd(() => gate.close());
    const ledger = await openIn(url.replace(port, String(gate.port)), processAt({ pid: 30 }));
    const [first, ...rows] = await dueRows(ledger, { ...EVERYTHING, stages: ['ready'], limit: 150 });
    if (first !== undefined) await record(ledger, first, movedTo('quoted', first));
    const leased = await own(ledger, BATCH.id);
    gate.deafen();
    const recording = rows.map((row) => ledger.record(leased, row, movedTo('quoted', row)));
    const written = 'SELECT position FROM row_states WHERE version = 1';
    await expect.poll(async () => (await byHand(url, written)).length).toBeGreaterThan(100);
    gate.hangUp();
    expect((await Promise.all(recording)).every((result) => result.written)).toBe(true);
    const versions = (await ledger.rows(BATCH.id, 0, 500)).filter(({ version }) => version > 1);
    expect(versions).toEqual([]);
    expect(await ledger.history.verify()).toMatchObject(SOUND);
  });
});

describe('a ledger that was closed', () => {
  it('keeps no connection, whatever is written behind it: its process could never end', async () => {
    const open = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const before = open();
    const { ledger, other } = await filled();
    const rows = await ledger.rows(BATCH.id, 0, 3);
    await other.close();
    await ledger.close();
    const late = rows.map((row) => record(ledger, row, movedTo('quoted', row)));
    await Promise.all(late.map((each) => expect(each).rejects.toThrow(LedgerUnusable)));
    await expect(ledger.runs.confer(() => '')).rejects.toThrow(LedgerUnusable);
    await expect.poll(open).toBe(before);
  });
});

describe('many at once', () => {
  it('chunks of new rows that wait together are all there, and one that may not be written fails alone', async () => {
    const ledger = await openIn(newSchema());
    await ledger.addBatch(readBy(ledger));
    const held = await own(ledger, BATCH.id);
    const rows = newRows(30, paidFrom('XAF'));
    const adding = [0, 10, 20].map((from) =>
      ledger.addRows(from === 10 ? { ...held, token: held.token - 1 } : held, rows.slice(from, from + 10)),
    );
    const results = (await Promise.allSettled(adding)).map(({ status }) => status);
    expect(results).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ledger.rows(BATCH.id, 0, 50)).toHaveLength(20);
    expect(await ledger.history.verify()).toMatchObject(SOUND);
  });

  it('a commit that was sent behind one that fails is made behind it, and every other write of both is', async () => {
    const { url, ledger, other } = await filled(200);
    const rows = await dueRows(ledger, { ...EVERYTHING, stages: ['ready'], limit: 150 });
    // The version that this run remembers is not the present one any more.
    await byHand(url, `UPDATE row_states SET version = 7 WHERE position IN (20, 100)`);
    const results = await Promise.all(rows.map((row) => record(ledger, row, movedTo('quoted', row))));
    const refused = rows.filter((_row, index) => results[index]?.written === false);
    expect(refused.map(({ position }) => position)).toEqual([20, 100]);
    const { events } = await other.history.events(null, FROM_START, 1_000);
    const told = events.filter(({ event }) => event === 'quoted').map(({ position }) => position);
    expect([told.length, new Set(told).size]).toEqual([150, 150]);
    expect(await ledger.history.verify()).toMatchObject({ fault: null });
  });

  it('a step reads little more than its row, also where it was planned when there were few', async () => {
    const url = newSchema();
    const ledger = await openIn(url);
    await ledger.addBatch(readBy(ledger));
    const rows = newRows(3_000, paidFrom('XAF'));
    // A plan is kept after some uses.
    const step = async (limit: number): Promise<void> => {
      for (const row of await dueRows(ledger, { ...EVERYTHING, stages: ['ready'], limit }))
        await record(ledger, row, movedTo('quoted', row));
    };
    await ledger.addRows(await own(ledger, BATCH.id), rows.slice(0, 30));
    for (let times = 0; times < 10; times++) await step(2);
    await ledger.addRows(await own(ledger, BATCH.id), rows.slice(30));
    for (let times = 0; times < 10; times++) await step(2);
    // A connection tells what it read when it ends.
    await ledger.close();
    const read = async (): Promise<number> => {
      const [found] = await byHand(
        url,
        `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_user_tables
          WHERE schemaname = current_schema() AND relname IN ('rows', 'row_states')`,
      );
      return (found as { readonly read: number }).read;
    };
    await expect.poll(read).toBeGreaterThan(100);
    expect(await read()).toBeLessThan(1_000);
  });

  it('a limit lets through what fits, however many ask in whatever commits', async () => {
    const { url, ledger, other } = await filled(200);
    const third = await openIn(url, processAt({ pid: 30 }));
    // A batch of each: together they would exceed what a day may come to.
    const parts = await Promise.all([ledger, other, third].map((run, digit) => rowsOf(run, digit + 1)));
    const limits: Limits = { perRow: null, perPayeePerDay: null, perFile: null, perDay: { XAF: '500' } };
    const answers = await Promise.all(
      parts.flatMap(({ run, leased, rows }) =>
        rows.map((row) => run.reserve(leased, row, '7', limits, '2026-11-20')),
      ),
    );
    expect(answers.filter((answer) => answer === null)).toHaveLength(71);
    expect(await other.spent(BATCH.id, 'XAF', '2026-11-20')).toEqual({ file: '0', day: '497' });
    expect(await other.history.verify()).toMatchObject(SOUND);
  });
});

describe('what holds two runs apart', () => {
  /** A line of a table that somebody holds by hand until it is let go. */
  async function held(url: string, select: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: url.replace(/\?.*/, '') });
    await client.connect();
    await client.query(`SET search_path = ${new URL(url).searchParams.get('schema') ?? ''}`);
    await client.query(`BEGIN; ${select} FOR UPDATE`);
    const letGo = async (): Promise<void> => {
      await client.query('ROLLBACK');
      await client.end();
    };
    return letGo;
  }

  /** Resolves once a statement that begins so waits for a lock, in this schema. */
  async function untilWaiting(url: string, statement: string, table: string): Promise<void> {
    const waiting = `
      SELECT 1 FROM pg_stat_activity a JOIN pg_locks w ON w.pid = a.pid AND NOT w.granted
       WHERE ltrim(a.query, E' \\n') LIKE '${statement}%'
         AND EXISTS (SELECT 1 FROM pg_locks r WHERE r.pid = a.pid AND r.relation = '${table}'::regclass)`;
    await expect.poll(() => byHand(url, waiting)).not.toEqual([]);
  }

  it('a commit that has passed the fence ends before its run is given up', async () => {
    const url = newSchema();
    const [ledger, judge] = [
      await openIn(url, processAt({ pid: 10 })),
      await openIn(
        url,
        processAt({ pid: 20 }, () => false),
      ),
    ];
    await ledger.addBatch(readBy(ledger));
    await ledger.addRows(await own(ledger, BATCH.id), newRows(1));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    const leased = await own(ledger, BATCH.id);
    const letGo = await held(url, `SELECT 1 FROM batches`);
    const written = ledger.record(leased, row, movedTo('quoted', row));
    await untilWaiting(url, 'SELECT id, owner, is_free', 'batches');
    await cutLife(url, ledger.run);
    const judged = judge.runs.endDead();
    await untilWaiting(url, 'UPDATE runs SET ended_at', 'runs');
    await letGo();
    expect(await written).toMatchObject({ written: true });
    await judged;
    await expect(ledger.runs.tell(null)).rejects.toThrow('took this one for dead');
  });

  it('who confers sees what those said who conferred while it waited', async () => {
    const url = newSchema();
    const [first, second] = [
      await openIn(url, processAt({ pid: 10 })),
      await openIn(url, processAt({ pid: 20 })),
    ];
    for (const ledger of [first, second]) await ledger.runs.confer(() => 'before');
    const letGo = await held(url, `SELECT 1 FROM beats WHERE run = '${first.run}'`);
    const said = first.runs.confer(() => 'now');
    await untilWaiting(url, 'UPDATE beats SET said', 'beats');
    const seen: unknown[] = [];
    const heard = second.runs.confer((others) => {
      seen.push(others.get(first.run));
      return 'after';
    });
    await untilWaiting(url, 'SELECT pg_advisory_xact_lock', 'runs');
    await letGo();
    await Promise.all([said, heard]);
    expect(seen).toEqual(['now']);
  });
});

describe('a run whose lock has gone', () => {
  it('is given up by one that was there all the while, and by no other; then it writes nothing', async () => {
    const url = newSchema();
    const unseen = (host: string) => processAt({ host, boot: host });
    const ledger = await openIn(url, unseen('a'), 300);
    const judge = await openIn(url, unseen('b'), 300);
    const late = await openIn(url, unseen('c'), 60_000);
    for (const each of [ledger, judge, late]) await each.runs.tell(null);
    await ledger.addBatch(BATCH);
    await cutLife(url, ledger.run);
    await late.runs.endDead();
    expect(await late.runs.alive()).toHaveLength(3);
    // One that is taken for dead is ended by the next look only.
    const ended = `SELECT 1 FROM runs WHERE run = '${ledger.run}' AND ended_at IS NOT NULL`;
    await expect
      .poll(async () => {
        await judge.runs.endDead();
        return byHand(url, ended);
      })
      .toHaveLength(1);
    await expect(ledger.runs.tell('alive')).rejects.toThrow('took this one for dead');
    expect(ledger.runs.ended.aborted).toBe(true);
    expect(await judge.batch(BATCH.id)).toMatchObject({ owner: ledger.run });
    expect(judge.runs.isElsewhere(ledger.run)).toBe(false);
  });
});
