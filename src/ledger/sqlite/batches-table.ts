// Batches to and from their table. The record is JSON; the other columns serve searches.
import type { RefusalCounts } from '../../payouts/limits.ts';
import type { RunId } from '../../payouts/progress.ts';
import type { Asked } from '../approval.ts';
import { acceptedAtOf, assertMayBecome, checkedTo, commitmentOf, pauseOf } from '../batch-rules.ts';
import { readRecord } from '../ledger-unusable.ts';
import type { WhichBatches } from '../ledger.ts';
import type { BatchChange, BatchRecord } from '../records.ts';
import { batchDigest, digestOf, SEALED_BATCH_COLUMNS } from '../seals.ts';
import { endClaimsOn } from './claims-table.ts';
import type { Sql } from './group-commit.ts';

/** Both halves are read from indexes that hold nothing else; the conditions are theirs, word for word. */
const OPEN =
  "SELECT owner, token, record FROM batches WHERE state NOT IN ('closed', 'refused') ORDER BY accepted_at, id";
const CLOSED_TO_LOOK_AT = `
  SELECT owner, token, record FROM batches WHERE state = 'closed' AND id IN (
    SELECT batch FROM row_states INDEXED BY rows_ended_due WHERE stage IN ('paid', 'failed') AND due_at IS NOT NULL AND due_at <= ?
    UNION
    SELECT id FROM batches INDEXED BY batches_closed_restless
     WHERE state = 'closed' AND (record ->> '$.finished.due' IS NOT NULL OR record ->> '$.wait' IS NOT NULL))
   ORDER BY accepted_at, id`;

const NEWEST = `
  SELECT owner, token, record FROM batches WHERE ?1 IS NULL OR (accepted_at, id) < (?1, ?2)
   ORDER BY accepted_at DESC, id DESC LIMIT +?3`;

const ALL = 'SELECT owner, token, record FROM batches';

/** As the conditions of their indexes have it, word for word. */
const OF_BYTES = `${ALL} WHERE file_id >= ?1 AND file_id < ?1 || '$' ORDER BY accepted_at, id`;
const OF_CONTENT = `${ALL} WHERE content_fingerprint = ? ORDER BY accepted_at, id`;
const OF_MESSAGES = `${ALL} WHERE record ->> '$.content.message' IS NOT NULL AND accepted_at >= ? ORDER BY accepted_at, id`;
const DISPENSED = `${ALL} WHERE record ->> '$.approval.on' = ? ORDER BY accepted_at, id`;

export type BatchesTable = ReturnType<typeof batchesTable>;

export function batchesTable(sql: Sql) {
  const where = (column: 'id' | 'file_id', value: string): BatchRecord | null => {
    const found = sql(`SELECT owner, token, record FROM batches WHERE ${column} = ?`).get(value);
    return found === undefined ? null : toBatchRecord(found);
  };
  const known = (id: string): BatchRecord => {
    const batch = where('id', id);
    if (batch === null) throw new Error(`There is no batch ${id} to change.`);
    return batch;
  };
  /** As they were asked for since the write transaction began: nobody else writes in it. */
  const paused = new Map<string, boolean>();
  return {
    /** To be called when a write transaction has begun. */
    begin: (): void => paused.clear(),
    where,
    /** Throws when there is none. */
    known,
    which: (which?: WhichBatches): readonly BatchRecord[] => linesOfWhich(sql, which).map(toBatchRecord),
    unknownAmong: (names: readonly string[]): readonly string[] =>
      sql('SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM batches)')
        .all(JSON.stringify(names))
        .map(({ value }) => String(value)),
    /** Of the record as it stands; null when there is none. */
    digest: (id: string): string | null => {
      const found = sql(`SELECT ${SEALED_BATCH_COLUMNS} FROM batches WHERE id = ?`).get(id);
      return found === undefined ? null : batchDigest(found);
    },
    /** Inside a write transaction. */
    isPaused: (id: string): boolean => {
      const found =
        paused.get(id) ?? sql('SELECT paused FROM batches WHERE id = ?').get(id)?.['paused'] === 1;
      paused.set(id, found);
      return found;
    },
    insert: (batch: BatchRecord, owner: string): void =>
      insertBatch(sql, { ...batch, owner, token: nextToken(sql) }, owner),
    /** Throws when the batch is not there, or may not go that way from where it stands. */
    change: (id: string, change: BatchChange): void => {
      paused.clear();
      changeBatch(sql, known(id), change);
    },
    /** Under a token that no carrier of any batch had before. Rows that an earlier carrier of the same run left behind a fault are free. */
    takeOver: (id: string, owner: string): void => takeOver(sql, id, owner),
    ...carriers(sql),
    delete: (id: string): void => {
      sql('DELETE FROM batches WHERE id = ?').run(id);
      sql('DELETE FROM carriers WHERE batch = ?').run(id);
    },
  };
}

