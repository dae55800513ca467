// A lost ledger is rebuilt from the files, their folders and the service; all earlier decisions still hold, and nothing is paid a second time.
import { copyFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { assertLedgerKnowsAll } from '../../src/app/workflow/resolve-doubt/known-batches.ts';
import { LedgerForgetful } from '../../src/app/parts/describe-error.ts';
import { hasWork, unfinishedBatches } from '../../src/app/daemon/unfinished.ts';
import { processBatch, resumeBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from './release.ts';
import { errorCodeOf, reasonOf } from '../../src/results/payout-cells.ts';
import { announced } from '../../src/app/workflow/take/same-bytes.ts';
import { approve, REQUIRED } from './approval/two-people.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { editManifest } from './put-back.ts';
import { leapClock } from './leap-clock.ts';
import { giveTo } from '../ledger/machines.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

async function pay(path: string): Promise<string> {
  return (await processBatch(await desk.open(), path, PATIENT)).summary.batch;
}

/** Rebuilds in this order, and goes on with everything. */
async function rebuildAndResume(paths: readonly string[], config = '') {
  const paydrop = await desk.open(config);
  for (const path of paths) await rebuildFile(paydrop, path, PATIENT);
  await resumeBatches(paydrop, null, PATIENT);
  return paydrop;
}

it('a daemon that runs on takes up what another process has rebuilt, and nothing whose rebuilding was cut short', async () => {
  const file = await desk.file('a.csv', [line('A-1', '100')]);
  const batch = await pay(file);
  await desk.loseLedger();
  const paydrop = await desk.open();
  await rebuildFile(paydrop, file, PATIENT);
  const [rebuilt] = await unfinishedBatches(paydrop);
  expect(rebuilt).toMatchObject({ id: batch, state: 'resolving' });
  const hasLeft = () => false;
  if (rebuilt === undefined) throw new Error('The batch is there.');
  expect(await hasWork(paydrop, rebuilt, 0, { hasLeft })).toBe(true);
  await resumeBatch(paydrop, batch, PATIENT);
  expect(await paydrop.ledger.batch(batch)).toMatchObject({ state: 'closed' });
  expect(await endsOf(paydrop, batch)).toEqual(['paid']);
  expect(await transfersOf(paydrop)).toHaveLength(1);
  await desk.loseLedger();
  const cutShort = await desk.open();
  await cutShort.ledger.addBatch({ ...rebuilt, doubt: undefined });
  const [open] = await unfinishedBatches(cutShort);
  expect(open?.state).toBe('resolving');
  if (open !== undefined) expect(await hasWork(cutShort, open, 0, { hasLeft })).toBe(false);
});

it('while a STOP file is there the file that stops it is named, and the same command goes on without it', async () => {
  const file = await desk.file('a.csv', [line('A-1', '100')]);
  const batch = await pay(file);
  await desk.loseLedger();
  const paydrop = await desk.open();
  const stop = join(paydrop.workspace.inbox, 'STOP');
  await writeFile(stop, '');
  await expect(rebuildFile(paydrop, file, PATIENT)).rejects.toThrow(/looked for\..*STOP/);
  await rm(stop);
  await rebuildFile(paydrop, file, PATIENT);
  await resumeBatches(paydrop, null, PATIENT);
  expect(await endsOf(paydrop, batch)).toEqual(['paid']);
  expect(await transfersOf(paydrop)).toHaveLength(1);
});

describe('rows that were not sent', () => {
  it('a duplicate stays a duplicate, in whatever order the files are rebuilt', async () => {
    const first = await desk.file('first.csv', [line('A-1', '100')]);
    const second = await desk.file('second.csv', [line('A-1', '100'), line('A-2', '200')]);
    await pay(first);
    const batch = await pay(second);
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([second, first]);
    expect(await endsOf(paydrop, batch)).toEqual(['duplicate duplicate_reference', 'paid']);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });

  it('a row that a person cancelled stays closed, though its batch is not finished', async () => {
    const file = await desk.file('equal.csv', [line('', '100'), line('', '100'), line('', '300')]);
    const batch = await pay(file);
    const before = await desk.open();
    const record = await before.ledger.batch(batch);
    if (record === null) throw new Error('The batch is there.');
    await releaseRows(before, record, { by: 'Ama', reason: 'typed twice', rows: new Set(['3']), skip: true });
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([file]);
    expect(await endsOf(paydrop, batch)).toEqual(['held equal_rows', 'rejected cancelled', 'paid']);
  });

  it('what a closed batch had not sent waits for a person, once no read can hide it', async () => {
    await desk.close();
    const clock = leapClock();
    desk = await openDesk({ clock }, clock);
    const file = await desk.file('equal.csv', [line('A-1', '100'), line('', '200'), line('', '200')]);
    const batch = await pay(file);
    const before = await desk.open();
    const record = await before.ledger.batch(batch);
    if (record === null) throw new Error('The batch is there.');
    await releaseRows(before, record, { by: 'Ama', reason: 'typed twice', rows: null, skip: true });
    await resumeBatches(before, batch, PATIENT);
    expect(await before.ledger.batch(batch)).toMatchObject({ state: 'closed' });
    await editManifest(join(desk.workspace, 'archive', batch.slice(0, 4), batch.slice(4, 6), batch), {
      closed: [],
      rejected: {},
    });
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([file]);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'held in_doubt_unseen', 'held in_doubt_unseen']);
    clock.leap(20 * 60_000);
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'held equal_rows', 'held equal_rows']);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('the rest of a batch that was cut short is paid', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', '200')]);
    const batch = (await processBatch(await desk.open('', 'nobody'), file, HURRIED)).summary.batch;
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([file]);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
  });
});

