// The tables. Progress and payout are JSON, because only the other columns are ever searched.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

import { systemClock } from '../../base/clock.ts';
import { WITHOUT_DATE } from '../encounters.ts';
import { isAlive, type Machine } from '../runs.ts';
import { BATCHES_TABLES } from '../tables/batches.ts';
import { EXCHANGE_TABLES } from '../tables/exchange.ts';
import { NOTICES_TABLE } from '../tables/notices.ts';
import { ORDERS_TABLE } from '../tables/orders.ts';
import { inSqlite, tableInSqlite } from './dialect.ts';
import { isLocked, statements } from './group-commit.ts';
import {
  SAME_TABLES,
  stepsBetween,
  UNFINISHED_THERE,
  upgradeOfDays,
  type UpgradeSteps,
  upgradeWaits,
} from '../upgrades.ts';
import { openRuns, RUNS_TABLE } from './runs-table.ts';
import { assertOwnVersion, SCHEMA_VERSION, versionOf } from './schema-version.ts';

/** From 1.0.0-rc.1 on; ledgers of development before it are refused. */
const UPGRADES: UpgradeSteps = new Map([
  [45, 'CREATE INDEX batches_by_state ON batches (state);'],
  [46, SAME_TABLES],
  [47, 'ALTER TABLE row_states ADD COLUMN pay_on TEXT;'],
]);

/** Rows of a batch before that position have their keys. */
const KEYED_TO = 'ALTER TABLE batches ADD COLUMN keyed_to INTEGER NOT NULL DEFAULT 0;';

/** The fixed part of a row is separate from its state: the first is written once, and the second, which is small, with every step. */
const ROWS = `
  CREATE TABLE rows (
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    row TEXT NOT NULL,
    source_currency TEXT,
    reference TEXT,
    reference_key TEXT,
    lineage TEXT,
    fingerprint TEXT,
    payment TEXT,
    payee TEXT,
    payee_short TEXT,
    account TEXT,
    payout TEXT,
    PRIMARY KEY (batch, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE row_states (
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    -- As in its row, which never changes.
    source_currency TEXT,
    -- Digest of the row that it is the state of.
    fixed TEXT NOT NULL,
    stage TEXT NOT NULL,
    -- The code of the hold that lies over the stage.
    held TEXT,
    rejections TEXT NOT NULL,
    progress TEXT NOT NULL,
    version INTEGER NOT NULL,
    written_by TEXT NOT NULL,
    counted_day TEXT,
    counted TEXT,
    due_at INTEGER,
    -- How often somebody said "look now": a look that was under way then does not count.
    hints INTEGER NOT NULL DEFAULT 0,
    pay_on TEXT,
    PRIMARY KEY (batch, position)
  ) STRICT, WITHOUT ROWID;
  CREATE VIEW whole_rows AS
    SELECT r.*, s.fixed, s.stage, s.held, s.rejections, s.progress, s.version, s.hints, s.written_by, s.counted_day, s.counted, s.due_at
      FROM rows r JOIN row_states s ON s.batch = r.batch AND s.position = r.position;
  -- What rows have in common with others, by kind: see keys-table.ts.
  CREATE TABLE row_keys (
    kind INTEGER NOT NULL,
    key TEXT NOT NULL,
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (kind, key, batch, position)
  ) STRICT, WITHOUT ROWID;
  -- Few rows have it, and it grows as they come.
  CREATE INDEX rows_by_lineage ON rows (${WITHOUT_DATE('lineage')}) WHERE lineage IS NOT NULL;
  -- The owner of a batch finds the next rows at the front of their stage and currency, however many others are due.
  CREATE INDEX rows_due ON row_states (batch, stage, source_currency, due_at, position) WHERE due_at IS NOT NULL;
  -- What is paid and old meets nothing.
  CREATE INDEX rows_unpaid ON row_states (batch, position) WHERE stage <> 'paid';
  CREATE INDEX rows_ended_due ON row_states (due_at, batch) WHERE stage IN ('paid', 'failed') AND due_at IS NOT NULL;
  -- A notification names its transfer, and finds the row before its id at the service is known here.
  CREATE TABLE transfers (
    external_id TEXT PRIMARY KEY,
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- What rows of a day come to, and those of a file on each day, for the limits.
  CREATE TABLE spent (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    day TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount TEXT NOT NULL,
    PRIMARY KEY (scope, key, day, currency)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX spent_by_day ON spent (day, key) WHERE scope = 'file';
`;

