// The history: a chain of groups for each run, so that no process waits for the head of another's. After each new connection, the last group of a
// run shows it whether the database is still the one that acknowledged it: after a fail-over it may be an older one.
import { systemClock } from '../../base/clock.ts';
import { sentence } from '../../messages/messages.ts';
import { type EventCursor, type EventPage, type EventRecord, FROM_END, withRows } from '../history.ts';
import type { Ledger } from '../ledger.ts';
import { LedgerUnusable } from '../ledger-unusable.ts';
import { eventsOf, type Found, type Head, startOf, type Telling, toEventRecord } from '../seals.ts';
import type { Query } from './connect.ts';

const HEAD = 'SELECT seq, last, hash FROM groups WHERE run = $1 ORDER BY seq DESC LIMIT 1';

/**
 * In this order: `id` is drawn once the rows that it tells of are locked, so of two groups of one row the later has the higher. Fails where the group before
 * them does not stand: the commit with that one was sent before this one, and was not taken.
 */
const ADD = `
  WITH added AS (
  INSERT INTO groups (run, seq, last, at, batch, from_position, to_position, hash, events)
  SELECT $1, seq, last, at, batch, from_position, to_position, hash, events
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[], $9::text[])
      AS g (seq, last, at, batch, from_position, to_position, hash, events)
   WHERE $10::bigint = 0 OR EXISTS (SELECT 1 FROM groups WHERE run = $1 AND seq = $10 AND hash = $11)
   ORDER BY seq
  RETURNING 1)
  SELECT CASE WHEN (SELECT count(*) FROM added) = $12 THEN 1 ELSE met_another() END AS is_added`;

export class History {
  readonly #run: string;
  readonly #givenUp: AbortController;
  #acknowledged: Head;
  /** Where each commit leaves the chain that was sent, and has no response yet. */
  #sent: Head[] = [];
  /** Of commits whose response was lost, and which were accepted all the same. */
  readonly #taken = new WeakSet<Head>();

  /** @param givenUp fires where the chain went back. */
  constructor(run: string, givenUp: AbortController) {
    this.#run = run;
    this.#givenUp = givenUp;
    this.#acknowledged = startOf(run, new Map());
  }

