// Several batches at once: a small file is paid in about the time that it takes alone, however many large ones are being paid.
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { Slots } from '../../../src/app/intake/slots.ts';
import { lineTo, openDesk, type Desk } from '../desk.ts';
import { leapClock } from '../leap-clock.ts';

let desk: Desk;
beforeEach(async () => {
  // A service that takes its time, so that it is the calls that are shared and not the processor.
  desk = await openDesk({ latencyMs: 15, settleMs: 20 });
});
afterEach(() => desk.close());

const CONFIG = 'intake: { settleFor: 10ms, scanEvery: 100ms }\nservice: { concurrency: 8 }';

async function drop(name: string, rows: number, folder = ''): Promise<void> {
  const lines = Array.from({ length: rows }, (_none, index) =>
    lineTo(name, `${name}-${String(index)}`, String(100 + index)),
  );
  const path = await desk.file(name, lines);
  await mkdir(join(desk.workspace, 'inbox', folder), { recursive: true });
  await rename(path, join(desk.workspace, 'inbox', folder, name));
}

/** Runs a daemon until `until` is over; tells when each file had its last answer, in ms from the start of the watch. */
async function watching<T>(
  paydrop: Paydrop,
  until: (ended: (name: string) => Promise<number>) => Promise<T>,
): Promise<T> {
  const stopper = new AbortController();
  const startedAt = performance.now();
  const ends = new Map<string, number>();
  const asked = new Map<string, (at: number) => void>();
  const onResult = ({ summary }: BatchResult): void => {
    if (summary.state !== 'closed') return;
    ends.set(summary.file.name, performance.now() - startedAt);
    asked.get(summary.file.name)?.(performance.now() - startedAt);
  };
  const onTrouble = (words: string): void => {
    throw new Error(words);
  };
  const ended = watch(paydrop, { signal: stopper.signal, onResult, onWaiting: () => undefined, onTrouble });
  const result = await until((name) => {
    const at = ends.get(name);
    return at === undefined ? new Promise((resolve) => asked.set(name, resolve)) : Promise.resolve(at);
  });
  stopper.abort();
  await ended;
  return result;
}

it('ten rows that come while two thousand are paid take a small multiple of their time alone', async () => {
  const paydrop = await desk.open(CONFIG);
  const [alone, beside, isLargeDone] = await watching(paydrop, async (ended) => {
    await drop('alone.csv', 10);
    const aloneMs = await ended('alone.csv');
    await drop('large.csv', 2_000);
    await underWay(paydrop, 'large');
    const from = performance.now();
    await drop('small.csv', 10);
    await ended('small.csv');
    const large = (await paydrop.ledger.batches()).find(({ fileName }) => fileName === 'large.csv');
    return [aloneMs, performance.now() - from, large?.state === 'closed'];
  });
  expect(isLargeDone).toBe(false);
  // Half of the lanes, and the looks at the inbox of a machine that has other things to do.
  expect(beside).toBeLessThan(5 * alone + 1_000);
});

it(
  'a small file does not wait for one of the sixteen large ones before it to end',
  { timeout: 60_000 },
  async () => {
    const paydrop = await desk.open(CONFIG);
    for (let file = 0; file < 16; file++) await drop(`large-${String(file)}.csv`, 150);
    const open = await watching(paydrop, async (ended) => {
      await underWay(paydrop, 'large');
      await drop('small.csv', 10);
      await ended('small.csv');
      return (await paydrop.ledger.batches()).filter(
        ({ fileName, state }) => fileName.startsWith('large') && state !== 'closed',
      );
    });
    expect(open.length).toBeGreaterThanOrEqual(8);
  },
);

it(
  'the file of one folder does not wait for the twenty-four of another that came before it',
  { timeout: 60_000 },
  async () => {
    const paydrop = await desk.open(CONFIG);
    for (let file = 0; file < 24; file++) await drop(`heap-${String(file)}.csv`, 60, 'team-a');
    const open = await watching(paydrop, async (ended) => {
      await underWay(paydrop, 'heap');
      // As many as one folder may have at once.
      while ((await paydrop.ledger.batches()).length < 16) await paydrop.clock.sleep(20);
      await drop('other.csv', 60, 'team-b');
      await ended('other.csv');
      return (await paydrop.ledger.batches()).filter(
        ({ fileName, state }) => fileName.startsWith('heap') && state !== 'closed',
      );
    });
    // By file each would have a seventeenth of the calls, and all of the first sixteen would end before it.
    expect(open.length).toBeGreaterThanOrEqual(8);
  },
);

it('a file that comes while the heap of another folder is being taken is taken before the rest of it', async () => {
  const clock = leapClock();
  await desk.close();
  desk = await openDesk({ settleMs: 20, clock }, clock);
  const paydrop = await desk.open(CONFIG);
  const { ledger } = paydrop;
  const taken: string[] = [];
  const addBatch = ledger.addBatch.bind(ledger);
  ledger.addBatch = async (batch, mayReplace) => {
    taken.push(batch.fileName);
    if (taken.length === 1) await drop('other.csv', 1, 'team-b');
    // A machine that has much to do.
    clock.leap(2_000);
    return addBatch(batch, mayReplace);
  };
  for (let file = 0; file < 12; file++) await drop(`heap-${String(file)}.csv`, 1, 'team-a');
  await watching(paydrop, (ended) => ended('other.csv'));
  // One or two looks pass before it is known to be whole.
  expect(taken.indexOf('other.csv'), taken.join(' ')).toBeLessThan(6);
});

it('slots are of a size: large batches never take those of small ones', () => {
  const slots = new Slots();
  for (let batch = 0; slots.isFree({ rows: 50_000 }); batch++)
    slots.take(`large ${String(batch)}`, { rows: 50_000 });
  const free = [50_000, 5_000, 500, 10].map((rows) => slots.isFree({ rows }));
  expect(free).toEqual([false, true, true, true]);
  slots.giveBack('large 0');
  slots.giveBack('large 0');
  expect(slots.isFree({ rows: 50_000 })).toBe(true);
});

it('a folder has a slot, however many another one has; all together have twice as many as one', () => {
  const slots = new Slots();
  const small = (folder: string) => ({ rows: 10, folder });
  for (let batch = 0; slots.isFree(small('heap')); batch++)
    slots.take(`heap ${String(batch)}`, small('heap'));
  let folders = 0;
  for (; slots.isFree(small(String(folders))); folders++) slots.take(String(folders), small(String(folders)));
  expect(folders).toBe(16);
  expect(slots.isFree(small('0'))).toBe(false);
});

/** Resolves once rows of the file have been confirmed, or another one's turn would prove nothing. */
async function underWay({ ledger, clock }: Paydrop, name: string): Promise<void> {
  for (;;) {
    const batch = (await ledger.batches()).find(({ fileName }) => fileName.startsWith(name));
    const counts = batch === undefined ? null : await ledger.stageCounts(batch.id);
    if ((counts?.get('confirmed') ?? 0) + (counts?.get('paid') ?? 0) > 0) return;
    await clock.sleep(20);
  }
}
