// A kill while a file is being taken, and then its ledger is lost: nothing of the file was accepted, so it is taken again from where its owner put it, with
// its documents; what was copied before is forgotten.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { LedgerForgetful } from '../../src/app/parts/describe-error.ts';
import { resumeBatches, processBatch } from '../../src/app/workflow/process-batch.ts';
import { bringUpToDate } from '../../src/app/workflow/resolve-doubt/settle-rebuilt.ts';
import { lackingIn } from '../../src/app/workflow/resolve-doubt/known-batches.ts';
import { readBatchFile } from '../../src/app/workflow/batch/read-batch-file.ts';
import { announced } from '../../src/app/workflow/take/same-bytes.ts';
import { takeAs } from '../../src/app/workflow/take/take-batch.ts';
import { manifestEpoch } from '../../src/inbox/manifest.ts';
import { inPlace } from '../../src/inbox/take-file.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import { beforeRevision } from '../ledger/before-revision.ts';
import { giveTo, runElsewhere } from '../ledger/machines.ts';
import { endsOf, HEADER, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';

const SKIP_ROWS = 'policy: { onInvalidRows: skip-rows }';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

async function withDocument(): Promise<string> {
  await desk.write('invoice.pdf', '%PDF-1.4\n%%EOF\n');
  return desk.write(
    'bills.csv',
    `${HEADER},attachment\n${line('A-1', '100')},invoice.pdf\n${line('A-2', '200')},\n`,
  );
}

/** The kill comes where `isStill` throws, or the ledger that is given. */
async function takeUntilKilled(
  paydrop: Paydrop,
  path: string,
  isStill?: () => Promise<never>,
): Promise<void> {
  const read = await readBatchFile(path, paydrop.config, null);
  const file = { ...inPlace(path), ...(isStill === undefined ? {} : { isStill }) };
  const taking = takeAs(paydrop, file, null, await announced(paydrop, path, null), read);
  await expect(taking).rejects.toThrow('killed');
}

function killed(): Promise<never> {
  return Promise.reject(new Error('killed'));
}

const KILLS: readonly [string, (paydrop: Paydrop, path: string) => Promise<void>][] = [
  ['once its documents are copied', (paydrop, path) => takeUntilKilled(paydrop, path, killed)],
  [
    'before its manifest is written',
    (paydrop, path) => {
      const ledger = beforeRevision(paydrop.ledger, killed);
      return takeUntilKilled({ ...paydrop, ledger }, path);
    },
  ],
];

it.each(KILLS)(
  '%s: the file is taken again as a whole, and nobody has to rebuild it',
  async (_when, kill) => {
    const path = await withDocument();
    await kill(await desk.open(SKIP_ROWS), path);
    await desk.loseLedger();
    const paydrop = await desk.open(SKIP_ROWS);
    expect(await lackingIn(paydrop)).toMatchObject({ lost: [], older: [] });
    await resumeBatches(paydrop, null, PATIENT);
    expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
    expect(existsSync(path)).toBe(true);
    const { summary } = await processBatch(paydrop, path, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'paid']);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  },
);

it.each(KILLS)('%s: the ledger forgets it on the next run, and the copy with it', async (_when, kill) => {
  const path = await withDocument();
  await kill(await desk.open(SKIP_ROWS), path);
  await desk.shut();
  const paydrop = await desk.open(SKIP_ROWS);
  await resumeBatches(paydrop, null, PATIENT);
  expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
  expect(await paydrop.ledger.batches()).toEqual([]);
});

it('a file that another process is taking at this moment is left to it', async () => {
  const path = await withDocument();
  const one = await desk.open(SKIP_ROWS);
  const other = await desk.open(SKIP_ROWS);
  const read = await readBatchFile(path, one.config, null);
  const isStill = async () => {
    await bringUpToDate(other, PATIENT);
    return true;
  };
  const draft = await announced(one, path, null);
  const taken = await takeAs(one, { ...inPlace(path), isStill }, null, draft, read);
  expect('batch' in taken).toBe(true);
  expect(await readdir(join(desk.workspace, 'processing'))).toEqual([draft.id]);
});

it('a folder that knows more of a file than the ledger stays as it is', async () => {
  const path = await withDocument();
  const [ledger, copy] = [join(desk.workspace, 'ledger.sqlite'), join(desk.workspace, 'backup')];
  await takeUntilKilled(await desk.open(SKIP_ROWS), path, killed);
  await desk.shut();
  await copyFile(ledger, copy);
  const { summary } = await processBatch(await desk.open(SKIP_ROWS), path, HURRIED);
  await desk.loseLedger();
  await copyFile(copy, ledger);
  const paydrop = await desk.open(SKIP_ROWS);
  const epoch = manifestEpoch(paydrop.workspace, summary.batch);
  const read = await readBatchFile(path, paydrop.config, null);
  const again = takeAs(paydrop, inPlace(path), null, await announced(paydrop, path, null), read);
  await expect(again).rejects.toBeInstanceOf(LedgerForgetful);
  expect(epoch).toBeGreaterThan(1);
  expect(manifestEpoch(paydrop.workspace, summary.batch)).toBe(epoch);
});

it.each([true, false])(
  'a taking that was held up until another machine had the batch leaves its folder alone (unchanged: %s)',
  async (isStill) => {
    const paydrop = await desk.open();
    const path = await withDocument();
    const as = await announced(paydrop, path, null);
    const folder = join(desk.workspace, 'processing', as.id);
    const ledger = join(desk.workspace, 'ledger.sqlite');
    const { run } = await runElsewhere(ledger);
    const taken = async (): Promise<boolean> => {
      giveTo(ledger, as.id, run);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'bills.csv'), 'of the other');
      return isStill;
    };
    const read = await readBatchFile(path, paydrop.config, null);
    const taking = takeAs(paydrop, { ...inPlace(path), isStill: taken }, null, as, read);
    await expect(taking).rejects.toBeInstanceOf(LeaseLost);
    expect(await readFile(join(folder, 'bills.csv'), 'utf8')).toBe('of the other');
  },
);
