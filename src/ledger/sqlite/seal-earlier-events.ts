// Takes a ledger over whose events were not sealed yet: they come first in the chain, as they stand, and after them an event for each batch
// and row that stands, from which on it has to follow from its history.
import type { DatabaseSync } from 'node:sqlite';

import { History, TAKEN_OVER } from './history.ts';
import {
  batchDigest,
  fixedDigest,
  rowDigest,
  SEALED_BATCH_COLUMNS,
  SEALED_ROW_COLUMNS,
} from './record-columns.ts';
import { textOrNull } from './rows-table.ts';
import { statements, type Sql } from './statements.ts';

/**
 * Triggers keep honest programs honest; whoever gets round them is found by the hashes. None watches inserts: it would cost every write more
 * than the seal itself.
 */
const SEALED_EVENTS = `
  ALTER TABLE rows ADD COLUMN fixed TEXT;
  ALTER TABLE events RENAME TO earlier_events;
  DROP INDEX events_by_batch;
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    batch TEXT NOT NULL,
    position INTEGER,
    event TEXT NOT NULL,
    stage TEXT,
    detail TEXT,
    digest TEXT,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_row ON events (batch, position, seq);
  CREATE TRIGGER events_stay_as_they_are BEFORE UPDATE ON events
    BEGIN SELECT raise(ABORT, 'The history is only ever added to.'); END;
  CREATE TRIGGER events_stay BEFORE DELETE ON events
    BEGIN SELECT raise(ABORT, 'The history is only ever added to.'); END;
`;

/** A ledger without events; else a record that is taken over is told under the time of the last event before it. */
const NO_TIME = '1970-01-01T00:00:00.000Z';

export function sealEarlierEvents(database: DatabaseSync): void {
  database.exec(SEALED_EVENTS);
  const sql = statements(database);
  const history = new History(sql);
  fixRows(sql);
  const at = sealEvents(sql, history);
  sealRecords(sql, history, at);
  database.exec('DROP TABLE earlier_events');
}

function fixRows(sql: Sql): void {
  // All at once: what is read must not change under the reading.
  for (const { batch, position } of sql('SELECT batch, position FROM rows').all()) {
    const key = [String(batch), Number(position)] as const;
    const found = sql(`SELECT ${SEALED_ROW_COLUMNS} FROM rows WHERE batch = ? AND position = ?`).get(...key);
    if (found === undefined) continue;
    const fixed = fixedDigest(found);
    sql('UPDATE rows SET fixed = ? WHERE batch = ? AND position = ?').run(fixed, ...key);
  }
}

function sealEvents(sql: Sql, history: History): string {
  let last = NO_TIME;
  for (const found of sql('SELECT * FROM earlier_events ORDER BY seq').iterate()) {
    last = String(found['at']);
    history.add(last, {
      batch: String(found['batch']),
      position: found['position'] === null ? null : Number(found['position']),
      event: String(found['event']),
      stage: textOrNull(found['stage']),
      detail: textOrNull(found['detail']),
      digest: null,
    });
  }
  return last;
}

function sealRecords(sql: Sql, history: History, at: string): void {
  for (const { batch } of sql('SELECT id AS batch FROM batches UNION SELECT batch FROM earlier_events').all())
    sealBatch(sql, history, at, String(batch));
  for (const found of sql(`SELECT ${SEALED_ROW_COLUMNS} FROM rows ORDER BY batch, position`).iterate()) {
    history.add(at, {
      batch: String(found['batch']),
      position: Number(found['position']),
      event: TAKEN_OVER,
      stage: textOrNull(found['stage']),
      detail: textOrNull(found['row']),
      digest: rowDigest(found),
    });
  }
}

/** Also of one that is there no more, whose rows must not be looked for. */
function sealBatch(sql: Sql, history: History, at: string, batch: string): void {
  const found = sql(`SELECT ${SEALED_BATCH_COLUMNS} FROM batches WHERE id = ?`).get(batch);
  const digest = found === undefined ? null : batchDigest(found);
  history.add(at, { batch, position: null, event: TAKEN_OVER, digest });
}
