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

const KINDS = [REFERENCE, PAYMENT, PAYEE, ACCOUNT] as const;

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
const SWEEP_ROWS = 25_000;

/** Rows that are read in one go, and keys that one commit writes: some ten milliseconds. */
const READ_ROWS = 1_000;
const PIECE_KEYS = 5_000;

/** Keys of one kind to be written in one commit, in their order: places in `keys` and `positions`. */
type Piece = {
  readonly kind: string;
  readonly keys: readonly string[];
  readonly positions: readonly number[];
  readonly order: Uint32Array;
};

/** The end of a sweep: rows before this position have their keys now. */
type SweepEnd = { readonly keyedTo: number };

export type KeysTable = ReturnType<typeof keysTable>;

export function keysTable(sql: Sql) {
  const keyedTo = (batch: string): number =>
    Number(sql('SELECT keyed_to FROM batches WHERE id = ?').get(batch)?.['keyed_to'] ?? 0);
  const pieces = function* (batch: string): Generator<Piece | SweepEnd | null> {
    for (;;) {
      const [from, end] = [keyedTo(batch), endOf(sql, batch)];
      if (from >= end) return;
      const to = Math.min(from + SWEEP_ROWS, end);
      const found = new Map(KINDS.map((kind) => [kind, { keys: [] as string[], positions: [] as number[] }]));
      for (let next = from; next < to; next += READ_ROWS) {
        for (const row of sql(READ).all(batch, next, Math.min(next + READ_ROWS, to)))
          for (const [index, [kind]] of KEYS.entries()) {
            const key = row[`key_${String(index)}`];
            if (typeof key !== 'string') continue;
            found.get(kind)?.keys.push(key);
            found.get(kind)?.positions.push(Number(row['position']));
          }
        yield null;
      }
      for (const [kind, { keys, positions }] of found)
        for (const order of inOrder(keys)) yield { kind, keys, positions, order };
      yield { keyedTo: to };
    }
  };
  const put = (batch: string, piece: Piece | SweepEnd): void => {
    if ('keyedTo' in piece) sql('UPDATE batches SET keyed_to = ? WHERE id = ?').run(piece.keyedTo, batch);
    else
      for (const at of piece.order)
        sql(PUT).run(Number(piece.kind), piece.keys[at] ?? '', batch, piece.positions[at] ?? 0);
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

/** The places of the keys in their order, as many together as one commit writes. */
function* inOrder(keys: readonly string[]): Generator<Uint32Array> {
  const order = Uint32Array.from(keys.keys()).sort((a, b) => ((keys[a] ?? '') < (keys[b] ?? '') ? -1 : 1));
  for (let from = 0; from < order.length; from += PIECE_KEYS) yield order.subarray(from, from + PIECE_KEYS);
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
