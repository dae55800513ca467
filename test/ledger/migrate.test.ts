// A ledger that moves to another kind of place and back: all of it comes along, and wherever the move is broken off, never do both places work.
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, it } from 'vitest';

import { moveLedger } from '../../src/app/desk/migrate.ts';
import { systemClock } from '../../src/base/clock.ts';
import { say, type Words } from '../../src/base/language.ts';
import { FROM_START, type Seal } from '../../src/ledger/history.ts';
import { changeBatch, type Ledger } from '../../src/ledger/ledger.ts';
import { LedgerUnusable } from '../../src/ledger/ledger-unusable.ts';
import { type LedgerMove, MOVED, MOVED_TABLES } from '../../src/ledger/movable-ledger.ts';
import { openLedger, openMovable, type LedgerPlace } from '../../src/ledger/open-ledger.ts';
import { sealOf } from '../../src/ledger/seals.ts';
import { externalId } from '../../src/payouts/payout.ts';
import { atEnd } from '../at-end.ts';
import { ledgerFiles } from './ledger-files.ts';
import { CONTAINER, processAt } from './machines.ts';
import { dueRows, own, record, reserve } from './own.ts';
import { byHand, ownServer } from './postgres-ledgers.ts';
import { BATCH, batchNumber, HELD, movedTo, newRow, newRows, PAUSED, paidFrom, readBy } from './records.ts';
import { EVERYTHING } from './two-ledgers.ts';

const { newPath } = ledgerFiles();
const SOUND = { fault: null, batchFault: null, rowFault: null, sumFault: null };
const LIMITS = { perRow: null, perPayeePerDay: null, perFile: null, perDay: { XAF: '5000' } };
const DAY = '2026-11-20';
const silent = (): void => undefined;

const newSchema = ownServer();

const database = (): Exclude<LedgerPlace, string> => ({
  url: newSchema(),
  password: null,
  giveUpAfterMs: 5_000,
});

async function opened(place: LedgerPlace): Promise<Ledger> {
  const ledger = await openLedger(place, systemClock);
  let closing: Promise<void> | null = null;
  const close = ledger.close.bind(ledger);
  ledger.close = () => (closing ??= close());
  atEnd(() => ledger.close());
  return ledger;
}

