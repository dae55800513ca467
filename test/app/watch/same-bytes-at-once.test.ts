// One process takes the same bytes under two names at the same moment: one of them becomes the batch, whole, and the other its duplicate.
import { copyFile, mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { processBatch, resumeBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { takeBatch } from '../../../src/app/workflow/take/take-batch.ts';
import { inPlace } from '../../../src/inbox/take-file.ts';
import { line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { beforeRevision } from '../../ledger/before-revision.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ settleMs: 20 });
});
afterEach(() => desk.close());

const still = (isStill: () => Promise<boolean>) => (path: string) => ({ path, origin: path, isStill });

/** The ledger, told of each batch that has been taken before it is read. */
function whenTaken(paydrop: Paydrop, onTaken: () => Promise<void>): Paydrop {
  const ledger = beforeRevision(paydrop.ledger, async (change) => {
    if (change.state === 'checking') await onTaken();
  });
  return { ...paydrop, ledger };
}

it(
  'of two large files that a daemon takes aside, no row is lost and one is answered as the duplicate',
  { timeout: 60_000 },
  async () => {
    const paydrop = await desk.open(
      'intake: { settleFor: 10ms, scanEvery: 50ms }\npolicy: { onInvalidRows: skip-rows }',
    );
    const inbox = join(desk.workspace, 'inbox');
    await mkdir(inbox, { recursive: true });
    const rows = Array.from({ length: 1_001 }, (_none, row) =>
      line(`A-${String(row)}`, row % 500 === 0 ? String(100 + row) : 'x'),
    );
    const file = await desk.file('large.csv', rows);
    await copyFile(file, `${file}.other`);
    await rename(file, join(inbox, 'large.csv'));
    await rename(`${file}.other`, join(inbox, 'other.csv'));
    // Whichever is first is not read before both have left the inbox, and the other has had its time to overtake it.
    const slow = whenTaken(paydrop, async () => {
      await vi.waitFor(async () => expect(await readdir(inbox)).toEqual([]), {
        timeout: 20_000,
        interval: 20,
      });
      await paydrop.clock.sleep(600);
    });
    const stopper = new AbortController();
    const results: BatchResult[] = [];
    const troubles: string[] = [];
    const ended = watch(slow, {
      signal: stopper.signal,
      onResult: (result) => void results.push(result),
      onWaiting: () => undefined,
      onTrouble: (words) => void troubles.push(words),
    });
    await vi.waitFor(() => expect(results).toHaveLength(2), { timeout: 40_000, interval: 50 });
    stopper.abort();
    await ended;
    expect(troubles).toEqual([]);
    expect(results.map(({ isRepeated }) => isRepeated === true).sort()).toEqual([false, true]);
    const [batch, ...others] = await paydrop.ledger.batches();
    expect([batch?.state, others]).toEqual(['closed', []]);
    expect(results.find(({ isRepeated }) => isRepeated !== true)?.summary).toMatchObject({
      state: 'closed',
      outcomes: { paid: 3, rejected: 998 },
    });
    const answers = await readdir(join(desk.workspace, 'outbox'));
    expect(answers.filter((name) => name.endsWith('.duplicate.json'))).toHaveLength(1);
    expect(await transfersOf(paydrop)).toHaveLength(3);
  },
);

it('one that is written again while it is taken leaves the other its folder', async () => {
  const paydrop = await desk.open();
  const path = await desk.file('a.csv', [line('A-1', '100')]);
  const other = path.replace('a.csv', 'b.csv');
  await copyFile(path, other);
  const begun = Promise.withResolvers<null>();
  const begins = (): Promise<boolean> => {
    begun.resolve(null);
    return Promise.resolve(true);
  };
  const first = takeBatch(paydrop, still(begins)(path), false);
  await begun.promise;
  const second = takeBatch(
    paydrop,
    still(async () => {
      await first;
      return false;
    })(other),
    false,
  );
  const [{ batch }, { kind }] = await Promise.all([first, second]);
  expect(kind).toBe('repeated');
  expect(await readdir(join(desk.workspace, 'processing'))).toEqual([batch.id]);
  const results = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
  expect(results.map(({ summary }) => summary.outcomes.paid)).toEqual([1]);
});

it('where the first is given back, the second is the batch and no duplicate', async () => {
  const paydrop = await desk.open();
  const path = await desk.file('a.csv', [line('A-1', '100')]);
  const other = path.replace('a.csv', 'b.csv');
  await copyFile(path, other);
  const turns = vi.spyOn(paydrop.takes, 'run');
  const begun = Promise.withResolvers<null>();
  // Given back only once the other waits for it, so that nobody's reading decides which of them is first.
  const givenBack = async (): Promise<boolean> => {
    begun.resolve(null);
    await vi.waitFor(() => expect(turns).toHaveBeenCalledTimes(2), { timeout: 20_000, interval: 5 });
    return false;
  };
  const first = takeBatch(paydrop, still(givenBack)(path), false);
  await begun.promise;
  const second = takeBatch(paydrop, still(() => Promise.resolve(true))(other), false);
  const ends = await Promise.allSettled([first, second]);
  expect(ends).toMatchObject([
    { status: 'rejected', reason: { code: 'file_changed' } },
    { status: 'fulfilled', value: { kind: 'taken', batch: { fileName: 'b.csv' } } },
  ]);
  expect(await readdir(join(desk.workspace, 'processing'))).toHaveLength(1);
});

it('a look that takes it for what a kill has left waits until it is taken, and leaves it alone', async () => {
  const paydrop = await desk.open();
  const path = await desk.file('a.csv', [line('A-1', '100')]);
  let looked: Promise<unknown> = Promise.resolve();
  const taken = await takeBatch(
    whenTaken(paydrop, async () => {
      const [batch] = await paydrop.ledger.batches();
      looked = resumeBatch(paydrop, batch?.id ?? '', PATIENT);
      await paydrop.clock.sleep(100);
    }),
    still(() => Promise.resolve(true))(path),
    false,
  );
  expect(await looked).toBeNull();
  expect(await readdir(join(desk.workspace, 'processing'))).toEqual([taken.batch.id]);
  expect(await paydrop.ledger.batch(taken.batch.id)).toMatchObject({ state: 'checking' });
});

it.each([
  ['', () => Promise.resolve()],
  [', though its times were set back', (path: string) => utimes(path, 0, 0)],
])('a file that was another one while it was looked at is paid as it was copied%s', async (_, setBack) => {
  const paydrop = await desk.open();
  const path = await desk.file('a.csv', [line('A-1', '100')]);
  const bytes = await readFile(path, 'utf8');
  await setBack(path);
  const run = paydrop.takes.run.bind(paydrop.takes);
  // Between its first hash and its reading, and back before it is copied.
  vi.spyOn(paydrop.takes, 'run').mockImplementation(async (name, work) => {
    await writeFile(path, bytes.replace('100', '900'));
    await setBack(path);
    return run(name, work);
  });
  const addBatch = paydrop.ledger.addBatch.bind(paydrop.ledger);
  vi.spyOn(paydrop.ledger, 'addBatch').mockImplementation(async (...batch) => {
    await writeFile(path, bytes);
    await setBack(path);
    return addBatch(...batch);
  });
  const { summary } = await processBatch(paydrop, path, PATIENT);
  expect(summary.outcomes.paid).toBe(1);
  const [row] = await paydrop.ledger.rows(summary.batch, 0, 1);
  expect(row?.payout?.requested.amount).toBe('100');
});

it('the copy of a file that nobody wrote meanwhile is not read anew, and its rows are those of the copy', async () => {
  const paydrop = await desk.open();
  const path = await desk.file('a.csv', [line('A-1', '100')]);
  const taken = await takeBatch(paydrop, inPlace(path), false);
  await writeFile(path, 'gone');
  const { opened } = taken as Extract<typeof taken, { kind: 'taken' }>;
  expect(await Array.fromAsync(opened?.read.rows() ?? [])).toHaveLength(1);
});