describe('a file that had not been accepted', () => {
  it('is refused whole when it has a row to fix, as it would have been', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', 'x')]);
    await processBatch(await desk.open('', 'nobody'), file, HURRIED);
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([file]);
    expect(await paydrop.ledger.batches()).toMatchObject([{ state: 'refused' }]);
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it.each(['the copy in its batch', 'where it was dropped'])(
    'is still paid whole or not at all, and not approved by who brought it, rebuilt from %s',
    async (from) => {
      await desk.write(
        'profiles/salaries.yaml',
        'files: "salaries*"\npolicy: { strategy: reserve-then-confirm }',
      );
      await desk.write('salaries.control.json', '{ "rows": 2, "submittedBy": "Jean Mbarga" }');
      const path = await desk.file('salaries.csv', [line('A-1', '100'), line('A-2', '101')]);
      const { batch } = (await processBatch(await desk.open(REQUIRED, 'nobody'), path, HURRIED)).summary;
      await desk.loseLedger();
      const paydrop = await desk.open(REQUIRED);
      const copy = join(desk.workspace, 'processing', batch, 'salaries.csv');
      await rebuildFile(paydrop, from === 'the copy in its batch' ? copy : path, PATIENT);
      expect(await paydrop.ledger.batch(batch)).toMatchObject({
        state: 'checking',
        whole: 'reserving',
        submittedBy: ['Jean Mbarga'],
      });
      await resumeBatches(paydrop, null, HURRIED);
      expect(await approve(paydrop, batch, 'Jean Mbarga')).not.toMatchObject({ kind: 'decided' });
      expect(await approve(paydrop, batch, 'Marie')).toMatchObject({ kind: 'decided' });
      await resumeBatches(paydrop, null, PATIENT);
      expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
    },
  );

  it('is not approved by who brought it, where no control file says so', async () => {
    const path = await desk.file('salaries.csv', [line('A-1', '100')]);
    const first = await desk.open(REQUIRED, 'nobody');
    const { batch } = (await processBatch(first, path, HURRIED, false, ['Jean Mbarga'])).summary;
    await desk.loseLedger();
    const paydrop = await desk.open(REQUIRED);
    await rebuildFile(paydrop, path, PATIENT);
    expect((await paydrop.ledger.batch(batch))?.submittedBy).toEqual(['Jean Mbarga']);
  });
});

describe('rows that were sent', () => {
  it('a closed batch is closed again under its own name, and its answers stay as they are', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', '200')]);
    const batch = await pay(file);
    const month = join(desk.workspace, 'archive', batch.slice(0, 4), batch.slice(4, 6));
    const earlier = `20260301-${batch.slice(9)}`;
    await rename(join(month, batch), join(month, earlier));
    await desk.loseLedger();
    const outbox = await readdir(join(desk.workspace, 'outbox'));
    // The archive's month is that of the name.
    const archive = join(desk.workspace, 'archive', '2026');
    await rename(month, join(archive, '03'));
    const paydrop = await rebuildAndResume([file]);
    expect(await paydrop.ledger.batches()).toMatchObject([{ id: earlier, state: 'closed' }]);
    expect(await transfersOf(paydrop)).toHaveLength(2);
    expect((await readdir(join(desk.workspace, 'outbox'))).filter((name) => name.includes(batch))).toEqual(
      outbox,
    );
    expect(await resumeBatches(paydrop, null, PATIENT)).toEqual([]);
  });

  it('a paid row that can no longer be read is told as paid, never closed or released, and its corrected file is not paid', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const batch = await pay(file);
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([file], 'sender: { registeredName: Wouri SARL }');
    expect(await endsOf(paydrop, batch)).toEqual(['paid']);
    const [row] = await paydrop.ledger.rows(batch, 0, 1);
    expect(row === undefined ? '' : reasonOf(row, null, 'en')).not.toContain('sender');
    expect(row === undefined ? '' : errorCodeOf(row)).toBe('');
    const corrected = await processBatch(
      await desk.open(),
      await desk.file('corrected.csv', [line('A-1', '100'), '']),
      PATIENT,
    );
    expect(corrected.summary.outcomes).toMatchObject({ paid: 0, held: 1 });
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('rebuilding twice changes nothing', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    await pay(file);
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([file]);
    expect(await rebuildFile(paydrop, file, PATIENT)).toMatchObject([{ isKnown: true, found: 0 }]);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });
});

