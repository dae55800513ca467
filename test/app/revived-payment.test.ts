// A transfer that was given up, and that the service pays after all, is the payment of its row: a person's release makes the row follow it
// again. If the row were cancelled over it, it would count as unpaid, and the next file would pay it once more.
import { attemptNumberOf } from '../../src/payouts/progress.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import { type ReleaseEnd } from '../../src/app/workflow/decisions/release-rows.ts';
import type { Clock } from '../../src/base/clock.ts';
import { toKnownTransfer } from '../../src/delivery/known-transfer.ts';
import { quotationRequestOf, transferExternalId, transferRequest } from '../../src/delivery/requests.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { record } from '../ledger/own.ts';

const WHOLE = 'policy: { strategy: reserve-then-confirm }';
const MINUTE_MS = 60_000;

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

function passing(clock: ManualClock): Clock {
  const sleep: Clock['sleep'] = async (ms) => {
    clock.advance(Math.max(0, ms));
    await nextTurn();
  };
  return { ...clock, sleep };
}

type Scene = {
  readonly clock: ManualClock;
  readonly desk: Desk;
  readonly paydrop: Paydrop;
  readonly batch: string;
  /** What the service shows of the first row's first transfer, once it has been given up. */
  readonly shown: { status: string; statusCode: string };
};

/** Three rows whose first transfers ran out before the first confirm; that of the first row is paid by hand once the row has given it up. */
async function revived(): Promise<Scene> {
  const clock = manualClock();
  const desk = await openDesk({ clock }, passing(clock));
  desks.push(desk);
  const real = await desk.open(WHOLE);
  let creates = 0;
  const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
    const answer = await real.service.createTransfer(request);
    creates += 1;
    if (creates === 3) clock.advance(14.5 * MINUTE_MS);
    return answer;
  };
  const slow = { ...real, service: { ...real.service, createTransfer } };
  const file = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', '101'), line('A-3', '102')]);
  const { batch } = (await processBatch(slow, file, HURRIED)).summary;
  const dead = (await firstRow(real, batch)).progress.transfer?.transferId ?? '';
  const shown = { status: 'paid', statusCode: '20000' };
  let isGivenUp = false;
  const transfer: Paydrop['service']['transfer'] = async (id) => {
    const answer = await real.service.transfer(id);
    if (id !== dead) return answer;
    isGivenUp ||= (await firstRow(real, batch)).progress.deadAttempts.length > 0;
    return isGivenUp ? { ...answer, value: { ...answer.value, ...shown } } : answer;
  };
  // Whoever goes on has another lease: only a look so late shows that the transfers are dead.
  clock.advance(22 * MINUTE_MS);
  const paydrop = { ...real, service: { ...real.service, transfer } };
  await resumeBatches(paydrop, null, HURRIED);
  expect((await endsOf(paydrop, batch))[0]).toBe('held transfer_reinstated');
  return { clock, desk, batch, paydrop, shown };
}

async function firstRow({ ledger }: Paydrop, batch: string): Promise<RowRecord> {
  const [row] = await ledger.rows(batch, 0, 1);
  if (row === undefined) throw new Error('The row is there.');
  return row;
}

async function release({ paydrop, batch }: Scene, skip: boolean): Promise<ReleaseEnd> {
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('The batch is there.');
  return releaseRows(paydrop, record, { by: 'Ama', reason: 'agreed', rows: new Set(['2']), skip });
}

async function resumed({ clock, paydrop, batch }: Scene): Promise<string | undefined> {
  clock.advance(1_000);
  await resumeBatches(paydrop, null, PATIENT);
  return (await endsOf(paydrop, batch))[0];
}

/** As if the row had been given another transfer in the same moment. */
async function withSecond({ paydrop, batch }: Scene): Promise<void> {
  const row = await firstRow(paydrop, batch);
  const { payout, progress } = row;
  if (payout === null) throw new Error('It is a payment.');
  const { fileId } = (await paydrop.ledger.batch(batch)) ?? { fileId: '' };
  const quoted = await paydrop.service.createQuotation(quotationRequestOf(payout, crypto.randomUUID()));
  const due = { fileId, row: { ...row, payout } };
  const { value } = await paydrop.service.createTransfer(
    transferRequest(
      due,
      { id: transferExternalId(due, attemptNumberOf(due.row.progress)), quotationId: quoted.value.id },
      null,
    ),
  );
  await record(paydrop.ledger, row, {
    progress: { ...progress, transfer: toKnownTransfer(value) },
    dueAt: null,
    event: 'test',
  });
}

