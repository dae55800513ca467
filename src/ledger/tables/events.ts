// The events of the history, read in the order of their commits: that of their groups, by the number of the first event where there is one chain, else by one
// that is drawn inside each commit.
import {
  type EventCursor,
  type EventPage,
  type EventRecord,
  FROM_END,
  type LedgerHistory,
  type Seal,
} from '../history.ts';
import { find, findAll, findOne, type Plan } from '../plan.ts';
import { eventsOf, toEventRecord } from '../seals.ts';

/** The column by which a store orders its groups. */
type GroupOrder = 'seq' | 'id';
type Of = Parameters<LedgerHistory['events']>[0];

/** A group by its number, and one of its events, from 0. */
type Place = { readonly group: number; readonly event: number };

const START: Place = { group: 0, event: -1 };

/** A group has some hundred events at most that one reader has to hold. */
const GROUPS_OF_PAGE = 64;

/** See `LedgerHistory.events`. @param end the number of the last group. */
export function* readEvents(
  order: GroupOrder,
  end: number,
  ...[of, after, limit]: Parameters<LedgerHistory['events']>
): Plan<EventPage> {
  const from = yield* placeOf(after, end);
  const events: EventRecord[] = [];
  for (let next = from.group; events.length < limit && after !== FROM_END;) {
    const groups = yield* find(groupsOf(order, of), [next, end, GROUPS_OF_PAGE, ...namedBy(of)]);
    for (const group of groups) {
      const id = Number(group[order]);
      for (const [event, told] of eventsOf(group).entries())
        if (
          (id > from.group || event > from.event) &&
          events.length < limit &&
          (of === null || of.position === told.position)
        )
          events.push(toEventRecord(group, told, cursorOf({ group: id, event })));
      next = id + 1;
    }
    if (groups.length < GROUPS_OF_PAGE) break;
  }
  return { events: yield* withNames(events), next: events.at(-1)?.cursor ?? cursorOf(from) };
}

/** One that is none, or lies behind the end, is of a ledger that was there before this one. The first release of one chain gave the number of an event. */
function* placeOf(cursor: EventCursor, end: number): Plan<Place> {
  if (cursor === FROM_END) return { group: end, event: Number.MAX_SAFE_INTEGER };
  if (/^\d{1,15}$/.test(cursor)) {
    const event = Number(cursor);
    const found = yield* findOne('SELECT max(seq) AS seq FROM groups WHERE seq <= $1 AND last >= $1', [
      event,
    ]);
    const group = Number(found?.['seq'] ?? 0);
    return group === 0 ? START : { group, event: event - group };
  }
  const [, group = '', event = ''] = /^(\d{1,15})-(\d{1,16})$/.exec(cursor) ?? [];
  return group === '' || Number(group) > end ? START : { group: Number(group), event: Number(event) };
}

function cursorOf({ group, event }: Place): EventCursor {
  return event < 0 ? '0-0' : `${String(group)}-${String(event)}`;
}

/** The groups that may tell of it. Most between whose positions a row lies tell nothing of it: to look for it in their text costs less than to read them. */
function groupsOf(order: GroupOrder, of: Of): string {
  const within = `${order} >= $1 AND ${order} <= $2`;
  const ofBatch = `/*+ groups_by_batch */ WHERE ${within} AND batch = $4`;
  const ofRow = `to_position >= $5 AND from_position <= $5 AND strpos(events, $6) > 0`;
  const which =
    of === null
      ? `WHERE ${within}`
      : `${ofBatch} AND ${of.position === null ? 'to_position IS NULL' : ofRow}`;
  return `SELECT * FROM groups ${which} ORDER BY ${order} LIMIT $3`;
}

function namedBy(of: Of): readonly (string | number)[] {
  if (of === null) return [];
  return of.position === null ? [of.batch] : [of.batch, of.position, `[${String(of.position)},`];
}

const NAMES = 'SELECT batch, position, row FROM rows WHERE batch = $1 AND position = ANY ($2::int[])';

/** To ask for each name by itself would cost more than all the rest. */
function* withNames(events: readonly EventRecord[]): Plan<readonly EventRecord[]> {
  const ofRows = Map.groupBy(
    events.filter(({ position }) => position !== null),
    ({ batch }) => batch,
  );
  const asked = [...ofRows].map(([batch, told]) => ({
    text: NAMES,
    values: [batch, told.map(({ position }) => position)],
  }));
  const found = asked.length === 0 ? [] : yield* findAll(asked);
  const names = new Map(
    found.flat().map((of) => [placeName(of['batch'], of['position']), String(of['row'])]),
  );
  return events.map((event) => ({
    ...event,
    row: names.get(placeName(event.batch, event.position)) ?? null,
  }));
}

function placeName(batch: unknown, position: unknown): string {
  return `${String(batch)}/${String(position)}`;
}

/** See `LedgerHistory.holds`. */
export function* holdsSeal(batch: string, { to, hash }: Seal): Plan<boolean> {
  const [place, ...values] = to === null ? ['to_position IS NULL'] : ['to_position = $3', to];
  const text = `SELECT 1 AS held FROM groups /*+ groups_by_batch */ WHERE batch = $1 AND hash = $2 AND ${place} LIMIT 1`;
  return (yield* findOne(text, [batch, hash, ...values])) !== null;
}
