// Batches to and from their table. The record is JSON; the columns beside it are those that are searched by.
import { acceptedAtOf, checkedTo, commitmentOf } from '../batch-rules.ts';
import { mayBecome, isBeingRead, isBeingRebuilt } from '../batch-states.ts';
import { readRecord } from '../ledger-unusable.ts';
import type { BatchChange, BatchRecord } from '../records.ts';
import { batchDigest, SEALED_BATCH_COLUMNS } from './record-columns.ts';
import type { Sql } from './statements.ts';

/** Both halves are read from indexes that hold nothing else; the conditions are theirs, word for word. */
const OPEN = "SELECT record FROM batches WHERE state NOT IN ('closed', 'refused') ORDER BY accepted_at, id";
const CLOSED_TO_LOOK_AT = `
  SELECT record FROM batches WHERE state = 'closed' AND id IN (
    SELECT batch FROM rows INDEXED BY rows_ended_due WHERE stage IN ('paid', 'failed') AND due_at IS NOT NULL AND due_at <= ?
    UNION
    SELECT id FROM batches INDEXED BY batches_closed_restless
     WHERE state = 'closed' AND (record ->> '$.answersDue' IS NOT NULL OR record ->> '$.wait' IS NOT NULL))
   ORDER BY accepted_at, id`;

export type BatchesTable = ReturnType<typeof batchesTable>;

export function batchesTable(sql: Sql) {
  const where = (column: 'id' | 'file_id', value: string): BatchRecord | null => {
    const found = sql(`SELECT record FROM batches WHERE ${column} = ?`).get(value);
    return found === undefined ? null : toBatchRecord(found);
  };
  const known = (id: string): BatchRecord => {
    const batch = where('id', id);
    if (batch === null) throw new Error(`There is no batch ${id} to change.`);
    return batch;
  };
  return {
    where,
    all: (): readonly BatchRecord[] =>
      sql('SELECT record FROM batches ORDER BY accepted_at, id').all().map(toBatchRecord),
    toLookAt: (now: number): readonly BatchRecord[] =>
      [...sql(OPEN).all(), ...sql(CLOSED_TO_LOOK_AT).all(now)].map(toBatchRecord),
    withContent: (contentFingerprint: string, id: string): readonly BatchRecord[] =>
      sql('SELECT record FROM batches WHERE content_fingerprint = ? AND id <> ? ORDER BY accepted_at, id')
        .all(contentFingerprint, id)
        .map(toBatchRecord),
    /** Of the record as it stands; null when there is none. */
    digest: (id: string): string | null => {
      const found = sql(`SELECT ${SEALED_BATCH_COLUMNS} FROM batches WHERE id = ?`).get(id);
      return found === undefined ? null : batchDigest(found);
    },
    isPaused: (id: string): boolean =>
      sql('SELECT paused FROM batches WHERE id = ?').get(id)?.['paused'] === 1,
    insert: (batch: BatchRecord): void => insertBatch(sql, batch),
    /** Throws when the batch is not there, or may not go that way from where it stands. */
    change: (id: string, change: BatchChange): void => {
      const batch = known(id);
      const changed = { ...batch, ...change };
      if (!mayBecome(batch.state, changed.state))
        throw new Error(`Batch ${id} is ${batch.state} and cannot become ${changed.state}.`);
      if (changed.whole === 'reserving' && ['sending', 'following'].includes(changed.state))
        throw new Error(`Batch ${id} is not decided yet, and nothing of it may be confirmed.`);
      sql(`UPDATE batches SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`).run(
        ...columnsOf(changed),
        id,
      );
    },
    /** Throws unless this run alone is registering the rows of the batch. */
    registeredBy: (id: string, run: string): BatchRecord => {
      const batch = known(id);
      if (!(isBeingRead(batch) || isBeingRebuilt(batch)) || batch.takenBy !== run)
        throw new Error(`Batch ${id} is ${batch.state}, and its rows are not this run's to register.`);
      return batch;
    },
    delete: (id: string): void => {
      sql('DELETE FROM batches WHERE id = ?').run(id);
    },
  };
}

/** Those that change with the record, which they follow from. */
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
    batch.contentFingerprint,
    batch.paused ? 1 : 0,
    batch.state,
    commitmentOf(batch),
    checkedTo(batch),
    acceptedAtOf(batch),
    JSON.stringify(batch),
  ];
}

function insertBatch(sql: Sql, batch: BatchRecord): void {
  const columns = ['id', 'file_id', 'accepted_at', ...COLUMNS];
  sql(`INSERT INTO batches (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`).run(
    batch.id,
    batch.fileId,
    batch.acceptedAt,
    ...columnsOf(batch),
  );
}

function toBatchRecord(found: Readonly<Record<string, unknown>>): BatchRecord {
  // Batches of a ledger that knew no others are paid row by row.
  const record = readRecord(String(found['record'])) as Omit<BatchRecord, 'whole'> & Partial<BatchRecord>;
  return { whole: null, ...record };
}
