// A file that is refused before its rows are read is no batch; `status` still says that it was refused, when, and where the reason is.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { status, statusOf } from '../../../src/app/desk/commands.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { line, openDesk, PATIENT, type Desk } from '../desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ settleMs: 10 });
});
afterEach(() => desk.close());

it('a file with an unknown header is listed as refused, by itself and among all', async () => {
  const paydrop = await desk.open();
  const path = await desk.write('eins.csv', 'eins,zwei\nx,y\n');
  const { summary } = await processBatch(paydrop, path, PATIENT);
  const told = {
    name: 'eins.csv',
    refusedAt: summary.finishedAt,
    answer: `${desk.workspace}/refused/${summary.batch}/${summary.answers[0] ?? ''}`,
    words: expect.stringContaining(`Refused at ${summary.finishedAt ?? '?'}`) as string,
  };
  expect(summary.state).toBe('refused');
  expect((await status(paydrop, { all: false })).refused).toEqual([told]);
  for (const name of ['EINS.csv', 'somewhere/eins.csv', summary.batch])
    expect((await statusOf(paydrop, name))?.refused).toEqual([told]);
  expect(await statusOf(paydrop, 'zwei.csv')).toBeNull();
});

it('a batch that was refused is listed as a batch alone', async () => {
  const paydrop = await desk.open();
  const path = await desk.file('pay.csv', [line('A-1', '100').replace('XAF', 'XXX')]);
  const { summary } = await processBatch(paydrop, path, PATIENT);
  expect(summary.state).toBe('refused');
  const all = await status(paydrop, { all: false });
  expect(all.batches.map(({ batch }) => batch)).toEqual([summary.batch]);
  expect(all.refused).toEqual([]);
});

it('the same bytes under two names are found under both', async () => {
  const paydrop = await desk.open();
  for (const name of ['eins.csv', 'zwei.csv'])
    await processBatch(paydrop, await desk.write(name, 'eins,zwei\nx,y\n'), PATIENT);
  const { refused } = await status(paydrop, { all: false });
  expect(refused.map(({ name }) => name)).toEqual(['eins.csv', 'zwei.csv']);
  expect((await statusOf(paydrop, 'zwei.csv'))?.refused).toEqual(refused.slice(1));
});
