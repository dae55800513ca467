// What a row is found by where its place is not known: what it has in common with other rows (its reference, its payment, its payee and account), and the
// ids of its transfers. Keys lie all over their table. Written with each commit of a large file they would have nearly every page of it written each
// time; so they are written in their order once the rows are there, and each page is written once.
import { externalId } from '../../payouts/payout.ts';
import type { BatchRecord, NamedTransfer, NewRow, RowRecord } from '../records.ts';
import { ROW_COLUMNS, toRowRecord, isWithoutCall } from './rows-table.ts';
import { attemptNumberOf } from '../../payouts/progress.ts';
import type { Sql } from './group-commit.ts';
import { ACCOUNT, PAYEE, PAYMENT, REFERENCE, REFERENCE_OF } from './encounters-query.ts';

/** Each kind with what of a row in `rows` is its key. A payee is found by the short form of the name too. */
const KEYS = [
  [REFERENCE, REFERENCE_OF('reference_key', 'reference')],
  [PAYMENT, 'payment'],
  [PAYEE, 'payee'],
  [PAYEE, 'payee_short'],
  [ACCOUNT, 'account'],
] as const;

const PUT = 'INSERT OR IGNORE INTO row_keys (kind, key, batch, position) VALUES (?, ?, ?, ?)';

const PUT_OF_ROW = `INSERT OR IGNORE INTO row_keys (kind, key, batch, position) ${KEYS.map(
  ([kind, key]) =>
    `SELECT ${kind}, ${key}, batch, position FROM rows WHERE batch = ?1 AND position = ?2 AND ${key} IS NOT NULL`,
).join(' UNION ALL ')}`;

const READ = `
  SELECT position, ${KEYS.map(([, key], index) => `${key} AS key_${String(index)}`).join(', ')}
    FROM rows WHERE batch = ? AND position >= ? AND position < ? ORDER BY position`;

const REMOVE = KEYS.map(
  ([kind, key]) =>
    `DELETE FROM row_keys WHERE kind = ${kind} AND (key, batch, position) IN (SELECT ${key}, batch, position FROM rows WHERE batch = ?)`,
);

/** Of a row `r` of a batch `b`: a key that others must find it by is not there. */
export const LACKS_KEY = `(r.position < max(b.keyed_to, b.checked_to) AND (${KEYS.map(
  ([kind, key]) =>
    `${ofRow(key)} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM row_keys k WHERE k.kind = ${kind} AND k.key = ${ofRow(key)} AND k.batch = r.batch AND k.position = r.position)`,
).join(' OR ')}))`;

function ofRow(key: string): string {
  return key.replace(/\b(?:reference_key|reference|payment|payee_short|payee|account)\b/g, 'r.$&');
}

/** The most rows whose keys are put into their order together: each page is written once for so many. */
const SWEEP_ROWS = 50_000;

/** Rows that are read in one go, and keys that one commit writes: some ten milliseconds. */
const READ_ROWS = 5_000;
const PIECE_KEYS = 5_000;

/** Keys to be written in one commit. The last ones of a sweep say how far the rows of the batch have theirs. */
type Piece = { readonly keys: readonly string[]; readonly keyedTo: number | null };

/** What stands between a key and the position of its row: no key has it, and it comes before all else. */
const MARK = '\u0000';

export type KeysTable = ReturnType<typeof keysTable>;

