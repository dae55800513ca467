// Two processes answer one batch, and the slow one still holds an old answer while the other closes the batch: the latest answer stays.
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { finishBatch } from '../../src/app/workflow/follow/finish-batch.ts';
import { batchOf } from '../../src/app/workflow/batch/work.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { reopenBatch } from '../../src/app/workflow/batch/profile-for.ts';
import { carryRows } from '../../src/app/workflow/carry/pay-batch.ts';
import { archiveBatch } from '../../src/inbox/take-file.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
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

/** Awaits `meet` before each call of such a method of its ledger. */
function atEach(paydrop: Paydrop, method: 'rows' | 'revise', meet: () => Promise<void>): Paydrop {
  const ledger = new Proxy(paydrop.ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const called = value.bind(target) as (...asked: readonly unknown[]) => Promise<unknown>;
      return name === method
        ? async (...asked: readonly unknown[]) => {
            await meet();
            return called(...asked);
          }
        : called;
    },
  });
  return { ...paydrop, ledger };
}

/** Awaits `meet` once, in the middle of the second answer. */
function whileWriting(paydrop: Paydrop, meet: () => Promise<void>): Paydrop {
  let isDone = false;
  return atEach(paydrop, 'rows', async () => {
    if (isDone || !(await isWriting(processingFolder(one.workspace, batch), '.reconciliation.'))) return;
    isDone = true;
    await meet();
  });
}

const isWriting = async (folder: string, name: string): Promise<boolean> =>
  (await readdir(folder)).some((each) => each.includes(name) && each.endsWith('.tmp'));

const told = (folder: string, name = result): Promise<string> => readFile(join(folder, name), 'utf8');

async function closeElsewhere(): Promise<void> {
  await resumeBatches(await desk.open(), null, PATIENT);
  expect((await batchOf(one, batch)).state).toBe('closed');
}

/** Its row has ended, and no answer says so yet. */
async function advanceToPaid(): Promise<void> {
  await carryRows(one, await own(one.ledger, batch), 'tracked', PATIENT);
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
  it('is never published once another process has closed the batch while it was written', async () => {
    await expect(finishSlowly(whileWriting(one, closeElsewhere))).rejects.toThrow(LeaseLost);
    await expectTrueEverywhere();
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'is never published once another process has the batch, be it whole on the disk by then (answer %i)',
    async (which) => {
      let answers = 0;
      const slow = atEach(one, 'revise', async () => {
        answers += 1;
        if (answers === which) await closeElsewhere();
      });
      await expect(finishSlowly(slow)).rejects.toThrow(LeaseLost);
      expect(answers).toBeGreaterThanOrEqual(which);
      await expectTrueEverywhere();
    },
  );

  it('does not bring back what was collected from the outbox meanwhile', async () => {
    const slow = whileWriting(one, async () => {
      await closeElsewhere();
      await rm(join(outbox, reconciliation));
    });
    await expect(finishSlowly(slow)).rejects.toThrow(LeaseLost);
    await expect(access(join(outbox, reconciliation))).rejects.toThrow('ENOENT');
    await expectTrueEverywhere();
  });

  it('is written once more where the carrier before has archived the folder after all', async () => {
    await advanceToPaid();
    const slow = whileWriting(one, async () => {
      await archiveBatch(batch, one.workspace);
    });
    expect(await finishSlowly(slow)).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
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
