// Ledgers in files of their own, closed and removed when the tests are over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import type { Machine } from '../../src/ledger/runs.ts';

export type LedgerFiles = {
  readonly newPath: () => string;
  /** A ledger that is closed after the test. */
  readonly open: (path: string, machine?: Machine) => Ledger;
};

export function ledgerFiles(): LedgerFiles {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  const opened: Ledger[] = [];
  let files = 0;
  afterEach(async () => {
    for (const ledger of opened.splice(0)) await ledger.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    newPath: () => {
      files += 1;
      return join(folder, `${String(files)}.sqlite`);
    },
    open: (path, machine) => {
      const ledger = openSqlite(path, systemClock, machine);
      opened.push(ledger);
      return ledger;
    },
  };
}
