// Looks through the whole history: every event against the hash of the one before it, every record against its own last event. It reads one
// moment of the ledger through its own connection, so that payments go on meanwhile.
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import type { HistoryFault, HistoryReport, RecordFault, SumFault } from '../history.ts';
import {
  batchDigest,
  type Chain,
  chainAfter,
  compare,
  Digests,
  eventsOf,
  fixedDigest,
  type Group,
  type Head,
  OWN_CHAIN,
  REGISTERED,
  rowDigest,
  ROWS_REMOVED,
  sealOf,
  startBehind,
  startOf,
  type ToldEvent,
} from '../seals.ts';
import { LACKS_KEY } from './keys-table.ts';
import { CountedSums, textOrNull } from '../stored-rows.ts';
import { type Sql, statements } from './group-commit.ts';

/** The event loop gets its turn after so many events: some tens of milliseconds. */
const TURN_EVENTS = 5_000;

type Found = Readonly<Record<string, SQLOutputValue>>;

export async function verifyHistory(path: string): Promise<HistoryReport> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    // Everything below sees the ledger as it is at the first read.
    database.exec('BEGIN');
    const sql = statements(database);
    const checked = await checkEvents(sql);
    return {
      ...checked,
      ...(await checkRecords(sql)),
      sumFault: checkSums(sql),
    };
  } finally {
    database.close();
  }
}

async function checkEvents(sql: Sql): Promise<Pick<HistoryReport, 'events' | 'lastHash' | 'fault'>> {
  const chains = new Map<string, Chain>();
  const own = textOrNull(sql('SELECT value FROM meta WHERE name = ?').get(OWN_CHAIN)?.['value']) ?? 'sqlite';
  let fault: HistoryFault | null = null;
  let [last, seen] = [0, 0];
  for (const found of sql('SELECT * FROM groups ORDER BY seq').iterate()) {
    const name = textOrNull(found['chain']) ?? own;
    const group = groupOf(found);
    fault ??=
      faultOfNumber(last, Number(found['seq'])) ??
      faultOf(sql, chains.get(name) ?? startOf(name, chains), found, group);
    chainAfter(chains, name, group);
    last = Number(found['last']);
    if (last - seen < TURN_EVENTS) continue;
    seen = last;
    await turn();
  }
  return { events: last, lastHash: (chains.get(own) ?? startBehind(chains)).hash, fault };
}

/** Its numbers are those of its chain. */
function groupOf(found: Found): Group & { readonly hash: string } {
  const [seq, last] = [Number(found['seq']), Number(found['last'])];
  const first = numberOrNull(found['chain_seq']) ?? seq;
  return {
    seq: first,
    last: first + last - seq,
    at: String(found['at']),
    batch: String(found['batch']),
    from: numberOrNull(found['from_position']),
    to: numberOrNull(found['to_position']),
    events: String(found['events']),
    hash: String(found['hash']),
  };
}

function faultOfNumber(last: number, seq: number): HistoryFault | null {
  return seq === last + 1 ? null : { kind: 'events-missing', from: last + 1, to: seq - 1 };
}

function faultOf(
  sql: Sql,
  before: Head,
  found: Found,
  { hash, ...group }: ReturnType<typeof groupOf>,
): HistoryFault | null {
  const { seq, at, batch } = group;
  const isNext = faultOfNumber(before.last, seq) === null;
  if (isNext && sealOf(before.hash, group) === hash) return null;
  const [first] = told(found);
  const row = typeof first?.position === 'number' ? rowName(sql, batch, first.position) : null;
  return {
    kind: 'event-forged',
    place: { seq: Number(found['seq']), at, batch, row, event: first?.event ?? '' },
  };
}

/** Of a group that was made unreadable by hand nothing is known. */
function told(group: Found): readonly ToldEvent[] {
  try {
    return eventsOf(group);
  } catch {
    return [];
  }
}

function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

// Compares every record with its own last event: the ledger's last write is what must be there now.

/** The event loop gets its turn after so many rows: some tens of milliseconds. */
const TURN_ROWS = 2_000;

/** Every batch that is told of anywhere. One step a batch, not one a row. */
const BATCH_IDS = `
  WITH RECURSIVE
    of_rows (id) AS (
      SELECT min(batch) FROM rows
      UNION ALL SELECT (SELECT min(batch) FROM rows WHERE batch > of_rows.id) FROM of_rows WHERE id IS NOT NULL),
    of_events (id) AS (
      SELECT min(batch) FROM groups
      UNION ALL SELECT (SELECT min(batch) FROM groups WHERE batch > of_events.id) FROM of_events WHERE id IS NOT NULL)
  SELECT id FROM batches UNION SELECT id FROM of_rows WHERE id IS NOT NULL UNION SELECT id FROM of_events WHERE id IS NOT NULL
  ORDER BY id`;

