// What a row is found by where its place is not known: what it has in common with other rows (its reference, its payment, its payee and account). Keys lie all over their table. Written with each commit of a large file they would have nearly every page of it written each
// time; so they are written in their order once the rows are there, and each page is written once.
import type { BatchRecord, NewRow } from '../records.ts';
import type { PositionRange } from '../tables/rows.ts';
import { linesOf, type Sql } from './group-commit.ts';
import { ACCOUNT, PAYEE, PAYMENT, REFERENCE, REFERENCE_OF } from './encounters-query.ts';

/** Each kind with what of a row in `rows` is its key. A payee is found by the short form of the name too. */
const KEYS = [
  [REFERENCE, REFERENCE_OF('reference_key', 'reference')],
  [PAYMENT, 'payment'],
  [PAYEE, 'payee'],
  [PAYEE, 'payee_short'],
  [ACCOUNT, 'account'],
] as const;

/** The keys of the rows of a batch from a position on, before another. */
const OF_ROWS = `SELECT position, ${KEYS.map(([, key]) => key).join(', ')} FROM rows WHERE batch = ?1 AND position >= ?2 AND position < ?3`;

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

/** The most rows whose keys are put into their order together, in some ten megabytes: each page is written once for so many. */
const SWEEP_ROWS = 50_000;

/** Rows whose keys are read in one go, some ten milliseconds, and keys that one commit writes, some two. */
const READ_ROWS = 2_000;
const PIECE_KEYS = 3_000;

/** To be written in one commit: these keys; or that the rows before a position have theirs. */
type Piece = { readonly keys: KeyValues } | { readonly keyedTo: number };

/** Kind, key, batch and position of one key behind those of another. */
type KeyValues = (string | number)[];

export function keysTable(sql: Sql) {
  const keyedTo = (batch: string): number =>
    Number(sql('SELECT keyed_to FROM batches WHERE id = ?').get(batch)?.['keyed_to'] ?? 0);
  const pieces = function* (batch: string): Generator<Piece | null> {
    for (;;) {
      const [from, end] = [keyedTo(batch), endOf(sql, batch)];
      if (from >= end) return;
      const to = Math.min(from + SWEEP_ROWS, end);
      const found = new FoundKeys();
      for (let next = from; next < to; next += READ_ROWS) {
        found.read(sql, batch, { from: next, to: Math.min(next + READ_ROWS, to) });
        yield null;
      }
      for (const keys of found.inOrder(batch, PIECE_KEYS)) yield { keys };
      yield { keyedTo: to };
    }
  };
  const put = (batch: string, piece: Piece): void => {
    if ('keyedTo' in piece) sql('UPDATE batches SET keyed_to = ? WHERE id = ?').run(piece.keyedTo, batch);
    else putKeys(sql, piece.keys);
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
      const found = new FoundKeys();
      for (const { position, progress } of rows)
        if (state !== 'checking' || position < to || !isUntouched(progress))
          found.read(sql, id, { from: position, to: position + 1 });
      for (const keys of found.inOrder(id, PIECE_KEYS)) putKeys(sql, keys);
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
function isUntouched({ stage, hold, transfer }: NewRow['progress']): boolean {
  return hold === null && transfer === null && (stage === 'ready' || stage === 'rejected');
}

// The order of keys, and their writing.

const KINDS = KEYS.map(([kind]) => Number(kind));

/** Numbers of keys that are put into their order together. */
const INDEX_SPACE = 2 ** Math.ceil(Math.log2(SWEEP_ROWS * KINDS.length));

class FoundKeys {
  readonly #positions: number[] = [];
  /** Those of each row in the order of `KEYS`. */
  readonly #texts: (string | null)[] = [];
  /** Of each key: where it lies, and its number here. */
  readonly #places: number[] = [];

  read(sql: Sql, batch: string, { from, to }: PositionRange): void {
    for (const row of linesOf(sql, OF_ROWS, batch, from, to) as readonly FoundRow[]) {
      this.#positions.push(row[0]);
      for (let at = 0; at < KINDS.length; at += 1) {
        const text = (row[at + 1] ?? null) as string | null;
        if (text !== null)
          this.#places.push(placeOf(KINDS[at] ?? 0, text) * INDEX_SPACE + this.#texts.length);
        this.#texts.push(text);
      }
    }
  }

  /** Some at a time, in the order of their table as far as their first characters show it: neighbours lie in one page. */
  *inOrder(batch: string, size: number): Generator<KeyValues> {
    const places = new Float64Array(this.#places).sort();
    for (let from = 0; from < places.length; from += size) {
      const keys: KeyValues = [];
      for (const place of places.subarray(from, from + size)) {
        const index = place % INDEX_SPACE;
        const position = this.#positions[Math.floor(index / KINDS.length)] ?? 0;
        keys.push(KINDS[index % KINDS.length] ?? 0, this.#texts[index] ?? '', batch, position);
      }
      yield keys;
    }
  }
}

type FoundRow = readonly [position: number, ...texts: (string | null)[]];

/** By its kind and its first characters. */
function placeOf(kind: number, key: string): number {
  let place = kind;
  for (let at = 0; at < PLACE_SIGNS; at += 1)
    place = place * SIGNS + Math.min(at < key.length ? key.charCodeAt(at) : 0, SIGNS - 1);
  return place;
}
/** With the number of a key they fill what a number holds exactly. */
const PLACE_SIGNS = 4;
const SIGNS = 128;

function putKeys(sql: Sql, keys: KeyValues): void {
  for (let at = 0; at < keys.length;) {
    const together = keys.length - at < PUT_TOGETHER * KEY_VALUES ? 1 : PUT_TOGETHER;
    const end = at + together * KEY_VALUES;
    sql(together === 1 ? PUT.one : PUT.many).run(...keys.slice(at, end));
    at = end;
  }
}

const KEY_VALUES = 4;

/** Keys of one statement: a call for each of them would cost more than what it writes. */
const PUT_TOGETHER = 50;

/** Without numbers: to find one among so many takes as long as to write the key. */
const putOf = (keys: number): string =>
  `INSERT OR IGNORE INTO row_keys (kind, key, batch, position) VALUES ${Array<string>(keys).fill('(?, ?, ?, ?)').join(', ')}`;
const PUT = { one: putOf(1), many: putOf(PUT_TOGETHER) };
