// The ledger over SQLite on real files: the conformance suite, and what only a file on a disk can show: that it is durable, and how it fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath, getuid, seteuid } from 'node:process';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { sameWords } from '../../src/base/language.ts';
import { LedgerUnusable } from '../../src/ledger/ledger-unusable.ts';
import { isRunAlive, openLedger } from '../../src/ledger/open-ledger.ts';
import { MIGRATIONS } from '../../src/ledger/sqlite/schema.ts';
import { FRESH } from '../../src/payouts/progress.ts';
import { exerciseLedger } from './exercise-ledger.ts';
import { BATCH, readBy, movedTo, newRow, newRows } from './records.ts';
import { ledgerFiles } from './ledger-files.ts';
import { EVERYTHING, keep } from './two-ledgers.ts';

const { newPath, open } = ledgerFiles();

exerciseLedger('the SQLite ledger', () => {
  const path = newPath();
  return { ledger: open(path), other: open(path) };
});

/** Listens to what every connection is told, and remembers the connections. */
function listenToConnections() {
  return vi.spyOn(DatabaseSync.prototype, 'exec').mock;
}
afterEach(() => vi.restoreAllMocks());

describe('durability', () => {
  it('the connection writes ahead, and syncs the disk at every commit', () => {
    const heard = listenToConnections();
    open(newPath());
    const [connection] = heard.contexts as readonly DatabaseSync[];
    expect(connection?.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    // 2 is FULL.
    expect(connection?.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  });

  it('records that wait at the same moment share one commit', async () => {
    const ledger = open(newPath());
    await ledger.addBatch(readBy(ledger), keep);
    await ledger.addRows(BATCH.id, newRows(200));
    const rows = await ledger.claim({ ...EVERYTHING, limit: 200 });
    const heard = listenToConnections();
    await Promise.all(rows.map((row) => ledger.record(row, movedTo('quoted', row))));
    expect(heard.calls).toEqual([['BEGIN IMMEDIATE'], ['COMMIT']]);
  });

  it('a fault in a shared commit fails the one whose it is, and the writes of the others stand', async () => {
    const ledger = open(newPath());
    await ledger.addBatch(readBy(ledger), keep);
    await ledger.addRows(BATCH.id, newRows(3));
    const rows = await ledger.claim(EVERYTHING);
    const results = await Promise.allSettled([
      ...rows.map((row) => ledger.record(row, movedTo('quoted', row))),
      ledger.changeBatch('20261120-00000000', { rows: 1 }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect([...(await ledger.stageCounts(BATCH.id))]).toEqual([['quoted', 3]]);
  });

  it('what was asked for before closing is written', async () => {
    const path = newPath();
    const ledger = openLedger(path, systemClock);
    const announced = ledger.addBatch(BATCH, keep);
    await ledger.close();
    expect(await announced).toBeNull();
    expect(await open(path).batch(BATCH.id)).toEqual(BATCH);
  });

  it('the file belongs to its owner alone', () => {
    const path = newPath();
    open(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([1, 40, 150])('killed after %d acknowledged records, not one of them is lost', async (count) => {
    const path = newPath();
    const before = open(path);
    await before.addBatch(readBy(before), keep);
    await before.addRows(BATCH.id, newRows(2_000));
    const acknowledged = await killAfter(count, path);
    expect(acknowledged.length).toBeGreaterThanOrEqual(count);
    const after = open(path);
    const rows = await after.rows(BATCH.id, 0, 2_000);
    const recorded = new Set(rows.filter(({ version }) => version === 1).map(({ position }) => position));
    expect(acknowledged.filter((position) => !recorded.has(position))).toEqual([]);
    expect(recorded.size).toBeLessThan(2_000);
    await after.endClaims(isRunAlive);
    expect(await after.claim({ ...EVERYTHING, limit: 2_000 })).toHaveLength(2_000 - recorded.size);
  });
});

/** The positions that a writing process had acknowledged when it was killed, at least `count`. */
async function killAfter(count: number, path: string): Promise<readonly number[]> {
  const script = fileURLToPath(new URL('write-until-killed.ts', import.meta.url));
  const child = spawn(execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const positions: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    positions.push(Number(line.split(' ')[1]));
    if (positions.length === count) child.kill('SIGKILL');
  }
  expect(await closed).toEqual([null, 'SIGKILL']);
  return positions;
}

describe('a ledger that cannot be used is refused in plain words', () => {
  it('one of a newer version', () => {
    const path = newPath();
    open(path);
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA user_version = ${String(MIGRATIONS.length + 1)}`);
    database.close();
    expect(refusalOf(() => openLedger(path, systemClock))).toBe(
      'The ledger was written by a newer paydrop. Use that version, or a newer one.',
    );
  });

  it('one of this version is opened again, and keeps what it holds', async () => {
    const path = newPath();
    await open(path).addBatch(BATCH, keep);
    expect(await open(path).batches()).toEqual([BATCH]);
  });

  it('one that knew one language keeps its words, and says them in both', async () => {
    const path = newPath();
    const before = MIGRATIONS.findIndex((migration) => String(migration).includes('waitingWords'));
    const database = new DatabaseSync(path);
    database.function('reference_key', (text) => text);
    for (const migration of MIGRATIONS.slice(0, before)) apply(database, migration);
    database.exec(`PRAGMA user_version = ${String(before)}`);
    const batch = { ...BATCH, state: 'paying', waitingWords: 'Top up.' };
    database
      .prepare(
        'INSERT INTO batches (id, file_id, paused, accepted_at, state, record) VALUES (?, ?, 0, ?, ?, ?)',
      )
      .run(batch.id, batch.fileId, batch.acceptedAt, batch.state, JSON.stringify(batch));
    const refusal = { errorCode: '10019', words: 'It was refused.' };
    const insert = database.prepare(
      `INSERT INTO rows (batch, position, row, stage, rejections, progress, version, written_by) VALUES (?, ?, ?, 'held', '[]', ?, 0, 'run-1')`,
    );
    insert.run(batch.id, 0, '2', JSON.stringify({ ...FRESH, reason: 'Ask.', refusal }));
    insert.run(batch.id, 1, '3', JSON.stringify(FRESH));
    database.close();
    const ledger = open(path);
    expect((await ledger.batch(BATCH.id))?.waitingWords).toEqual(sameWords('Top up.'));
    const [first, second] = await ledger.rows(BATCH.id, 0, 10);
    expect(first?.progress).toEqual({
      ...FRESH,
      reason: sameWords('Ask.'),
      refusal: { errorCode: '10019', words: sameWords('It was refused.') },
    });
    expect(second?.progress).toEqual(FRESH);
  });

  it('one that had never looked again at what has ended does so now', async () => {
    const path = newPath();
    const before = MIGRATIONS.findIndex((migration) => String(migration).includes('SET due_at = 0'));
    const database = new DatabaseSync(path);
    database.function('reference_key', (text) => text);
    for (const migration of MIGRATIONS.slice(0, before)) apply(database, migration);
    database.exec(`PRAGMA user_version = ${String(before)}`);
    const insert = database.prepare(
      `INSERT INTO rows (batch, position, row, stage, source_currency, rejections, progress, version, written_by)
       VALUES (?, ?, '2', ?, 'XAF', '[]', ?, 0, 'run-1')`,
    );
    insert.run('paid', 0, 'paid', JSON.stringify({ ...FRESH, transfer: { transferId: 't-1' } }));
    insert.run('failed', 0, 'failed', JSON.stringify({ ...FRESH, transfer: { transferId: 't-2' } }));
    insert.run('held', 0, 'held', JSON.stringify({ ...FRESH, transfer: { transferId: 't-3' } }));
    database.close();
    const ledger = open(path);
    expect(await ledger.nextDueAt('paid', ['paid'])).toBe(0);
    expect(await ledger.nextDueAt('failed', ['failed'])).toBe(0);
    expect(await ledger.nextDueAt('held', ['held'])).toBeNull();
  });

  it('one that kept sums for every payee drops them, and keeps those of files and days', async () => {
    const path = newPath();
    const before = MIGRATIONS.findIndex((migration) => String(migration).includes('DELETE FROM spent'));
    const database = new DatabaseSync(path);
    database.function('reference_key', (text) => text);
    for (const migration of MIGRATIONS.slice(0, before)) apply(database, migration);
    database.exec(`PRAGMA user_version = ${String(before)}`);
    const sum = database.prepare(`INSERT INTO spent VALUES (?, ?, '2026-11-20', 'XAF', '10')`);
    for (const scope of ['payee', 'account', 'day']) sum.run(scope, scope === 'day' ? '' : scope);
    database.close();
    const ledger = open(path);
    expect((await ledger.spent('none', 'XAF', '2026-11-20')).day).toBe('10');
    const opened = new DatabaseSync(path);
    expect(opened.prepare('SELECT scope FROM spent').all()).toEqual([{ scope: 'day' }]);
    opened.close();
  });

  it('a file that is no ledger, which stays as it is', () => {
    const path = newPath();
    const text = 'reference,amount\nA-1,100\n'.repeat(50);
    writeFileSync(path, text);
    expect(refusalOf(() => openLedger(path, systemClock))).toBe(
      'ledger.sqlite is not a ledger. Move it aside and run "paydrop rebuild" with the files that were paid.',
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('one whose tables are overwritten: at the opening, or at the first read', async () => {
    const path = await filledLedger();
    const bytes = readFileSync(path);
    // The first page says that it is a ledger; everything behind it is gone.
    writeFileSync(path, bytes.fill(0xa5, 4_096));
    expect(await refusalOfReading(path)).toBe(DAMAGED);
  });

  it('one that a killed process left behind with noise in it: at the opening, before anything is sent on its word', async () => {
    const path = await filledLedger();
    writeFileSync(`${path}-wal`, '');
    const bytes = readFileSync(path);
    // The last page of the file is one that opening it has no need of.
    writeFileSync(path, bytes.fill(0xa5, bytes.length - 4_096));
    expect(refusalOf(() => openLedger(path, systemClock))).toBe(DAMAGED);
  });

  it('one that was cut off: at the opening, or at the first read', async () => {
    const path = await filledLedger();
    truncateSync(path, 4_096 * 3);
    expect(await refusalOfReading(path)).toBe(DAMAGED);
  });

  it('one in a folder that is not there', () => {
    expect(refusalOf(() => openLedger(join(newPath(), 'nowhere', 'ledger.sqlite'), systemClock))).toBe(
      'The ledger cannot be opened. Check that the workspace folder exists and that you may write there.',
    );
  });

  it('one in a folder that may only be read, new or old', async () => {
    const path = await filledLedger();
    const locked = mkdtempSync(join(tmpdir(), 'ledger-locked-'));
    const old = join(locked, 'ledger.sqlite');
    writeFileSync(old, readFileSync(path));
    chmodSync(old, 0o444);
    chmodSync(locked, 0o555);
    try {
      const words = /^The ledger cannot be (written|opened)\. Check /;
      expect(asOrdinaryUser(() => refusalOf(() => openLedger(old, systemClock)))).toMatch(words);
      expect(
        asOrdinaryUser(() => refusalOf(() => openLedger(join(locked, 'new.sqlite'), systemClock))),
      ).toMatch(words);
      expect(existsSync(join(locked, 'new.sqlite'))).toBe(false);
    } finally {
      chmodSync(locked, 0o755);
      rmSync(locked, { recursive: true });
    }
  });

  it.each(['rows SET payout', 'rows SET progress', 'rows SET rejections', 'batches SET record'])(
    'one whose records cannot be read any more: %s',
    async (place) => {
      const path = await filledLedger();
      const database = new DatabaseSync(path);
      database.exec(`UPDATE ${place} = '{"stage":"re'`);
      database.close();
      const ledger = open(path);
      await expect(
        Promise.all([ledger.rows(BATCH.id, 0, 10), ledger.batches(), ledger.batch(BATCH.id)]),
      ).rejects.toThrow(new LedgerUnusable(DAMAGED));
    },
  );

  it('one whose disk is full, and nothing of the write stands', async () => {
    const heard = listenToConnections();
    const ledger = open(newPath());
    await ledger.addBatch(readBy(ledger), keep);
    // A limit of pages is a full disk of that size.
    const [connection] = heard.contexts as readonly DatabaseSync[];
    const pages = Number(connection?.prepare('PRAGMA page_count').get()?.['page_count']);
    connection?.exec(`PRAGMA max_page_count = ${String(pages + 4)}`);
    await expect(ledger.addRows(BATCH.id, newRows(500))).rejects.toThrow(
      new LedgerUnusable('The disk is full. Make room, then run the same command again.'),
    );
    expect(await ledger.rows(BATCH.id, 0, 10)).toEqual([]);
    await ledger.addRows(BATCH.id, [newRow(0)]);
  });
});

const DAMAGED =
  'The ledger is damaged. Move ledger.sqlite aside and run "paydrop rebuild" with the files that were paid.';

/** A closed ledger of many pages. */
async function filledLedger(): Promise<string> {
  const path = newPath();
  const ledger = openLedger(path, systemClock);
  await ledger.addBatch(readBy(ledger), keep);
  await ledger.addRows(BATCH.id, newRows(300));
  await ledger.close();
  return path;
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof LedgerUnusable) return error.message;
    throw error;
  }
  throw new Error('The ledger was taken.');
}

async function refusalOfReading(path: string): Promise<string> {
  try {
    const ledger = open(path);
    await ledger.batches();
    await ledger.rows(BATCH.id, 0, 1_000);
  } catch (error) {
    if (error instanceof LedgerUnusable) return error.message;
    throw error;
  }
  throw new Error('The ledger was taken.');
}

/** Permissions mean nothing to the superuser, as which tests run in containers: it becomes somebody else for a moment. */
function asOrdinaryUser<T>(work: () => T): T {
  if (getuid?.() !== 0 || seteuid === undefined) return work();
  // The number of nobody.
  seteuid(65_534);
  try {
    return work();
  } finally {
    seteuid(0);
  }
}

function apply(database: DatabaseSync, migration: (typeof MIGRATIONS)[number]): void {
  if (typeof migration === 'string') database.exec(migration);
  else migration(database);
}
