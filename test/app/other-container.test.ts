// Two containers on one volume, each with its own host name: neither takes up the other's work, and the work of a lost one goes on.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { unfinishedBatches } from '../../src/app/daemon/unfinished.ts';
import { giveTo, runElsewhere } from '../ledger/machines.ts';
import { HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

it('a batch that another container reads is left to it until that has ended, and then goes on', async () => {
  const cut = await desk.open('', 'nobody');
  const file = await desk.file('payroll.csv', [line('A-1', '100')]);
  const { batch } = (await processBatch(cut, file, HURRIED)).summary;
  const elsewhere = await runElsewhere(cut.workspace.ledgerPath);
  giveTo(cut.workspace.ledgerPath, batch, elsewhere.run);
  const here = await desk.open();
  const [left] = (await resumeBatches(here, null, HURRIED)) ?? [];
  expect(said(left?.words ?? []).join(' ')).toContain('Another paydrop is working on payroll.csv');
  expect(await unfinishedBatches(here)).toEqual([]);
  expect(await here.ledger.batch(batch)).toMatchObject({
    state: 'checking',
    owner: elsewhere.run,
  });
  await elsewhere.close();
  expect((await unfinishedBatches(here)).map(({ id }) => id)).toEqual([batch]);
  await resumeBatches(here, null, PATIENT);
  expect(await here.ledger.batch(batch)).toMatchObject({ state: 'closed' });
});