/**
 * Triggers keep honest programs honest; a change that gets round them is found by the hashes. None watches inserts: it would cost every write more
 * than the seal itself.
 */
const EVENTS = `
  CREATE TABLE groups (
    -- The numbers of its first event and of its last.
    seq INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    at TEXT NOT NULL,
    batch TEXT NOT NULL,
    -- Between which its rows lie; null for events of the batch itself.
    from_position INTEGER,
    to_position INTEGER,
    hash TEXT NOT NULL,
    events TEXT NOT NULL,
    -- Of a group that was moved here from another ledger: the chain that it belongs to, and the number of its first event there.
    chain TEXT,
    chain_seq INTEGER
  ) STRICT;
  CREATE INDEX groups_by_batch ON groups (batch, to_position, from_position);
  CREATE TRIGGER groups_stay_as_they_are BEFORE UPDATE ON groups
    BEGIN SELECT raise(ABORT, 'The history is only ever added to.'); END;
  CREATE TRIGGER groups_stay BEFORE DELETE ON groups
    BEGIN SELECT raise(ABORT, 'The history is only ever added to.'); END;
`;

const META = 'CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;';

const TABLES = [
  META,
  RUNS_TABLE,
  inSqlite(tableInSqlite(BATCHES_TABLES)),
  KEYED_TO,
  ROWS,
  EVENTS,
  tableInSqlite(NOTICES_TABLE),
  tableInSqlite(ORDERS_TABLE),
  tableInSqlite(EXCHANGE_TABLES),
];

/** Gives a new ledger its tables, in one transaction, brings one of an earlier release up to this one, and refuses any other. */
export function ensureSchema(database: DatabaseSync, machine: Machine): void {
  if (versionOf(database) === SCHEMA_VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have made them while we waited for the lock.
    if (versionOf(database) === 0) {
      for (const tables of TABLES) database.exec(tables);
      database.prepare("INSERT INTO meta VALUES ('ledger', ?)").run(randomUUID());
      database.exec(`PRAGMA user_version = ${String(SCHEMA_VERSION)}`);
    }
    upgrade(database, machine);
    assertOwnVersion(database);
    database.exec('COMMIT');
  } catch (error) {
    // A full disk has taken it back already; saying so again would be the error that is told.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** A process of the earlier release would go on with a ledger that it does not know: none may be at work. */
function upgrade(database: DatabaseSync, machine: Machine): void {
  const written = versionOf(database);
  const steps = stepsBetween(UPGRADES, written, SCHEMA_VERSION);
  if (steps === null) return;
  const isWorkedWith = openRuns(statements(database)).some((run) => isAlive(run, machine, systemClock.now()));
  if (isWorkedWith) throw upgradeWaits(written);
  if (database.prepare(UNFINISHED_THERE).get() !== undefined) throw upgradeOfDays();
  for (const step of steps) database.exec(step);
  database.exec(`PRAGMA user_version = ${String(SCHEMA_VERSION)}`);
}

/** Inside a commit: the tables of a ledger without anything in them, its id neither. */
export function makeTablesAnew(database: DatabaseSync): void {
  for (const kind of ['view', 'table'])
    for (const { name } of database.prepare('SELECT name FROM sqlite_master WHERE type = ?').all(kind))
      database.exec(`DROP ${kind} ${String(name)}`);
  for (const tables of TABLES) database.exec(tables);
}

// Several processes may create the same ledger at the same moment. SQLite waits for locks, but not for this one, so we do.

/** Between two tries; another process holds the file for less than this. */
const PAUSE_MS = 20;

/** Sets the journal mode to WAL, the wait for it bounded. Nothing else runs in this process meanwhile: without a ledger it has nothing to do. */
export function enterWal(database: DatabaseSync, waitMs: number): void {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isLocked(error) || waitedMs >= waitMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}
