// Looks through the whole history: every event against the hash of the one before it, every record against its own last event. It reads one
// moment of the ledger through its own connection, so that payments go on meanwhile.
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import type { HistoryReport } from '../history.ts';
import { OWN_CHAIN, startBehind } from '../seals.ts';
import { textOrNull } from '../stored-rows.ts';
import { checkRecords, type Verified } from '../tables/verify-records.ts';
import { checkGroups } from '../tables/verify-groups.ts';
import { statementAsker } from './dialect.ts';
import { statements } from './group-commit.ts';
import { LACKS_KEY } from './keys-table.ts';

export async function verifyHistory(path: string): Promise<HistoryReport> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    // Everything below sees the ledger as it is at the first read.
    database.exec('BEGIN');
    const askNow = statementAsker(statements(database));
    const ask: Verified['ask'] = async (text, values = []) => {
      // Others have their turn between two pages.
      await turn();
      return askNow({ text, values });
    };
    const of = { ask, order: 'seq', fixed: 's.fixed', lacksKey: LACKS_KEY } as const;
    return { ...(await checkEvents(of)), ...(await checkRecords(of)) };
  } finally {
    database.close();
  }
}

async function checkEvents(of: Verified): Promise<Pick<HistoryReport, 'events' | 'lastHash' | 'fault'>> {
  const [named] = await of.ask('SELECT value FROM meta WHERE name = $1', [OWN_CHAIN]);
  const own = textOrNull(named?.['value']) ?? 'sqlite';
  const { chains, fault } = await checkGroups(of, ({ chain }) => textOrNull(chain) ?? own, true);
  const all = startBehind(chains);
  return { events: all.last, lastHash: (chains.get(own) ?? all).hash, fault };
}
