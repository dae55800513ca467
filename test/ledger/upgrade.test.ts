// Ledgers that 1.0.0-rc.1 left behind, with a paid file, one that was killed while it was paid, one with held rows and one that waits for an approval: this
// version brings each up to date, whenever it is killed at that, and pays what is left once.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from 'node:sqlite';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openPostgresLedger } from '../../src/ledger/postgres/postgres-ledger.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/base/clock.ts';
import { atEnd } from '../at-end.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { processAt } from './machines.ts';
import { BATCH } from './records.ts';

const STORED = 'test/ledger/stored';
const PROGRAM = join(process.cwd(), 'src/main.ts');
const KILLER = join(process.cwd(), 'test/ledger/killed-upgrade.ts');

const [ASKED, HELD, CUT, PAID] = [
  '20261130-b5082100',
  '20261130-66198027',
  '20261130-2fed669e',
  '20261130-7b9801e4',
];
const ROWS = { [PAID]: 5, [HELD]: 5, [CUT]: 120, [ASKED]: 4 };

type Ended = { readonly code: unknown; readonly stdout: string; readonly stderr: string };
type Workspace = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The program, in a process of its own. */
async function paydrop(
  { folder, env }: Workspace,
  args: readonly string[],
  killedAfter: number | null = null,
): Promise<Ended> {
  const killer = killedAfter === null ? [] : ['--import', KILLER];
  const all = { ...process.env, ...env, KILLED_AFTER: String(killedAfter) };
  const argv = [...killer, PROGRAM, '--config', 'paydrop.yaml', ...args];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { cwd: folder, env: all });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, signal, stdout, stderr } = error as Ended & { readonly signal: string | null };
    return { code: code ?? signal, stdout, stderr };
  }
}

function unpacked(store: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-upgrade-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('tar', ['xzf', join(process.cwd(), STORED, `1.0.0-rc.1-${store}.tgz`), '-C', folder]);
  return folder;
}

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ fsync: false });
});
afterAll(() => server.stop());

let schemas = 0;

async function inPostgres(): Promise<Workspace> {
  const folder = unpacked('postgres');
  const schema = `rc1_${String((schemas += 1))}`;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}`);
  await client.query(readFileSync(join(folder, 'ledger.sql'), 'utf8'));
  await client.end();
  return { folder, env: { PAYDROP_LEDGER_URL: `${server.url}?schema=${schema}` } };
}

const PLACES: readonly (readonly [string, () => Promise<Workspace>])[] = [
  ['a file', () => Promise.resolve({ folder: unpacked('sqlite'), env: {} })],
  ['PostgreSQL', inPostgres],
];

type Told = {
  readonly batches: readonly {
    readonly batch: string;
    readonly outcomes: Readonly<Record<string, number>>;
  }[];
};

async function expectAllPaidOnce(place: Workspace): Promise<void> {
  const { stdout } = await paydrop(place, ['status', '--json']);
  const { batches } = JSON.parse(stdout) as Told;
  expect(Object.fromEntries(batches.map(({ batch, outcomes }) => [batch, outcomes['paid']]))).toEqual(ROWS);
  for (const batch of Object.keys(ROWS)) {
    const { stdout: compared } = await paydrop(place, ['reconcile', batch]);
    // What an expired attempt still reserves at the service is told too, and is no payment.
    expect(compared).toMatch(/debited ([\d,]+) by file, \1 by ledger, \1 by service, differences 0/);
  }
}

describe.each(PLACES)('a ledger of 1.0.0-rc.1 in %s', (_, open) => {
  it('is brought up to date with its history unchanged, and all of it is paid once', async () => {
    const place = await open();
    const { stdout: doctor } = await paydrop(place, ['doctor']);
    expect(doctor).toMatch(/ok {2}history +\d{3} events, all unchanged/);
    await paydrop(place, ['release', HELD, '--by', 'Rose Biya', '--reason', 'asked']);
    expect(await paydrop(place, ['approve', ASKED, '--by', 'Marie Ngo'])).toMatchObject({ code: 0 });
    const { stdout: resumed } = await paydrop(place, ['resume']);
    const [, question = ''] = /--question (\w+)/.exec(resumed) ?? [];
    const order = ['approve', HELD, '--by', 'Marie Ngo', '--question', question];
    expect(await paydrop(place, order)).toMatchObject({ code: 0 });
    await paydrop(place, ['resume']);
    await expectAllPaidOnce(place);
  });

  it('is whole after a kill before each statement of the upgrade', async () => {
    const place = await open();
    const ends: unknown[] = [];
    for (let after = 0; after < 40 && ends.at(-1) !== 0; after += 1)
      ends.push((await paydrop(place, ['status'], after)).code);
    // The last one was killed no more: its commit had fewer statements.
    expect(ends.slice(0, -1)).toEqual(ends.slice(1).map(() => 'SIGKILL'));
    expect(ends.length).toBeGreaterThan(4);
    expect((await paydrop(place, ['doctor'])).stdout).toMatch(/ok {2}history +\d{3} events, all unchanged/);
  });
});

it('a ledger that a process of the earlier version works with is left as it is', () => {
  const path = join(unpacked('sqlite'), 'workspace/ledger.sqlite');
  const database = new DatabaseSync(path);
  database.exec(`UPDATE runs SET ended_at = NULL WHERE run = (SELECT run FROM runs LIMIT 1)`);
  const [run] = database.prepare('SELECT * FROM runs WHERE ended_at IS NULL').all();
  const machine = processAt({ host: String(run?.['host']), boot: null, namespace: null });
  database.exec('UPDATE runs SET boot = NULL, namespace = NULL');
  expect(() => openSqlite(path, systemClock, machine)).toThrow(/process of that version works with it/);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 45 });
  database.close();
  const dead = { ...machine, isThere: () => false };
  return openSqlite(path, systemClock, dead).close();
});

it('a run that opened the ledger before it was upgraded does not begin', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'paydrop-upgrade-')), 'ledger.sqlite');
  atEnd(() => rmSync(dirname(path), { recursive: true, force: true }));
  const url = `${server.url}?schema=upgraded_meanwhile`;
  const place = { url, password: null, giveUpAfterMs: 5_000 };
  const byHand = new pg.Client({ connectionString: server.url });
  await byHand.connect();
  for (const [ledger, upgraded] of [
    [
      openSqlite(path, systemClock, processAt()),
      () => {
        new DatabaseSync(path).exec('PRAGMA user_version = 99');
      },
    ],
    [
      await openPostgresLedger(place, systemClock, processAt()),
      () => byHand.query(`UPDATE upgraded_meanwhile.meta SET value = '99' WHERE name = 'schema'`),
    ],
  ] as const) {
    await upgraded();
    await expect(ledger.addBatch(BATCH)).rejects.toThrow(/schema 99/);
    expect(await ledger.batches()).toEqual([]);
    await ledger.close();
  }
  await byHand.end();
});

it('has the tables of a new ledger', async () => {
  const shape = (path: string) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const found = database.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all();
    database.close();
    return found.map(({ type, name, sql }) => [type, name, String(sql).replace(/\s+/g, ' ')]);
  };
  const old = unpacked('sqlite');
  const [upgraded, fresh] = [join(old, 'workspace/ledger.sqlite'), join(old, 'fresh.sqlite')];
  for (const path of [upgraded, fresh]) await openSqlite(path, systemClock, processAt()).close();
  const ofTables = (path: string) => shape(path).filter(([, name]) => !String(name).startsWith('sqlite_'));
  expect(ofTables(upgraded)).toEqual(ofTables(fresh));
});
