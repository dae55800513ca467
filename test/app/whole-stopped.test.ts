// An all-or-nothing file that could not be paid whole: a row that no person has decided is not paid, whatever happens to the ledger.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from './release.ts';
import { type ReleaseOrder } from '../../src/app/workflow/decisions/release-rows.ts';
import type { Clock } from '../../src/base/clock.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { endsOf, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

const WHOLE = 'policy: { strategy: reserve-then-confirm }';

const LINES = ['1', '2', '3', '4', '5'].map((nth) => line(`A-${nth}`, `10${nth}`));

/** The service takes it for no country, which shows only when the transfer is created. */
const REFUSED_AT_CREATE = line('A-9', '109').replace('Wei,CHN', 'Wei,ch1');

const MINUTE_MS = 60_000;

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

/** A wait makes as much time pass. */
function passing(clock: ManualClock): Clock {
  return {
    ...clock,
    sleep: async (ms) => {
      clock.advance(Math.max(0, ms));
      await nextTurn();
    },
  };
}

type Stopped = {
  readonly clock: ManualClock;
  readonly desk: Desk;
  readonly file: string;
  readonly batch: string;
};

/** A file of five good rows and one that is refused; of the good ones the first was released, and paid. */
async function stoppedWithOnePaid(): Promise<Stopped> {
  const clock = manualClock();
  // What was reserved can still be confirmed once reads can hide nothing.
  const desk = await openDesk({ clock, quoteLifeMs: 120 * MINUTE_MS }, passing(clock));
  desks.push(desk);
  const paydrop = await desk.open(WHOLE);
  const file = await desk.file('payroll.csv', [...LINES, REFUSED_AT_CREATE]);
  const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
  await release(paydrop, batch, { rows: new Set(['2']) });
  await resume(paydrop);
  expect(await endsOf(paydrop, batch)).toEqual(['paid', ...FOUR_HELD, 'rejected 10001']);
  return { clock, desk, file, batch };
}

const FOUR_HELD = Array.from({ length: 4 }, () => 'held batch_stopped');

async function release(
  paydrop: Paydrop,
  batch: string,
  order: Partial<Pick<ReleaseOrder, 'rows' | 'skip'>>,
): Promise<void> {
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('The batch is there.');
  await releaseRows(paydrop, record, { by: 'A. Ngo', reason: 'agreed', rows: null, skip: false, ...order });
}

async function resume(paydrop: Paydrop): Promise<BatchResult> {
  const [result] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
  if (result === undefined) throw new Error('There was nothing to resume.');
  return result;
}

async function paidOf(paydrop: Paydrop): Promise<number> {
  return (await transfersOf(paydrop)).filter(({ status }) => status === 'paid').length;
}

describe('a stopped file of which one row was released and paid, and whose ledger was lost', () => {
  it.each([
    ['is as it was', WHOLE],
    ['pays row by row by now', ''],
  ])('has none of the others paid before a person has decided, where the config %s', async (_, config) => {
    const { clock, desk, file, batch } = await stoppedWithOnePaid();
    await desk.loseLedger();
    const paydrop = await desk.open(config);
    await rebuildFile(paydrop, file, PATIENT);
    const waiting = await resume(paydrop);
    expect(said(waiting.words)[0]).toMatch(
      /^1 row of the file is already confirmed.*Row 7 was refused\. The ledger was lost.*Until then do not pay/,
    );
    expect(await paidOf(paydrop)).toBe(1);
    clock.advance(17 * MINUTE_MS);
    const { words } = await resume(paydrop);
    expect(said(words)[0]).toMatch(/no other row is confirmed: held rows wait for a person/);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', ...FOUR_HELD, 'rejected 10001']);
    expect(await paidOf(paydrop)).toBe(1);
    await release(paydrop, batch, {});
    await resume(paydrop);
    expect(await endsOf(paydrop, batch)).toEqual([...LINES.map(() => 'paid'), 'rejected 10001']);
    expect(await paidOf(paydrop)).toBe(5);
  });

  it('ends by itself, each row as it was told, where a person had cancelled the others', async () => {
    const { desk, file, batch } = await stoppedWithOnePaid();
    await release(await desk.open(WHOLE), batch, { skip: true });
    await desk.loseLedger();
    const paydrop = await desk.open(WHOLE);
    await rebuildFile(paydrop, file, PATIENT);
    await resume(paydrop);
    const closed = Array.from({ length: 4 }, () => 'rejected cancelled');
    expect(await endsOf(paydrop, batch)).toEqual(['paid', ...closed, 'rejected 10001']);
    expect((await paydrop.ledger.batch(batch))?.state).toBe('closed');
    expect(await paidOf(paydrop)).toBe(1);
  });
});