describe('a row whose earlier transfer was paid after all, and that has no other', () => {
  it.each([
    ['release', false],
    ['release --skip', true],
  ])('goes back to it by %s, and is told as paid; its reference is not paid again', async (_order, skip) => {
    const scene = await revived();
    expect(await release(scene, skip)).toMatchObject({
      onlySkip: [],
      left: [],
      ...(skip ? { released: [], followed: ['2'] } : { released: ['2'] }),
    });
    expect(await resumed(scene)).toBe('paid');
    const { progress } = await firstRow(scene.paydrop, scene.batch);
    expect(progress).toMatchObject({ deadAttempts: [], transfer: { status: 'paid' } });
    const { desk, paydrop } = scene;
    const corrected = await desk.file('corrected.csv', [line('A-1', '100')]);
    const again = (await processBatch(paydrop, corrected, PATIENT)).summary;
    expect(await endsOf(paydrop, again.batch)).toEqual(['duplicate duplicate_reference']);
  });

  it('is told as failed when that fails, and nothing more is sent of it', async () => {
    const scene = await revived();
    await release(scene, false);
    Object.assign(scene.shown, { status: 'failed', statusCode: '100002' });
    expect(await resumed(scene)).toBe('failed 100002');
  });

  it('is cancelled once the service shows that it is not paid after all', async () => {
    const scene = await revived();
    Object.assign(scene.shown, { status: 'failed', statusCode: '100000' });
    expect(await release(scene, true)).toMatchObject({ released: ['2'], followed: [] });
    expect(await resumed(scene)).toBe('rejected cancelled');
  });
});

describe('a row whose earlier transfer was paid after all, and whose later one waits for its confirm', () => {
  it('is not closed; once the later one can no longer be taken it goes back to the earlier one', async () => {
    const scene = await revived();
    await withSecond(scene);
    const early = await release(scene, true);
    expect(early).toMatchObject({ released: [], followed: [] });
    expect(early.left.map(({ row }) => row)).toEqual(['2']);
    expect(await resumed(scene)).toBe('held transfer_reinstated');
    scene.clock.advance(60 * MINUTE_MS);
    expect(await release(scene, true)).toMatchObject({ released: [], followed: ['2'], left: [] });
    expect(await resumed(scene)).toBe('paid');
    const { progress } = await firstRow(scene.paydrop, scene.batch);
    expect(progress).toMatchObject({ deadAttempts: [{ attempt: 2 }] });
  });

  it('is told so before anything of it is decided, where it was held for something else', async () => {
    const scene = await revived();
    await withSecond(scene);
    const row = await firstRow(scene.paydrop, scene.batch);
    const held = { hold: newHold('over_row_limit', 0) };
    const progress = { ...row.progress, ...held };
    await record(scene.paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
    scene.clock.advance(60 * MINUTE_MS);
    expect((await release(scene, true)).left.map(({ row: left }) => left)).toEqual(['2']);
    expect((await endsOf(scene.paydrop, scene.batch))[0]).toBe('held transfer_reinstated');
    expect(await release(scene, false)).toMatchObject({ released: ['2'] });
    expect(await resumed(scene)).toBe('paid');
  });

  it('goes back to it by release where the later one has failed', async () => {
    const scene = await revived();
    await withSecond(scene);
    const row = await firstRow(scene.paydrop, scene.batch);
    const { transfer } = row.progress;
    if (transfer === null) throw new Error('It has one.');
    const failed = { ...transfer, status: 'failed', statusCode: '100002' };
    const progress = { ...row.progress, transfer: failed, finalAt: transfer.createdAt };
    await record(scene.paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
    expect(await release(scene, true)).toMatchObject({ released: [], followed: ['2'] });
    expect(await resumed(scene)).toBe('paid');
  });
});
