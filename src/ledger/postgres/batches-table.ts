// Batches to and from their table. The record is JSON; the other columns serve searches.
import type { RefusalCounts } from '../../payouts/limits.ts';
import type { Asked } from '../approval.ts';
import { acceptedAtOf, assertMayBecome, checkedTo, commitmentOf, isAtRest, pauseOf } from '../batch-rules.ts';
import { readRecord } from '../ledger-unusable.ts';
import type { WhichBatches } from '../ledger.ts';
import type { BatchChange, BatchRecord } from '../records.ts';
import { isRefusal } from '../row-rules.ts';
import { batchDigest, digestOf, type Found, SEALED_BATCH_COLUMNS } from '../seals.ts';
import { readProgress } from '../stored-rows.ts';
import type { Query } from './connect.ts';
import type { Tx } from './group-commit.ts';

/** With each batch comes whether its owner still works, so that nobody is taken for living who has ended. */
const SELECT = `SELECT owner, token, record, owner IS NULL OR EXISTS (SELECT 1 FROM runs WHERE run = owner AND ended_at IS NULL) AS is_owner_open FROM batches`;

const OPEN = `${SELECT} WHERE state NOT IN ('closed', 'refused') ORDER BY accepted_at, id`;

const CLOSED_TO_LOOK_AT = `
  ${SELECT} WHERE state = 'closed' AND id IN (
    SELECT batch FROM row_states WHERE queue IN ('paid', 'failed') AND queue_at <= $1
    UNION
    SELECT batch FROM row_states WHERE lease_until IS NOT NULL AND stage IN ('paid', 'failed') AND due_at <= $1
    UNION
    SELECT id FROM batches WHERE is_restless)
   ORDER BY accepted_at, id`;

const NEWEST = `
  ${SELECT} WHERE $1::text IS NULL OR (accepted_at, id) < ($1, $2) ORDER BY accepted_at DESC, id DESC LIMIT $3`;

/** As the conditions of their indexes have it, word for word. */
const OF_BYTES = `${SELECT} WHERE split_part(file_id, '#', 1) = $1 ORDER BY accepted_at, id`;
const OF_CONTENT = `${SELECT} WHERE content_fingerprint = $1 ORDER BY accepted_at, id`;
const OF_MESSAGES = `${SELECT} WHERE record::json -> 'content' ->> 'message' IS NOT NULL AND accepted_at >= $1 ORDER BY accepted_at, id`;
const DISPENSED = `${SELECT} WHERE record::json -> 'approval' ->> 'on' = $1 ORDER BY accepted_at, id`;

const UNKNOWN =
  'SELECT name FROM unnest($1::text[]) AS name WHERE NOT EXISTS (SELECT 1 FROM batches WHERE id = name)';

type Statement = { readonly text: string; readonly values: NonNullable<Parameters<Query>[1]> };

function statementsOf(which?: WhichBatches): readonly Statement[] {
  const one = (text: string, ...values: Statement['values']): readonly Statement[] => [{ text, values }];
  if (which === undefined) return one(`${SELECT} ORDER BY accepted_at, id`);
  if ('toLookAt' in which) return [...one(OPEN), ...one(CLOSED_TO_LOOK_AT, which.toLookAt)];
  if ('sha256' in which) return one(OF_BYTES, which.sha256);
  if ('content' in which) return one(OF_CONTENT, which.content);
  if ('messagesSince' in which) return one(OF_MESSAGES, which.messagesSince);
  if ('dispensedOn' in which) return one(DISPENSED, which.dispensedOn);
  return one(NEWEST, which.before?.acceptedAt ?? null, which.before?.id ?? null, which.limit);
}

type Learn = (run: string, isOpen: boolean) => void;

export type BatchesTable = ReturnType<typeof batchesTable>;

/** @param learn is told which owners work and which have ended. */
export function batchesTable(learn: Learn) {
  const toBatchRecord = (found: Found): BatchRecord => {
    const record = readRecord(String(found['record'])) as Omit<BatchRecord, 'owner' | 'token'>;
    const owner = typeof found['owner'] === 'string' ? found['owner'] : null;
    if (owner !== null) learn(owner, found['is_owner_open'] === true);
    return { ...record, owner, token: Number(found['token']) };
  };
  const one = async (query: Query, text: string, values: readonly string[]): Promise<BatchRecord | null> => {
    const [found] = await query(text, values);
    return found === undefined ? null : toBatchRecord(found);
  };
  const many = async (query: Query, text: string, values: Parameters<Query>[1] = []) =>
    (await query(text, values)).map(toBatchRecord);
  return {
    where: (query: Query, column: 'id' | 'file_id', value: string) =>
      one(query, `${SELECT} WHERE ${column} = $1`, [value]),
    which: async (query: Query, which?: WhichBatches): Promise<readonly BatchRecord[]> => {
      const asked = statementsOf(which).map(({ text, values }) => many(query, text, values));
      return (await Promise.all(asked)).flat();
    },
    unknownAmong: async (query: Query, names: readonly string[]): Promise<readonly string[]> =>
      (await query(UNKNOWN, [names])).map(({ name }) => String(name)),
    /** Those of these ids that there are. */
    of: (query: Query, ids: readonly string[]) => many(query, `${SELECT} WHERE id = ANY ($1)`, [ids]),
  };
}

