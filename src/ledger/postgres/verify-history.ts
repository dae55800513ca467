// Looks through the whole history: every chain, group by group, and every record against its own last event. It reads one moment of the ledger
// through its own connection, so that payments go on meanwhile.
import { addDecimals } from '../../base/decimal.ts';
import type { HistoryFault, HistoryReport, RecordFault, SumFault } from '../history.ts';
import {
  batchDigest,
  type Chain,
  chainAfter,
  compare,
  Digests,
  eventsOf,
  fixedDigest,
  type Found,
  type Head,
  headsDigest,
  REGISTERED,
  rowDigest,
  ROWS_REMOVED,
  sealOf,
  startBehind,
  startOf,
  type ToldEvent,
} from '../seals.ts';
import { CountedSums, textOrNull } from '../stored-rows.ts';
import { Connection, type PostgresPlace, type Query, type Value } from './connect.ts';

/** Lines that are read at a time. */
const PAGE_ROWS = 2_000;

export async function verifyHistory(place: PostgresPlace): Promise<HistoryReport> {
  const connection = await Connection.open(place);
  try {
    // Everything below sees the ledger as it is at the first read.
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const query: Query = (text, values) => connection.query(text, values);
    const checked = await checkEvents(query);
    return { ...checked, ...(await checkRecords(query)), sumFault: await checkSums(query) };
  } finally {
    await connection.close();
  }
}

/** All lines of a query that names its last value `after`, page by page. */
async function* pages(
  query: Query,
  text: string,
  values: readonly Value[],
  after: readonly Value[],
  key: (line: Found) => readonly Value[],
): AsyncGenerator<Found> {
  for (let from = after; ;) {
    const page = await query(text, [...values, ...from, PAGE_ROWS]);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    from = key(last);
  }
}

/** In the order in which they began: one that came with a ledger of one chain begins behind all that stood there before it. */
const CHAINS = 'SELECT run FROM groups GROUP BY run ORDER BY min(id)';

const GROUPS = 'SELECT * FROM groups WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3';

/** Of several chains the hash is one over the heads of all. */
async function checkEvents(query: Query): Promise<Pick<HistoryReport, 'events' | 'lastHash' | 'fault'>> {
  const chains = new Map<string, Chain>();
  let fault: HistoryFault | null = null;
  for (const { run } of await query(CHAINS)) {
    const name = String(run);
    const start = startOf(name, chains);
    for await (const found of pages(query, GROUPS, [name], [0], ({ seq }) => [Number(seq)])) {
      fault ??= await faultOf(query, chains.get(name) ?? start, found);
      const [seq, last] = [Number(found['seq']), Number(found['last'])];
      chainAfter(chains, name, { seq, last, hash: String(found['hash']) });
    }
  }
  return { events: startBehind(chains).last, lastHash: headsDigest(chains), fault };
}

async function faultOf(query: Query, before: Head, found: Found): Promise<HistoryFault | null> {
  const [seq, last] = [Number(found['seq']), Number(found['last'])];
  if (seq !== before.last + 1) return { kind: 'events-missing', from: before.last + 1, to: seq - 1 };
  const [at, batch, events] = [String(found['at']), String(found['batch']), String(found['events'])];
  const [from, to] = [numberOrNull(found['from_position']), numberOrNull(found['to_position'])];
  if (sealOf(before.hash, { seq, last, at, batch, from, to, events }) === found['hash']) return null;
  const [first] = told(found);
  const row = typeof first?.position === 'number' ? await rowName(query, batch, first.position) : null;
  return { kind: 'event-forged', place: { seq, at, batch, row, event: first?.event ?? '' } };
}

/** Of a group that was made unreadable by hand nothing is known. */
function told(group: Found): readonly ToldEvent[] {
  try {
    return eventsOf(group);
  } catch {
    return [];
  }
}

function numberOrNull(value: Found[string]): number | null {
  return typeof value === 'number' ? value : null;
}

// Holds every record against the last event of its own.

const BATCH_IDS = `
  SELECT id FROM batches UNION SELECT DISTINCT batch FROM row_states UNION SELECT DISTINCT batch FROM rows UNION SELECT DISTINCT batch FROM groups
   ORDER BY 1`;

const OF_BATCH =
  'SELECT * FROM groups WHERE batch = $1 AND to_position IS NULL AND id > $2 ORDER BY id LIMIT $3';

const OF_ROWS =
  'SELECT * FROM groups WHERE batch = $1 AND to_position IS NOT NULL AND id > $2 ORDER BY id LIMIT $3';

