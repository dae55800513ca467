// The history: events that are only ever added, in one chain of groups. Somebody who edits an event or a record by hand breaks the chain, and
// `verifyHistory` finds where.
import { type EventCursor, type EventPage, type EventRecord, FROM_END, withRows } from '../history.ts';
import type { Ledger } from '../ledger.ts';
import {
  eventsOf,
  type Found,
  type Head,
  type NewEvent,
  NO_GROUP,
  Telling,
  toEventRecord,
} from '../seals.ts';
import { linesOf, type Sql } from './group-commit.ts';

/** Under which name the ledger keeps what its own chain begins with, where others were moved here before it. */
export const CHAIN_START = 'start';

export class History {
  readonly #sql: Sql;
  /** Of the commit that is being made. */
  #told = new Telling();
  #head: Head | null = null;
  /** The last group of this run, which it knows to be on the disk. */
  #acknowledged: Head | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * To be called when a write transaction has begun. False where what was acknowledged to this run stands in it no more: an older copy was put in the place of
   * the ledger.
   */
  begin(): boolean {
    this.#told = new Telling();
    this.#head = null;
    if (this.#acknowledged === null) return true;
    const { seq, hash } = this.#acknowledged;
    return this.#sql('SELECT hash FROM groups WHERE seq = ?').get(seq)?.['hash'] === hash;
  }

  /** To be called once the transaction is committed: nobody but a power cut takes it back then, and no run of this start outlives that. */
  committed(): void {
    this.#acknowledged = this.#head ?? this.#acknowledged;
  }

  add(event: NewEvent): void {
    this.#told.add(event);
  }

  /** To be called before the write transaction ends: only in it does nobody else add to the chain. @param at ISO time. */
  end(at: string): void {
    if (this.#told.isEmpty) return;
    for (const group of this.#told.sealed(this.#readHead(), at)) {
      const { seq, last, batch, from, to, hash, events } = group;
      this.#sql(
        'INSERT INTO groups (seq, last, at, batch, from_position, to_position, hash, events) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ).run(seq, last, at, batch, from, to, hash, events);
      this.#head = group;
    }
    this.#told = new Telling();
  }

  #readHead(): Head {
    const found = this.#sql('SELECT seq, last, hash, chain FROM groups ORDER BY seq DESC LIMIT 1').get();
    if (found === undefined) return NO_GROUP;
    const hash = found['chain'] === null ? found['hash'] : this.#start();
    return { seq: Number(found['seq']), last: Number(found['last']), hash: String(hash) };
  }

  /** Behind groups that were moved here. */
  #start(): unknown {
    return this.#sql('SELECT value FROM meta WHERE name = ?').get(CHAIN_START)?.['value'];
  }
}

// The same events, read: in the order of their commits, which is that of their numbers.

export function readEvents(
  sql: Sql,
  of: Parameters<Ledger['events']>[0],
  after: EventCursor,
  limit: number,
): EventPage {
  // The last one by its key: the greatest of all would be looked for in every group, at each look.
  const last = Number(sql('SELECT last FROM groups ORDER BY seq DESC LIMIT 1').get()?.['last'] ?? 0);
  // One that is no number, or lies behind the end, is of a ledger that was there before this one.
  const named = /^\d{1,15}$/.test(after) && Number(after) <= last ? Number(after) : 0;
  const from = after === FROM_END ? last : named;
  const events: EventRecord[] = [];
  for (const group of groupsOf(sql, of, from)) {
    for (const told of eventsOf(group))
      if (told.seq > from && events.length < limit && (of === null || of.position === told.position))
        events.push(toEventRecord(group, told, String(told.seq)));
    if (events.length === limit) break;
  }
  return { events: withNames(sql, events), next: events.at(-1)?.cursor ?? String(from) };
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
  // Most groups between whose positions a row lies tell nothing of it: to look for it in their text costs less than to read them.
  return sql(
    `SELECT * FROM groups WHERE batch = ?1 AND to_position >= ?2 AND from_position <= ?2 AND last > ?3
        AND instr(events, '[' || CAST(?2 AS INTEGER) || ',') > 0 ORDER BY seq`,
  ).iterate(batch, position, from);
}

const NAMES =
  'SELECT r.batch, r.position, r.row FROM json_each(?2) e CROSS JOIN rows r ON r.batch = ?1 AND r.position = e.value';

/** To ask for each name by itself would cost more than all the rest. */
function withNames(sql: Sql, events: readonly EventRecord[]): readonly EventRecord[] {
  const ofRows = events.filter(({ position }) => position !== null);
  const lines = [...Map.groupBy(ofRows, ({ batch }) => batch)].flatMap(([batch, told]) =>
    linesOf(sql, NAMES, batch, JSON.stringify(told.map(({ position }) => position))),
  );
  return lines.length === 0 ? events : withRows(events, lines);
}