// Writes, each inside a commit that nobody else's write of a batch comes between. What is sent behind a lock waits for it there.

/** One write of a batch at a time, for all batches and processes, as in SQLite: of two rows that meet, the one that is checked later sees the other. In its own statement, because a statement sees the state from before it waited. */
export function lockBatches({ query }: Tx): void {
  void query(`SELECT pg_advisory_xact_lock(hashtext('paydrop batches in ' || current_schema()))`);
}

/** By one id: a statement over a list would be planned each time. */
const SHARED = 'SELECT id, paused FROM batches WHERE id = $1 FOR SHARE';

/** The paused ones among these batches. Nobody changes one of them before the commit ends: earlier decisions are seen here. */
export async function pausedAmong(query: Query, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = [...ids].sort().map((id) => query(SHARED, [id]));
  const found = (await Promise.all(asked)).flat();
  return new Set(found.flatMap(({ id, paused }) => (paused === 1 ? [String(id)] : [])));
}

/** Nobody writes a row of the batch meanwhile either. */
export function lockRowsOf({ query }: Tx, id: string): void {
  void query('SELECT 1 AS is_locked FROM batches WHERE id = $1 FOR UPDATE', [id]);
}

/** Of the record as it stands; null when there is none. */
export async function digestOfBatch(query: Query, id: string): Promise<string | null> {
  const [found] = await query(`SELECT ${SEALED_BATCH_COLUMNS} FROM batches WHERE id = $1`, [id]);
  return found === undefined ? null : batchDigest(found);
}

/** The columns that follow from the record, and change with it. */
const COLUMNS = [
  'content_fingerprint',
  'paused',
  'state',
  'counts',
  'checked_to',
  'recent_from',
  'is_restless',
  'record',
] as const;

function columnsOf(batch: BatchRecord): readonly (string | number | boolean | null)[] {
  const { state } = batch;
  return [
    batch.content?.fingerprint ?? null,
    pauseOf(batch) === null ? 0 : 1,
    state,
    commitmentOf(batch),
    checkedTo(batch),
    acceptedAtOf(batch),
    state === 'closed' && !isAtRest(batch),
    JSON.stringify({ ...batch, owner: undefined, token: undefined }),
  ];
}

const CHANGE = `UPDATE batches SET ${COLUMNS.map((column, index) => `${column} = $${String(index + 2)}`).join(', ')} WHERE id = $1`;

/** Throws when the batch may not go that way from where it stands. */
export async function changeBatch(query: Query, batch: BatchRecord, change: BatchChange): Promise<void> {
  const changed = { ...batch, ...change };
  assertMayBecome(batch, changed);
  await query(CHANGE, [batch.id, ...columnsOf(changed)]);
}

const CARRY = 'INSERT INTO carriers (batch, run) VALUES ($1, $2) ON CONFLICT DO NOTHING';

/** Other runs that have carried it, and have not ended by their own word. */
export async function carriersBeside(query: Query, id: string, run: string): Promise<readonly string[]> {
  const found = await query('SELECT run FROM carriers WHERE batch = $1 AND run <> $2', [id, run]);
  return found.map((each) => String(each['run']));
}

/** To be called once the doubt that dead ones leave is on record. */
export async function forgetCarriers(query: Query, id: string, runs: readonly string[]): Promise<void> {
  await query('DELETE FROM carriers WHERE batch = $1 AND run = ANY ($2)', [id, runs]);
}

const INSERT = `
  INSERT INTO batches (id, file_id, accepted_at, owner, token, ${COLUMNS.join(', ')})
  VALUES ($1, $2, $3, $4, nextval('tokens'), ${COLUMNS.map((_, index) => `$${String(index + 5)}`).join(', ')})`;

export async function insertBatch(query: Query, batch: BatchRecord, owner: string): Promise<void> {
  await query(INSERT, [batch.id, batch.fileId, batch.acceptedAt, owner, ...columnsOf(batch)]);
  await query(CARRY, [batch.id, owner]);
}

/** Under a token that no carrier of any batch had before. */
export async function giveTo(query: Query, id: string, owner: string): Promise<void> {
  await query(`UPDATE batches SET owner = $2, token = nextval('tokens') WHERE id = $1`, [id, owner]);
  await query(CARRY, [id, owner]);
}

export async function deleteBatch(query: Query, id: string): Promise<void> {
  for (const [table, key] of [
    ['batches', 'id'],
    ['carriers', 'batch'],
  ] as const)
    await query(`DELETE FROM ${table} WHERE ${key} = $1`, [id]);
}

