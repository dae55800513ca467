// The history: events that are only ever added, each sealed with the hash of the one before it and with a digest of the record that it left
// behind. Whoever edits an event or a record by hand breaks the chain, and `verifyHistory` finds where.
import { hash } from 'node:crypto';
import type { SQLOutputValue } from 'node:sqlite';

import { type EventCursor, type EventPage, type EventRecord, FROM_END } from '../history.ts';
import type { Ledger } from '../ledger.ts';
import type { Sql } from './group-commit.ts';

/** What the history says of a batch when all its rows were taken out: what they were before counts no more. */
export const ROWS_REMOVED = 'rows removed';

/** What it says of a new row; the detail is its name. */
export const REGISTERED = 'registered';

export type NewEvent = {
  readonly batch: string;
  /** Null for an event of the batch itself. */
  readonly position: number | null;
  readonly event: string;
  readonly stage?: string | null;
  readonly detail?: string | null;
  /** Digest of the record as this event leaves it; null when it leaves none. */
  readonly digest: string | null;
};

type Sealed = {
  readonly seq: number;
  readonly at: string;
  readonly batch: string;
  readonly position: number | null;
  readonly event: string;
  readonly stage: string | null;
  readonly detail: string | null;
  readonly digest: string | null;
};

type Head = { readonly seq: number; readonly hash: string };

/** What stands before the first event. */
export const NO_HASH = '';

export function sealOf(before: string, event: Sealed): string {
  const { seq, at, batch, position, stage, detail, digest } = event;
  return digestOf([before, seq, at, batch, position, event.event, stage, detail, digest]);
}

export class History {
  readonly #sql: Sql;
  #head: Head | null = null;
  /** What this run added last and knows to be on the disk. */
  #acknowledged: Head | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * To be called when a write transaction has begun: only in it does nobody else add to the chain. False where what was acknowledged to this run stands in it
   * no more: an older copy was put in the place of the ledger.
   */
  begin(): boolean {
    this.#head = null;
    if (this.#acknowledged === null) return true;
    const { seq, hash } = this.#acknowledged;
    return this.#sql('SELECT hash FROM events WHERE seq = ?').get(seq)?.['hash'] === hash;
  }

  /** To be called once the transaction is durable. */
  committed(): void {
    this.#acknowledged = this.#head ?? this.#acknowledged;
  }

  /** @param at ISO time. */
  add(at: string, { stage = null, detail = null, ...event }: NewEvent): void {
    const before = (this.#head ??= this.#readHead());
    const sealed = { ...event, seq: before.seq + 1, at, stage, detail };
    const hash = sealOf(before.hash, sealed);
    this.#sql(
      'INSERT INTO events (seq, at, batch, position, event, stage, detail, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(sealed.seq, at, event.batch, event.position, event.event, stage, detail, event.digest, hash);
    this.#head = { seq: sealed.seq, hash };
  }

  #readHead(): Head {
    const found = this.#sql('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1').get();
    return found === undefined
      ? { seq: 0, hash: NO_HASH }
      : { seq: Number(found['seq']), hash: String(found['hash']) };
  }
}

// The same events, read: in the order of their commits, which is that of their numbers.

const EVENTS = `
  SELECT e.seq, e.at, e.batch, e.position, r.row, e.event, e.stage, e.detail
    FROM events e LEFT JOIN rows r ON r.batch = e.batch AND r.position = e.position`;

export function readEvents(
  sql: Sql,
  of: Parameters<Ledger['events']>[0],
  after: EventCursor,
  limit: number,
): EventPage {
  const last = Number(sql('SELECT max(seq) AS last FROM events').get()?.['last'] ?? 0);
  // One that is no number, or lies behind the end, is of a ledger that was there before this one.
  const named = /^\d{1,15}$/.test(after) && Number(after) <= last ? Number(after) : 0;
  const from = after === FROM_END ? last : named;
  const found =
    of === null
      ? sql(`${EVENTS} WHERE e.seq > ? ORDER BY e.seq LIMIT +?`).all(from, limit)
      : sql(`${EVENTS} WHERE e.batch = ? AND e.position IS ? AND e.seq > ? ORDER BY e.seq LIMIT +?`).all(
          of.batch,
          of.position,
          from,
          limit,
        );
  const events = found.map(toEventRecord);
  return { events, next: events.at(-1)?.cursor ?? String(from) };
}

function toEventRecord(found: Readonly<Record<string, SQLOutputValue>>): EventRecord {
  const text = (name: string): string | null => {
    const value = found[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    cursor: String(found['seq']),
    at: String(found['at']),
    batch: String(found['batch']),
    position: found['position'] === null ? null : Number(found['position']),
    row: text('row'),
    event: String(found['event']),
    stage: text('stage') as EventRecord['stage'],
    detail: text('detail'),
  };
}

// A SHA-256 over a list of fields, each with its length before it: no two lists give the same text, so nothing can be moved from one field
// into the next unnoticed.

type Field = SQLOutputValue | undefined;

/** As hex digits. Lengths are in UTF-16 units; a null has none. */
export function digestOf(fields: readonly Field[]): string {
  let text = '';
  for (const field of fields) text += withLength(field);
  return hash('sha256', text, 'hex');
}

function withLength(field: Field): string {
  if (field === null || field === undefined) return '-,';
  const text = String(field);
  return `${String(text.length)}:${text},`;
}

// Which columns of a record the history vouches for: all that says what is paid, to whom and how far it is. Who claims a row and when it is
// due again change with every look, decide only when it is taken up, and stand outside.

/** Never changed once a row is registered. They are digested once, into the column `fixed`: a write need not read the whole payment again. */
const FIXED = [
  'batch',
  'position',
  'row',
  'source_currency',
  'reference',
  'reference_key',
  'lineage',
  'fingerprint',
  'payment',
  'payee',
  'payee_short',
  'account',
  'payout',
] as const;

/** Digested with every write. */
const CHANGING = [
  'fixed',
  'stage',
  'held',
  'rejections',
  'progress',
  'version',
  'written_by',
  'counted_day',
  'counted',
] as const;

const BATCH = [
  'id',
  'file_id',
  'content_fingerprint',
  'paused',
  'accepted_at',
  'state',
  'counts',
  'checked_to',
  'recent_from',
  'record',
] as const;

/** What a write gives back: enough to digest it, and to count it; and enough to ask every limit. */
export const STATE_COLUMNS = ['batch', 'position', 'source_currency', ...CHANGING].join(', ');
export const COUNTED_ROW_COLUMNS = `${STATE_COLUMNS}, payee, payee_short, account`;
export const SEALED_BATCH_COLUMNS = BATCH.join(', ');

type Found = Readonly<Record<string, Field>>;

export function fixedDigest(found: Found): string {
  return digestOf(FIXED.map((column) => found[column]));
}

/** Of a row as it was written; it vouches for the fixed columns as far as `fixed` does. */
export function rowDigest(found: Found): string {
  return digestOf(CHANGING.map((column) => found[column]));
}

export function batchDigest(found: Found): string {
  return digestOf(BATCH.map((column) => found[column]));
}
