// What hints need of the file under the ledger: those of an older version find their rows, and a ledger that somebody holds is told of in time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { MIGRATIONS } from '../../src/ledger/sqlite/schema.ts';
import { externalId } from '../../src/payouts/external-id.ts';
import { FRESH } from '../../src/payouts/progress.ts';
import { BATCH, inStage, newRows, readBy } from './records.ts';
import { keep } from './two-ledgers.ts';

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

const idOf = (row: string, attempt: number): string => externalId(BATCH.fileId, row, 'transfer', attempt);

it('a ledger that knew no hints finds the rows of the transfers that it has sent, dead ones included', async () => {
  const before = MIGRATIONS.findIndex((migration) => migration.includes('hinted'));
  const database = new DatabaseSync(path);
  database.function('reference_key', (text) => text);
  for (const migration of MIGRATIONS.slice(0, before)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${String(before)}`);
  database
    .prepare(
      'INSERT INTO batches (id, file_id, paused, accepted_at, state, record) VALUES (?, ?, 0, ?, ?, ?)',
    )
    .run(BATCH.id, BATCH.fileId, BATCH.acceptedAt, BATCH.state, JSON.stringify(BATCH));
  const insert = database.prepare(
    `INSERT INTO rows (batch, position, row, stage, rejections, progress, version, written_by) VALUES (?, ?, ?, ?, '[]', ?, 0, 'run-1')`,
  );
  const again = { ...FRESH, stage: 'confirmed', transferAttempt: 2, deadAttempts: [{ attempt: 1 }] };
  insert.run(BATCH.id, 0, '2', 'confirmed', JSON.stringify(again));
  insert.run(BATCH.id, 1, '3', 'ready', JSON.stringify(FRESH));
  database.close();
  const ledger = openLedger(path, systemClock);
  expect(await ledger.transferOf(idOf('2', 1))).toMatchObject({ attempt: 1, row: { position: 0 } });
  expect(await ledger.transferOf(idOf('2', 2))).toMatchObject({ attempt: 2, row: { position: 0 } });
  expect(await ledger.transferOf(idOf('3', 1))).toBeNull();
  await ledger.close();
});

it('however many writes wait for a ledger that another program holds, they are told together, after one wait', async () => {
  const heard = vi.spyOn(DatabaseSync.prototype, 'exec').mock;
  const ledger = openLedger(path, systemClock);
  await ledger.addBatch(readBy(ledger), keep);
  await ledger.addRows(BATCH.id, newRows(20, inStage('confirmed')));
  const [connection] = heard.contexts as readonly DatabaseSync[];
  // A short wait in place of the usual one.
  connection?.exec('PRAGMA busy_timeout = 20');
  const holder = new DatabaseSync(path);
  holder.exec('BEGIN IMMEDIATE');
  const begun = heard.calls.length;
  const hints = Array.from({ length: 20 }, (_, position) => ledger.hint({ batch: BATCH.id, position }));
  const told = await Promise.allSettled(hints);
  expect(new Set(told.map((one) => (one.status === 'rejected' ? String(one.reason) : 'written')))).toEqual(
    new Set(['LedgerUnusable: Another program holds the ledger. Close that program and try again.']),
  );
  expect(heard.calls.slice(begun)).toEqual([['BEGIN IMMEDIATE']]);
  holder.exec('ROLLBACK');
  holder.close();
  expect(await ledger.hint({ batch: BATCH.id, position: 0 })).toBe(true);
  await ledger.close();
});
