// A process that opens a ledger, says the id of its run, and holds it open until it is killed or its input ends.
import { once } from 'node:events';
import { argv, stdin, stdout } from 'node:process';

import { systemClock } from '../../src/base/clock.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';

const ledger = openSqlite(argv[2] ?? '', systemClock);
await ledger.runs.tell(null);
stdout.write(`${ledger.run}\n`);
await once(stdin.resume(), 'end');
await ledger.close();
