// What hints need of the ledger's file: a file that another process holds is reported in time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { BATCH, inStage, newRows, readBy } from './records.ts';
import { own } from './own.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hints-'));
  path = join(folder, 'ledger.sqlite');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it('however many writes wait for a ledger that another program holds, they are told together, after one wait', async () => {
  const heard = vi.spyOn(DatabaseSync.prototype, 'exec').mock;
  const ledger = openSqlite(path, systemClock);
  await ledger.addBatch(readBy(ledger));
  await ledger.addRows(await own(ledger, BATCH.id), newRows(20, inStage('confirmed')));
  const [connection] = heard.contexts as readonly DatabaseSync[];
  // A short wait in place of the usual one.
  connection?.exec('PRAGMA busy_timeout = 20');
  const holder = new DatabaseSync(path);
  holder.exec('BEGIN IMMEDIATE');
  const begun = heard.calls.length;
  const hints = Array.from({ length: 20 }, (_, position) => ledger.hint({ batch: BATCH.id, position }));
  const told = await Promise.allSettled(hints);
  expect(new Set(told.map((one) => (one.status === 'rejected' ? String(one.reason) : 'written')))).toEqual(
    new Set(['LedgerAway: Another program holds the ledger. Close that program and try again.']),
  );
  const begins = heard.calls.slice(begun).filter(([said]) => said.startsWith('BEGIN'));
  expect(begins).toEqual([['BEGIN IMMEDIATE']]);
  holder.exec('ROLLBACK');
  holder.close();
  expect(await ledger.hint({ batch: BATCH.id, position: 0 })).toBe(true);
  await ledger.close();
});
