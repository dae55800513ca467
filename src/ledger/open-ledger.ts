// Opens the ledger: the folder's lock and durability settings, the schema, and a check that the disk really is asked to keep what we write.
import { randomUUID } from 'node:crypto';
import {
  type Stats,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  statfsSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pid } from 'node:process';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';

import { type Clock, repeatEvery, systemClock } from '../base/clock.ts';
import { addDecimals } from '../base/decimal.ts';
import { referenceKey } from '../payouts/duplicates.ts';
import { DAMAGED, LedgerUnusable, asLedgerUnusable } from './ledger-unusable.ts';
import type { Ledger } from './ledger.ts';
import { ensureSchema, enterWal } from './sqlite/schema.ts';
import { SqliteLedger } from './sqlite/sqlite-ledger.ts';

/** How long a write waits for another process' commit before it gives up. */
const BUSY_MS = 10_000;

/** `PRAGMA synchronous` as SQLite reports FULL: every commit is synced before it is acknowledged. */
const SYNCHRONOUS_FULL = 2;

/**
 * A page of 8 KB holds a row whole; of 4 KB each row would fill a second one, which every write of it would write too. Only a new ledger takes it.
 * The cache holds the pages of the rows under way and of all indexes. What is committed stands in the log until 32 MB of it are carried over at
 * once: a page that is written a hundred times meanwhile is carried over once.
 */