const OF_BATCH = 'SELECT * FROM groups WHERE batch = ? AND to_position IS NULL ORDER BY seq';

const OF_ROWS = 'SELECT * FROM groups WHERE batch = ? AND to_position IS NOT NULL AND last > ? ORDER BY seq';

const ROWS = `
  SELECT s.*, r.*, s.position AS place, ${LACKS_KEY} AS lacks_key
    FROM row_states s LEFT JOIN rows r ON r.batch = s.batch AND r.position = s.position LEFT JOIN batches b ON b.id = s.batch
   WHERE s.batch = ? ORDER BY s.position`;

const WITHOUT_STATE = `
  SELECT row FROM rows r WHERE batch = ?1
     AND NOT EXISTS (SELECT 1 FROM row_states s WHERE s.batch = r.batch AND s.position = r.position) LIMIT 1`;

async function checkRecords(sql: Sql): Promise<Pick<HistoryReport, 'batchFault' | 'rowFault'>> {
  let batchFault: RecordFault | null = null;
  let rowFault: RecordFault | null = null;
  for (const { id } of sql(BATCH_IDS).all()) {
    const batch = String(id);
    const { digest, since } = lastOfBatch(sql, batch);
    const found = sql('SELECT * FROM batches WHERE id = ?').get(batch);
    const kind = compare(found === undefined ? null : batchDigest(found), digest);
    if (kind !== null) batchFault ??= { kind, batch, row: null };
    rowFault ??= await faultOfRows(sql, batch, await digestsOf(sql, batch, since));
  }
  return { batchFault, rowFault };
}

/** What the last event of a batch itself left, and the number of the event after which its rows began. */
function lastOfBatch(sql: Sql, batch: string): { readonly digest: string | null; readonly since: number } {
  let digest: string | null = null;
  let since = 0;
  for (const group of sql(OF_BATCH).iterate(batch))
    for (const event of told(group)) {
      digest = event.digest;
      if (event.event === ROWS_REMOVED) since = event.seq;
    }
  return { digest, since };
}

/** The digests that the last events of its rows left, by position: as bytes, because they are as many as rows. */
async function digestsOf(sql: Sql, batch: string, since: number): Promise<Digests> {
  const digests = new Digests();
  let seen = 0;
  for (const group of sql(OF_ROWS).iterate(batch, since)) {
    for (const { seq, position, digest } of told(group))
      if (seq > since && position !== null && digest !== null) digests.set(position, digest);
    const last = Number(group['last']);
    if (last - seen < TURN_EVENTS) continue;
    seen = last;
    await turn();
  }
  return digests;
}

async function faultOfRows(sql: Sql, batch: string, digests: Digests): Promise<RecordFault | null> {
  let seen = 0;
  for (const found of sql(ROWS).iterate(batch)) {
    const position = Number(found['place']);
    const isForged = found['fixed'] !== fixedDigest(found) || found['lacks_key'] === 1;
    const standing = found['row'] === null ? null : rowDigest(found);
    const kind = compare(standing, digests.take(position)) ?? (isForged ? 'edited' : null);
    if (kind !== null) return { kind, batch, row: rowName(sql, batch, position) };
    seen += 1;
    if (seen % TURN_ROWS === 0) await turn();
  }
  const missing = digests.firstLeft();
  if (missing >= 0) return { kind: 'missing', batch, row: rowName(sql, batch, missing) };
  const lone = sql(WITHOUT_STATE).get(batch);
  return lone === undefined ? null : { kind: 'added', batch, row: textOrNull(lone['row']) };
}

// Holds the running sums of files and days against the rows that they are sums of: limits rest on them.

const COUNTED =
  'SELECT batch, source_currency AS currency, counted_day, counted FROM row_states WHERE counted IS NOT NULL';

const SUMS = 'SELECT scope, key, day, currency, amount FROM spent';

function checkSums(sql: Sql): SumFault | null {
  const sums = new CountedSums();
  for (const found of sql(COUNTED).iterate()) sums.add(found);
  return sums.faultIn(sql(SUMS).all());
}

// The name of a row as its file's owner knows it, also of one that is there no more: the history has it from its registration.

function rowName(sql: Sql, batch: string, position: number): string {
  const standing = rowNamed(sql, batch, position);
  if (standing !== null) return standing;
  let name = `at position ${String(position)}`;
  for (const group of sql(OF_ROWS).iterate(batch, 0))
    for (const event of told(group))
      if (event.position === position && event.event === REGISTERED) name = event.detail ?? name;
  return name;
}

/** The name of a row that stands there; null for one that is there no more. */
function rowNamed(sql: Sql, batch: string, position: number): string | null {
  const name = sql('SELECT row FROM rows WHERE batch = ? AND position = ?').get(batch, position)?.['row'];
  return typeof name === 'string' ? name : null;
}
