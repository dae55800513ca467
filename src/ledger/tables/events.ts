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
import type { Verified } from './verify-records.ts';

type Of = Parameters<LedgerHistory['events']>[0];

/** A group by its number, and one of its events, from 0. */
type Place = { readonly group: number; readonly event: number };

const START: Place = { group: 0, event: -1 };

/** How many groups are read at a time, twice as many with each time: some have one event, those of new rows a thousand. */
const GROUPS_OF_PAGE = { least: 4, most: 64 };

/** See `LedgerHistory.events`. @param last the number of the last group, where the store has to find it out in its own way. */
export function* readEvents(
  order: Verified['order'],
  last: number | null,
  ...[of, after, limit]: Parameters<LedgerHistory['events']>
): Plan<EventPage> {
  const end = last ?? Number((yield* findOne('SELECT max(seq) AS last FROM groups'))?.['last'] ?? 0);
  const from = yield* placeOf(order, after, end);
  const events: EventRecord[] = [];
  let next = from.group;
  for (let page = GROUPS_OF_PAGE.least; events.length < limit && after !== FROM_END; page *= 2) {
    const most = Math.min(page, GROUPS_OF_PAGE.most);
    const groups = yield* find(groupsOf(order, of), [next, end, most, ...namedBy(of)]);
    for (const group of groups) {
      if (events.length === limit) break;
      const id = Number(group[order]);
      for (const [event, told] of eventsOf(group).entries())
        if (
          (id > from.group || event > from.event) &&
          events.length < limit &&
          (of === null || of.position === told.position)
        )
          events.push(toEventRecord(group, told, cursorOf(order, { group: id, event })));
      next = id + 1;
    }
    if (groups.length < most) break;
  }
  return { events: yield* withNames(events), next: events.at(-1)?.cursor ?? cursorOf(order, from) };
}

/** One that is none, lies behind the end, or counts in the way of the other store, is of a ledger that was there before this one. */
function* placeOf(order: Verified['order'], cursor: EventCursor, end: number): Plan<Place> {
  if (cursor === FROM_END) return { group: end, event: Number.MAX_SAFE_INTEGER };
  const event = order === 'seq' && EVENT_NUMBER.test(cursor) ? Number(cursor) : 0;
  const found = event === 0 ? null : yield* findOne(GROUP_OF_EVENT, [event]);
  if (found !== null && Number(found['last']) >= event)
    return { group: Number(found['seq']), event: event - Number(found['seq']) };
  const [, group = '', at = ''] = CURSOR[order].exec(cursor) ?? [];
  return group === '' || Number(group) > end ? START : { group: Number(group), event: Number(at) };
}

/** The letter says how the numbers count; the first release had none. */
const CURSOR = { seq: /^s(\d{1,15})-(\d{1,16})$/, id: /^i?(\d{1,15})-(\d{1,16})$/ };
const EVENT_NUMBER = /^\d{1,15}$/;
const GROUP_OF_EVENT = 'SELECT seq, last FROM groups WHERE seq <= $1 ORDER BY seq DESC LIMIT 1';

function cursorOf(order: Verified['order'], { group, event }: Place): EventCursor {
  const letter = order === 'seq' ? 's' : 'i';
  return event < 0 ? `${letter}0-0` : `${letter}${String(group)}-${String(event)}`;
}

/** The groups that may tell of it. Most between whose positions a row lies tell nothing of it: to look for it in their text costs less than to read them. */
function groupsOf(order: Verified['order'], of: Of): string {
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
  const names = new Map(found.flat().map((of) => [placeName(of), String(of['row'])]));
  return events.map((event) => ({ ...event, row: names.get(placeName(event)) ?? null }));
}

function placeName({ batch, position }: { readonly batch?: unknown; readonly position?: unknown }): string {
  return `${String(batch)}/${String(position)}`;
}

/** See `LedgerHistory.holds`. */
export function* holdsSeal(batch: string, { to, hash }: Seal): Plan<boolean> {
  const [place, ...values] = to === null ? ['to_position IS NULL'] : ['to_position = $3', to];
  const text = `SELECT 1 AS held FROM groups /*+ groups_by_batch */ WHERE batch = $1 AND hash = $2 AND ${place} LIMIT 1`;
  return (yield* findOne(text, [batch, hash, ...values])) !== null;
}
