// Holds every record against the last event of its own, and the running sums against the rows that they are sums of: the ledger's last write is what must be
// there now. What is read is one moment of the ledger, page by page.
import { addDecimals } from '../../base/decimal.ts';
import type { HistoryReport, RecordFault, SumFault } from '../history.ts';
import type { Value } from '../plan.ts';
import {
  batchDigest,
  compare,
  Digests,
  eventsOf,
  fixedDigest,
  type Found,
  REGISTERED,
  rowDigest,
  ROWS_REMOVED,
  type ToldEvent,
} from '../seals.ts';
import { CountedSums, textOrNull } from '../stored-rows.ts';

/** How a store reads its own moment. */
export type Verified = {
  readonly ask: (text: string, values?: readonly Value[]) => Promise<readonly Found[]>;
  /** The column by which groups are in the order of their commits. */
  readonly order: 'id' | 'seq';
  /** Where the digest of the fixed part of a row stands. */
  readonly fixed: 'r.fixed' | 's.fixed';
  /** Of a row `r` of a batch `b`: a key is missing by which others have to find it; in the words of the store. */
  readonly lacksKey: string;
};

/** Rows that are read at a time, and groups, which have up to a thousand events each: some tens of milliseconds. */
const PAGE_ROWS = 2_000;
export const PAGE_GROUPS = 50;

/** Before every number, those that somebody put in by hand too; as PostgreSQL has it. */
const BEFORE_ALL = -2_147_483_648;

/** All lines of a query that names its last value, page by page. */
export async function* pages(
  { ask }: Pick<Verified, 'ask'>,
  text: string,
  values: readonly Value[],
  after: readonly Value[],
  key: (line: Found) => readonly Value[],
  lines = PAGE_ROWS,
): AsyncGenerator<Found> {
  for (let from = after; ;) {
    const page = await ask(text, [...values, ...from, lines]);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < lines) return;
    from = key(last);
  }
}

/** Every batch that is told of anywhere. One step a batch, not one a row. */
const BATCH_IDS = `
  WITH RECURSIVE
    of_rows (id) AS (
      SELECT min(batch) FROM rows
      UNION ALL SELECT (SELECT min(batch) FROM rows WHERE batch > of_rows.id) FROM of_rows WHERE id IS NOT NULL),
    of_states (id) AS (
      SELECT min(batch) FROM row_states
      UNION ALL SELECT (SELECT min(batch) FROM row_states WHERE batch > of_states.id) FROM of_states WHERE id IS NOT NULL),
    of_events (id) AS (
      SELECT min(batch) FROM groups
      UNION ALL SELECT (SELECT min(batch) FROM groups WHERE batch > of_events.id) FROM of_events WHERE id IS NOT NULL)
  SELECT id FROM batches UNION SELECT id FROM of_rows WHERE id IS NOT NULL
   UNION SELECT id FROM of_states WHERE id IS NOT NULL UNION SELECT id FROM of_events WHERE id IS NOT NULL
   ORDER BY 1`;

const BATCH = 'SELECT * FROM batches WHERE id = $1';

const groupsOf = (which: string, order: Verified['order']): string =>
  `SELECT * FROM groups WHERE batch = $1 AND to_position ${which} AND ${order} > $2 ORDER BY ${order} LIMIT $3`;

const rowsOf = ({ fixed, lacksKey }: Verified): string => `
  SELECT s.position AS place, s.stage, s.held, s.rejections, s.progress, s.version, s.written_by, s.counted_day, s.counted,
         r.*, ${fixed} AS fixed, ${lacksKey} AS lacks_key
    FROM row_states s LEFT JOIN rows r ON r.batch = s.batch AND r.position = s.position LEFT JOIN batches b ON b.id = s.batch
   WHERE s.batch = $1 AND s.position > $2 ORDER BY s.position LIMIT $3`;

const WITHOUT_STATE = `
  SELECT row FROM rows r WHERE batch = $1
     AND NOT EXISTS (SELECT 1 FROM row_states s WHERE s.batch = r.batch AND s.position = r.position) LIMIT 1`;