function linesOfWhich(sql: Sql, which?: WhichBatches) {
  if (which === undefined) return sql(`${ALL} ORDER BY accepted_at, id`).all();
  if ('toLookAt' in which) return [...sql(OPEN).all(), ...sql(CLOSED_TO_LOOK_AT).all(which.toLookAt)];
  if ('sha256' in which) return sql(OF_BYTES).all(which.sha256);
  if ('content' in which) return sql(OF_CONTENT).all(which.content);
  if ('messagesSince' in which) return sql(OF_MESSAGES).all(which.messagesSince);
  if ('dispensedOn' in which) return sql(DISPENSED).all(which.dispensedOn);
  const { before, limit } = which;
  return sql(NEWEST).all(before?.acceptedAt ?? null, before?.id ?? null, limit);
}

function carriers(sql: Sql) {
  return {
    /** Other runs that have carried it, and have not ended by their own word. */
    carriersBeside: (id: string, run: RunId): readonly RunId[] =>
      sql('SELECT run FROM carriers WHERE batch = ? AND run <> ?')
        .all(id, run)
        .map((found) => String(found['run'])),
    /** To be called once the doubt that a dead one leaves is on record. */
    forgetCarrier: (id: string, run: RunId): void => {
      sql('DELETE FROM carriers WHERE batch = ? AND run = ?').run(id, run);
    },
  };
}

function takeOver(sql: Sql, id: string, owner: string): void {
  sql('UPDATE batches SET owner = ?, token = ? WHERE id = ?').run(owner, nextToken(sql), id);
  endClaimsOn(sql, id, owner);
  addCarrier(sql, id, owner);
}

function addCarrier(sql: Sql, id: string, run: RunId): void {
  sql('INSERT INTO carriers (batch, run) VALUES (?, ?) ON CONFLICT DO NOTHING').run(id, run);
}

function changeBatch(sql: Sql, batch: BatchRecord, change: BatchChange): void {
  const changed = { ...batch, ...change };
  assertMayBecome(batch, changed);
  const columns = COLUMNS.map((column) => `${column} = ?`).join(', ');
  sql(`UPDATE batches SET ${columns} WHERE id = ?`).run(...columnsOf(changed), batch.id);
}

/** The columns that follow from the record, and change with it. */
const COLUMNS = [
  'content_fingerprint',
  'paused',
  'state',
  'counts',
  'checked_to',
  'recent_from',
  'record',
] as const;

function columnsOf(batch: BatchRecord): readonly (string | number | null)[] {
  return [
    batch.content?.fingerprint ?? null,
    pauseOf(batch) === null ? 0 : 1,
    batch.state,
    commitmentOf(batch),
    checkedTo(batch),
    acceptedAtOf(batch),
    JSON.stringify({ ...batch, owner: undefined, token: undefined }),
  ];
}

function nextToken(sql: Sql): number {
  const next = `INSERT INTO meta VALUES ('token', '1') ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value`;
  return Number(sql(next).get()?.['value']);
}

/** Gives back the batches of a run that ends by its own word: it does nothing more for any. */
export function endBatchesOf(sql: Sql, run: string): void {
  sql('DELETE FROM carriers WHERE run = ?').run(run);
  sql('UPDATE batches SET owner = NULL WHERE owner = ?').run(run);
}

