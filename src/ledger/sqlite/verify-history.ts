// Looks through the whole history: every event against the hash of the one before it, every record against the last event of its own. It
// reads one moment of the ledger through a connection of its own, so that whoever pays goes on meanwhile.
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import { type DecimalText, addDecimals, compareDecimals } from '../../base/decimal.ts';
import type { HistoryFault, HistoryReport, RecordFault, SumFault } from '../history.ts';
import { NO_HASH, REGISTERED, ROWS_REMOVED, batchDigest, fixedDigest, rowDigest, sealOf } from './history.ts';
import { countedOf, textOrNull } from './rows-table.ts';
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
  let before = { seq: 0, hash: NO_HASH };
  let fault: HistoryFault | null = null;
  for (const found of sql('SELECT * FROM events ORDER BY seq').iterate()) {
    fault ??= faultOf(sql, before, found);
    before = { seq: Number(found['seq']), hash: String(found['hash']) };
    if (before.seq % TURN_EVENTS === 0) await turn();
  }
  return { events: before.seq, lastHash: before.hash, fault };
}

function faultOf(sql: Sql, before: { seq: number; hash: string }, found: Found): HistoryFault | null {
  const seq = Number(found['seq']);
  if (seq !== before.seq + 1) return { kind: 'events-missing', from: before.seq + 1, to: seq - 1 };
  const event = {
    seq,
    at: String(found['at']),
    batch: String(found['batch']),
    position: found['position'] === null ? null : Number(found['position']),
    event: String(found['event']),
    stage: textOrNull(found['stage']),
    detail: textOrNull(found['detail']),
    digest: textOrNull(found['digest']),
  };
  if (sealOf(before.hash, event) === found['hash']) return null;
  const { at, batch, position } = event;
  const row = position === null ? null : rowName(sql, batch, position);
  return { kind: 'event-forged', place: { seq, at, batch, row, event: event.event } };
}

// Holds every record against the last event of its own: what the ledger wrote last is what must stand there now.

/** The event loop gets its turn after so many rows: some tens of milliseconds. */
const TURN_ROWS = 2_000;

/** Every batch that is told of anywhere. One step a batch, not one a row. */
const BATCH_IDS = `
  WITH RECURSIVE
    of_rows (id) AS (
      SELECT min(batch) FROM rows
      UNION ALL SELECT (SELECT min(batch) FROM rows WHERE batch > of_rows.id) FROM of_rows WHERE id IS NOT NULL),
    of_events (id) AS (
      SELECT min(batch) FROM events
      UNION ALL SELECT (SELECT min(batch) FROM events WHERE batch > of_events.id) FROM of_events WHERE id IS NOT NULL)
  SELECT id FROM batches UNION SELECT id FROM of_rows WHERE id IS NOT NULL UNION SELECT id FROM of_events WHERE id IS NOT NULL
  ORDER BY id`;

const LAST_OF_BATCH =
  'SELECT digest FROM events WHERE batch = ? AND position IS NULL ORDER BY seq DESC LIMIT 1';

const ROWS_START = 'SELECT max(seq) AS seq FROM events WHERE batch = ? AND position IS NULL AND event = ?';

/** `?2` is the number of the event after which the rows of the batch began. */
const ROWS = `
  SELECT s.*, r.*, s.position AS place, (SELECT digest FROM events e WHERE e.batch = s.batch AND e.position = s.position AND e.seq > ?2
                     ORDER BY e.seq DESC LIMIT 1) AS last_digest
    FROM row_states s LEFT JOIN rows r ON r.batch = s.batch AND r.position = s.position
   WHERE s.batch = ?1 ORDER BY s.position`;

const WITHOUT_STATE = `
  SELECT row FROM rows r WHERE batch = ?1
     AND NOT EXISTS (SELECT 1 FROM row_states s WHERE s.batch = r.batch AND s.position = r.position) LIMIT 1`;

const MISSING_ROW = `
  SELECT position FROM (SELECT DISTINCT position FROM events WHERE batch = ?1 AND position IS NOT NULL AND seq > ?2) told
   WHERE NOT EXISTS (SELECT 1 FROM row_states WHERE batch = ?1 AND position = told.position) LIMIT 1`;

