// The person who releases a row over a limit has seen its cost. A worse price, or another limit, is a new question.
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import { HEADER, endsOf, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { moveRate, resume, USUAL_RATE } from './approval/two-people.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';

const HOUR_MS = 3_600_000;

let clock: LeapClock;
let desk: Desk;
beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

async function release(paydrop: Paydrop, batch: string): Promise<void> {
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('It is there.');
  const order = { by: 'Marie', reason: 'checked', rows: null, skip: false };
  expect((await releaseRows(paydrop, record, order)).released).toEqual(['2']);
}

/** As it goes on once the price that was seen has run out. */
async function resumedLater(paydrop: Paydrop, batch: string, rate: string): Promise<readonly string[]> {
  clock.leap(2 * HOUR_MS);
  await moveRate(desk, rate);
  await resume(paydrop, batch);
  return endsOf(paydrop, batch);
}

async function reasonOf({ ledger }: Paydrop, batch: string): Promise<string> {
  const [row] = await ledger.rows(batch, 0, 1);
  return row?.progress.hold?.reason.en ?? '';
}

const pay = async (paydrop: Paydrop, path: string) =>
  (await processBatch(paydrop, path, PATIENT)).summary.batch;

it('a row that was released over the limit of a row is held again when it has become dearer, and goes once that was seen', async () => {
  const paydrop = await desk.open('limits: { perRow: 20000 XAF }');
  const batch = await pay(paydrop, await desk.file('a.csv', [line('A', '1000')]));
  expect(await endsOf(paydrop, batch)).toEqual(['held over_row_limit']);
  await release(paydrop, batch);
  expect(await resumedLater(paydrop, batch, '3900')).toEqual(['held price_moved']);
  await release(paydrop, batch);
  await resume(paydrop, batch);
  expect(await endsOf(paydrop, batch)).toEqual(['held over_row_limit']);
  expect(await reasonOf(paydrop, batch)).toContain('It was released before, at a better price.');
  expect(await transfersOf(paydrop)).toEqual([]);
  await release(paydrop, batch);
  await resume(paydrop, batch);
  expect(await endsOf(paydrop, batch)).toEqual(['paid']);
});

it('a rate that moves by less than policy.maxDrift asks nobody again', async () => {
  const paydrop = await desk.open('limits: { perRow: 20000 XAF }');
  const batch = await pay(paydrop, await desk.file('a.csv', [line('A', '1000')]));
  await release(paydrop, batch);
  expect(await resumedLater(paydrop, batch, '7760')).toEqual(['paid']);
});

it('a row that was released over the limit of a row is held by a rate that is under the least one', async () => {
  const paydrop = await desk.open('limits: { perRow: 20000 XAF, leastRates: { XAF/CNY: 0.0118 } }');
  const batch = await pay(paydrop, await desk.file('a.csv', [line('A', '1000')]));
  expect(await endsOf(paydrop, batch)).toEqual(['held over_row_limit']);
  await release(paydrop, batch);
  expect(await resumedLater(paydrop, batch, '7760')).toEqual(['held under_rate_limit']);
  expect(await reasonOf(paydrop, batch)).not.toContain('released before');
  await release(paydrop, batch);
  await resume(paydrop, batch);
  expect(await endsOf(paydrop, batch)).toEqual(['paid']);
});

it('a row of a set sum that was released under the least rate is held again when it would bring still less', async () => {
  const paydrop = await desk.open('limits: { leastRates: { XAF/CNY: 1 } }');
  const lines = [HEADER.replace('destinationAmount', 'sourceAmount'), line('A', '50000')];
  const batch = await pay(paydrop, await desk.write('a.csv', `${lines.join('\n')}\n`));
  expect(await endsOf(paydrop, batch)).toEqual(['held under_rate_limit']);
  await release(paydrop, batch);
  expect(await resumedLater(paydrop, batch, '3900')).toEqual(['held under_rate_limit']);
  expect(await resumedLater(paydrop, batch, USUAL_RATE)).toEqual(['held under_rate_limit']);
  await release(paydrop, batch);
  await resume(paydrop, batch);
  // The price that was released has run out, and the new one brings twice as much: that is another price too.
  expect(await endsOf(paydrop, batch)).toEqual(['held price_moved']);
  await release(paydrop, batch);
  await resume(paydrop, batch);
  expect(await endsOf(paydrop, batch)).toEqual(['paid']);
});