const ROWS = `
  SELECT s.position AS place, s.stage, s.held, s.rejections, s.progress, s.version, s.written_by, s.counted_day, s.counted, r.*
    FROM row_states s LEFT JOIN rows r ON r.batch = s.batch AND r.position = s.position
   WHERE s.batch = $1 AND s.position > $2 ORDER BY s.position LIMIT $3`;

const WITHOUT_STATE = `
  SELECT row FROM rows r WHERE batch = $1
     AND NOT EXISTS (SELECT 1 FROM row_states s WHERE s.batch = r.batch AND s.position = r.position) LIMIT 1`;

async function checkRecords(query: Query): Promise<Pick<HistoryReport, 'batchFault' | 'rowFault'>> {
  let batchFault: RecordFault | null = null;
  let rowFault: RecordFault | null = null;
  for (const { id } of await query(BATCH_IDS)) {
    const batch = String(id);
    const { digest, since } = await lastOfBatch(query, batch);
    const [found] = await query('SELECT * FROM batches WHERE id = $1', [batch]);
    const kind = compare(found === undefined ? null : batchDigest(found), digest);
    if (kind !== null) batchFault ??= { kind, batch, row: null };
    rowFault ??= await faultOfRows(query, batch, await digestsOf(query, batch, since));
  }
  return { batchFault, rowFault };
}

/** What the last event of a batch itself left, and the group after which its rows began. */
async function lastOfBatch(
  query: Query,
  batch: string,
): Promise<{ readonly digest: string | null; readonly since: number }> {
  let digest: string | null = null;
  let since = 0;
  for await (const group of pages(query, OF_BATCH, [batch], [0], ({ id }) => [Number(id)]))
    for (const event of told(group)) {
      digest = event.digest;
      if (event.event === ROWS_REMOVED) since = Number(group['id']);
    }
  return { digest, since };
}

/** The digests that the last events of its rows left, by position. */
async function digestsOf(query: Query, batch: string, since: number): Promise<Digests> {
  const digests = new Digests();
  for await (const group of pages(query, OF_ROWS, [batch], [since], ({ id }) => [Number(id)]))
    for (const { position, digest } of told(group))
      if (position !== null && digest !== null) digests.set(position, digest);
  return digests;
}

async function faultOfRows(query: Query, batch: string, digests: Digests): Promise<RecordFault | null> {
  for await (const found of pages(query, ROWS, [batch], [-1], ({ place }) => [Number(place)])) {
    const position = Number(found['place']);
    const isForged = found['fixed'] !== fixedDigest(found);
    const standing = found['row'] === null ? null : rowDigest(found);
    const kind = compare(standing, digests.take(position)) ?? (isForged ? 'edited' : null);
    if (kind !== null) return { kind, batch, row: await rowName(query, batch, position) };
  }
  const missing = digests.firstLeft();
  if (missing >= 0) return { kind: 'missing', batch, row: await rowName(query, batch, missing) };
  const [lone] = await query(WITHOUT_STATE, [batch]);
  return lone === undefined ? null : { kind: 'added', batch, row: textOrNull(lone['row']) };
}

// Holds the running sums of files and days against the rows that they are sums of.

const COUNTED = `
  SELECT batch, position, source_currency AS currency, counted_day, counted FROM row_states
   WHERE counted IS NOT NULL AND (batch, position) > ($1, $2) ORDER BY batch, position LIMIT $3`;

async function checkSums(query: Query): Promise<SumFault | null> {
  const sums = new CountedSums();
  const all = pages(query, COUNTED, [], ['', -1], ({ batch, position }) => [String(batch), Number(position)]);
  for await (const found of all) sums.add(found);
  const spent = await query('SELECT scope, key, day, currency, amount FROM spent');
  return sums.faultIn(spent.map((sum) => ({ ...sum, amount: addDecimals(String(sum['amount']), '0') })));
}

/** The name of a row as its file's owner knows it, also of one that is there no more: the history has it from its registration. */
async function rowName(query: Query, batch: string, position: number): Promise<string> {
  const [standing] = await query('SELECT row FROM rows WHERE batch = $1 AND position = $2', [
    batch,
    position,
  ]);
  if (standing !== undefined) return String(standing['row']);
  let name = `at position ${String(position)}`;
  for await (const group of pages(query, OF_ROWS, [batch], [0], ({ id }) => [Number(id)]))
    for (const event of told(group))
      if (event.position === position && event.event === REGISTERED) name = event.detail ?? name;
  return name;
}
