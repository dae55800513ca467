// The sums that watchers see equal those of the rows at every moment, although only changed ranges are read.
import { setImmediate } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { HistoryFeed, RunningSums } from '../../src/app/desk/watched.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { releaseRows } from '../app/release.ts';
import { processBatch, resumeBatch } from '../../src/app/workflow/process-batch.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { summarize } from '../../src/results/summary.ts';
import { type Desk, HURRIED, lineTo, magic, openDesk, PATIENT } from '../app/desk.ts';

const SIZES = { rangeRows: 14, pieceRows: 7 };
const LINES = Array.from({ length: 40 }, (_, at) => lineTo(`r${String(at)}`, `R-${String(at)}`, '100'));
LINES[3] = magic('R-3', '0100002');
LINES[17] = magic('R-17', '0100001');
LINES[30] = lineTo('twice', '', '300');
LINES[31] = lineTo('twice', '', '300');

let desk: Desk;
let paydrop: Paydrop;
beforeAll(async () => {
  desk = await openDesk();
  paydrop = await desk.open();
});
afterAll(() => desk.close());

it('follow each step of a file, and read no range anew in which nothing happened', async () => {
  let reads = 0;
  const { ledger } = paydrop;
  const counted = {
    history: ledger.history,
    rows: (...asked: Parameters<typeof ledger.rows>) => {
      reads += 1;
      return ledger.rows(...asked);
    },
  };
  const sums = new RunningSums(counted, new HistoryFeed(ledger), SIZES);
  const path = await desk.file('sums.csv', LINES);
  const batch = async (): Promise<BatchRecord> => (await ledger.batches())[0] as BatchRecord;
  const agrees = async (): Promise<void> => {
    const now = await batch();
    expect((await sums.of(now)).summary(now, [])).toEqual(await summarize(ledger, now));
  };
  const end = new AbortController();
  const watching = (async () => {
    while (!end.signal.aborted) {
      const [now] = await ledger.batches();
      if (now !== undefined) await sums.of(now);
      await paydrop.clock.sleep(5);
    }
  })();
  await processBatch(paydrop, path, HURRIED);
  end.abort();
  await watching;
  await agrees();
  const { id } = await batch();
  await releaseRows(paydrop, await batch(), {
    by: 'Marie',
    reason: 'two',
    rows: new Set(['32']),
    skip: false,
  });
  reads = 0;
  await agrees();
  // One row was released: its range, and where the record changed all of it, no more than the file.
  expect(reads).toBeGreaterThanOrEqual(1);
  await resumeBatch(paydrop, id, PATIENT);
  await agrees();
  reads = 0;
  await agrees();
  expect(reads).toBe(0);
  const [row] = await ledger.rows(id, 9, 1);
  if (row === undefined) throw new Error('There is no tenth row.');
  await ledger.hint(row, 'looked at by hand');
  await agrees();
  expect(reads).toBe(1);
});

it('let others have their turn, and keep nothing that changed while it was being read', async () => {
  const { ledger } = paydrop;
  const [now] = await ledger.batches();
  if (now === undefined) throw new Error('There is no batch.');
  let [turns, reads] = [0, 0];
  const end = new AbortController();
  const others = (async () => {
    for (; !end.signal.aborted; turns += 1) await setImmediate();
  })();
  const seen: number[] = [];
  const later: Promise<unknown>[] = [];
  const sums = new RunningSums(
    {
      history: ledger.history,
      rows: async (...asked: Parameters<typeof ledger.rows>) => {
        seen.push(turns);
        reads += 1;
        const rows = await ledger.rows(...asked);
        if (reads !== 3 || rows[0] === undefined) return rows;
        // Somebody else is told of a change, and reads the range anew, before this older reading of it has ended.
        await ledger.hint(rows[0], 'looked at by hand');
        later.push(sums.of(now));
        await setImmediate();
        return rows.slice(1);
      },
    },
    new HistoryFeed(ledger),
    { rangeRows: 7, pieceRows: 7 },
  );
  await sums.of(now);
  await Promise.all(later);
  end.abort();
  await others;
  expect(new Set(seen.slice(0, 2)).size).toBe(2);
  const before = reads;
  expect((await sums.of(now)).summary(now, [])).toEqual(await summarize(ledger, now));
  expect(reads).toBe(before);
});

it('read no further than the rows that have come, and then those that came since', async () => {
  const { ledger } = paydrop;
  let [come, reads] = [SIZES.rangeRows, 0];
  const coming = {
    history: ledger.history,
    rows: async (...asked: Parameters<typeof ledger.rows>) => {
      reads += 1;
      return (await ledger.rows(...asked)).filter(({ position }) => position < come);
    },
  };
  const sums = new RunningSums(coming, new HistoryFeed(ledger), SIZES);
  const [batch] = await ledger.batches();
  if (batch === undefined) throw new Error('There is no batch.');
  // A file says how many rows it will have before the first of them is registered.
  const announced = { ...batch, rows: 1_000_000 };
  const rowsSeen = async (): Promise<number> => {
    const { outcomes } = (await sums.of(announced)).summary({ ...batch, rows: 0 }, []);
    return Object.values(outcomes).reduce((sum, each) => sum + each, 0);
  };
  expect(await rowsSeen()).toBe(SIZES.rangeRows);
  expect(reads).toBe(2);
  [come, reads] = [Infinity, 0];
  expect(await rowsSeen()).toBe(LINES.length);
  expect(reads).toBe(3);
});
