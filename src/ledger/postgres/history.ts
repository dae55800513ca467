// The history: a chain of groups for each run, so that no process waits for the head of another's. After each new connection, the last group of a
// run shows it whether the database is still the one that acknowledged it: after a fail-over it may be an older one.
import { systemClock } from '../../base/clock.ts';
import { sentence } from '../../messages/messages.ts';
import type { EventPage, LedgerHistory, Seal } from '../history.ts';
import { LedgerUnusable } from '../ledger-unusable.ts';
import { type Head, startOf, type Telling } from '../seals.ts';
import { readEvents } from '../tables/events.ts';
import type { Query } from './connect.ts';
import { carryOutBy } from './plans.ts';

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
  /** The last group of each batch in a commit. */
  readonly #seals = new WeakMap<Head, ReadonlyMap<string, Seal>>();
  tell: Parameters<LedgerHistory['tellOf']>[0] = () => undefined;

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
    this.#seals.set(head, new Map(groups.map(({ batch, to, hash: seal }) => [batch, { to, hash: seal }])));
    return head;
  }

  /** The commit is durable: the first of those that were sent. */
  acknowledge(head: Head): void {
    this.#acknowledged = head;
    this.#sent = this.#sent.filter((each) => each !== head);
    for (const [batch, seal] of this.#seals.get(head) ?? []) this.tell(batch, seal);
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

// A reader of the history waits for the commits in progress: the number of a group is drawn inside its commit, and none may appear before its place afterwards.

/** How long a reader waits for them: the events of longer commits are given the next time. */
const WAIT_MS = 1_000;
const LOOK_MS = 5;

export async function eventsWhole(
  query: Query,
  ...[of, after, limit]: Parameters<LedgerHistory['events']>
): Promise<EventPage> {
  const [found] = await query(
    `SELECT coalesce(max(id), 0) AS id, pg_current_snapshot()::text AS seen FROM groups`,
  );
  const isWhole = await areOver(query, String(found?.['seen']));
  return carryOutBy(query, readEvents('id', Number(found?.['id']), of, after, isWhole ? limit : 0));
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