describe('bytes that were paid again on purpose', () => {
  it('are rebuilt for each time that they were paid, and not paid a third time', async () => {
    const file = await desk.file('rent.csv', [line('A-1', '100')]);
    await pay(file);
    await processBatch(await desk.open(), file, PATIENT, true);
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([file]);
    expect((await paydrop.ledger.batches()).map(({ state }) => state)).toEqual(['closed', 'closed']);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });
});

describe('a file that has another name than the copy in its batch', () => {
  /** The second of two payments to one payee is held under this. */
  const ONE_A_DAY = 'limits: { perPayeePerDay: 12000 XAF }';
  const ROWS = [line('A-1', '100'), line('A-2', '120')];

  async function closeHeld(paydrop: Paydrop, batch: string): Promise<void> {
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('The batch is there.');
    await releaseRows(paydrop, record, { by: 'Ama', reason: 'paid by hand', rows: null, skip: true });
    await resumeBatches(paydrop, batch, PATIENT);
    expect(await paydrop.ledger.batch(batch)).toMatchObject({ state: 'closed' });
  }

  it.each(['payroll.csv', 'payroll (1).csv'])(
    'is rebuilt from %s into the folder that stands, and what was cancelled there stays so',
    async (name) => {
      const file = await desk.file('payroll.csv', ROWS);
      const before = await desk.open(ONE_A_DAY);
      const { batch } = (await processBatch(before, file, PATIENT)).summary;
      await closeHeld(before, batch);
      await desk.loseLedger();
      const paydrop = await rebuildAndResume([await desk.file(name, ROWS)]);
      expect(await endsOf(paydrop, batch)).toEqual(['paid', 'rejected cancelled']);
      expect(await paydrop.ledger.batch(batch)).toMatchObject({ state: 'closed', fileName: 'payroll.csv' });
      expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
    },
  );

  it('was paid a second time on purpose as another: the command that names the first rebuilds both, and pays nothing', async () => {
    const first = await pay(await desk.file('rent.csv', ROWS));
    const before = await desk.open(ONE_A_DAY);
    const november = await desk.file('rent-november.csv', ROWS);
    const { batch } = (await processBatch(before, november, PATIENT, true)).summary;
    await closeHeld(before, batch);
    const paid = await transfersOf(before);
    await desk.loseLedger();
    const words = await assertLedgerKnowsAll(await desk.open()).catch((error: unknown) => String(error));
    const paths = [...String(words).matchAll(/"([^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.map((path) => basename(path)).sort()).toEqual(['rent-november.csv', 'rent.csv']);
    const paydrop = await rebuildAndResume(paths);
    expect(await endsOf(paydrop, first)).toEqual(['paid', 'paid']);
    expect(await endsOf(paydrop, batch)).toEqual(['rejected cancelled', 'rejected cancelled']);
    expect(await transfersOf(paydrop)).toHaveLength(paid.length);
    expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
  });

  it('is laid into the folder of its batch where the copy in it is gone, and into no second one', async () => {
    const file = await desk.file('payroll.csv', ROWS);
    const before = await desk.open(ONE_A_DAY);
    const { batch } = (await processBatch(before, file, PATIENT)).summary;
    await closeHeld(before, batch);
    const archived = join(desk.workspace, 'archive', batch.slice(0, 4), batch.slice(4, 6), batch);
    await rm(join(archived, 'payroll.csv'));
    await desk.loseLedger();
    const paydrop = await rebuildAndResume([await desk.file('mine.csv', ROWS)]);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'rejected cancelled']);
    expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
    expect(await readdir(archived)).toContain('mine.csv');
  });
});

describe('nothing is sent before the ledger stands again', () => {
  it('a lost ledger refuses to go on, and names the file to rebuild', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    await pay(file);
    await desk.loseLedger();
    const paydrop = await desk.open();
    await expect(resumeBatches(paydrop, null, PATIENT)).rejects.toThrow(/paydrop rebuild ".*payroll\.csv"/);
  });

  it('a rebuild that was cut short is gone on with, and loses nothing by it', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', '200')]);
    const batch = (await processBatch(await desk.open('', 'nobody'), file, HURRIED)).summary.batch;
    await desk.loseLedger();
    const paydrop = await desk.open();
    const draft = await announced(paydrop, file, null);
    await paydrop.ledger.addBatch({ ...draft, state: 'resolving' });
    giveTo(paydrop.workspace.ledgerPath, draft.id, 'a/1/dead');
    await expect(assertLedgerKnowsAll(paydrop)).rejects.toThrow(LedgerForgetful);
    expect(await readdir(join(desk.workspace, 'processing', batch))).toContain('payroll.csv');
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });

  it('an older copy of the ledger that was put back is seen through', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const cut = await desk.open('', 'nobody');
    const { batch } = (await processBatch(cut, file, HURRIED)).summary;
    await desk.shut();
    const ledger = join(desk.workspace, 'ledger.sqlite');
    await copyFile(ledger, join(desk.workspace, 'backup'));
    await resumeBatches(await desk.open(), null, PATIENT);
    await desk.loseLedger();
    await copyFile(join(desk.workspace, 'backup'), ledger);
    const paydrop = await desk.open();
    await expect(assertLedgerKnowsAll(paydrop)).rejects.toThrow(LedgerForgetful);
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, batch)).toEqual(['paid']);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });
});
