// Rows that a person cancels before the file is accepted are no fault of the file: the others are paid.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { releaseRows } from './release.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

it('held rows that are cancelled while there are no prices do not refuse the file', async () => {
  const paydrop = await desk.open();
  const rows = [line('', '100'), line('', '100'), line('A-3', '300'), line('A-4', '400')];
  const path = await desk.file('salaries.csv', rows);
  const { summary } = await processBatch(paydrop, path, { ...HURRIED, signal: AbortSignal.abort() });
  const batch = await paydrop.ledger.batch(summary.batch);
  expect(batch?.state).toBe('pricing');
  if (batch === null) return;
  await releaseRows(paydrop, batch, { rows: null, skip: true, by: 'Marie Ngo', reason: 'one of them twice' });
  await resumeBatches(paydrop, batch.id, PATIENT);
  const ends = ['rejected cancelled', 'rejected cancelled', 'paid', 'paid'];
  expect(await endsOf(paydrop, batch.id)).toEqual(ends);
});
