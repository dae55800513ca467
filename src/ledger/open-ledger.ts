// Opens the ledger: the folder's lock and durability settings, the schema, and a check that the disk really is asked to keep what we write.
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { pid } from 'node:process';
import { DatabaseSync } from 'node:sqlite';

import { type Clock, repeatEvery } from '../base/clock.ts';
import { addDecimals } from '../base/decimal.ts';
import { sentence } from '../messages/messages.ts';
import { DAMAGED, LedgerUnusable, asLedgerUnusable } from './ledger-unusable.ts';
import type { Ledger } from './ledger.ts';
import { assertIsHere, type MovableLedger } from './movable-ledger.ts';
import type { PostgresPlace } from './postgres/connect.ts';
import type { Machine, ProcessPlace } from './runs.ts';
import { statements } from './sqlite/group-commit.ts';
import { carrier } from './sqlite/dialect.ts';
import { movableSqlite } from './sqlite/movable-sqlite.ts';
import { moveOf } from './tables/moves.ts';
import { ensureSchema, enterWal } from './sqlite/schema.ts';
import { SqliteLedger } from './sqlite/sqlite-ledger.ts';

/** How long a write waits for another process' commit before it gives up. */
const BUSY_MS = 10_000;

/** `PRAGMA synchronous` as SQLite reports FULL: what a ledger is opened and moved with. Of one that is at work, `GroupCommit` syncs each commit before it is acknowledged. */
const SYNCHRONOUS_FULL = 2;

/**
 * A page of 8 KB holds a row whole; of 4 KB each row would fill a second one, which every write of it would write too. Only a new ledger takes it.
 * The cache holds the pages of the rows under way and of the indexes that are asked; twice as much made no run faster. What is committed stands in
 * the log until 32 MB of it are carried over at once: a page that is written a hundred times meanwhile is carried over once.
 */