async function inIt<T>(place: LedgerPlace, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await opened(place);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** Of everything that a ledger keeps, something. */
async function fill(ledger: Ledger): Promise<void> {
  await ledger.account.bind('https://service.example', null);
  await ledger.addBatch(readBy(ledger));
  const rows = [
    ...newRows(8, paidFrom('XAF')),
    newRow(8, { reference: 'R-é 1', fingerprint: 'f', lineage: 'earlier/1', progress: HELD, isDue: false }),
  ];
  await ledger.addRows(await own(ledger, BATCH.id), rows);
  await goOn(ledger, 4);
  await changeBatch(ledger, await own(ledger, BATCH.id), { epoch: 3 });
  const other = batchNumber(2);
  await ledger.addBatch(readBy(ledger, other));
  await ledger.addRows(await own(ledger, other.id), newRows(3));
  await ledger.clearRows(await own(ledger, other.id));
  await ledger.addRows(await own(ledger, other.id), newRows(2));
  await changeBatch(ledger, await own(ledger, other.id), PAUSED);
  for (const version of ['1', '2'])
    await ledger.notices.add({ topic: 'b/held', version, channel: 'email', message: 'told' }, 1, 0);
  await ledger.exchange.hold('bank', '2026-11-20T08:00:00.000Z');
  await ledger.exchange.noteAnswer({
    account: 'bank',
    name: 'a.csv',
    sha256: 'a',
    remoteBytes: 3,
    phase: 'delivered',
    signature: 's',
    at: DAY,
  });
  await ledger.exchange.addPull({
    account: 'bank',
    path: '/out/a',
    bytes: 3,
    modifiedMs: 5,
    remoteSha256: 'r',
    sha256: 's',
    temporary: '.t',
    target: 'a',
    phase: 'fetched',
    number: 7,
    fetchedAt: DAY,
    run: ledger.run,
  });
}

/** Some rows go on by a step, counted and named. */
async function goOn(ledger: Ledger, limit: number): Promise<number> {
  await own(ledger, BATCH.id);
  const rows = await dueRows(ledger, { ...EVERYTHING, limit });
  for (const row of rows) {
    expect(await reserve(ledger, row, '100.50', LIMITS, DAY)).toBeNull();
    const transferExternalId = externalId(BATCH.fileId, row.row, 'transfer', 1);
    const change = movedTo(row.progress.stage === 'ready' ? 'created' : 'confirmed', row, {
      transferExternalId,
    });
    expect(await record(ledger, row, { ...change, dueAt: 1_000 })).toMatchObject({ written: true });
  }
  return rows.length;
}

/** All that it shows of itself, but for who had it last. */
async function shown(ledger: Ledger): Promise<unknown> {
  const batches = await ledger.batches();
  const { events: told } = await ledger.history.events(null, FROM_START, 10_000);
  const history = await ledger.history.verify();
  expect(history).toMatchObject(SOUND);
  return {
    batches,
    rows: await Promise.all(batches.map(({ id }) => ledger.rows(id, 0, 1_000))),
    counts: await Promise.all(batches.map(async ({ id }) => [...(await ledger.stageCounts(id))].sort())),
    spent: await ledger.spent(BATCH.id, 'XAF', DAY),
    due: await ledger.nextDueAt(BATCH.id, ['ready', 'created', 'confirmed']),
    transfer: await ledger.transferOf(externalId(BATCH.fileId, '2', 'transfer', 1)),
    reference: (await ledger.duplicateOf('R-é 1', ''))?.other.row ?? null,
    notices: await ledger.notices.standing(),
    account: { ...(await ledger.exchange.account('bank')), holder: null },
    pulls: [await ledger.exchange.openPulls('bank'), await ledger.exchange.answer('bank', 'a.csv')],
    service: await ledger.account.bound(),
    told: told.map((event) => ({ ...event, cursor: null })),
    events: history.events,
  };
}

/** Another time for the last group of a run's chain, under a hash that is right. */
function resealed(path: string): string {
  const file = new DatabaseSync(path);
  const [group, before] = file
    .prepare(`SELECT * FROM groups WHERE chain LIKE '%-%-%' ORDER BY chain, seq DESC LIMIT 2`)
    .all();
  file.close();
  const { seq, last, chain_seq: first, batch, from_position: from, to_position: to, events } = group ?? {};
  const numbers = { seq: Number(first), last: Number(first) + Number(last) - Number(seq) };
  const place = { batch: String(batch), from: from as number | null, to: to as number | null };
  const hash = sealOf(String(before?.['hash']), { ...numbers, at: DAY, ...place, events: String(events) });
  return `UPDATE groups SET at = '${DAY}', hash = '${hash}' WHERE seq = ${String(seq)}`;
}

const movedAt = (place: LedgerPlace): Promise<unknown> => inIt(place, shown);

describe('a ledger that moves', () => {
  it('takes no place of a reader for one of its own: whoever goes on there misses nothing', async () => {
    const [path, shared] = [newPath(), database()];
    const tellsAll = async (place: LedgerPlace, after: string): Promise<void> =>
      inIt(place, async (ledger) => {
        const all = (await ledger.history.events(null, FROM_START, 10_000)).events;
        const since = (await ledger.history.events(null, after, 10_000)).events;
        expect(since.length).toBe(all.length);
      });
    const placeIn = (place: LedgerPlace, limit: number) =>
      inIt(place, async (ledger) => (await ledger.history.events(null, FROM_START, limit)).next);
    await inIt(path, fill);
    const inFile = await placeIn(path, 5);
    await moveLedger(path, shared, silent);
    for (const place of [inFile, '5', '3']) await tellsAll(shared, place);
    const inDatabase = await placeIn(shared, 5);
    await moveLedger(shared, path, silent);
    for (const place of [inDatabase, inDatabase.slice(1)]) await tellsAll(path, place);
  }, 60_000);

  it('is whole at the other place, and back, as often as it goes; what is written between keeps its chain', async () => {
    const [path, shared] = [newPath(), database()];
    const seals = new Map<string, Seal>();
    await inIt(path, async (ledger) => {
      ledger.history.tellOf((batch, seal) => seals.set(batch, seal));
      await fill(ledger);
    });
    for (let times = 0; times < 2; times += 1) {
      for (const [from, to] of [
        [path, shared],
        [shared, path],
      ] as const) {
        const before = await movedAt(from);
        expect(await moveLedger(from, to, silent)).toMatchObject({ end: 'moved', batches: 2, rows: 11 });
        expect(await movedAt(to)).toEqual(before);
        // What stands beside the files of a batch knows the ledger again.
        for (const [batch, seal] of seals)
          expect(await inIt(to, (ledger) => ledger.history.holds(batch, seal))).toBe(true);
        await expect(openLedger(from, systemClock)).rejects.toThrow('was moved to');
        expect(await inIt(to, (ledger) => goOn(ledger, 1))).toBe(1);
      }
    }
  }, 120_000);

  it('vouches for what was written at every place before', async () => {
    const [path, shared] = [newPath(), database()];
    await inIt(path, fill);
    await moveLedger(path, shared, silent);
    await inIt(shared, (ledger) => goOn(ledger, 2));
    await moveLedger(shared, path, silent);
    await inIt(path, (ledger) => goOn(ledger, 1));
    const tampered = async (change: string): Promise<unknown> => {
      const database = new DatabaseSync(path);
      database.exec('BEGIN');
      const triggers = database.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`).all();
      for (const { name } of triggers) database.exec(`DROP TRIGGER ${String(name)}`);
      database.exec(`CREATE TABLE kept AS SELECT * FROM groups; ${change}; COMMIT`);
      const { fault } = await inIt(path, (ledger) => ledger.history.verify());
      database.exec('DELETE FROM groups; INSERT INTO groups SELECT * FROM kept; DROP TABLE kept');
      for (const { sql } of triggers) database.exec(String(sql));
      database.close();
      return fault?.kind ?? null;
    };
    const last = (chain: string): string => `(SELECT max(seq) FROM groups WHERE chain LIKE '${chain}')`;
    expect(await tampered('SELECT 1')).toBeNull();
    expect(await tampered(`UPDATE groups SET at = '' WHERE seq = ${last('sqlite')}`)).toBe('event-forged');
    expect(await tampered(`UPDATE groups SET events = '[]' WHERE seq = ${last('%-%-%')}`)).toBe(
      'event-forged',
    );
    expect(await tampered(`DELETE FROM groups WHERE seq = ${last('%-%-%')}`)).toBe('events-missing');
    // Sealed as only somebody does who knows how: the chain itself is whole, and what was written behind it tells.
    expect(await tampered(resealed(path))).toBe('event-forged');
  }, 120_000);

  it('takes along every column of every table, but for those that are made again of the rest', async () => {
    const [path, shared] = [newPath(), database()];
    await inIt(path, fill);
    await inIt(shared, (ledger) => ledger.runs.tell(null));
    const file = new DatabaseSync(path);
    const inFile = file
      .prepare(
        `SELECT m.name AS t, c.name AS c FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`,
      )
      .all();
    file.close();
    const inDatabase = await byHand(
      shared.url,
      'SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = current_schema()',
    );
    const moved = new Set(
      MOVED_TABLES.flatMap((table) => Object.keys(MOVED[table]).map((name) => `${table}.${name}`)),
    );
    const left = (found: readonly unknown[]): readonly string[] =>
      (found as readonly { t: string; c: string }[])
        .map(({ t, c }) => `${t}.${c}`)
        .filter((name) => !moved.has(name))
        .sort();
    const claims = ['notices.lease_owner', 'notices.lease_until'];
    expect(left(inFile)).toEqual(
      [
        ...claims,
        'batches.is_restless',
        'batches.keyed_to',
        'groups.chain',
        'groups.chain_seq',
        ...['batch', 'key', 'kind', 'position'].map((name) => `row_keys.${name}`),
        ...['beat_at', 'note', 'said'].map((name) => `runs.${name}`),
        'sftp_accounts.holder',
      ].sort(),
    );
    expect(left(inDatabase)).toEqual(
      [
        ...claims,
        'batches.is_restless',
        ...['beat_at', 'note', 'run', 'said'].map((name) => `beats.${name}`),
        'groups.id',
        'rows.fixed',
        'runs.number',
        'sftp_accounts.holder',
      ].sort(),
    );
  });
});

describe('a move is refused', () => {
  it('while anybody works on the ledger, and what was killed on it is ended first', async () => {
    const [path, shared] = [newPath(), database()];
    await inIt(path, fill);
    const elsewhere = await openLedger(path, systemClock, processAt(CONTAINER));
    await elsewhere.runs.tell(null);
    await expect(moveLedger(path, shared, silent)).rejects.toThrow('is at work on the ledger');
    await elsewhere.close();
    expect(await moveLedger(path, shared, silent)).toMatchObject({ end: 'moved' });
    const gone = await openLedger(shared, systemClock, processAt({ pid: 1 }));
    await gone.runs.tell(null);
    await expect(moveLedger(shared, path, silent, brisk)).rejects.toThrow('is at work on the ledger');
    await gone.close();
    expect(await moveLedger(shared, path, silent)).toMatchObject({ end: 'moved' });
  });

  it('in the commit that begins it, where a run was opened since it was looked for', async () => {
    for (const place of [newPath(), database()]) {
      await inIt(place, fill);
      const movable = await openMovable(place);
      const seen = await movable.move();
      const moving: LedgerMove = { state: 'moving', move: randomUUID(), other: 'elsewhere' };
      await inIt(place, async (ledger) => {
        await ledger.runs.tell(null);
        expect(await movable.sayMove(seen, moving)).toBe(false);
      });
      expect(await movable.sayMove(seen, moving)).toBe(true);
      await movable.close();
    }
  });

  it('to a place that has another ledger, of one that is empty or whose history is not sound; the ledger goes on', async () => {
    const [path, taken, shared] = [newPath(), newPath(), database()];
    await expect(moveLedger(path, shared, silent)).rejects.toThrow('nothing to move');
    await inIt(path, fill);
    await inIt(taken, (ledger) => ledger.addBatch(BATCH));
    await expect(moveLedger(path, taken, silent)).rejects.toThrow('another ledger');
    const file = new DatabaseSync(path);
    file.exec(`UPDATE row_states SET stage = 'paid' WHERE position = 1`);
    file.close();
    await expect(moveLedger(path, shared, silent)).rejects.toThrow('not sound');
    expect(await inIt(path, (ledger) => goOn(ledger, 1))).toBe(1);
    expect(await inIt(shared, (ledger) => ledger.batches())).toEqual([]);
  });
});

/** Waits in no time. */
const brisk = {
  ...systemClock,
  monotonic: (() => (now += 6_000)) as () => number,
  sleep: () => Promise.resolve(),
};
let now = 0;

describe('a move that was broken off', () => {
  const WORDS = { moving: 'is being moved', moved: 'was moved to', arriving: 'is not here yet' };

  /** Leaves both places as a kill does. */
  async function leave(place: LedgerPlace, move: LedgerMove): Promise<void> {
    const movable = await openMovable(place);
    const seen = await movable.move();
    expect(await movable.sayMove(seen, move)).toBe(true);
    await movable.close();
  }

  async function copied(): Promise<{
    path: string;
    shared: Exclude<LedgerPlace, string>;
    before: unknown;
    leaving: LedgerMove;
    arriving: LedgerMove;
  }> {
    const [path, shared, move] = [newPath(), database(), randomUUID()];
    await inIt(path, fill);
    const before = await movedAt(path);
    const schema = new URL(shared.url);
    const other = `postgres://${schema.username}@${schema.host}${schema.pathname}${schema.search}`;
    const [source, target] = [await openMovable(path), await openMovable(shared)];
    const arriving = { state: 'arriving', move, other: `sqlite:${path}` } as const;
    expect(await target.fill(arriving, (table) => source.lines(table))).toBe(true);
    await source.close();
    await target.close();
    return { path, shared, before, leaving: { state: 'moving', move, other }, arriving };
  }

  async function neitherWorks(
    ...places: readonly (readonly [LedgerPlace, keyof typeof WORDS])[]
  ): Promise<void> {
    for (const [place, state] of places)
      await expect(openLedger(place, systemClock)).rejects.toThrow(WORDS[state]);
  }

  it('before the copy was whole: it is made again, or given up', async () => {
    for (const isGivenUp of [false, true]) {
      const [path, shared] = [newPath(), database()];
      await inIt(path, fill);
      const before = await movedAt(path);
      await leave(path, { state: 'moving', move: randomUUID(), other: 'elsewhere' });
      await neitherWorks([path, 'moving']);
      const to = isGivenUp ? path : shared;
      expect(await moveLedger(path, to, silent)).toMatchObject({ end: isGivenUp ? 'there' : 'moved' });
      expect(await movedAt(to)).toEqual(before);
    }
  });

  it('with a copy that nobody has worked with: it is made again, and the old one can still go on', async () => {
    for (const isGivenUp of [false, true]) {
      const { path, shared, before, leaving } = await copied();
      await leave(path, leaving);
      await neitherWorks([path, 'moving'], [shared, 'arriving']);
      const to = isGivenUp ? path : shared;
      expect(await moveLedger(path, to, silent)).toMatchObject({ end: isGivenUp ? 'there' : 'moved' });
      expect(await movedAt(to)).toEqual(before);
      await expect(openLedger(isGivenUp ? shared : path, systemClock)).rejects.toThrow(LedgerUnusable);
    }
  });

  it('while the copy was compared: the old one goes on, and nobody can open the copy', async () => {
    const [path, shared] = [newPath(), database()];
    await inIt(path, fill);
    const breakOff = (words: Words): void => {
      if (say(words, 'en').startsWith('Comparing')) throw new Error('broken off');
    };
    await expect(moveLedger(path, shared, breakOff)).rejects.toThrow('broken off');
    await neitherWorks([shared, 'arriving']);
    expect(await inIt(path, (ledger) => goOn(ledger, 1))).toBe(1);
  });

  it('with the old one closed: only the new one can be opened, by the same move, and by no other', async () => {
    const { path, shared, before, leaving } = await copied();
    await leave(path, { ...leaving, state: 'moved' });
    await neitherWorks([path, 'moved'], [shared, 'arriving']);
    await expect(moveLedger(path, database(), silent)).rejects.toThrow('was moved to');
    await expect(moveLedger(path, path, silent)).rejects.toThrow('was moved to');
    await expect(moveLedger(shared, path, silent)).rejects.toThrow('not finished');
    expect(await moveLedger(path, shared, silent)).toMatchObject({ end: 'moved' });
    expect(await movedAt(shared)).toEqual(before);
    expect(await moveLedger(path, shared, silent)).toMatchObject({ end: 'there' });
  });

  it('and met another one: what arrived last is made again', async () => {
    const { path, shared, before, leaving, arriving } = await copied();
    await leave(shared, { ...arriving, move: randomUUID() });
    await leave(path, { ...leaving, state: 'moved' });
    expect(await moveLedger(path, shared, silent)).toMatchObject({ end: 'moved' });
    expect(await movedAt(shared)).toEqual(before);
  });

  it('and goes on late puts its old copy over no ledger that is worked with by now', async () => {
    const [path, shared] = [newPath(), database()];
    await inIt(path, fill);
    const late = await openMovable(shared);
    await moveLedger(path, shared, silent);
    await inIt(shared, (ledger) => goOn(ledger, 1));
    const before = await movedAt(shared);
    const arriving: LedgerMove = { state: 'arriving', move: randomUUID(), other: 'earlier' };
    const nothing = async function* (): AsyncGenerator<never> {};
    expect(await late.fill(arriving, nothing)).toBe(false);
    await late.close();
    expect(await movedAt(shared)).toEqual(before);
  });

  it('keeps out a run that was opened before and writes only now', async () => {
    const [path, shared] = [newPath(), database()];
    await inIt(path, fill);
    const early = await opened(path);
    await moveLedger(path, shared, silent);
    await expect(early.runs.tell(null)).rejects.toThrow('was moved to');
    const late = await opened(shared);
    await moveLedger(shared, path, silent);
    await expect(late.runs.tell(null)).rejects.toThrow('was moved to');
    expect(await moveLedger(path, shared, silent)).toMatchObject({ end: 'moved' });
  });
});
