// Looks through the whole history: every chain, group by group, and every record against its own last event. It reads one moment of the ledger
// through its own connection, so that payments go on meanwhile.
import type { HistoryReport } from '../history.ts';
import { headsDigest, startBehind } from '../seals.ts';
import { checkRecords, type Verified } from '../tables/verify-records.ts';
import { checkGroups } from '../tables/verify-groups.ts';
import { Connection, type PostgresPlace } from './connect.ts';

export async function verifyHistory(place: PostgresPlace): Promise<HistoryReport> {
  const connection = await Connection.open(place);
  try {
    // Everything below sees the ledger as it is at the first read.
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const ask: Verified['ask'] = (text, values) => connection.query(text, values);
    const of = { ask, order: 'id', fixed: 'r.fixed', lacksKey: '0' } as const;
    return { ...(await checkEvents(of)), ...(await checkRecords(of)) };
  } finally {
    await connection.close();
  }
}

/** Of several chains the hash is one over the heads of all. */
async function checkEvents(of: Verified): Promise<Pick<HistoryReport, 'events' | 'lastHash' | 'fault'>> {
  const { chains, fault } = await checkGroups(of, ({ run }) => String(run), false);
  return { events: startBehind(chains).last, lastHash: headsDigest(chains), fault };
}