const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -16384;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 4096;`;

/** Where a ledger lies: the path of a SQLite file, or a database. */
export type LedgerPlace = string | PostgresPlace;

/** Opens or creates a ledger, for a run of its own. Throws `LedgerUnusable`. */
export async function openLedger(place: LedgerPlace, clock: Clock, machine = THIS_MACHINE): Promise<Ledger> {
  if (typeof place === 'string') return openSqlite(place, clock, machine);
  // The driver is loaded only where the ledger is there.
  const { openPostgresLedger } = await import('./postgres/postgres-ledger.ts');
  return openPostgresLedger(place, clock, machine);
}

/** Opens or creates the ledger at `path`, for a run of its own. Throws `LedgerUnusable` when it is damaged, locked, on a network drive, of another schema, or was moved. */
export function openSqlite(path: string, clock: Clock, machine = THIS_MACHINE): Ledger {
  const database = openDatabase(path, machine);
  try {
    assertIsHere(carrier(statements(database))(moveOf()));
    return new SqliteLedger(database, { run: randomUUID(), machine }, clock);
  } catch (error) {
    database.close();
    throw asLedgerUnusable(error);
  }
}

/** Opens or creates a ledger that nobody works with, to move it. Throws `LedgerUnusable`. */
export async function openMovable(place: LedgerPlace): Promise<MovableLedger> {
  if (typeof place === 'string') return movableSqlite(openDatabase(place, THIS_MACHINE));
  const { openMovablePostgres } = await import('./postgres/movable-postgres.ts');
  return openMovablePostgres(place);
}

function openDatabase(path: string, machine: Machine): DatabaseSync {
  try {
    assertLocalDisk(path);
    const isNew = !existsSync(path);
    const wasLeftOpen = existsSync(`${path}-wal`);
    const database = new DatabaseSync(path, { timeout: BUSY_MS });
    if (isNew) chmodSync(path, 0o600);
    database.exec('PRAGMA page_size = 8192');
    enterWal(database, BUSY_MS);
    database.exec(SETTINGS);
    // Used by the statements of the tables.
    database.function('add_decimals', { deterministic: true }, (a, b) => addDecimals(String(a), String(b)));
    if (wasLeftOpen && !wasKilled(database, machine.own)) assertSound(database);
    ensureSchema(database, machine);
    assertDurable(database);
    return database;
  } catch (error) {
    throw asLedgerUnusable(error);
  }
}

/** True when a process of this number runs on this machine. */
export function isProcessAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it runs under another user. Anything else: there is no such process.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Every run that did not close its ledger belongs to this start of the machine: its processes were killed, and the system has written what they gave it.
 * A million rows need not be read through before the next call then.
 */
function wasKilled(database: DatabaseSync, { boot }: ProcessPlace): boolean {
  const left = orNull(() => database.prepare('SELECT DISTINCT boot FROM runs WHERE ended_at IS NULL').all());
  return boot !== null && left?.length === 1 && left[0]?.['boot'] === boot;
}

/** What stopped the machine may have hurt the disk too; a ledger that was closed in peace is not read through each time. */
function assertSound(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (found !== 'ok') throw new LedgerUnusable(DAMAGED);
}

function assertDurable(database: DatabaseSync): void {
  const mode = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
  const synchronous = database.prepare('PRAGMA synchronous').get()?.['synchronous'];
  if (mode !== 'wal' || synchronous !== SYNCHRONOUS_FULL) {
    throw new LedgerUnusable(sentence('ledger.notDurable'));
  }
}

// A ledger on a network file system is refused: its log is shared memory of one machine, and a lock that two machines both believe to hold
// lets both of them pay.

/** By the `f_type` that Linux gives (linux/magic.h); other systems give numbers of their own, which are none of these. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
]);

/** Throws `LedgerUnusable` when the folder of the ledger lies on another machine. */
export function assertLocalDisk(path: string, typeOf = fileSystemType): void {
  const name = NETWORK_TYPES.get(typeOf(dirname(path)) >>> 0);
  if (name === undefined) return;
  throw new LedgerUnusable(sentence('ledger.networkDrive', { name }));
}

/** 0 where the system does not tell. */
function fileSystemType(folder: string): number {
  try {
    return statfsSync(folder).type;
  } catch {
    // A folder that does not exist is told of by whoever opens the ledger.
    return 0;
  }
}

// What this process knows of itself and of the others of its machine. Numbers of processes are given again: when a daemon that starts with the machine
// finds the number of yesterday, another program may have it. Only Linux tells them apart; elsewhere the number has to do.

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const NAMESPACE = '/proc/self/ns/pid';

/** Where the start of the process stands in its `stat`, counted behind its name: the 22nd field, and the name is the second. */
const START_BEHIND_NAME = 22 - 3;

const THIS_MACHINE: Machine = {
  own: placeOf(pid),
  runs: new Set(),
  repeatEvery,
  isThere: (process) => isProcessAlive(process.pid) && mayBe(process),
};

/** Where a process of this machine stands. */
export function placeOf(processId: number): ProcessPlace {
  const namespace = orNull(() => readlinkSync(NAMESPACE));
  const boot = orNull(() => readFileSync(BOOT_ID, 'utf8').trim());
  return {
    host: hostname(),
    boot,
    namespace,
    pid: processId,
    start: statOf(processId)[1],
  };
}

/** False when the process that bears the number now began at another time, or was stopped (SIGSTOP): who wakes it finds its run ended, and what it had taken up. */
function mayBe({ pid: processId, start }: ProcessPlace): boolean {
  const [state, startNow] = statOf(processId);
  return state !== 'T' && (start === null || startNow === null || start === startNow);
}

/** Its state, and when it started. */
function statOf(processId: number): readonly [state: string | null, start: string | null] {
  const stat = orNull(() => readFileSync(`/proc/${String(processId)}/stat`, 'utf8'));
  // The name is any text in brackets, with spaces and brackets of its own.
  const behindName = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [behindName?.[0] ?? null, behindName?.[START_BEHIND_NAME] ?? null];
}

/** Null on another system, or on one that hides the processes of others. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