export async function checkRecords(
  of: Verified,
): Promise<Pick<HistoryReport, 'batchFault' | 'rowFault' | 'sumFault'>> {
  let batchFault: RecordFault | null = null;
  let rowFault: RecordFault | null = null;
  for (const { id } of await of.ask(BATCH_IDS)) {
    const batch = String(id);
    const { digest, since } = await lastOfBatch(of, batch);
    const [found] = await of.ask(BATCH, [batch]);
    const kind = compare(found === undefined ? null : batchDigest(found), digest);
    if (kind !== null) batchFault ??= { kind, batch, row: null };
    rowFault ??= await faultOfRows(of, batch, await digestsOf(of, batch, since));
  }
  return { batchFault, rowFault, sumFault: await checkSums(of) };
}

/** The groups of a batch itself, or of its rows, behind one of them. */
function groups(
  of: Verified,
  which: 'IS NULL' | 'IS NOT NULL',
  batch: string,
  after = BEFORE_ALL,
): AsyncGenerator<Found> {
  return pages(
    of,
    groupsOf(which, of.order),
    [batch],
    [after],
    (line) => [Number(line[of.order])],
    PAGE_GROUPS,
  );
}

/** What the last event of a batch itself left, and the group after which its rows began. */
async function lastOfBatch(
  of: Verified,
  batch: string,
): Promise<{ readonly digest: string | null; readonly since: number }> {
  let digest: string | null = null;
  let since = BEFORE_ALL;
  for await (const group of groups(of, 'IS NULL', batch))
    for (const event of told(group)) {
      digest = event.digest;
      if (event.event === ROWS_REMOVED) since = Number(group[of.order]);
    }
  return { digest, since };
}

/** The digests that the last events of its rows left, by position: as bytes, because they are as many as rows. */
async function digestsOf(of: Verified, batch: string, since: number): Promise<Digests> {
  const digests = new Digests();
  for await (const group of groups(of, 'IS NOT NULL', batch, since))
    for (const { position, digest } of told(group))
      if (position !== null && digest !== null) digests.set(position, digest);
  return digests;
}

async function faultOfRows(of: Verified, batch: string, digests: Digests): Promise<RecordFault | null> {
  const all = pages(of, rowsOf(of), [batch], [BEFORE_ALL], ({ place }) => [Number(place)]);
  for await (const found of all) {
    const position = Number(found['place']);
    const isForged = found['fixed'] !== fixedDigest(found) || found['lacks_key'] === 1;
    const standing = found['row'] === null ? null : rowDigest(found);
    const kind = compare(standing, digests.take(position)) ?? (isForged ? 'edited' : null);
    if (kind !== null) return { kind, batch, row: await rowName(of, batch, position) };
  }
  const missing = digests.firstLeft();
  if (missing >= 0) return { kind: 'missing', batch, row: await rowName(of, batch, missing) };
  const [lone] = await of.ask(WITHOUT_STATE, [batch]);
  return lone === undefined ? null : { kind: 'added', batch, row: textOrNull(lone['row']) };
}

/** Of a group that was made unreadable by hand nothing is known. */
export function told(group: Found): readonly ToldEvent[] {
  try {
    return eventsOf(group);
  } catch {
    return [];
  }
}

/** The name of a row as its file's owner knows it, also of one that is there no more: the history has it from its registration. */
export async function rowName(of: Verified, batch: string, position: number): Promise<string> {
  const [standing] = await of.ask('SELECT row FROM rows WHERE batch = $1 AND position = $2', [
    batch,
    position,
  ]);
  if (standing !== undefined) return String(standing['row']);
  let name = `at position ${String(position)}`;
  for await (const group of groups(of, 'IS NOT NULL', batch))
    for (const event of told(group))
      if (event.position === position && event.event === REGISTERED) name = event.detail ?? name;
  return name;
}

// The running sums: limits rest on them.

const COUNTED = `
  SELECT batch, position, source_currency AS currency, counted_day, counted FROM row_states
   WHERE counted IS NOT NULL AND (batch, position) > ($1, $2) ORDER BY batch, position LIMIT $3`;

async function checkSums(of: Verified): Promise<SumFault | null> {
  const sums = new CountedSums();
  const all = pages(of, COUNTED, [], ['', BEFORE_ALL], ({ batch, position }) => [
    String(batch),
    Number(position),
  ]);
  for await (const found of all) sums.add(found);
  const spent = await of.ask('SELECT scope, key, day, currency, amount FROM spent');
  return sums.faultIn(spent.map((sum) => ({ ...sum, amount: addDecimals(String(sum['amount']), '0') })));
}
