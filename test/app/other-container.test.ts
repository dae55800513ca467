// Two containers on one volume, each with a host name of its own: neither takes up what the other works on, and what a lost one has left goes on.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { resumeBatches } from '../../src/app/workflow/resume-batches.ts';
import { unfinishedBatches } from '../../src/app/daemon/unfinished.ts';
import { startHeartbeat } from '../../src/ledger/open-ledger.ts';
import { HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';

const ELSEWHERE = 'container-b/1/boot.2/22222222-2222-4222-8222-222222222222';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

it('a batch that another container reads is left to it until that has ended, and then goes on', async () => {
  const cut = await desk.open('', 'nobody');
  const file = await desk.file('payroll.csv', [line('A-1', '100')]);
  const { batch } = (await processBatch(cut, file, HURRIED)).summary;
  await cut.ledger.changeBatch(batch, { takenBy: ELSEWHERE });
  const here = await desk.open();
  const stop = startHeartbeat(here.workspace.ledgerPath, ELSEWHERE, (error) => {
    throw error;
  });
  const [left] = (await resumeBatches(here, null, HURRIED)) ?? [];
  expect(left?.words.join(' ')).toContain('Another paydrop works on payroll.csv');
  expect(await unfinishedBatches(here)).toEqual([]);
  expect(await here.ledger.batch(batch)).toMatchObject({ state: 'checking', takenBy: ELSEWHERE });
  stop();
  expect((await unfinishedBatches(here)).map(({ id }) => id)).toEqual([batch]);
  await resumeBatches(here, null, PATIENT);
  expect(await here.ledger.batch(batch)).toMatchObject({ state: 'closed' });
});
