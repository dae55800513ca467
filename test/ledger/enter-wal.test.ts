// Two processes may create one ledger at the same moment: the second waits for the first, and not for ever.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { enterWal } from '../../src/ledger/sqlite/schema.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'enter-wal-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Holds the file in a thread of its own, which goes on while this one is blocked; it lets go once somebody has had to wait. */
const HOLDER = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData } = require('node:worker_threads');
  const database = new DatabaseSync(workerData);
  database.exec('BEGIN EXCLUSIVE');
  parentPort.postMessage('held');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  database.exec('COMMIT');
  database.close();
`;

describe('a new ledger', () => {
  it('waits for the process that is creating it', async () => {
    const path = join(folder, 'ledger.sqlite');
    const holder = new Worker(HOLDER, { eval: true, workerData: path });
    await new Promise((resolve) => holder.once('message', resolve));
    const database = new DatabaseSync(path, { timeout: 0 });
    enterWal(database, 5_000);
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
    await holder.terminate();
  });

  it('is given up when it is held for longer than it may be', () => {
    const path = join(folder, 'ledger.sqlite');
    const holder = new DatabaseSync(path);
    holder.exec('BEGIN EXCLUSIVE');
    const database = new DatabaseSync(path, { timeout: 0 });
    expect(() => {
      enterWal(database, 40);
    }).toThrow('locked');
    database.close();
    holder.close();
  });
});
