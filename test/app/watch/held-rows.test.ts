// A file of which some rows wait for a person goes on with all the others: decisions about them are carried out, and rows that have ended are looked at again.
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { ledgerCounts } from '../../../src/app/daemon/metrics-server.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { releaseRows } from '../release.ts';
import { hasWork } from '../../../src/app/daemon/unfinished.ts';
import { ENDED } from '../../../src/delivery/time-left.ts';
import { approve, askedOf, decline, moveRate, REQUIRED, resume } from '../approval/two-people.ts';
import { endsOf, HURRIED, line, magic, openDesk, PATIENT, type Desk } from '../desk.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';
import { QUICK, startWatching, type Watching } from '../schedule/watching.ts';

const DAY_MS = 24 * 3_600_000;

/** Longer than anything here takes on any machine: what is over is over because the clock leapt. */
const QUOTE_LIFE_MS = 60_000;

/** Two rows that nobody can tell apart wait for a person. */
const HELD = [line('', '300'), line('', '300')];

let clock: LeapClock;
let desk: Desk;
let daemon: Watching | null = null;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock, quoteLifeMs: QUOTE_LIFE_MS, reversalMs: DAY_MS }, clock);
});
afterEach(async () => {
  await daemon?.stop();
  daemon = null;
  await desk.close();
});

async function process(paydrop: Paydrop, lines: readonly string[], control = PATIENT): Promise<string> {
  return (await processBatch(paydrop, await desk.file('payroll.csv', lines), control)).summary.batch;
}

/** What is announced by itself is not asked for, as while notifications come. */
function hearing(paydrop: Paydrop): Paydrop {
  return { ...paydrop, hearing: { ...paydrop.hearing, isTrusted: () => true } };
}

/** A file with held rows of which the others, whose prices rose after its approval, were released: so it is asked again under a daemon that gets notifications. */
async function askedAnew(): Promise<{ paydrop: Paydrop; batch: string; watching: Watching }> {
  const paydrop = hearing(await desk.open(`${REQUIRED}\n${QUICK}`));
  const batch = await process(paydrop, [line('A', '100'), line('B', '101'), ...HELD], HURRIED);
  await approve(paydrop, batch);
  clock.leap(QUOTE_LIFE_MS);
  await moveRate(desk, '7000');
  daemon = startWatching(paydrop);
  await daemon.until(({ outcomes }) => outcomes.held === 4);
  expect(await endsOf(paydrop, batch)).toEqual([
    'held price_moved',
    'held price_moved',
    'held equal_rows',
    'held equal_rows',
  ]);
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('The batch is there.');
  const order = { by: 'Ama', reason: 'the rate of today', rows: new Set(['2', '3']), skip: false };
  expect((await releaseRows(paydrop, record, order)).released).toEqual(['2', '3']);
  // The daemon looks at it once more some time later.
  clock.leap(30_000);
  await daemon.until(({ waitingFor }) => waitingFor === 'approval');
  expect(await askedOf(paydrop, batch)).toMatchObject({ round: 2, given: null });
  return { paydrop, batch, watching: daemon };
}

/** As the metrics tell it. */
async function batchesDue(paydrop: Paydrop): Promise<number | undefined> {
  const family = (await ledgerCounts(paydrop)).find(({ name }) => name === 'paydrop_batches_due');
  return family === undefined || family.type === 'histogram' ? undefined : family.samples[0]?.value;
}

it('approved anew beside rows that are held, while notifications are heard, is paid by watch', async () => {
  const { paydrop, batch, watching } = await askedAnew();
  expect((await approve(paydrop, batch)).kind).toBe('decided');
  await watching.until(({ waitingFor }) => waitingFor === 'operator');
  expect((await endsOf(paydrop, batch)).slice(2)).toEqual(['held equal_rows', 'held equal_rows']);
  expect(await paydrop.ledger.stageCounts(batch)).not.toContain('quoted');
  await watching.stop();
  await resume(paydrop, batch);
  expect((await endsOf(paydrop, batch)).slice(0, 2)).toEqual(['paid', 'paid']);
});

it('declined when it was asked anew, with rows that are held, is closed by watch', async () => {
  const { paydrop, batch, watching } = await askedAnew();
  expect((await decline(paydrop, batch)).kind).toBe('decided');
  const { summary } = await watching.until(({ outcomes }) => outcomes.rejected > 0);
  expect(summary).toMatchObject({ state: 'closed', outcomes: { rejected: 4, paid: 0 } });
});

it('a payment that comes back is seen by watch, at once when it is told, although other rows of its file are held', async () => {
  const paydrop = await desk.open(QUICK);
  const batch = await process(paydrop, [magic('A-1', '0100001'), ...HELD]);
  expect((await endsOf(paydrop, batch))[0]).toBe('paid');
  const [row] = await paydrop.ledger.rows(batch, 0, 1);
  if (row === undefined) throw new Error('The row is there.');
  // Before the next look at it is due by itself.
  const dueAt = await paydrop.ledger.nextDueAt(batch, ENDED);
  expect(dueAt).toBeGreaterThan(clock.now());
  expect(await batchesDue(paydrop)).toBe(0);
  await paydrop.ledger.hint(row);
  expect(await batchesDue(paydrop)).toBe(1);
  daemon = startWatching(paydrop);
  await daemon.until(({ waitingFor }) => waitingFor === 'operator');
  expect(await paydrop.ledger.nextDueAt(batch, ENDED)).toBeGreaterThan(clock.now());
  clock.leap(2 * DAY_MS);
  const { summary } = await daemon.until(({ outcomes }) => outcomes.failed === 1);
  expect(summary).toMatchObject({ waitingFor: 'operator', outcomes: { failed: 1, held: 2 } });
});

it('a payment that comes back is seen by watch while the rest of its file waits for approval', async () => {
  const paydrop = await desk.open(`${REQUIRED}\n${QUICK}`);
  const batch = await process(paydrop, [magic('A-1', '0100001'), ...HELD]);
  await approve(paydrop, batch);
  await resume(paydrop, batch);
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('The batch is there.');
  await releaseRows(paydrop, record, { by: 'Ama', reason: 'right', rows: null, skip: false });
  expect((await resume(paydrop, batch)).summary.waitingFor).toBe('approval');
  expect((await endsOf(paydrop, batch))[0]).toBe('paid');
  clock.leap(2 * DAY_MS);
  daemon = startWatching(paydrop);
  const { summary } = await daemon.until(({ outcomes }) => outcomes.failed === 1);
  expect(summary).toMatchObject({ waitingFor: 'approval', outcomes: { failed: 1, paid: 0 } });
});

it('a file that is paid whole is left alone by watch while one of its rows is held', async () => {
  const paydrop = hearing(await desk.open('policy: { strategy: reserve-then-confirm }'));
  const batch = await process(paydrop, [line('A', '100'), line('B', '101'), ...HELD]);
  // A second go knows of every row that no transfer of an earlier one stands.
  await resume(paydrop, batch);
  const record = await paydrop.ledger.batch(batch);
  expect(record).toMatchObject({ state: 'reserving', whole: 'reserving', wait: { for: 'held-rows' } });
  if (record === null) throw new Error('The batch is there.');
  expect(await hasWork(paydrop, record, 60_000, { hasLeft: () => false })).toBe(false);
});
