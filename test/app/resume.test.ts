// Work that was interrupted at an awkward moment goes on, and work that two processes do at once happens once.
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { batchOf, exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { finishBatch } from '../../src/app/workflow/follow/finish-batch.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import { reopenBatch } from '../../src/app/workflow/batch/profile-for.ts';
import { archiveFolder } from '../../src/inbox/workspace.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { endsOf, HURRIED, line, lineTo, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { own, record } from '../ledger/own.ts';
import { said } from './said.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const SKIP_ROWS = 'policy: { onInvalidRows: skip-rows }';

describe('resume', () => {
  it('closes a batch whose answers were collected from the outbox meanwhile', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    const outbox = join(desk.workspace, 'outbox');
    for (const name of await readdir(outbox)) await rm(join(outbox, name));
    const [result] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
    expect(result?.summary).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
    const archived = await readdir(
      join(desk.workspace, 'archive', batch.slice(0, 4), batch.slice(4, 6), batch),
    );
    expect(archived).toEqual(
      expect.arrayContaining([
        'payroll.csv',
        ...['ack.json', 'result.csv', 'summary.json'].map((kind) => `payroll.${batch}.${kind}`),
      ]),
    );
  });

  it('moves a refused file away whose refusal was cut short, and goes on with the others', async () => {
    const wrong = await processBatch(
      await desk.open(),
      await desk.file('wrong.csv', [line('A-1', '1e9')]),
      PATIENT,
    );
    const { batch } = wrong.summary;
    expect(wrong.summary.state).toBe('refused');
    await rename(join(desk.workspace, 'refused', batch), join(desk.workspace, 'processing', batch));
    const cut = await desk.open('', 'nobody');
    await processBatch(cut, await desk.file('payroll.csv', [line('A-2', '200')]), HURRIED);
    const results = (await resumeBatches(await desk.open(), null, PATIENT)) ?? [];
    expect(results.map(({ summary }) => summary.outcomes.paid)).toEqual([1]);
    expect(await readdir(join(desk.workspace, 'refused', batch))).toEqual(
      expect.arrayContaining(['wrong.csv', `wrong.${batch}.refused.json`]),
    );
  });

  it('goes on with the other batches when the folder of one has vanished, and says so', async () => {
    const cut = await desk.open('', 'nobody');
    const lost = await processBatch(cut, await desk.file('lost.csv', [line('A-1', '100')]), HURRIED);
    await processBatch(cut, await desk.file('payroll.csv', [line('A-2', '200')]), HURRIED);
    await rm(join(desk.workspace, 'processing', lost.summary.batch), { recursive: true });
    const results = (await resumeBatches(await desk.open(), null, PATIENT)) ?? [];
    expect(results.map((result) => exitCodeOf(result, PATIENT.waitMs))).toEqual([5, 0]);
    expect(said(results[0]?.words ?? []).join(' ')).toContain('Restore it');
  });

  it('answers a batch once that another process closes and archives at the same moment', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    const other = await desk.open();
    let isClosedElsewhere = false;
    const read = await reopenBatch(paydrop, await batchOf(paydrop, batch));
    if ('refusal' in read) throw read.refusal;
    const answered = finishBatch(paydrop, await own(paydrop.ledger, batch), async () => {
      if (!isClosedElsewhere) await resumeBatches(other, null, PATIENT);
      isClosedElsewhere = true;
      return read.read;
    });
    // Who has lost the batch writes nothing more of it: the other's answers are the answers.
    await expect(answered).rejects.toThrow(LeaseLost);
    expect(await batchOf(other, batch)).toMatchObject({ state: 'closed' });
    expect(await resumeBatches(paydrop, batch, PATIENT)).toEqual([]);
    expect(await transfersOf(paydrop)).toHaveLength(1);
    const folder = archiveFolder(paydrop.workspace, batch);
    expect(
      (await readdir(folder)).filter((name) => name.endsWith('.tmp') || name.includes('result.2')),
    ).toEqual([]);
  });

  it('by several processes at once pays every row once and leaves every batch closed', async () => {
    const cut = await desk.open('', 'nobody');
    for (const name of ['a', 'b', 'c'])
      await processBatch(
        cut,
        await desk.file(`${name}.csv`, [lineTo(name, `${name}-1`, '100'), lineTo(name, `${name}-2`, '200')]),
        HURRIED,
      );
    const runs = await Promise.all([desk.open(), desk.open(), desk.open()]);
    await Promise.allSettled(runs.map((paydrop) => resumeBatches(paydrop, null, PATIENT)));
    const last = await desk.open();
    await resumeBatches(last, null, PATIENT);
    expect((await last.ledger.batches()).map(({ state }) => state)).toEqual(['closed', 'closed', 'closed']);
    expect(await transfersOf(last)).toHaveLength(6);
  });
});

describe('a row that waits for a person', () => {
  it('is found paid by a later look, and nothing is sent for it', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    const [row] = await paydrop.ledger.rows(batch, 0, 1);
    if (row === undefined) throw new Error('The row is there.');
    // As a run leaves it that could not find out whether its confirm had arrived.
    const progress = {
      ...row.progress,
      hold: newHold('confirm_uncertain', 0),
      confirm: 'sent',
    } as const;
    await record(paydrop.ledger, row, { progress, dueAt: null, event: 'held' });
    const [result] = (await resumeBatches(await desk.open(), null, PATIENT)) ?? [];
    expect(result?.summary).toMatchObject({ state: 'closed', outcomes: { paid: 1, held: 0 } });
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });
});

describe('one payment in two writings', () => {
  it('two files with the same reference at the same moment: one is paid, one is a duplicate', async () => {
    const files = [
      await desk.file('one.csv', [line('A-1', '100')]),
      await desk.file('two.csv', [line('A-1', '100'), '']),
    ];
    const results = await Promise.all(
      files.map(async (file) => processBatch(await desk.open(), file, PATIENT)),
    );
    expect(results.map(({ summary }) => summary.outcomes.paid).sort()).toEqual([0, 1]);
    expect(results.map(({ summary }) => summary.outcomes.duplicate).sort()).toEqual([0, 1]);
    expect(await transfersOf(await desk.open())).toHaveLength(1);
  });

  it('the same reference in composed and decomposed letters is one reference', async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    const file = await desk.file('paie.csv', [line('Avance-é', '100'), line('Avance-e\u0301', '100')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'rejected']);
  });

  it.each(['inv 0007', 'INV-7', 'Inv_007'])(
    'a payment that comes again under the reference %s instead of INV-0007 waits for a person',
    async (reference) => {
      const paydrop = await desk.open();
      await processBatch(paydrop, await desk.file('one.csv', [line('INV-0007', '100')]), PATIENT);
      const again = await desk.file('two.csv', [line(reference, '100')]);
      const { batch } = (await processBatch(paydrop, again, PATIENT)).summary;
      expect(await endsOf(paydrop, batch)).toEqual(['held similar_reference']);
    },
  );

  it('a reference whose row waits for a person makes the new row wait too, because that one may never be paid', async () => {
    const paydrop = await desk.open();
    await processBatch(paydrop, await desk.file('one.csv', [line('A-1', '100')]), PATIENT);
    const changed = await desk.file('two.csv', [line('A-1', '999')]);
    await processBatch(paydrop, changed, PATIENT);
    const third = await desk.file('three.csv', [line('a-1', '999'), '']);
    const { batch } = (await processBatch(paydrop, third, PATIENT)).summary;
    expect(await endsOf(paydrop, batch)).toEqual(['held similar_reference']);
  });
});