const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -32768;
  PRAGMA wal_autocheckpoint = 4096;`;

/** Opens or creates the ledger at `path`. Throws `LedgerUnusable` when it is damaged, locked, on a network drive, or of another schema. */
export function openLedger(path: string, clock: Clock): Ledger {
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
    database.function('reference_key', { deterministic: true }, keyOf);
    database.function('add_decimals', { deterministic: true }, (a, b) => addDecimals(String(a), String(b)));
    if (wasLeftOpen) assertSound(database);
    ensureSchema(database);
    assertDurable(database);
    return new SqliteLedger(database, runId(), clock);
  } catch (error) {
    throw asLedgerUnusable(error);
  }
}

/** True when the other process that owned a claim still runs. Owners on other machines count as alive: their claims end by time. */
export function isRunAlive(owner: string): boolean {
  const [host, number, ...rest] = owner.split('/');
  if (host !== hostname()) return true;
  const ownerPid = Number(number);
  // Our own number under another run is a process before us that had the same one, as in a container that restarts.
  if (ownerPid === pid || !isProcessAlive(ownerPid)) return false;
  const mark = rest.length > 1 ? rest[0] : undefined;
  return mark === undefined || mayBear(mark, ownerPid);
}

/** True when the run is another one that still works on this ledger: on this host, or in another container while its heart beats. */
export function isOtherRunHere(owner: string, run: string): boolean {
  if (owner === run) return false;
  return owner.startsWith(`${hostname()}/`) ? isRunAlive(owner) : hasHeartbeat(owner, run);
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

function keyOf(reference: SQLOutputValue): string | null {
  return typeof reference === 'string' ? referenceKey(reference) : null;
}

/** `host/number/mark/uuid`; without the mark where there is none. */
function runId(): string {
  const mark = processMark(pid);
  return [hostname(), pid, ...(mark === null ? [] : [mark]), randomUUID()].join('/');
}

/** What killed a process may have hurt the disk too; a ledger that was closed in peace is not read through each time. */
function assertSound(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (found !== 'ok') throw new LedgerUnusable(DAMAGED);
}

function assertDurable(database: DatabaseSync): void {
  const mode = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
  const synchronous = database.prepare('PRAGMA synchronous').get()?.['synchronous'];
  if (mode !== 'wal' || synchronous !== SYNCHRONOUS_FULL) {
    throw new LedgerUnusable({
      en: 'The ledger cannot be kept durably here; it needs a local disk, not a network share.',
      fr: 'Le registre ne peut pas être conservé ici de façon sûre ; il lui faut un disque local, pas un partage réseau.',
    });
  }
}

// How a run on this ledger tells those of other hosts that it still works, as containers on one volume are to each other: none of them sees the
// processes of another. Runs of one host do without it, and so a killed one is known at once.

/** Seldom enough to cost nothing. */
const BEAT_MS = 15_000;

/** Three beats may be missed on a busy machine; whatever a lost host has left is taken up after this. */
const FRESH_MS = 60_000;

/** Beside the ledger, for whoever removes that. */
const FOLDER = '.runs';

/** Where each run of this process finds the others of its ledger. */
const folders = new Map<string, string>();

/** Beats until what it gives is called. A beat that the disk does not take is told to `onFault`, and to the other hosts this run counts as lost. */
export function startHeartbeat(
  ledgerPath: string,
  run: string,
  onFault: (error: unknown) => void,
): () => void {
  const folder = join(dirname(ledgerPath), FOLDER);
  const attempt = (work: (folder: string, run: string) => void): void => {
    try {
      work(folder, run);
    } catch (error) {
      onFault(error);
    }
  };
  folders.set(run, folder);
  attempt(beat);
  attempt(removeStale);
  const stop = repeatEvery(BEAT_MS, () => attempt(beat));
  return () => {
    stop();
    folders.delete(run);
    attempt(() => rmSync(fileOf(folder, run), { force: true }));
  };
}

/** True when the run of another host that `owner` names has told a short time ago that it works on the ledger of `run`. */
function hasHeartbeat(owner: string, run: string): boolean {
  const folder = folders.get(run);
  return folder !== undefined && isFresh(fileOf(folder, owner));
}

/** By real time: a heart beats for other processes. */
function beat(folder: string, run: string): void {
  const seconds = systemClock.now() / 1_000;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(folder, run), `${run}\n`, { mode: 0o600 });
  utimesSync(fileOf(folder, run), seconds, seconds);
}

/** What killed runs have left; one that only stood still beats again. */
function removeStale(folder: string): void {
  for (const path of readdirSync(folder).map((name) => join(folder, name)))
    if (!isFresh(path)) rmSync(path, { force: true });
}

function isFresh(path: string): boolean {
  const found = statOrNull(path);
  // A clock that was set back must not keep the dead alive until it is as late again.
  return found?.isFile() === true && Math.abs(systemClock.now() - found.mtimeMs) < FRESH_MS;
}

/** What may not be read says as little as what is not there. */
function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** A run's name ends with an id that no other has. */
function fileOf(folder: string, run: string): string {
  return join(folder, basename(run));
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
  throw new LedgerUnusable({
    en: `The ledger lies on a network drive (${name}), where it is not safe. Set PAYDROP_LEDGER_URL to a folder of this machine's own disk.`,
    fr: `Le registre se trouve sur un lecteur réseau (${name}), où il n'est pas en sûreté. Dirigez PAYDROP_LEDGER_URL vers un dossier du disque de cette machine.`,
  });
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

// What tells a process from another one that has its number: numbers are given anew, above all after a reboot, when a daemon that starts with the
// machine finds the numbers of yesterday in other hands. Only Linux tells it; elsewhere the number has to do.

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** Where the start of the process stands in its `stat`, counted behind its name: the 22nd field, and the name is the second. */
const START_BEHIND_NAME = 22 - 3;

/** The boot of the machine and the start of the process since, without a slash; null where nobody tells. */
export function processMark(processId: number): string | null {
  const boot = read(BOOT_ID)?.trim() ?? null;
  const start = startOf(processId);
  return boot === null || start === null ? null : `${boot}.${start}`;
}

/** False when the process that bears the number now cannot be the one of the mark. */
function mayBear(mark: string, processId: number): boolean {
  const [boot, start] = mark.split('.');
  const bootNow = read(BOOT_ID)?.trim() ?? null;
  if (bootNow === null || boot !== bootNow) return bootNow === null;
  const startNow = startOf(processId);
  return startNow === null || startNow === start;
}

function startOf(processId: number): string | null {
  const stat = read(`/proc/${String(processId)}/stat`);
  // The name is any text in brackets, with spaces and brackets of its own.
  const behindName = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return behindName?.[START_BEHIND_NAME] ?? null;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Another system, or one that hides the processes of others.
    return null;
  }
}
