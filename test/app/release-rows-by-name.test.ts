// Rows are named as screens print them, ranges too; a name that fits no row decides nothing.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { namedRows } from '../../src/app/desk/typed-words.ts';
import { releaseRows } from './release.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { FROM_START } from '../../src/ledger/history.ts';
import { line, openDesk, PATIENT } from './desk.ts';

let desk: Awaited<ReturnType<typeof openDesk>>;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

it('finds rows by their names and by ranges, and says which part of a list names none', async () => {
  const paydrop = await desk.open();
  const equal = line('', '100');
  const { summary } = await processBatch(
    paydrop,
    await desk.file('payroll.csv', [equal, equal, equal, equal]),
    PATIENT,
  );
  const named = (list: string) => namedRows(paydrop, summary.batch, list);
  expect(await named('2, 4')).toEqual({ rows: new Set(['2', '4']), unknown: [] });
  expect(await named('3-4')).toEqual({ rows: new Set(['3', '4']), unknown: [] });
  expect(await named('2–3,5')).toEqual({ rows: new Set(['2', '3', '5']), unknown: [] });
  expect(await named('0,2,1-,99999999999999999999')).toEqual({
    rows: new Set(['2']),
    unknown: ['0', '1-', '99999999999999999999'],
  });
  expect(await named('7-9')).toEqual({ rows: new Set(), unknown: ['7-9'] });
  expect(await namedRows(paydrop, 'no-batch', '2')).toBeNull();
});

it('a release stands in the history with the name that was typed, and with the way on which it came', async () => {
  const paydrop = await desk.open();
  const equal = line('', '200');
  const { summary } = await processBatch(paydrop, await desk.file('twice.csv', [equal, equal]), PATIENT);
  const record = await paydrop.ledger.batch(summary.batch);
  if (record === null) throw new Error('The batch is there.');
  const order = { by: 'Marie Ngo', reason: 'both are owed', rows: null, skip: false };
  await releaseRows(paydrop, record, { ...order, via: "command of the system's user paul" });
  const { events } = await paydrop.ledger.history.events(
    { batch: summary.batch, position: 0 },
    FROM_START,
    100,
  );
  expect(events.map(({ event }) => event)).toContain(
    "released by Marie Ngo: both are owed · via command of the system's user paul",
  );
});
