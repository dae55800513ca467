// Takes a ledger over that did not count its rows against limits yet: what their transfers come to counts on the days on which they were made.
import type { DatabaseSync } from 'node:sqlite';

import type { Progress } from '../../payouts/progress.ts';
import { countedAfter } from '../counted.ts';
import { countedRow, spentTable } from './spent-table.ts';
import { statements } from './statements.ts';

const SUMS = `
  ALTER TABLE rows ADD COLUMN counted_day TEXT;
  ALTER TABLE rows ADD COLUMN counted TEXT;
  CREATE TABLE spent (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    day TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount TEXT NOT NULL,
    PRIMARY KEY (scope, key, day, currency)
  ) STRICT, WITHOUT ROWID;
`;

const WITH_TRANSFER = `
  SELECT batch, position FROM rows WHERE payout IS NOT NULL AND json_extract(progress, '$.transfer') IS NOT NULL`;

export function countEarlierRows(database: DatabaseSync): void {
  database.exec(SUMS);
  const sql = statements(database);
  const spent = spentTable(sql);
  // All at once: what is read must not change under the reading.
  for (const { batch, position } of sql(WITH_TRANSFER).all()) {
    const found = sql('SELECT * FROM rows WHERE batch = ? AND position = ?').get(
      String(batch),
      Number(position),
    );
    if (found === undefined) continue;
    const counted = countedAfter(JSON.parse(String(found['progress'])) as Progress, null);
    spent.move(countedRow(found), null, counted);
    sql('UPDATE rows SET counted_day = ?, counted = ? WHERE batch = ? AND position = ?').run(
      counted?.day ?? null,
      counted?.amount ?? null,
      String(batch),
      Number(position),
    );
  }
}