describe('a stopped file of which one row was released and paid, and whose ledger was put back as it stood before', () => {
  it('has no row cancelled while reads may hide that it was paid', async () => {
    const clock = manualClock();
    const desk = await openDesk({ clock }, passing(clock));
    desks.push(desk);
    const file = await desk.file('payroll.csv', [...LINES, REFUSED_AT_CREATE]);
    await expect(processBatch(dyingAtCreate(await desk.open(WHOLE)), file, PATIENT)).rejects.toThrow('power');
    await desk.shut();
    const [ledger, backup] = [join(desk.workspace, 'ledger.sqlite'), join(desk.workspace, 'backup')];
    await copyFile(ledger, backup);
    const lost = await desk.open(WHOLE);
    const { batch } = (await resume(lost)).summary;
    // The run before may have sent the create that is refused now: until no read can hide it, the row is not called rejected.
    expect((await endsOf(lost, batch)).at(-1)).toBe('quoted');
    for (let times = 0; times < 3; times++) {
      clock.advance(17 * MINUTE_MS);
      await resume(lost);
    }
    await release(lost, batch, { rows: new Set(['2']) });
    await resume(lost);
    expect(await paidOf(lost)).toBe(1);
    await desk.loseLedger();
    await copyFile(backup, ledger);
    const paydrop = showingNothing(await desk.open(WHOLE));
    // The last one was reported as rejected, and stays so.
    const undecided = [...Array.from({ length: 5 }, () => 'ready'), 'rejected 10001'];
    await resume(paydrop);
    expect(await endsOf(paydrop, batch)).toEqual(undecided);
    await release(paydrop, batch, { skip: true });
    expect(await endsOf(paydrop, batch)).toEqual(undecided);
    // Reads hide nothing any more.
    await desk.shut();
    const truthful = await desk.open(WHOLE);
    clock.advance(17 * MINUTE_MS);
    await resume(truthful);
    expect(await endsOf(truthful, batch)).toEqual(['paid', ...FOUR_HELD, 'rejected 10001']);
    // What was reserved for them is dead by the clock of every machine of the service.
    const held = await truthful.ledger.rows(batch, 1, 4);
    expect(held.map(({ progress }) => progress.deadAttempts.length)).toEqual([1, 1, 1, 1]);
  });
});

/** As if the process had died before anything was created. */
function dyingAtCreate(real: Paydrop): Paydrop {
  const createTransfer: Paydrop['service']['createTransfer'] = () => {
    throw new Error('The power was cut.');
  };
  return { ...real, service: { ...real.service, createTransfer } };
}

/** The reads of the service lag: they show no transfer yet. */
function showingNothing(real: Paydrop): Paydrop {
  const transferByExternalId: Paydrop['service']['transferByExternalId'] = () =>
    // The service's own words for an id that nobody has used.
    real.service.transferByExternalId(crypto.randomUUID());
  const transfers: Paydrop['service']['transfers'] = async (asked) => {
    const answer = await real.service.transfers(asked);
    return { ...answer, value: { ...answer.value, transfers: [] } };
  };
  return { ...real, service: { ...real.service, transferByExternalId, transfers } };
}
