// The ledger over SQLite on real files: the conformance suite, and what only a file on a disk can show: that it is durable, and how it fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
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
import { syncBuiltinESMExports } from 'node:module';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { LedgerUnusable } from '../../src/ledger/ledger-unusable.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { statements } from '../../src/ledger/sqlite/group-commit.ts';
import { keysTable } from '../../src/ledger/sqlite/keys-table.ts';
import { SCHEMA_VERSION } from '../../src/ledger/sqlite/schema-version.ts';
import { exerciseLedger } from './exercise-ledger.ts';
import { BATCH, keptBy, readBy, movedTo, newRow, newRows } from './records.ts';
import { ledgerFiles } from './ledger-files.ts';
import { processAt } from './machines.ts';
import { EVERYTHING } from './two-ledgers.ts';
import { dueRows, own, record } from './own.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';

const { newPath, open } = ledgerFiles();

exerciseLedger('the SQLite ledger', () => {
  const path = newPath();
  let isThere = true;
  const ledger = open(path, processAt({ pid: 10 }));
  const other = open(
    path,
    processAt({ pid: 20 }, () => isThere),
  );
  const kill = (): void => {
    isThere = false;
  };
  return Promise.resolve({ ledger, other, kill });
});

/** Listens to what every connection is told, and remembers the connections. */
function listenToConnections() {
  return vi.spyOn(DatabaseSync.prototype, 'exec').mock;
}

