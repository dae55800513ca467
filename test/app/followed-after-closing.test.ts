// A row that a person had followed again after its batch was closed is in progress like any other: everybody who asks learns that, and paydrop
// asks the service about it no more often than the config says.

import { afterEach, beforeEach, expect, it } from 'vitest';

import { exitCodeOf, type BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import { lookBack } from '../../src/app/daemon/unfinished.ts';
import { giveTo, runElsewhere } from '../ledger/machines.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';
import { said } from './said.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let clock: LeapClock;
let desk: Desk;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock, reversalMs: 24 * HOUR_MS }, clock);
});
afterEach(() => desk.close());

/** As a service whose staff has sent the payment once more; `onRead` is awaited before it answers. */
function sendsAgain(paydrop: Paydrop, onRead: () => Promise<void> | void = () => undefined): Paydrop {
  const transfer: Paydrop['service']['transfer'] = async (id) => {
    await onRead();
    const answer = await paydrop.service.transfer(id);
    return { ...answer, value: { ...answer.value, status: 'submitted', statusCode: '10001' } };
  };
  return { ...paydrop, service: { ...paydrop.service, transfer } };
}

async function resume(paydrop: Paydrop): Promise<readonly BatchResult[]> {
  return (await resumeBatches(paydrop, null, HURRIED)) ?? [];
}

/** One round of the daemon over the closed batches; gives what it tells. */
async function round(paydrop: Paydrop): Promise<readonly BatchResult[]> {
  const told: BatchResult[] = [];
  await lookBack(paydrop, PATIENT, { batch: (_, result) => told.push(result) });
  return told;
}

/** A closed batch of one row that was paid, was taken back, and was released by a person. */
async function released(paydrop: Paydrop): Promise<string> {
  const file = await desk.file('payroll.csv', [line('A-1', '100')]);
  const batch = (await processBatch(paydrop, file, PATIENT)).summary.batch;
  clock.leap(HOUR_MS + MINUTE_MS);
  await resume(sendsAgain(paydrop));
  expect(await endsOf(paydrop, batch)).toEqual(['held status_went_back']);
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('The batch is there.');
  await releaseRows(paydrop, record, { by: 'Ama', reason: 'sent once more', rows: null, skip: false });
  return batch;
}

it('resume looks at it although a daemon follows it, and tells that it has not ended', async () => {
  const paydrop = await desk.open();
  const batch = await released(paydrop);
  await round(sendsAgain(paydrop));
  expect(await endsOf(paydrop, batch)).toEqual(['confirmed']);
  const { run } = await runElsewhere(paydrop.workspace.ledgerPath);
  giveTo(paydrop.workspace.ledgerPath, batch, run, true);
  let asked = 0;
  const [result] = await resume(
    sendsAgain(paydrop, () => {
      asked += 1;
    }),
  );
  expect(asked).toBe(1);
  expect(result?.summary).toMatchObject({ state: 'closed', outcomes: { submitted: 1 } });
  expect(said(result?.words ?? []).join(' ')).toContain('is not final yet');
  expect(result === undefined ? null : exitCodeOf(result, PATIENT.waitMs)).toBe(5);
});

it('resume tells that another process works on it while that one asks the service, and a round of a daemon tells nothing', async () => {
  const paydrop = await desk.open();
  const batch = await released(paydrop);
  const { run } = await runElsewhere(paydrop.workspace.ledgerPath);
  const beside: (readonly BatchResult[])[] = [];
  const reading = sendsAgain(paydrop, async () => {
    giveTo(paydrop.workspace.ledgerPath, batch, run);
    beside.push(await resume(paydrop), await round(paydrop));
  });
  await round(reading);
  const [[asked] = [], own] = beside;
  expect(asked?.summary.outcomes.submitted).toBe(1);
  expect(said(asked?.words ?? []).join(' ')).toContain('Another paydrop is working on payroll.csv');
  expect(own).toEqual([]);
});

it('a daemon asks the service about it once it is due and not in every round, and the rounds between leave no trace', async () => {
  const paydrop = await desk.open('tracking: { pollEvery: 1h }');
  const batch = await released(paydrop);
  let asked = 0;
  const counting = sendsAgain(paydrop, () => {
    asked += 1;
  });
  expect(await round(counting)).toHaveLength(1);
  // Its looks come at growing distances, up to the hour.
  for (;;) {
    const dueInMs = ((await paydrop.ledger.nextDueAt(batch, ['confirmed'])) ?? Infinity) - clock.now();
    if (dueInMs > HOUR_MS / 2) break;
    clock.leap(dueInMs);
    expect(await round(counting)).toEqual([]);
  }
  asked = 0;
  const { events } = await paydrop.ledger.history.verify();
  for (let minutes = 0; minutes < 20; minutes += 1) {
    clock.leap(MINUTE_MS);
    expect(await round(counting)).toEqual([]);
  }
  expect({ asked, events: (await paydrop.ledger.history.verify()).events }).toEqual({ asked: 0, events });
  clock.leap(HOUR_MS);
  expect(await round(counting)).toEqual([]);
  expect(asked).toBe(1);
  clock.leap(2 * HOUR_MS);
  const [ended] = await round(paydrop);
  expect(ended?.summary).toMatchObject({
    outcomes: { paid: 1 },
    supersedes: `payroll.${batch}.summary-3.json`,
  });
  expect(await paydrop.ledger.batches({ toLookAt: clock.now() })).toEqual([]);
});

it('what a kill left unanswered beside it is answered in the next round, and not once the row is due', async () => {
  const paydrop = await desk.open('tracking: { pollEvery: 1h }');
  const batch = await released(paydrop);
  // Killed once the row was looked at, and before that was answered.
  let isRead = false;
  const ledger = new Proxy(paydrop.ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'batch' && isRead) return () => Promise.reject(new Error('killed'));
      return value.bind(target) as unknown;
    },
  });
  const dying = sendsAgain({ ...paydrop, ledger }, () => {
    isRead = true;
  });
  await expect(round(dying)).rejects.toThrow('killed');
  expect(await endsOf(paydrop, batch)).toEqual(['confirmed']);
  expect(await paydrop.ledger.nextDueAt(batch, ['confirmed'])).toBeGreaterThan(clock.now());
  const [result] = await round(sendsAgain(paydrop));
  expect(result?.summary).toMatchObject({ outcomes: { submitted: 1, held: 0 } });
});