function insertBatch(sql: Sql, batch: BatchRecord, owner: RunId): void {
  const columns = ['id', 'file_id', 'accepted_at', 'owner', 'token', ...COLUMNS];
  sql(`INSERT INTO batches (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`).run(
    batch.id,
    batch.fileId,
    batch.acceptedAt,
    batch.owner,
    batch.token,
    ...columnsOf(batch),
  );
  addCarrier(sql, batch.id, owner);
}

function toBatchRecord(found: Readonly<Record<string, unknown>>): BatchRecord {
  const record = readRecord(String(found['record'])) as Omit<BatchRecord, 'owner' | 'token'>;
  const { owner, token } = found;
  return { ...record, owner: typeof owner === 'string' ? owner : null, token: Number(token) };
}

// Which rows of a batch its last question was about: a row that is released later is not paid on an answer that did not know of it.

/** Rows that may still be sent, and are in no question yet when they stand here and not in the table. */
const UNCOVERED = `
  SELECT count(*) AS rows FROM row_states r
   WHERE r.batch = ? AND r.stage IN ('ready', 'quoted', 'created', 'confirming') AND r.held IS NULL
     AND NOT EXISTS (SELECT 1 FROM approved_rows a WHERE a.batch = r.batch AND a.position = r.position)`;

export type ApprovedRows = ReturnType<typeof approvedRows>;

export function approvedRows(sql: Sql) {
  const positions = (batch: string): readonly number[] =>
    sql('SELECT position FROM approved_rows WHERE batch = ? ORDER BY position')
      .all(batch)
      .map((found) => Number(found['position']));
  return {
    has: ({ batch, position }: { readonly batch: string; readonly position: number }): boolean =>
      sql('SELECT 1 FROM approved_rows WHERE batch = ? AND position = ?').get(batch, position) !== undefined,
    /** Replaces them; gives their digest. */
    set: (batch: string, asked: readonly number[]): string => {
      sql('DELETE FROM approved_rows WHERE batch = ?').run(batch);
      const insert = sql('INSERT INTO approved_rows (batch, position) VALUES (?, ?)');
      for (const position of asked) insert.run(batch, position);
      return digestOf(positions(batch));
    },
    /** How many rows that may be sent the question did not know; all of them when its own rows are not as it left them. */
    uncovered: (batch: string, { coverage }: Pick<Asked, 'coverage'>): number => {
      if (digestOf(positions(batch)) !== coverage) return Infinity;
      return Number(sql(UNCOVERED).get(batch)?.['rows']);
    },
  };
}

// How many rows of a batch the service or the network has decided, read from the rows as they stand.

/** The service's codes are numbers; ours say nothing of the service. */
const DECISIONS = `
  SELECT count(*) AS decided, coalesce(sum(stage IN ('failed', 'rejected') OR (stage = 'confirmed' AND code IS NOT NULL)), 0) AS refused
    FROM (SELECT stage, json_extract(progress, '$.why.errorCode') AS code FROM row_states
           WHERE batch = ? AND held IS NULL AND stage IN ('confirmed', 'paid', 'failed', 'rejected'))
   WHERE stage <> 'rejected' OR code GLOB '[0-9]*'`;

export function refusalCounts(sql: Sql, batch: string): RefusalCounts {
  const found = sql(DECISIONS).get(batch);
  return { decided: Number(found?.['decided']), refused: Number(found?.['refused']) };
}

// The account of the service that a ledger belongs to.

export function boundAccount(sql: Sql): string | null {
  const found = sql(`SELECT value FROM meta WHERE name = 'account'`).get()?.['value'];
  return found === undefined ? null : String(found);
}

export function bindAccount(sql: Sql, account: string, seen: string | null): boolean {
  if (boundAccount(sql) !== seen) return false;
  sql(
    `INSERT INTO meta (name, value) VALUES ('account', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ).run(account);
  return true;
}

export function ledgerId(sql: Sql): string {
  return String(sql(`SELECT value FROM meta WHERE name = 'ledger'`).get()?.['value']);
}