export function keysTable(sql: Sql) {
  const keyedTo = (batch: string): number =>
    Number(sql('SELECT keyed_to FROM batches WHERE id = ?').get(batch)?.['keyed_to'] ?? 0);
  const keysIn = (batch: string, from: number, to: number): readonly string[] =>
    sql(READ)
      .all(batch, from, to)
      .flatMap((row) =>
        KEYS.flatMap(([kind], index) => {
          const key = row[`key_${String(index)}`];
          return typeof key === 'string' ? [`${kind}${key}${MARK}${String(row['position'])}`] : [];
        }),
      );
  const pieces = function* (batch: string): Generator<Piece | null> {
    for (;;) {
      const [from, end] = [keyedTo(batch), endOf(sql, batch)];
      if (from >= end) return;
      const to = Math.min(from + SWEEP_ROWS, end);
      const keys: string[] = [];
      for (let next = from; next < to; next += READ_ROWS) {
        keys.push(...keysIn(batch, next, Math.min(next + READ_ROWS, to)));
        yield null;
      }
      keys.sort();
      for (let next = 0; next < keys.length; next += PIECE_KEYS)
        yield { keys: keys.slice(next, next + PIECE_KEYS), keyedTo: null };
      yield { keys: [], keyedTo: to };
    }
  };
  const put = (batch: string, piece: Piece): void => {
    for (const each of piece.keys) {
      const mark = each.lastIndexOf(MARK);
      sql(PUT).run(Number(each.slice(0, 1)), each.slice(1, mark), batch, Number(each.slice(mark + 1)));
    }
    if (piece.keyedTo !== null) sql('UPDATE batches SET keyed_to = ? WHERE id = ?').run(piece.keyedTo, batch);
  };
  return {
    /** The keys of the rows of a batch that have none yet, to be written one after the other; null for a pause. */
    pieces,
    put,
    /** All at once; nothing where `pieces` were written before. */
    complete: (batch: string): void => {
      for (const piece of pieces(batch)) if (piece !== null) put(batch, piece);
    },
    /** Of rows that were just registered, those that others may have to find before their own batch is held against any. */
    putCounting: ({ id, state }: BatchRecord, rows: readonly NewRow[]): void => {
      const to = keyedTo(id);
      for (const row of rows)
        if (state !== 'checking' || row.position < to || !isUntouched(row))
          sql(PUT_OF_ROW).run(id, row.position);
    },
    /** Of all rows of a batch. To be called while they are there. */
    remove: (batch: string): void => {
      for (const remove of REMOVE) sql(remove).run(batch);
      sql('UPDATE batches SET keyed_to = 0 WHERE id = ?').run(batch);
    },
  };
}

function endOf(sql: Sql, batch: string): number {
  return Number(sql('SELECT max(position) AS last FROM rows WHERE batch = ?').get(batch)?.['last'] ?? -1) + 1;
}

/** A row of a file that is read for the first time: nobody meets it before it has been held against the others itself. */
function isUntouched({ progress: { stage, hold, transfer } }: NewRow): boolean {
  return hold === null && transfer === null && (stage === 'ready' || stage === 'rejected');
}

// Which row a transfer belongs to, by the id that we gave it: a notification may come before the service's own id is known here.

/** What stands there already is not written again: the ids lie all over the disk. */
const NAME = `
  INSERT INTO transfers (external_id, batch, position, attempt) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET batch = excluded.batch, position = excluded.position
   WHERE batch <> excluded.batch OR position <> excluded.position`;

const NAMED = `
  SELECT ${ROW_COLUMNS}, attempt, (SELECT file_id FROM batches WHERE id = batch) AS file_id
    FROM transfers JOIN whole_rows USING (batch, position) WHERE external_id = ?`;

/** Also while the row is claimed: whoever looks at this moment may have asked too early. */
const HINT = `
  UPDATE row_states SET due_at = 0, hinted = 1
   WHERE batch = ? AND position = ? AND source_currency IS NOT NULL AND NOT ${isWithoutCall('stage', 'held')}`;

type Place = Pick<RowRecord, 'batch' | 'position'>;

export type TransfersTable = ReturnType<typeof transfersTable>;

export function transfersTable(sql: Sql) {
  const name = (id: string, { batch, position }: Place, attempt: number): void => {
    sql(NAME).run(id, batch, position, attempt);
  };
  return {
    name,
    /** A row that is registered with transfers, because its ledger was lost. */
    nameKnown: (fileId: string, batch: string, { position, row, progress }: NewRow): void => {
      const known = progress.transfer === null ? [] : [attemptNumberOf(progress)];
      for (const attempt of [...progress.deadAttempts.map((dead) => dead.attempt), ...known])
        name(externalId(fileId, row, 'transfer', attempt), { batch, position }, attempt);
    },
    named: (id: string): NamedTransfer | null => {
      const found = sql(NAMED).get(id);
      if (found === undefined) return null;
      const [row, attempt] = [toRowRecord(found), Number(found['attempt'])];
      // A file that was read anew may have another row in this place.
      const isStill = externalId(String(found['file_id']), row.row, 'transfer', attempt) === id;
      return isStill ? { row, attempt } : null;
    },
    hint: ({ batch, position }: Place): boolean => Number(sql(HINT).run(batch, position).changes) === 1,
  };
}
