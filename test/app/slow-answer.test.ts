// Two processes answer one batch, and the slow one has an old answer in hand while the other closes the batch: what was told last stays true.
import { readFileSync, writeFileSync } from 'node:fs';
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { batchOf, finishBatch } from '../../src/app/workflow/close/finish-batch.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { reopenBatch } from '../../src/app/workflow/take/profile-for.ts';
import { publishFile } from '../../src/base/atomic-file.ts';
import { archiveFolder, processingFolder } from '../../src/inbox/workspace.ts';
import { HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { own } from '../ledger/own.ts';

let desk: Desk;
let outbox: string;
let one: Paydrop;
let batch: string;
let result: string;
let reconciliation: string;

/** Submitted, and told so. */
beforeEach(async () => {
  desk = await openDesk();
  outbox = join(desk.workspace, 'outbox');
  one = await desk.open();
  batch = (await processBatch(one, await desk.file('payroll.csv', [line('A-1', '100')]), HURRIED)).summary
    .batch;
  result = `payroll.${batch}.result.csv`;
  reconciliation = `payroll.${batch}.reconciliation.csv`;
});
afterEach(() => desk.close());

/** Awaits `meet` at every reading of the rows, of which the answers are made. */
function atRows(paydrop: Paydrop, meet: () => Promise<void>): Paydrop {
  const rows: Paydrop['ledger']['rows'] = async (...asked) => {
    await meet();
    return paydrop.ledger.rows(...asked);
  };
  const ledger = new Proxy(paydrop.ledger, {
    get: (target, name) => {
      if (name === 'rows') return rows;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...paydrop, ledger };
}

/** Calls `meet` whenever it is asked where its folders are, as it is between the last answer and the archive. */
function atFolders(paydrop: Paydrop, meet: () => void): Paydrop {
  const get = () => {
    meet();
    return paydrop.workspace;
  };
  return Object.defineProperty({ ...paydrop }, 'workspace', { get, enumerable: true });
}

const isWriting = async (folder: string, name: string): Promise<boolean> =>
  (await readdir(folder)).some((each) => each.includes(name) && each.endsWith('.tmp'));

const told = (folder: string, name = result): Promise<string> => readFile(join(folder, name), 'utf8');

async function closeElsewhere(): Promise<void> {
  await resumeBatches(await desk.open(), null, PATIENT);
  expect((await batchOf(one, batch)).state).toBe('closed');
}

async function finishSlowly(slow: Paydrop) {
  const reopened = await reopenBatch(one, await batchOf(one, batch));
  if ('refusal' in reopened) throw reopened.refusal;
  return finishBatch(slow, await own(slow.ledger, batch), () => Promise.resolve(reopened.read));
}

async function expectTrueEverywhere(): Promise<void> {
  const folder = archiveFolder(one.workspace, batch);
  for (const name of await readdir(outbox))
    expect([name, await told(outbox, name)]).toEqual([name, await told(folder, name)]);
  expect(await told(outbox)).toContain(',paid,');
  expect(await told(outbox)).not.toContain(',submitted,');
  const summary = JSON.parse(await told(outbox, `payroll.${batch}.summary.json`)) as unknown;
  expect(summary).toMatchObject({ state: 'closed', outcomes: { paid: 1, submitted: 0 } });
  expect((await readdir(outbox)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
}

describe('an old answer', () => {
  it('whose temporary file was written before another process closed the batch is never published', async () => {
    const old = await told(outbox);
    async function* slowly() {
      yield old;
      await closeElsewhere();
    }
    const folder = processingFolder(one.workspace, batch);
    await expect(publishFile(join(outbox, result), slowly(), 0o600, folder)).rejects.toThrow('ENOENT');
    expect(
      (await readdir(archiveFolder(one.workspace, batch))).filter((name) => name.includes('.tmp')),
    ).toEqual([]);
    await expectTrueEverywhere();
  });

  it('that was published over the final one before the batch was archived is written again, in both places', async () => {
    const old = await told(outbox);
    const folder = processingFolder(one.workspace, batch);
    let isDone = false;
    const closing = atFolders(await desk.open(), () => {
      const isClosed = readFileSync(join(outbox, `payroll.${batch}.summary.json`), 'utf8').includes(
        '"closed"',
      );
      if (isDone || !isClosed) return;
      isDone = true;
      for (const place of [folder, outbox]) writeFileSync(join(place, result), old);
    });
    await resumeBatches(closing, null, PATIENT);
    expect(isDone).toBe(true);
    await expectTrueEverywhere();
  });

  it('that was published over the final one is replaced by its own process, which finds the batch closed', async () => {
    const old = await told(outbox);
    const folder = processingFolder(one.workspace, batch);
    let isDone = false;
    const slow = atRows(one, async () => {
      if (isDone || !(await isWriting(folder, '.reconciliation.'))) return;
      isDone = true;
      await closeElsewhere();
      await publishFile(join(outbox, result), [old]);
    });
    expect(await finishSlowly(slow)).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
    expect(isDone).toBe(true);
    await expectTrueEverywhere();
  });

  it('does not bring back what was collected from the outbox meanwhile', async () => {
    const folder = processingFolder(one.workspace, batch);
    let isDone = false;
    const slow = atRows(one, async () => {
      if (isDone || !(await isWriting(folder, '.reconciliation.'))) return;
      isDone = true;
      await closeElsewhere();
      await rm(join(outbox, reconciliation));
    });
    await finishSlowly(slow);
    await expect(access(join(outbox, reconciliation))).rejects.toThrow('ENOENT');
    await expectTrueEverywhere();
  });
});

describe('a batch that has been told in full', () => {
  it('is left alone by a later look that finds nothing new, whatever a person has made of the answers', async () => {
    await closeElsewhere();
    const folder = archiveFolder(one.workspace, batch);
    await writeFile(join(outbox, result), 'my notes');
    await writeFile(join(folder, reconciliation), 'touched');
    await rm(join(outbox, reconciliation));
    await finishSlowly(one);
    expect(await told(outbox)).toBe('my notes');
    await expect(access(join(outbox, reconciliation))).rejects.toThrow('ENOENT');
  });
});
