// The tables: those of SQLite, with every digested column written as the same text, so that a ledger can move from one to the other with its
// history. The writes of each step are small and touch no index: such a write costs neither the maintenance of an index nor a look at one.
import { randomUUID } from 'node:crypto';

import { WITHOUT_DATE } from '../encounters.ts';
import { LedgerUnusable } from '../ledger-unusable.ts';
import { assertIsHere } from '../movable-ledger.ts';
import { BATCHES_TABLES } from '../tables/batches.ts';
import { EXCHANGE_TABLES } from '../tables/exchange.ts';
import { NOTICES_TABLE } from '../tables/notices.ts';
import { moveOf } from '../tables/moves.ts';
import { ORDERS_TABLE } from '../tables/orders.ts';
import type { Connection } from './connect.ts';
import { carryOutBy } from './plans.ts';
import { OPEN, RUNS_TABLES } from './runs-lines.ts';
import { isTrue } from '../plan.ts';
import {
  SAME_TABLES,
  stepsBetween,
  UNFINISHED_THERE,
  upgradeOfDays,
  type UpgradeSteps,
  upgradeWaits,
} from '../upgrades.ts';
import { sentence } from '../../messages/messages.ts';

/** Kept in `meta`. To be raised with every change of a table, or of what a record in it says; see the same number of SQLite. */
export const SCHEMA_VERSION = 17;

/** See the same steps of SQLite. */
const UPGRADES: UpgradeSteps = new Map([
  [14, 'CREATE INDEX batches_by_state ON batches (state);'],
  [15, SAME_TABLES],
  [16, 'ALTER TABLE row_states ADD COLUMN pay_on text;'],
]);

const META = 'CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);';

const ROWS = `
  -- Written once.
  CREATE TABLE rows (
    batch text NOT NULL,
    position int NOT NULL,
    row text NOT NULL,
    source_currency text,
    reference text,
    reference_key text,
    lineage text,
    fingerprint text,
    payment text,
    payee text,
    payee_short text,
    account text,
    payout text,
    -- Digest of all of the above.
    fixed text NOT NULL,
    PRIMARY KEY (batch, position)
  );
  CREATE INDEX rows_by_reference ON rows (reference_key, reference) WHERE reference_key IS NOT NULL;
  -- With the batch, which is named by its day: what a payee got in other files is not read.
  CREATE INDEX rows_by_payment ON rows (payment, batch, position) WHERE payment IS NOT NULL;
  CREATE INDEX rows_by_lineage ON rows (${WITHOUT_DATE('lineage')}) WHERE lineage IS NOT NULL;
  CREATE INDEX rows_by_payee ON rows (payee, batch) WHERE payee IS NOT NULL;
  CREATE INDEX rows_by_short_payee ON rows (payee_short, batch) WHERE payee_short IS NOT NULL;
  CREATE INDEX rows_by_account ON rows (account, batch) WHERE account IS NOT NULL;

  -- Written with every step.
  CREATE TABLE row_states (
    batch text NOT NULL,
    position int NOT NULL,
    version int NOT NULL,
    stage text NOT NULL,
    held text,
    source_currency text,
    counted_day text,
    counted text,
    due_at bigint,
    -- How often somebody said "look now": a look that was under way then does not count.
    hints int NOT NULL DEFAULT 0,
    written_by text NOT NULL,
    rejections text NOT NULL,
    progress text NOT NULL,
    -- The day on which it is paid, until that has come: nothing of it is sent before.
    pay_on text,
    PRIMARY KEY (batch, position)
    -- A row grows to five times its first size: a step that finds room in the row's own page changes no index.
  ) WITH (fillfactor = 12, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX rows_due ON row_states (batch, stage, source_currency, due_at, position) WHERE due_at IS NOT NULL;
  CREATE INDEX rows_ended_due ON row_states (due_at, batch) WHERE stage IN ('paid', 'failed') AND due_at IS NOT NULL;

  CREATE TABLE transfers (external_id text PRIMARY KEY, batch text NOT NULL, position int NOT NULL, attempt int NOT NULL);
  CREATE TABLE spent (
    scope text NOT NULL,
    key text NOT NULL,
    day text NOT NULL,
    currency text NOT NULL,
    amount numeric NOT NULL,
    PRIMARY KEY (scope, key, day, currency)
  ) WITH (fillfactor = 50);
  CREATE INDEX spent_by_day ON spent (day, key) WHERE scope = 'file';
`;

/** A statement that found a row otherwise than it was seen says so itself: nobody has to wait for its answer to know that all behind it fails. */
const MEETINGS = `
  CREATE FUNCTION met_another() RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'A row was written meanwhile.' USING ERRCODE = 'serialization_failure'; END $$;
`;

