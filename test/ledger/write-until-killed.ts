// A process that writes to a ledger and says each position once its record is acknowledged, until somebody kills it.
import { argv, stdout } from 'node:process';

import { systemClock } from '../../src/base/clock.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { BATCH, movedTo } from './records.ts';
import { EVERYTHING } from './two-ledgers.ts';
import { dueRows, record } from './own.ts';

const ledger = openSqlite(argv[2] ?? '', systemClock);

/** As many writes wait together as calls are under way in a real run. */
const TOGETHER = 16;

for (;;) {
  const rows = await dueRows(ledger, { ...EVERYTHING, limit: TOGETHER });
  if (rows.length === 0) break;
  await Promise.all(
    rows.map(async (row) => {
      await record(ledger, row, movedTo('confirmed', row));
      // A write to a pipe is done when it returns, so the reader never knows less than was acknowledged here.
      stdout.write(`${BATCH.id} ${String(row.position)}\n`);
    }),
  );
}
