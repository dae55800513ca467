// What viewers cost while rows are written: the history is read once for all of them, and of the rows only what has changed.
import { expect, it } from 'vitest';

import { HistoryFeed, RunningSums } from '../../src/app/desk/watched.ts';
import { type EventCursor, FROM_END } from '../../src/ledger/history.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { summarize } from '../../src/results/summary.ts';
import { ledgerFiles } from '../ledger/ledger-files.ts';
import { BATCH, movedTo, newRow, readBy } from '../ledger/records.ts';
import { dueRows, own, record } from '../ledger/own.ts';
import { EVERYTHING } from '../ledger/two-ledgers.ts';

const files = ledgerFiles();
const SIZES = { rangeRows: 100, pieceRows: 10 };

/** A ledger with a batch that is being read, and how much is read of it by those who watch. */
async function watched() {
  const ledger = files.open(files.newPath());
  await ledger.addBatch(readBy(ledger));
  const read = { rows: 0, events: 0 };
  const counted: Pick<Ledger, 'history' | 'rows'> = {
    rows: async (...asked) => {
      const rows = await ledger.rows(...asked);
      read.rows += rows.length;
      return rows;
    },
    history: {
      ...ledger.history,
      events: async (...asked) => {
        const page = await ledger.history.events(...asked);
        read.events += page.events.length;
        return page;
      },
    },
  };
  const add = async (from: number, count: number): Promise<void> =>
    ledger.addRows(
      await own(ledger, BATCH.id),
      Array.from({ length: count }, (_, at) => newRow(from + at)),
    );
  return { ledger, counted, read, add };
}

it('a look while a file is read reads the new rows, and the piece that they fill up', async () => {
  const { ledger, counted, read, add } = await watched();
  const sums = new RunningSums(counted, new HistoryFeed(counted), SIZES);
  for (let from = 0; from < 600; from += 60) {
    await add(from, 60);
    read.rows = 0;
    const tally = await sums.of(BATCH);
    expect(read.rows).toBeLessThanOrEqual(60 + SIZES.pieceRows);
    expect(tally.summary(BATCH, [])).toEqual(await summarize(ledger, BATCH));
  }
});

it('a look reads the pieces of the rows that changed, however many events told of them', async () => {
  const { ledger, counted, read, add } = await watched();
  const sums = new RunningSums(counted, new HistoryFeed(counted), SIZES);
  await add(0, 3_000);
  await sums.of(BATCH);
  // Thirty thousand events, of thirty rows.
  for (let time = 0; time < 1_000; time += 1)
    await Promise.all(
      (await ledger.rows(BATCH.id, 1_995, 30)).map((row) => ledger.hint(row, 'looked at again')),
    );
  await Promise.all(
    (await dueRows(ledger, { ...EVERYTHING, batch: BATCH.id, limit: 5 })).map((row) =>
      record(ledger, row, movedTo('quoted', row)),
    ),
  );
  [read.rows, read.events] = [0, 0];
  const tally = await sums.of(BATCH);
  expect(read.events).toBe(30_005);
  expect(read.rows).toBeLessThanOrEqual(30 + 5 + 3 * SIZES.pieceRows);
  expect(tally.summary(BATCH, [])).toEqual(await summarize(ledger, BATCH));
});

it('five readers who look at different moments read the history hardly more than once, and miss nothing', async () => {
  const { ledger, counted, read, add } = await watched();
  const feed = new HistoryFeed(counted);
  const start = (await ledger.history.events(null, FROM_END, 1)).next;
  const heard: string[][] = [[], [], [], [], []];
  const places: EventCursor[] = heard.map(() => start);
  const look = async (reader: number): Promise<void> => {
    for (;;) {
      const { events, next } = await feed.after(places[reader] ?? start);
      if (events.length === 0) return;
      places[reader] = next;
      heard[reader]?.push(...events.map(({ cursor }) => cursor));
    }
  };
  for (let time = 0; time < 60; time += 1) {
    await add(100 * time, 100);
    await look(time % heard.length);
  }
  for (const reader of heard.keys()) await look(reader);
  for (const cursors of heard) {
    expect(cursors).toHaveLength(6_000);
    expect(new Set(cursors).size).toBe(6_000);
  }
  expect(read.events).toBeLessThan(2 * 6_000);
});