/** Gives back the batches of a run that ends by its own word: it does nothing more for any. */
export async function endBatchesOf(query: Query, run: string): Promise<void> {
  await query('UPDATE batches SET owner = NULL WHERE owner = $1', [run]);
  await query('DELETE FROM carriers WHERE run = $1', [run]);
}

// Which rows of a batch its last question was about: a row that is released later is not paid on an answer that did not know of it.

/** Rows that may still be sent, and are in no question yet when they stand here and not in the table. */
const UNCOVERED = `
  SELECT count(*) AS rows FROM row_states r
   WHERE r.batch = $1 AND r.stage IN ('ready', 'quoted', 'created', 'confirming') AND r.held IS NULL
     AND NOT EXISTS (SELECT 1 FROM approved_rows a WHERE a.batch = r.batch AND a.position = r.position)`;

async function coverageOf(query: Query, batch: string): Promise<string> {
  const found = await query('SELECT position FROM approved_rows WHERE batch = $1 ORDER BY position', [batch]);
  return digestOf(found.map(({ position }) => position));
}

/** Replaces them; gives their digest. */
export async function setApproved(query: Query, batch: string, asked: readonly number[]): Promise<string> {
  await query('DELETE FROM approved_rows WHERE batch = $1', [batch]);
  await query('INSERT INTO approved_rows (batch, position) SELECT $1, unnest($2::int[])', [batch, asked]);
  return coverageOf(query, batch);
}

/** How many rows that may be sent the question did not know; all of them when its own rows are not as it left them. */
export async function uncoveredRows(
  query: Query,
  batch: string,
  { coverage }: Pick<Asked, 'coverage'>,
): Promise<number> {
  if ((await coverageOf(query, batch)) !== coverage) return Infinity;
  const [found] = await query(UNCOVERED, [batch]);
  return Number(found?.['rows']);
}

const APPROVED = `
  SELECT a.batch, a.position FROM approved_rows a
    JOIN unnest($1::text[], $2::int[]) AS r (batch, position) ON a.batch = r.batch AND a.position = r.position`;

/** Which of these rows its batch's question was about, as `batch/position`. */
export async function approvedAmong(
  query: Query,
  rows: readonly { readonly batch: string; readonly position: number }[],
): Promise<ReadonlySet<string>> {
  const found = await query(APPROVED, [rows.map(({ batch }) => batch), rows.map(({ position }) => position)]);
  return new Set(found.map(({ batch, position }) => `${String(batch)}/${String(position)}`));
}

// How many rows of a batch the service or the network has decided, read from the rows as they stand.

const ENDED = `
  SELECT stage, count(*) AS rows FROM row_states
   WHERE batch = $1 AND held IS NULL AND stage IN ('confirmed', 'paid', 'failed') GROUP BY stage`;

/** Of these the code says whether the service has refused them. */
const WITH_CODE = `
  SELECT position, progress, written_by FROM row_states
   WHERE batch = $1 AND position > $2 AND held IS NULL AND stage IN ('confirmed', 'rejected') AND progress LIKE '%errorCode%'
   ORDER BY position LIMIT $3`;

const PAGE_ROWS = 1_000;

export async function refusalCounts(query: Query, batch: string): Promise<RefusalCounts> {
  const ended = new Map(
    (await query(ENDED, [batch])).map(({ stage, rows }) => [String(stage), Number(rows)]),
  );
  const refusals = { confirmed: 0, rejected: 0 };
  for (let after = -1; ;) {
    const page = await query(WITH_CODE, [batch, after, PAGE_ROWS]);
    for (const { progress, written_by: writer } of page) {
      const known = readProgress(String(progress), String(writer));
      if (isRefusal(known)) refusals[known.stage === 'rejected' ? 'rejected' : 'confirmed'] += 1;
    }
    if (page.length < PAGE_ROWS) break;
    after = Number(page.at(-1)?.['position']);
  }
  const [failed, rejected] = [ended.get('failed') ?? 0, refusals.rejected];
  const all = [...ended.values()].reduce((sum, rows) => sum + rows, 0);
  return { decided: all + rejected, refused: failed + rejected + refusals.confirmed };
}

// The service that a ledger belongs to: the first that asks is the one for ever.

export async function boundAccount(query: Query): Promise<string | null> {
  const [found] = await query(`SELECT value FROM meta WHERE name = 'account'`);
  return found === undefined ? null : String(found['value']);
}

export async function bindAccount(query: Query, account: string, seen: string | null): Promise<boolean> {
  const bind =
    seen === null
      ? `INSERT INTO meta (name, value) VALUES ('account', $1) ON CONFLICT (name) DO NOTHING RETURNING value`
      : `UPDATE meta SET value = $1 WHERE name = 'account' AND value = $2 RETURNING value`;
  return (await query(bind, seen === null ? [account] : [account, seen])).length > 0;
}
