// Looks through the whole history: every chain, group by group, and every record against its own last event. It reads one moment of the ledger
// through its own connection, so that payments go on meanwhile.
import type { HistoryFault, HistoryReport } from '../history.ts';
import { type Chain, chainAfter, headsDigest, startBehind, startOf } from '../seals.ts';
import { checkRecords, pages, type Verified } from '../tables/verify-records.ts';
import { faultOfGroup, faultOfNumber, groupOf } from '../tables/verify-groups.ts';
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

/** In the order in which they began: one that came with a ledger of one chain begins behind all that stood there before it. */
const CHAINS = 'SELECT run FROM groups GROUP BY run ORDER BY min(id)';

const GROUPS = 'SELECT * FROM groups WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3';

/** Of several chains the hash is one over the heads of all. */
async function checkEvents(of: Verified): Promise<Pick<HistoryReport, 'events' | 'lastHash' | 'fault'>> {
  const chains = new Map<string, Chain>();
  let fault: HistoryFault | null = null;
  for (const { run } of await of.ask(CHAINS)) {
    const name = String(run);
    const start = startOf(name, chains);
    for await (const found of pages(of, GROUPS, [name], [0], ({ seq }) => [Number(seq)])) {
      const [before, group] = [chains.get(name) ?? start, groupOf(found)];
      fault ??= faultOfNumber(before.last, group.seq) ?? (await faultOfGroup(of, before, found, group));
      chainAfter(chains, name, group);
    }
  }
  return { events: startBehind(chains).last, lastHash: headsDigest(chains), fault };
}
