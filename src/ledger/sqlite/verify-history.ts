// Looks through the whole history: every event against the hash of the one before it, every record against its own last event. It reads one
// moment of the ledger through its own connection, so that payments go on meanwhile.
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import type { HistoryFault, HistoryReport } from '../history.ts';
import { type Chain, chainAfter, OWN_CHAIN, startBehind, startOf } from '../seals.ts';
import { textOrNull } from '../stored-rows.ts';
import { BEFORE_ALL, checkRecords, PAGE_GROUPS, pages, type Verified } from '../tables/verify-records.ts';
import { faultOfGroup, faultOfNumber, groupOf } from '../tables/verify-groups.ts';
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

const GROUPS = 'SELECT * FROM groups WHERE seq > $1 ORDER BY seq LIMIT $2';

async function checkEvents(of: Verified): Promise<Pick<HistoryReport, 'events' | 'lastHash' | 'fault'>> {
  const chains = new Map<string, Chain>();
  const [named] = await of.ask('SELECT value FROM meta WHERE name = $1', [OWN_CHAIN]);
  const own = textOrNull(named?.['value']) ?? 'sqlite';
  let fault: HistoryFault | null = null;
  let last = 0;
  for await (const found of pages(of, GROUPS, [], [BEFORE_ALL], ({ seq }) => [Number(seq)], PAGE_GROUPS)) {
    const name = textOrNull(found['chain']) ?? own;
    const group = groupOf(found);
    fault ??=
      faultOfNumber(last, Number(found['seq'])) ??
      (await faultOfGroup(of, chains.get(name) ?? startOf(name, chains), found, group));
    chainAfter(chains, name, group);
    last = Number(found['last']);
  }
  return { events: last, lastHash: (chains.get(own) ?? startBehind(chains)).hash, fault };
}
