// Holds every record against the last event of its own: what the ledger wrote last is what must stand there now.
import type { SQLOutputValue } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import type { HistoryReport, RecordFault } from '../history-report.ts';
import { ROWS_REMOVED } from './history.ts';
import { batchDigest, fixedDigest, rowDigest } from './record-columns.ts';
import { rowName } from './row-name.ts';
import { textOrNull } from './rows-table.ts';
import type { Sql } from './statements.ts';

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
  SELECT r.*, (SELECT digest FROM events e WHERE e.batch = r.batch AND e.position = r.position AND e.seq > ?2
                ORDER BY e.seq DESC LIMIT 1) AS last_digest
    FROM rows r WHERE r.batch = ?1 ORDER BY r.position`;

const MISSING_ROW = `
  SELECT position FROM (SELECT DISTINCT position FROM events WHERE batch = ?1 AND position IS NOT NULL AND seq > ?2) told
   WHERE NOT EXISTS (SELECT 1 FROM rows WHERE batch = ?1 AND position = told.position) LIMIT 1`;

export async function checkRecords(sql: Sql): Promise<Pick<HistoryReport, 'batchFault' | 'rowFault'>> {
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
    const kind = compare(rowDigest(found), found['last_digest'] ?? null) ?? (isForged ? 'edited' : null);
    if (kind !== null) return { kind, batch, row: textOrNull(found['row']) };
    seen += 1;
    if (seen % TURN_ROWS === 0) await turn();
  }
  const missing = sql(MISSING_ROW).get(batch, since)?.['position'];
  return missing === undefined ? null : { kind: 'missing', batch, row: rowName(sql, batch, Number(missing)) };
}

/** Null when a record stands as the history left it; null for the digest of one that is not there. */
function compare(standing: string | null, told: SQLOutputValue): RecordFault['kind'] | null {
  const left = textOrNull(told);
  if (standing === null) return left === null ? null : 'missing';
  if (left === null) return 'added';
  return standing === left ? null : 'edited';
}
