// `journal` on a real ledger: entries of closed batches alone, by batch or by day, with what came back as an entry of its own.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { journal } from '../../src/app/desk/commands.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { fromUnits } from '../../src/base/decimal.ts';
import { HURRIED, line, magic, openDesk, PATIENT, type Desk } from './desk.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';

const DAY_MS = 86_400_000;

let clock: LeapClock;
let desk: Desk;

beforeEach(async () => {
  clock = leapClock();
  // At noon: no day ends within a test.
  clock.leap(1.5 * DAY_MS - (clock.now() % DAY_MS));
  desk = await openDesk({ clock, reversalMs: DAY_MS }, clock);
});
afterEach(() => desk.close());

async function journalOf(paydrop: Paydrop, order: Partial<Parameters<typeof journal>[1]>) {
  const path = join(desk.workspace, 'journal.csv');
  const made = await journal(paydrop, { format: 'csv', ...order }, { path, mayReplace: true });
  if ('fault' in made) return { fault: made.fault.en, report: null, text: '' };
  return { fault: null, report: made.report, text: await readFile(path, 'utf8') };
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

it('has what the results say was debited, and a reversal on the day on which it came back', async () => {
  const paydrop = await desk.open();
  const lines = [line('A-1', '100'), magic('A-2', '0100001'), magic('A-3', '0100002')];
  const { batch, totals } = (await processBatch(paydrop, await desk.file('pay.csv', lines), PATIENT)).summary;
  const paid = await journalOf(paydrop, { batch });
  expect(paid.report).toMatchObject({ entries: 2, reversals: 0, heldRows: 0 });
  expect(fromUnits(paid.report?.credit ?? 0n, 0)).toBe(totals[0]?.debited);

  const [paidOn, cameBack] = [dayOf(clock.now()), dayOf(clock.now() + 2 * DAY_MS)];
  clock.leap(2 * DAY_MS);
  await resumeBatches(paydrop, null, PATIENT);
  const after = await journalOf(paydrop, { batch });
  expect(after.report).toMatchObject({ entries: 3, reversals: 1 });
  expect(after.text).toContain('Reversal A-2');
  // The payments stand as they stood, so that a month is booked once.
  expect((await journalOf(paydrop, { from: paidOn, to: paidOn })).text).toBe(paid.text);
  expect((await journalOf(paydrop, { from: cameBack, to: cameBack })).report).toMatchObject({
    entries: 1,
    reversals: 1,
  });
});

it('is none of a batch that is not closed, nor of an order that says two things', async () => {
  const paydrop = await desk.open();
  const file = await desk.file('pay.csv', [magic('A-1', '0060000')]);
  const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
  expect((await journalOf(paydrop, { batch })).fault).toContain('not closed');
  const today = dayOf(clock.now());
  expect((await journalOf(paydrop, { from: today, to: today })).report).toMatchObject({
    entries: 0,
    openBatches: 1,
  });
  for (const order of [{}, { batch, from: today, to: today }, { from: today }, { from: today, to: 'soon' }])
    expect((await journalOf(paydrop, order)).fault).not.toBeNull();
  expect((await journalOf(paydrop, { batch: '20260101-00000000' })).fault).toContain('20260101-00000000');
});

it('is booked by the chart of accounts of the config, however its numbers are written', async () => {
  const paydrop = await desk.open(
    'journal: { code: BNQ, accounts: { personnel: 422100, bank: "521200" }, columns: [journal, account, credit] }',
  );
  const file = await desk.file('pay.csv', [line('A-1', '100')]);
  const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
  expect((await journalOf(paydrop, { batch })).text.split('\n')).toEqual([
    'journal,account,credit',
    'BNQ,422100,',
    'BNQ,631,',
    expect.stringMatching(/^BNQ,521200,\d+$/),
    '',
  ]);
});

it('asks for the rate of a currency that the books do not have', async () => {
  const paydrop = await desk.open('journal: { currency: EUR }');
  const file = await desk.file('pay.csv', [line('A-1', '100')]);
  const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
  expect((await journalOf(paydrop, { batch })).fault).toContain('XAF/EUR');
});
