// Opens the ledger: the folder's lock and durability settings, the schema, and a check that the disk really is asked to keep what we write.
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';

import type { Clock } from '../base/clock.ts';
import { addDecimals } from '../base/decimal.ts';
import { referenceKey } from '../payouts/duplicates.ts';
import { hasHeartbeat } from './heartbeat.ts';
import type { Ledger } from './ledger.ts';
import { DAMAGED, LedgerUnusable, asLedgerUnusable } from './ledger-unusable.ts';
import { assertLocalDisk } from './network-disk.ts';
import { mayBear, processMark } from './process-mark.ts';
import { enterWal } from './sqlite/enter-wal.ts';
import { ensureSchema } from './sqlite/schema.ts';
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