async function checkRecords(sql: Sql): Promise<Pick<HistoryReport, 'batchFault' | 'rowFault'>> {
  let batchFault: RecordFault | null = null;
  let rowFault: RecordFault | null = null;
  for (const { id } of sql(BATCH_IDS).all()) {
    batchFault ??= faultOfBatch(sql, String(id));
    rowFault ??= await faultOfRows(sql, String(id));
  }
  return { batchFault, rowFault };
}

function faultOfBatch(sql: Sql, batch: string): RecordFault | null {
  const found = sql('SELECT * FROM batches WHERE id = ?').get(batch);
  const told = sql(LAST_OF_BATCH).get(batch)?.['digest'] ?? null;
  const kind = compare(found === undefined ? null : batchDigest(found), told);
  return kind === null ? null : { kind, batch, row: null };
}

async function faultOfRows(sql: Sql, batch: string): Promise<RecordFault | null> {
  const since = Number(sql(ROWS_START).get(batch, ROWS_REMOVED)?.['seq'] ?? 0);
  let seen = 0;
  for (const found of sql(ROWS).iterate(batch, since)) {
    const isForged = found['fixed'] !== fixedDigest(found);
    const standing = found['row'] === null ? null : rowDigest(found);
    const kind = compare(standing, found['last_digest'] ?? null) ?? (isForged ? 'edited' : null);
    if (kind !== null) return { kind, batch, row: rowName(sql, batch, Number(found['place'])) };
    seen += 1;
    if (seen % TURN_ROWS === 0) await turn();
  }
  const missing = sql(MISSING_ROW).get(batch, since)?.['position'];
  if (missing !== undefined) return { kind: 'missing', batch, row: rowName(sql, batch, Number(missing)) };
  const lone = sql(WITHOUT_STATE).get(batch);
  return lone === undefined ? null : { kind: 'added', batch, row: textOrNull(lone['row']) };
}

/** Null when a record stands as the history left it; null for the digest of one that is not there. */
function compare(standing: string | null, told: SQLOutputValue): RecordFault['kind'] | null {
  const left = textOrNull(told);
  if (standing === null) return left === null ? null : 'missing';
  if (left === null) return 'added';
  return standing === left ? null : 'edited';
}

// Holds the running sums of files and days against the rows that they are sums of: limits rest on them.

const COUNTED =
  'SELECT batch, source_currency AS currency, counted_day, counted FROM row_states WHERE counted IS NOT NULL';

const SUMS = 'SELECT scope, key, day, currency, amount FROM spent';

function checkSums(sql: Sql): SumFault | null {
  const sums = new Map<string, DecimalText>();
  const add = (name: string, amount: DecimalText): void => {
    sums.set(name, addDecimals(sums.get(name) ?? '0', amount));
  };
  for (const found of sql(COUNTED).iterate()) {
    const counted = countedOf(found);
    if (counted === null) continue;
    const currency = String(found['currency']);
    add(nameOf('day', counted.day, currency), counted.amount);
    add(nameOf('file', String(found['batch']), currency), counted.amount);
  }
  for (const { scope, key, day, currency, amount } of sql(SUMS).all()) {
    const name = nameOf(String(scope), String(key === '' ? day : key), String(currency));
    if (compareDecimals(sums.get(name) ?? '0', String(amount)) !== 0) return { of: name };
    sums.delete(name);
  }
  const [unwritten] = sums.keys();
  return unwritten === undefined ? null : { of: unwritten };
}

function nameOf(scope: string, key: string, currency: string): string {
  return `${scope} ${key} in ${currency}`;
}

// The name of a row as its file's owner knows it, also of one that is there no more: the history has it from its registration.

const NAME =
  'SELECT detail FROM events WHERE batch = ? AND position = ? AND event = ? ORDER BY seq DESC LIMIT 1';

function rowName(sql: Sql, batch: string, position: number): string {
  const standing = sql('SELECT row FROM rows WHERE batch = ? AND position = ?').get(batch, position);
  const known =
    textOrNull(standing?.['row']) ?? textOrNull(sql(NAME).get(batch, position, REGISTERED)?.['detail']);
  return known ?? `at position ${String(position)}`;
}
