// Looks through the whole history: every event against the hash of the one before it, every record against the last event of its own. It
// reads one moment of the ledger through a connection of its own, so that whoever pays goes on meanwhile.
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import type { HistoryFault, HistoryReport } from '../history-report.ts';
import { checkRecords } from './check-records.ts';
import { checkSums } from './check-sums.ts';
import { NO_HASH, sealOf } from './history.ts';
import { rowName } from './row-name.ts';
import { textOrNull } from './rows-table.ts';
import { statements, type Sql } from './statements.ts';

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
