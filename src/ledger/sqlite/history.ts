// The history: events that are only ever added. What one commit tells of the rows of a batch, or of the batch itself, is a group, sealed with the hash of
// the group before it; each event has a digest of the record that it left behind. Whoever edits an event or a record by hand breaks the chain, and
// `verifyHistory` finds where.
import { hash } from 'node:crypto';
import type { SQLOutputValue } from 'node:sqlite';

import { type EventCursor, type EventPage, type EventRecord, FROM_END } from '../history.ts';
import { readRecord } from '../ledger-unusable.ts';
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
  /** The numbers of its first event and of its last. */
  readonly seq: number;
  readonly last: number;
  readonly at: string;
  readonly batch: string;
  /** Between which its rows lie; null for events of the batch itself. */
  readonly from: number | null;
  readonly to: number | null;
  readonly events: string;
};

/** Of the last group: the numbers of its first event and of its last, and its hash. */
export type Head = { readonly seq: number; readonly last: number; readonly hash: string };

/** What stands before the first group. */
export const NO_GROUP: Head = { seq: 0, last: 0, hash: '' };

export function sealOf(before: string, { seq, last, at, batch, from, to, events }: Sealed): string {
  return digestOf([before, seq, last, at, batch, from, to, events]);
}

/** One event as it stands in its group. */
type Stored = readonly [
  position: number | null,
  event: string,
  stage: string | null,
  detail: string | null,
  digest: string | null,
];

export class History {
  readonly #sql: Sql;
  /** Of the commit that is being made. */
  #told: { readonly batch: string; readonly events: Stored[] }[] = [];
  #head: Head | null = null;
  /** What this run added last and knows to be on the disk. */
  #acknowledged: Head | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * To be called when a write transaction has begun. False where what was acknowledged to this run stands in it no more: an older copy was put in the place of
   * the ledger.
   */
  begin(): boolean {
    this.#told = [];
    this.#head = null;
    if (this.#acknowledged === null) return true;
    const { seq, hash } = this.#acknowledged;
    return this.#sql('SELECT hash FROM groups WHERE seq = ?').get(seq)?.['hash'] === hash;
  }

  /** To be called once the transaction is durable. */
  committed(): void {
    this.#acknowledged = this.#head ?? this.#acknowledged;
  }

  add({ batch, position, event, stage = null, detail = null, digest }: NewEvent): void {
    const stored: Stored = [position, event, stage, detail, digest];
    const group = this.#told.at(-1);
    const isOfGroup = group?.batch === batch && (group.events[0]?.[0] === null) === (position === null);
    if (isOfGroup) group.events.push(stored);
    else this.#told.push({ batch, events: [stored] });
  }

  /** To be called before the write transaction ends: only in it does nobody else add to the chain. @param at ISO time. */
  end(at: string): void {
    for (const { batch, events } of this.#told) this.#write(at, batch, events);
    this.#told = [];
  }

  #write(at: string, batch: string, events: readonly Stored[]): void {
    const before = (this.#head ??= this.#readHead());
    const positions = events.flatMap(([position]) => (position === null ? [] : [position]));
    const [from, to] = [leastOf(positions), mostOf(positions)];
    const [seq, last] = [before.last + 1, before.last + events.length];
    const text = JSON.stringify(events);
    const hash = sealOf(before.hash, { seq, last, at, batch, from, to, events: text });
    this.#sql(
      'INSERT INTO groups (seq, last, at, batch, from_position, to_position, hash, events) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(seq, last, at, batch, from, to, hash, text);
    this.#head = { seq, last, hash };
  }

  #readHead(): Head {
    const found = this.#sql('SELECT seq, last, hash FROM groups ORDER BY seq DESC LIMIT 1').get();
    if (found === undefined) return NO_GROUP;
    return { seq: Number(found['seq']), last: Number(found['last']), hash: String(found['hash']) };
  }
}

function leastOf(positions: readonly number[]): number | null {
  return positions.length === 0 ? null : positions.reduce((least, each) => Math.min(least, each));
}

function mostOf(positions: readonly number[]): number | null {
  return positions.length === 0 ? null : positions.reduce((most, each) => Math.max(most, each));
}

// The same events, read: in the order of their commits, which is that of their numbers.

/** An event of a group, with its number. */
export type ToldEvent = Omit<Required<NewEvent>, 'batch'> & { readonly seq: number };

type Found = Readonly<Record<string, Field>>;

/** Throws `LedgerUnusable` where the text of the group is none any more. */
export function eventsOf(group: Found): readonly ToldEvent[] {
  const events = readRecord(String(group['events'])) as readonly Stored[];
  return events.map(([position, event, stage, detail, digest], index) => {
    return { seq: Number(group['seq']) + index, position, event, stage, detail, digest };
  });
}

export function readEvents(
  sql: Sql,
  of: Parameters<Ledger['events']>[0],
  after: EventCursor,
  limit: number,
): EventPage {
  const last = Number(sql('SELECT max(last) AS last FROM groups').get()?.['last'] ?? 0);
  // One that is no number, or lies behind the end, is of a ledger that was there before this one.
  const named = /^\d{1,15}$/.test(after) && Number(after) <= last ? Number(after) : 0;
  const from = after === FROM_END ? last : named;
  const events: EventRecord[] = [];
  for (const group of groupsOf(sql, of, from)) {
    for (const told of eventsOf(group))
      if (told.seq > from && events.length < limit && (of === null || of.position === told.position))
        events.push(toEventRecord(sql, group, told));
    if (events.length === limit) break;
  }
  return { events, next: events.at(-1)?.cursor ?? String(from) };
}

/** The groups that may tell of it behind an event, in their order. */
function groupsOf(sql: Sql, of: Parameters<Ledger['events']>[0], from: number): Iterable<Found> {
  if (of === null)
    return sql(
      'SELECT * FROM groups WHERE seq >= coalesce((SELECT max(seq) FROM groups WHERE seq <= ?), 0) ORDER BY seq',
    ).iterate(from + 1);
  const { batch, position } = of;
  const ofBatch = sql(
    'SELECT * FROM groups WHERE batch = ? AND to_position IS NULL AND last > ? ORDER BY seq',
  );
  if (position === null) return ofBatch.iterate(batch, from);
  return sql(
    'SELECT * FROM groups WHERE batch = ?1 AND to_position >= ?2 AND from_position <= ?2 AND last > ?3 ORDER BY seq',
  ).iterate(batch, position, from);
}

function toEventRecord(
  sql: Sql,
  group: Found,
  { seq, position, event, stage, detail }: ToldEvent,
): EventRecord {
  const batch = String(group['batch']);
  const row = position === null ? null : rowNamed(sql, batch, position);
  const at = String(group['at']);
  return {
    cursor: String(seq),
    at,
    batch,
    position,
    row,
    event,
    stage: stage as EventRecord['stage'],
    detail,
  };
}

/** The name of a row that stands there; null for one that is there no more. */
export function rowNamed(sql: Sql, batch: string, position: number): string | null {
  const name = sql('SELECT row FROM rows WHERE batch = ? AND position = ?').get(batch, position)?.['row'];
  return typeof name === 'string' ? name : null;
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
