// Large files are registered by a thread of its own: what it leaves is what the connection itself would have left.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import { changeBatch, type CrossCheck, type Ledger } from '../../src/ledger/ledger.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import type { BatchRecord, Held } from '../../src/ledger/records.ts';
import { Registrar, turnsOf } from '../../src/ledger/sqlite/registrar.ts';
import { ledgerFiles } from './ledger-files.ts';
import { own } from './own.ts';
import { BATCH, batchNumber, newRow, readBy } from './records.ts';

const { newPath, open } = ledgerFiles();
afterEach(() => vi.restoreAllMocks());

/** Twice as many as start it. */
const ROWS = 2_000;
const CHUNK = 100;
const CHECK: CrossCheck = {
  ...{ limit: ROWS, at: null, since: BATCH.acceptedAt, everyRow: false },
  ...{ judge: () => null, change: {} },
};

/** Told of each chunk whether the thread took it. */
function chunksOfThread(): () => number {
  const asked = vi.spyOn(Registrar.prototype, 'rows');
  return () => asked.mock.results.filter(({ value }) => value !== null).length;
}

const chunk = (from: number) =>
  Array.from({ length: CHUNK }, (_none, index) =>
    newRow(from + index, { reference: `A-${String(from + index)}` }),
  );

/** Registers all rows, the second half by the thread. */
async function fill(ledger: Ledger, held: Held, share: () => number): Promise<void> {
  const half = ROWS / 2;
  for (let from = 0; from < half; from += CHUNK) await ledger.addRows(held, chunk(from));
  while (share() === 0) await ledger.addRows(held, []);
  for (let from = half; from < ROWS; from += CHUNK) await ledger.addRows(held, chunk(from));
  expect(share()).toBeGreaterThanOrEqual(half / CHUNK);
}

async function announce(ledger: Ledger): Promise<BatchRecord> {
  await ledger.addBatch(readBy(ledger, { ...BATCH, rows: ROWS }));
  return own(ledger, BATCH.id);
}

function linesOf(path: string, table: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`).all();
  } finally {
    database.close();
  }
}

describe('the thread that registers', () => {
  it('leaves the rows, their keys and their history as the connection itself does', async () => {
    const share = chunksOfThread();
    const [path, alone] = [newPath(), newPath()];
    const ledger = open(path);
    const held = await announce(ledger);
    await fill(ledger, held, share);
    expect(await ledger.crossCheck(held, CHECK)).toBe(true);
    const other = open(alone);
    vi.spyOn(Registrar.prototype, 'rows').mockReturnValue(null);
    const also = await announce(other);
    for (let from = 0; from < ROWS; from += CHUNK) await other.addRows(also, chunk(from));
    await other.crossCheck(also, CHECK);
    for (const table of ['rows', 'row_keys']) expect(linesOf(path, table)).toEqual(linesOf(alone, table));
    const found = await ledger.rows(BATCH.id, 0, ROWS);
    const same = (await other.rows(BATCH.id, 0, ROWS)).map((row) => ({
      ...row,
      progress: expect.anything() as unknown,
    }));
    expect(found).toEqual(same);
    expect(await ledger.verifyHistory()).toMatchObject({ fault: null });
  });

  it('ends once the keys are written, and at the latest with the ledger, whose log it leaves to nobody', async () => {
    const share = chunksOfThread();
    const path = newPath();
    const ledger = openSqlite(path, systemClock);
    const held = await announce(ledger);
    await fill(ledger, held, share);
    await ledger.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('writes nothing more of a batch that another run has taken over', async () => {
    const share = chunksOfThread();
    const path = newPath();
    const ledger = open(path);
    const held = await announce(ledger);
    await fill(ledger, held, share);
    await ledger.takeOver(held);
    await expect(ledger.addRows(held, chunk(ROWS))).rejects.toThrow(LeaseLost);
    expect(await ledger.rows(BATCH.id, ROWS, 1)).toEqual([]);
  });

  it('writes nothing more of a batch that is refused', async () => {
    const share = chunksOfThread();
    const ledger = open(newPath());
    const held = await announce(ledger);
    await fill(ledger, held, share);
    const late = ledger.addRows(held, chunk(ROWS));
    await changeBatch(ledger, held, { state: 'refused' });
    await late.catch(() => undefined);
    expect(await ledger.rows(BATCH.id, 0, 1)).toEqual([]);
  });

  it('writes the keys of rows at once where their batch is rebuilt: others must meet them', async () => {
    const share = chunksOfThread();
    const path = newPath();
    const ledger = open(path);
    await ledger.addBatch({ ...readBy(ledger), state: 'resolving' });
    await fill(ledger, await own(ledger, BATCH.id), share);
    const keyed = linesOf(path, 'row_keys').map((key) => (key as { position: number }).position);
    expect(new Set(keyed).size).toBe(ROWS);
  });

  it('does not outlive a file that it has written, nor keep a process from its end', async () => {
    const share = chunksOfThread();
    const ledger = open(newPath());
    const held = await announce(ledger);
    await fill(ledger, held, share);
    await ledger.crossCheck(held, CHECK);
    expect(process.getActiveResourcesInfo().filter((each) => each === 'Worker')).toEqual([]);
  });

  it('is not asked for a small file beside the large one', async () => {
    const share = chunksOfThread();
    const ledger = open(newPath());
    await fill(ledger, await announce(ledger), share);
    const before = share();
    const small = batchNumber(1, { rows: CHUNK });
    await ledger.addBatch(readBy(ledger, small));
    const held = await own(ledger, small.id);
    await ledger.addRows(held, chunk(0));
    expect(await ledger.crossCheck(held, CHECK)).toBe(true);
    expect(share()).toBe(before);
  });

  it('begins no commit while the process wants to write, and the process none while the thread writes', () => {
    const shared = new SharedArrayBuffer(8);
    const [ours, theirs] = [turnsOf(shared, 0), turnsOf(shared)];
    const words = new Int32Array(shared);
    theirs.enter();
    expect([...words]).toEqual([0, 1]);
    ours.enter();
    expect([...words]).toEqual([1, 1]);
    theirs.leave();
    ours.leave();
    expect([...words]).toEqual([0, 0]);
  });
});