/** Every run has a chain of its own, so that none waits for the head of another's; `id` is the order of all. */
const GROUPS = `
  CREATE TABLE groups (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text NOT NULL,
    -- The numbers of its first event and of its last, in the chain of its run.
    seq bigint NOT NULL,
    last bigint NOT NULL,
    at text NOT NULL,
    batch text NOT NULL,
    from_position int,
    to_position int,
    hash text NOT NULL,
    events text NOT NULL,
    UNIQUE (run, seq)
  );
  -- Digests hardly become shorter: to compress them costs a tenth of the work of the database.
  ALTER TABLE groups ALTER COLUMN events SET STORAGE EXTERNAL;
  CREATE INDEX groups_by_batch ON groups (batch, to_position, from_position);
  CREATE FUNCTION groups_stay() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'The history is only ever added to.'; END $$;
  CREATE TRIGGER groups_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON groups EXECUTE FUNCTION groups_stay();
`;

const TABLES = [
  META,
  RUNS_TABLES,
  BATCHES_TABLES,
  ROWS,
  MEETINGS,
  GROUPS,
  NOTICES_TABLE,
  EXCHANGE_TABLES,
  ORDERS_TABLE,
];

/** Gives a new ledger its tables, one process at a time, brings one of an earlier release up to this one, and refuses any other. Gives the id of the ledger. */
export async function ensureSchema(connection: Connection, schema: string): Promise<string> {
  if ((await versionOf(connection, schema)) !== SCHEMA_VERSION) await makeTables(connection, schema);
  const [found] = await connection.query("SELECT value FROM meta WHERE name = 'ledger'");
  return String(found?.['value']);
}

/** As `ensureSchema`, for a ledger that is to be worked with. */
export async function openSchema(connection: Connection, schema: string): Promise<string> {
  const id = await ensureSchema(connection, schema);
  await assertUsable(connection);
  return id;
}

/** Also to be called when a run begins. Throws `LedgerUnusable` where the ledger was moved, or upgraded since it was opened. */
export async function assertUsable(connection: Connection): Promise<void> {
  const [found] = await connection.query("SELECT value FROM meta WHERE name = 'schema'");
  assertOwnVersion(Number(found?.['value']));
  assertIsHere(await carryOutBy((text, values) => connection.query(text, values), moveOf()));
}

async function makeTables(connection: Connection, schema: string): Promise<void> {
  await connection.query('BEGIN');
  try {
    await lockSchema(connection, schema);
    if ((await versionOf(connection, schema)) === 0) {
      await connection.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
      await putTables(connection);
      await connection.query("INSERT INTO meta VALUES ('ledger', $1)", [randomUUID()]);
    }
    await upgrade(connection, await versionOf(connection, schema));
    assertOwnVersion(await versionOf(connection, schema));
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** A node of the earlier release would go on with a ledger that it does not know: none may be at work. */
async function upgrade(connection: Connection, written: number): Promise<void> {
  const steps = stepsBetween(UPGRADES, written, SCHEMA_VERSION);
  if (steps === null) return;
  const open = await connection.query(OPEN);
  if (open.some((run) => isTrue(run['is_locked']))) throw upgradeWaits(written);
  if ((await connection.query(UNFINISHED_THERE)).length > 0) throw upgradeOfDays();
  for (const step of steps) await connection.script(step);
  await connection.query("UPDATE meta SET value = $1 WHERE name = 'schema'", [String(SCHEMA_VERSION)]);
}

async function lockSchema(connection: Connection, schema: string): Promise<void> {
  await connection.query("SELECT pg_advisory_xact_lock(hashtext('paydrop schema'), hashtext($1))", [schema]);
}

async function putTables(connection: Connection): Promise<void> {
  await connection.script(TABLES.join('\n'));
  await connection.query("INSERT INTO meta VALUES ('schema', $1)", [String(SCHEMA_VERSION)]);
}

/** Inside a commit: the tables of a ledger without anything in them, its id neither. What else lies in the schema stays. */
export async function makeTablesAnew(connection: Connection, schema: string): Promise<void> {
  await lockSchema(connection, schema);
  const made = [...TABLES.join('\n').matchAll(/CREATE (TABLE|FUNCTION) (\w+)/g)];
  const drops = ['TABLE', 'FUNCTION'].map((kind) => {
    const names = made.flatMap(([, of, name]) => (of === kind ? [name] : []));
    return `DROP ${kind} ${names.join(', ')};`;
  });
  await connection.script(drops.join('\n'));
  await putTables(connection);
}

function assertOwnVersion(version: number): void {
  if (version === SCHEMA_VERSION) return;
  const [written, read] = [String(version), String(SCHEMA_VERSION)];
  throw new LedgerUnusable(sentence('ledger.otherSchema', { written, read }));
}

/** 0 where there is none. */
async function versionOf(connection: Connection, schema: string): Promise<number> {
  // Looked up as data: a session remembers for a while that a name was none, also past the lock under which another one made it.
  const meta = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'meta'";
  if ((await connection.query(meta, [schema])).length === 0) return 0;
  const [found] = await connection.query("SELECT value FROM meta WHERE name = 'schema'");
  return Number(found?.['value'] ?? 0);
}
