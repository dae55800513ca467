// An order about rows is carried out by whoever has the batch: at once where nobody has it, between two steps where a go does, and later where its owner does not answer.
import { expect, it } from 'vitest';

import { release } from '../../src/app/desk/commands.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { pauseBatch } from '../../src/app/workflow/decisions/pause-batch.ts';
import { processBatch, resumeBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { atEnd } from '../at-end.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { CONTAINER, processAt } from '../ledger/machines.ts';
import { own } from '../ledger/own.ts';
import { endsOf, HURRIED, lineTo, openDesk, PATIENT, type Desk } from './desk.ts';

const ORDER = { by: 'Marie Ngo', reason: 'paid by cheque', rows: null, via: 'a test' };
const CANCEL = { ...ORDER, skip: true };
const LET_GO = { ...ORDER, skip: false };

async function newDesk(): Promise<Desk> {
  const desk = await openDesk();
  atEnd(() => desk.close());
  return desk;
}

/** The same workspace as another process has it, in a neighbouring container. */
function fromElsewhere(paydrop: Paydrop): Paydrop {
  const ledger = openSqlite(paydrop.workspace.ledgerPath, systemClock, processAt(CONTAINER));
  atEnd(() => ledger.close());
  return { ...paydrop, ledger };
}

/** Looks for the outcome as often as ever, and waits longer between: the go that carries the order out may be slow on a busy machine. */
function patient(paydrop: Paydrop): Paydrop {
  const { clock } = paydrop;
  return { ...paydrop, clock: { ...clock, sleep: (ms, signal) => clock.sleep(20 * ms, signal) } };
}

/** Two rows that are held, because nothing tells them apart, and one that is paid. */
function twice(desk: Desk): Promise<string> {
  const equal = lineTo('twice', '', '100');
  return desk.file('twice.csv', [equal, equal, lineTo('other', 'O-1', '50')]);
}

/** Gives an order in the middle of a go, when the first row is on its way. */
async function inTheMiddle(
  paydrop: Paydrop,
  path: string,
  give: (batch: string) => ReturnType<typeof release>,
): Promise<{ readonly batch: string; readonly ended: Awaited<ReturnType<typeof release>> }> {
  const given: ReturnType<typeof release>[] = [];
  let batch = '';
  const view = {
    ...PATIENT.view,
    start: (id: string) => (batch = id),
    moved: ({ sent }: { readonly sent: number }) => {
      if (sent > 0 && given.length === 0) given.push(give(batch));
    },
  };
  await processBatch(paydrop, path, { ...PATIENT, view });
  return { batch, ended: (await given[0]) ?? null };
}

it('of another process is carried out by the go that has the batch, and told to whoever gave it', async () => {
  const desk = await newDesk();
  const paydrop = await desk.open();
  const beside = fromElsewhere(paydrop);
  const { batch, ended } = await inTheMiddle(paydrop, await twice(desk), (id) =>
    release(patient(beside), id, CANCEL),
  );
  expect(ended).toMatchObject({ isDone: true, end: { released: ['2', '3'] } });
  expect(await endsOf(paydrop, batch)).toEqual(['rejected cancelled', 'rejected cancelled', 'paid']);
  expect((await paydrop.ledger.batch(batch))?.state).toBe('closed');
});

it('of the same process is carried out by its go, which then sends what was let go', async () => {
  const desk = await newDesk();
  const paydrop = await desk.open();
  const { batch, ended } = await inTheMiddle(paydrop, await twice(desk), (id) =>
    release(patient(paydrop), id, LET_GO),
  );
  expect(ended).toMatchObject({ isDone: true, end: { released: ['2', '3'] } });
  expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid', 'paid']);
});

it.each([
  ['cancels has cancelled nothing yet', CANCEL],
  ['lets rows go has let none go yet', LET_GO],
])('stands in the mailbox while the owner does not answer, and one that %s', async (_which, order) => {
  const desk = await newDesk();
  const paydrop = await desk.open();
  const beside = fromElsewhere(paydrop);
  const { batch } = (await processBatch(paydrop, await twice(desk), PATIENT)).summary;
  const leased = await own(paydrop.ledger, batch);
  const ended = await release(beside, batch, order);
  expect(ended).toMatchObject({ isDone: false, instead: null, end: { isRecorded: true, released: [] } });
  expect(await endsOf(paydrop, batch)).toEqual(['held equal_rows', 'held equal_rows', 'paid']);
  expect(await paydrop.ledger.giveBack(leased)).toBe(false);
  await resumeBatches(paydrop, batch, PATIENT);
  const end = order.skip ? 'rejected cancelled' : 'paid';
  expect(await endsOf(paydrop, batch)).toEqual([end, end, 'paid']);
  expect(await paydrop.ledger.orders.open(batch)).toEqual([]);
});

it('lets nothing go that was held since it was given: nobody has seen that', async () => {
  const desk = await newDesk();
  const paydrop = await desk.open();
  const { batch } = (await processBatch(paydrop, await twice(desk), PATIENT)).summary;
  const leased = await own(paydrop.ledger, batch);
  expect(await release(fromElsewhere(paydrop), batch, LET_GO)).toMatchObject({ end: { isRecorded: true } });
  const [first] = await paydrop.ledger.rows(batch, 0, 1);
  if (first === undefined) throw new Error('The row is there.');
  const progress = { ...first.progress, hold: newHold('new_account', paydrop.clock.now() + 1) };
  await paydrop.ledger.record(leased, first, { progress, dueAt: null, event: 'held once more' });
  await resumeBatches(paydrop, batch, PATIENT);
  expect(await endsOf(paydrop, batch)).toEqual(['held new_account', 'paid', 'paid']);
});

it('of a paused batch is carried out, and nothing of it is sent', async () => {
  const desk = await newDesk();
  const paydrop = await desk.open();
  const { batch } = (await processBatch(paydrop, await twice(desk), PATIENT)).summary;
  const leased = await own(paydrop.ledger, batch);
  await pauseBatch(paydrop, batch, { by: 'Marie Ngo', reason: null });
  expect(await release(fromElsewhere(paydrop), batch, LET_GO)).toMatchObject({ end: { isRecorded: true } });
  await paydrop.ledger.giveBack(leased, true);
  await resumeBatch(paydrop, batch, PATIENT);
  expect(await paydrop.ledger.orders.open(batch)).toEqual([]);
  expect(await endsOf(paydrop, batch)).toEqual(['ready', 'ready', 'paid']);
});

it('about a batch that nobody has is carried out at once, and the batch is anybody’s again', async () => {
  const desk = await newDesk();
  const paydrop = await desk.open();
  const { batch } = (await processBatch(paydrop, await twice(desk), HURRIED)).summary;
  const beside = fromElsewhere(paydrop);
  expect(await release(beside, batch, LET_GO)).toMatchObject({ end: { released: ['2', '3'] } });
  expect(await paydrop.ledger.batch(batch)).toMatchObject({ isFree: true });
  await resumeBatches(paydrop, batch, PATIENT);
  expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid', 'paid']);
});

it('that nobody may give is refused before it is put on record', async () => {
  const desk = await newDesk();
  const paydrop = await desk.open('approvers: [{ name: Joe Tchoua, folder: joe }]');
  const { batch } = (await processBatch(paydrop, await twice(desk), PATIENT)).summary;
  await own(paydrop.ledger, batch);
  expect(await release(fromElsewhere(paydrop), batch, LET_GO)).toMatchObject({
    code: 'approval_not_approver',
  });
  expect(await paydrop.ledger.orders.open(batch)).toEqual([]);
});
