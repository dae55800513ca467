// Processes that tests make up: as the ledger of one sees itself, and the others.
import { pid } from 'node:process';
import { DatabaseSync } from 'node:sqlite';

import { systemClock } from '../../src/base/clock.ts';
import { openSqlite, placeOf } from '../../src/ledger/open-ledger.ts';
import type { Machine, ProcessPlace } from '../../src/ledger/runs.ts';
import type { RunId } from '../../src/payouts/progress.ts';
import { atEnd } from '../at-end.ts';

/** On the machine of the tests, by its boot. */
const HERE: ProcessPlace = {
  host: 'desk',
  boot: placeOf(pid).boot,
  namespace: 'pid:[1]',
  pid: 1,
  start: '1',
};

/** A process on a machine where all those are there that `isThere` says so of. */
export function processAt(
  changes: Partial<ProcessPlace> = {},
  isThere: Machine['isThere'] = () => true,
): Machine {
  return {
    own: { ...HERE, ...changes },
    runs: new Set(),
    repeatEvery: () => () => undefined,
    isThere,
  };
}

/** A process in a container of its own: nobody else sees it. */
export const CONTAINER: ProcessPlace = {
  ...HERE,
  host: 'container-b',
  namespace: 'pid:[2]',
};

/** A run of another process, in a neighbouring container, which works until it is closed. */
export async function runElsewhere(
  path: string,
): Promise<{ readonly run: RunId; readonly close: () => Promise<void> }> {
  const ledger = openSqlite(path, systemClock, processAt(CONTAINER));
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= ledger.close());
  atEnd(close);
  // From its first write on it is a run.
  await ledger.runs.tell(null);
  return { run: ledger.run, close };
}

/** The batch as if another run had taken it over, whichever has it; and had given it back. */
export function giveTo(path: string, batch: string, run: RunId, isFree = false): void {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  database
    .prepare('UPDATE batches SET owner = ?, is_free = ?, token = token + 1000 WHERE id = ?')
    .run(run, isFree ? 1 : 0, batch);
  database.close();
}