  /** Adds the groups of a commit, sealed after everything sent. Gives where they leave the chain; null where nothing is told. */
  add(query: Query, telling: Telling, at: string): Head | null {
    if (telling.isEmpty) return null;
    const before = this.#sent.at(-1) ?? this.#acknowledged;
    const groups = telling.sealed(before, at);
    const column = <Key extends keyof (typeof groups)[number]>(key: Key) => groups.map((group) => group[key]);
    const columns = (['seq', 'last', 'at', 'batch', 'from', 'to', 'hash', 'events'] as const).map(column);
    void query(ADD, [this.#run, ...columns, before.seq, before.hash, groups.length]);
    const { seq, last, hash } = groups.at(-1) ?? before;
    const head = { seq, last, hash };
    this.#sent.push(head);
    return head;
  }

  /** The commit is durable: the first of those that were sent. */
  acknowledge(head: Head): void {
    this.#acknowledged = head;
    this.#sent = this.#sent.filter((each) => each !== head);
  }

  /** The commit was refused, and so was everything sent behind it. */
  forget(head: Head): void {
    if (this.#sent.includes(head)) this.#sent = this.#sent.slice(0, this.#sent.indexOf(head));
  }

  /** Whether a commit was accepted although no response came; known since the chain was read again. */
  isTaken(head: Head): boolean {
    return this.#taken.has(head);
  }

  /**
   * Call it under each new connection: finds out which commits were accepted although no response came. Throws `LedgerUnusable`, for good, where the
   * database has lost something that it acknowledged.
   */
  async read(query: Query): Promise<void> {
    const [found] = await query(HEAD, [this.#run]);
    const hash = found === undefined ? startOf(this.#run, new Map()).hash : String(found['hash']);
    const [sent, last] = [this.#sent, this.#sent.findIndex((head) => head.hash === hash)];
    this.#sent = [];
    for (const head of sent.slice(0, last + 1)) {
      this.#taken.add(head);
      this.#acknowledged = head;
    }
    if (hash === this.#acknowledged.hash) return;
    this.#givenUp.abort();
    throw new LedgerUnusable(WENT_BACK);
  }
}

const WENT_BACK = sentence('ledger.databaseWentBack');

// Reads the same events. Their order is that of `id`, which is drawn inside a commit: a reader waits for the commits in progress, so that none
// appears before its place afterwards.

/** How long a reader waits for them: the events of longer commits are given the next time. */
const WAIT_MS = 1_000;
const LOOK_MS = 5;

export async function readEvents(
  query: Query,
  of: Parameters<Ledger['events']>[0],
  after: EventCursor,
  limit: number,
): Promise<EventPage> {
  const [end] = await query(
    `SELECT coalesce(max(id), 0) AS id, pg_current_snapshot()::text AS seen FROM groups`,
  );
  const last = Number(end?.['id']);
  const from = placeOf(after, last);
  // An event that was seen here may come after ones that are not committed yet.
  if (!(await areOver(query, String(end?.['seen'])))) return { events: [], next: cursorOf(from) };
  const events: EventRecord[] = [];
  if (after === FROM_END) return { events, next: cursorOf(from) };
  for (const group of await groupsOf(query, of, from.group, last, limit)) {
    const id = Number(group['id']);
    for (const [index, told] of eventsOf(group).entries())
      if (
        (id > from.group || index > from.event) &&
        events.length < limit &&
        (of === null || of.position === told.position)
      )
        events.push(toEventRecord(group, told, cursorOf({ group: id, event: index })));
    if (events.length === limit) break;
  }
  return { events: await withNames(query, events), next: events.at(-1)?.cursor ?? cursorOf(from) };
}

/** A group by its id, and one of its events, from 0. */
type Place = { readonly group: number; readonly event: number };

const START: Place = { group: 0, event: -1 };

/** One that is none, or lies behind the end, is of a ledger that was there before this one. */
function placeOf(cursor: EventCursor, last: number): Place {
  if (cursor === FROM_END) return { group: last, event: Number.MAX_SAFE_INTEGER };
  const [, group = '', event = ''] = /^(\d{1,15})-(\d{1,16})$/.exec(cursor) ?? [];
  return group === '' || Number(group) > last ? START : { group: Number(group), event: Number(event) };
}

function cursorOf({ group, event }: Place): EventCursor {
  return event < 0 ? '0-0' : `${String(group)}-${String(event)}`;
}

/** True once every commit has ended that was under way in a snapshot. */
async function areOver(query: Query, seen: string): Promise<boolean> {
  const [, , underWay = ''] = seen.split(':');
  const waiting = underWay.split(',').filter((each) => each !== '');
  const since = systemClock.monotonic();
  while (waiting.length > 0) {
    const [found] = await query(
      `SELECT count(*) AS left FROM unnest($1::text[]) AS x (id) WHERE pg_xact_status(x.id::xid8) = 'in progress'`,
      [waiting],
    );
    if (Number(found?.['left']) === 0) return true;
    if (systemClock.monotonic() - since > WAIT_MS) return false;
    await systemClock.sleep(LOOK_MS);
  }
  return true;
}

/** The groups that may tell of it from one on, in their order. Each has one event that counts at least, so `limit` of them are enough behind the first. */
function groupsOf(
  query: Query,
  of: Parameters<Ledger['events']>[0],
  from: number,
  to: number,
  limit: number,
): Promise<readonly Found[]> {
  const within = 'id >= $1 AND id <= $2';
  if (of === null)
    return query(`SELECT * FROM groups WHERE ${within} ORDER BY id LIMIT $3`, [from, to, limit + 1]);
  const { batch, position } = of;
  if (position === null)
    return query(
      `SELECT * FROM groups WHERE ${within} AND batch = $3 AND to_position IS NULL ORDER BY id LIMIT $4`,
      [from, to, batch, limit + 1],
    );
  return query(
    `SELECT * FROM groups WHERE ${within} AND batch = $3 AND to_position >= $4 AND from_position <= $4 ORDER BY id`,
    [from, to, batch, position],
  );
}

const NAMES = `
  SELECT r.batch, r.position, r.row FROM rows r
    JOIN unnest($1::text[], $2::int[]) AS e (batch, position) ON r.batch = e.batch AND r.position = e.position`;

async function withNames(query: Query, events: readonly EventRecord[]): Promise<readonly EventRecord[]> {
  const ofRows = events.filter(({ position }) => position !== null);
  if (ofRows.length === 0) return events;
  const found = await query(NAMES, [
    ofRows.map(({ batch }) => batch),
    ofRows.map(({ position }) => position),
  ]);
  return withRows(
    events,
    found.map(({ batch, position, row }) => [batch, position, row]),
  );
}