/** How often a log was synced since. */
function countSyncs(): () => number {
  const { calls } = vi.spyOn(fs, 'fdatasync').mock;
  syncBuiltinESMExports();
  return () => calls.length;
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe('durability', () => {
  it('the connection writes ahead, and each commit is told once its log is synced', async () => {
    const heard = listenToConnections();
    const syncs = countSyncs();
    const ledger = open(newPath());
    const [connection] = heard.contexts as readonly DatabaseSync[];
    expect(connection?.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    await ledger.addBatch(readBy(ledger));
    expect(syncs()).toBe(1);
    await ledger.account.bind('service', null);
    expect(syncs()).toBe(2);
  });

  it('a read tells nothing of a commit whose log is not synced yet: what it says may leave the process', async () => {
    const ledger = open(newPath());
    await ledger.addBatch(readBy(ledger));
    const syncs: ((error: Error | null) => void)[] = [];
    vi.spyOn(fs, 'fdatasync').mockImplementation((_file, done) => void syncs.push(done));
    syncBuiltinESMExports();
    const written = changeBatch(ledger, await own(ledger, BATCH.id), { state: 'refused' });
    while (syncs.length === 0) await turn();
    const told: string[] = [];
    const read = ledger.batch(BATCH.id).then((batch) => told.push(batch?.state ?? ''));
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(told).toEqual([]);
    syncs[0]?.(null);
    await Promise.all([written, read]);
    expect(told).toEqual(['refused']);
  });

  it('nothing is read any more where the disk failed: what stands there may be gone with the power', async () => {
    const ledger = openSqlite(newPath(), systemClock);
    await ledger.addBatch(readBy(ledger));
    vi.spyOn(fs, 'fdatasync').mockImplementation((_file, done) => done(new Error('EIO')));
    syncBuiltinESMExports();
    await expect(ledger.account.bind('service', null)).rejects.toThrow(LedgerUnusable);
    await expect(ledger.batch(BATCH.id)).rejects.toThrow('The disk under the ledger fails.');
    await ledger.close().catch(() => undefined);
  });

  it('a write behind the end is refused, and the log is closed once', async () => {
    const closed = vi.spyOn(fs, 'close').mock;
    syncBuiltinESMExports();
    const ledger = openSqlite(newPath(), systemClock);
    await ledger.account.bind('service', null);
    await ledger.close();
    for (const service of ['another', 'a third'])
      await expect(ledger.account.bind(service, 'service')).rejects.toThrow('database is not open');
    expect(closed.calls).toHaveLength(1);
  });

  it('records that wait at the same moment share one commit', async () => {
    const ledger = open(newPath());
    await ledger.addBatch(readBy(ledger));
    await ledger.addRows(await own(ledger, BATCH.id), newRows(200));
    const rows = await dueRows(ledger, { ...EVERYTHING, limit: 200 });
    const heard = listenToConnections();
    await Promise.all(rows.map((row) => record(ledger, row, movedTo('quoted', row))));
    expect(heard.calls).toEqual([['BEGIN IMMEDIATE'], ['COMMIT']]);
  });

  it('a fault in a shared commit fails the one whose it is, and the writes of the others stand', async () => {
    const ledger = open(newPath());
    await ledger.addBatch(readBy(ledger));
    await ledger.addRows(await own(ledger, BATCH.id), newRows(3));
    const rows = await dueRows(ledger, EVERYTHING);
    const results = await Promise.allSettled([
      ...rows.map((row) => record(ledger, row, movedTo('quoted', row))),
      changeBatch(ledger, await own(ledger, '20261120-00000000'), { epoch: 1 }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect([...(await ledger.stageCounts(BATCH.id))]).toEqual([['quoted', 3]]);
  });

  it('rows that are registered wait for no disk; the end of their check does, and what is written beside them', async () => {
    const syncs = countSyncs();
    const ledger = open(newPath());
    await ledger.addBatch(readBy(ledger, { ...BATCH, rows: 2 }));
    const held = await own(ledger, BATCH.id);
    const before = syncs();
    await ledger.addRows(held, newRows(1));
    expect(syncs() - before).toBe(0);
    await Promise.all([ledger.addRows(held, [newRow(1)]), ledger.account.bind('service', null)]);
    expect(syncs() - before).toBe(1);
    const check = {
      limit: 1,
      at: null,
      since: BATCH.acceptedAt,
      everyRow: false,
      judge: () => null,
    } as const;
    expect(await ledger.crossCheck(held, { ...check, change: { state: 'pricing' } })).toBe(false);
    expect(syncs() - before).toBe(1);
    expect(await ledger.crossCheck(held, { ...check, change: { state: 'pricing' } })).toBe(true);
    expect(syncs() - before).toBe(2);
  });

  it.each([0, 1, 2, 3])(
    'keys of which a process wrote %d parts before it was killed are written to the end, and go with their batch',
    async (parts) => {
      const path = newPath();
      const ledger = open(path);
      const twin = { ...BATCH, id: 'twin', fileId: 'twin', sha256: 'twin' };
      const rows = newRows(3).map((row) => ({ ...row, reference: `A-${row.row}` }));
      for (const batch of [BATCH, twin]) {
        await ledger.addBatch(readBy(ledger, { ...batch, rows: 3 }));
        await ledger.addRows(await own(ledger, batch.id), rows);
      }
      const database = new DatabaseSync(path);
      const keys = keysTable(statements(database));
      let left = parts;
      for (const piece of keys.pieces(BATCH.id)) {
        if (left === 0) break;
        left -= 1;
        if (piece !== null) keys.put(BATCH.id, piece);
      }
      const met: number[] = [];
      const check = { limit: 9, at: null, since: '2026-11-15T08:00:00.000Z', everyRow: true } as const;
      for (const { id } of [BATCH, twin])
        await ledger.crossCheck(await own(ledger, id), {
          ...check,
          judge: (_row, { encounters }) => {
            met.push(encounters.length);
            return null;
          },
          change: { state: 'pricing' },
        });
      expect(met).toEqual([0, 0, 0, 1, 1, 1]);
      for (const { id } of [BATCH, twin])
        await changeBatch(ledger, await own(ledger, id), { state: 'refused' });
      expect(database.prepare('SELECT * FROM row_keys').all()).toEqual([]);
      database.close();
    },
  );

  it('what was asked for before closing is written', async () => {
    const path = newPath();
    const ledger = openSqlite(path, systemClock);
    const announced = ledger.addBatch(BATCH);
    await ledger.close();
    expect(await announced).toEqual({ added: keptBy(ledger, BATCH) });
    expect(await open(path).batch(BATCH.id)).toEqual({ ...keptBy(ledger, BATCH), owner: null });
  });

  it('what a run gave back as it closed is in no doubt, and what it had not begun to pay neither', async () => {
    const path = newPath();
    const ledger = openSqlite(path, systemClock);
    await ledger.addBatch({ ...BATCH, state: 'sending' });
    const other = open(path);
    await other.addBatch({ ...BATCH, id: 'waits', fileId: 'waits', state: 'accepted' });
    await ledger.close();
    for (const [id, carrier] of [
      [BATCH.id, other],
      ['waits', open(path)],
    ] as const) {
      const seen = await carrier.batch(id);
      if (seen === null) throw new Error('It is there.');
      expect((await carrier.takeOver(seen))?.doubt).toBeUndefined();
    }
  });

  it('the file belongs to its owner alone', () => {
    const path = newPath();
    open(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([1, 40, 150])('killed after %d acknowledged records, not one of them is lost', async (count) => {
    const path = newPath();
    const before = open(path);
    await before.addBatch(readBy(before));
    await before.addRows(await own(before, BATCH.id), newRows(2_000));
    await before.giveBack(await own(before, BATCH.id));
    const acknowledged = await killAfter(count, path);
    expect(acknowledged.length).toBeGreaterThanOrEqual(count);
    const after = open(path);
    const rows = await after.rows(BATCH.id, 0, 2_000);
    const recorded = new Set(rows.filter(({ version }) => version === 1).map(({ position }) => position));
    expect(acknowledged.filter((position) => !recorded.has(position))).toEqual([]);
    expect(recorded.size).toBeLessThan(2_000);
    await after.runs.endDead();
    expect(await dueRows(after, { ...EVERYTHING, limit: 2_000 })).toHaveLength(2_000 - recorded.size);
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
  it.each([44, SCHEMA_VERSION + 1])('one of another schema: %d', (version) => {
    const path = newPath();
    open(path);
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA user_version = ${String(version)}`);
    database.close();
    expect(refusalOf(() => openSqlite(path, systemClock))).toBe(
      `ledger.sqlite was written by another version of paydrop (schema ${String(version)}; this version reads schema ${String(SCHEMA_VERSION)}). Use that version, or move ledger.sqlite aside and run "paydrop rebuild" with the files that were paid.`,
    );
  });

  it('one of this version is opened again, and keeps what it holds', async () => {
    const path = newPath();
    const ledger = open(path);
    await ledger.addBatch(BATCH);
    expect(await open(path).batches()).toEqual([keptBy(ledger, BATCH)]);
  });

  it('a file that is no ledger, which stays as it is', () => {
    const path = newPath();
    const text = 'reference,amount\nA-1,100\n'.repeat(50);
    writeFileSync(path, text);
    expect(refusalOf(() => openSqlite(path, systemClock))).toBe(
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
    writeFileSync(path, bytes.fill(0xa5, bytes.length - 8_192));
    expect(refusalOf(() => openSqlite(path, systemClock))).toBe(DAMAGED);
  });

  it('noise in one whose process was killed is found where the machine has stopped since, and else nothing is read through', async () => {
    const leftBy = async (boot: string | null): Promise<string> => {
      const path = await filledLedger();
      const database = new DatabaseSync(path);
      const killed = `INSERT INTO runs (run, host, boot, pid, started_at, beat_at) VALUES ('killed', 'desk', ?, 7, '', 0)`;
      database.prepare(killed).run(boot);
      database.close();
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xa5, bytes.length - 8_192));
      writeFileSync(`${path}-wal`, '');
      return path;
    };
    for (const boot of ['another boot', null]) {
      const path = await leftBy(boot);
      expect(refusalOf(() => openSqlite(path, systemClock, processAt()))).toBe(DAMAGED);
    }
    const path = await leftBy(processAt().own.boot);
    expect(await open(path, processAt()).batches()).toHaveLength(1);
  });

  it('one that was cut off: at the opening, or at the first read', async () => {
    const path = await filledLedger();
    truncateSync(path, 4_096 * 3);
    expect(await refusalOfReading(path)).toBe(DAMAGED);
  });

  it('one in a folder that is not there', () => {
    expect(refusalOf(() => openSqlite(join(newPath(), 'nowhere', 'ledger.sqlite'), systemClock))).toBe(
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
      expect(asOrdinaryUser(() => refusalOf(() => openSqlite(old, systemClock)))).toMatch(words);
      expect(
        asOrdinaryUser(() => refusalOf(() => openSqlite(join(locked, 'new.sqlite'), systemClock))),
      ).toMatch(words);
      expect(existsSync(join(locked, 'new.sqlite'))).toBe(false);
    } finally {
      chmodSync(locked, 0o755);
      rmSync(locked, { recursive: true });
    }
  });

  it.each(['rows SET payout', 'row_states SET progress', 'row_states SET rejections', 'batches SET record'])(
    'one whose records cannot be read any more: %s',
    async (place) => {
      const path = await filledLedger();
      const database = new DatabaseSync(path);
      // A damaged page does not ask the indexes.
      database.exec('DROP INDEX batches_of_messages; DROP INDEX batches_dispensed');
      database.exec(`UPDATE ${place} = '{"stage":"re'`);
      database.close();
      const ledger = open(path);
      await expect(
        Promise.all([ledger.rows(BATCH.id, 0, 10), ledger.batches(), ledger.batch(BATCH.id)]),
      ).rejects.toMatchObject({ name: 'LedgerUnusable', message: DAMAGED });
    },
  );

  it('one whose disk is full, and nothing of the write stands', async () => {
    const heard = listenToConnections();
    const ledger = open(newPath());
    await ledger.addBatch(readBy(ledger));
    // A limit of pages is a full disk of that size.
    const [connection] = heard.contexts as readonly DatabaseSync[];
    const pages = Number(connection?.prepare('PRAGMA page_count').get()?.['page_count']);
    connection?.exec(`PRAGMA max_page_count = ${String(pages + 4)}`);
    await expect(ledger.addRows(await own(ledger, BATCH.id), newRows(500))).rejects.toMatchObject({
      name: 'LedgerUnusable',
      message: 'The disk is full. Make room, then run the same command again.',
    });
    expect(await ledger.rows(BATCH.id, 0, 10)).toEqual([]);
    await ledger.addRows(await own(ledger, BATCH.id), [newRow(0)]);
  });
});

const DAMAGED =
  'The ledger is damaged. Move ledger.sqlite aside and run "paydrop rebuild" with the files that were paid.';

/** A closed ledger of many pages. */
async function filledLedger(): Promise<string> {
  const path = newPath();
  const ledger = openSqlite(path, systemClock);
  await ledger.addBatch(readBy(ledger));
  await ledger.addRows(await own(ledger, BATCH.id), newRows(300));
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
