// Whether a row is cancelled depends on what the service shows at that moment, never on the silence of a ledger: an older copy of it may have
// been put back while the batch was open, and the row may have been paid since.
import { attemptNumberOf } from '../../src/payouts/progress.ts';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from './release.ts';
import { type ReleaseEnd } from '../../src/app/workflow/decisions/release-rows.ts';
import { quotationRequestOf, transferExternalId, transferRequest } from '../../src/delivery/requests.ts';
import { externalId, type Payout } from '../../src/payouts/payout.ts';
import { Refused } from '../../src/service/errors.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { approve, decline, REQUIRED } from './approval/two-people.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { manifestPath, passForLatest } from './put-back.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';
import { record } from '../ledger/own.ts';

let clock: CalendarClock;
let desk: Desk;

beforeEach(async () => {
  clock = calendarClock('2026-10-30T10:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

const ledgerPath = (): string => join(desk.workspace, 'ledger.sqlite');
const backupPath = (): string => join(desk.workspace, 'backup');

async function keepCopy(): Promise<void> {
  await desk.shut();
  await copyFile(ledgerPath(), backupPath());
}

async function putCopyBack(): Promise<void> {
  await desk.loseLedger();
  await copyFile(backupPath(), ledgerPath());
  await passForLatest(desk.workspace);
}

async function pay(paydrop: Paydrop, path: string, control = HURRIED): Promise<string> {
  return (await processBatch(paydrop, path, control)).summary.batch;
}

async function release(
  paydrop: Paydrop,
  id: string,
  skip: boolean,
  rows: ReadonlySet<string> | null = null,
): Promise<ReleaseEnd> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is there.');
  return releaseRows(paydrop, batch, { by: 'Ama', reason: 'decided', rows, skip });
}

async function resume(paydrop: Paydrop): Promise<void> {
  await resumeBatches(paydrop, null, PATIENT);
}

async function paidAmounts(paydrop: Paydrop): Promise<readonly string[]> {
  const paid = (await transfersOf(paydrop)).filter(({ status }) => status === 'paid');
  return paid.map(({ receiveAmount }) => receiveAmount).sort();
}

const EQUAL = [line('', '300'), line('', '300')];

describe('after an older ledger was put back, --skip', () => {
  it('does not close a row that was released and paid since: it is followed', async () => {
    const id = await pay(await desk.open(), await desk.file('a.csv', EQUAL));
    await keepCopy();
    const before = await desk.open();
    await release(before, id, false, new Set(['2']));
    await resumeBatches(before, id, PATIENT);
    await putCopyBack();
    const paydrop = await desk.open();
    await resume(paydrop);
    expect(await release(paydrop, id, true)).toMatchObject({ released: ['3'], followed: ['2'], left: [] });
    await resume(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['paid', 'rejected cancelled']);
    expect(await paidAmounts(paydrop)).toEqual(['300']);
  });

  it('does not close what was paid at its time, though this ledger says that the time was missed', async () => {
    const config = 'executionDate: { past: hold }';
    const file = await desk.file('payroll@2026-11-28.csv', [line('A-1', '100'), ...EQUAL]);
    const id = await pay(await desk.open(config), file);
    await keepCopy();
    const before = await desk.open(config);
    clock.goTo('2026-11-28T07:30:00Z');
    await resumeBatches(before, id, PATIENT);
    await putCopyBack();
    clock.goTo('2026-11-28T11:30:00Z');
    const paydrop = await desk.open(config);
    await resume(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['ready', 'held equal_rows', 'held equal_rows']);
    expect(await release(paydrop, id, true)).toMatchObject({ released: ['3', '4'], followed: ['2'] });
    await resume(paydrop);
    expect(await paydrop.ledger.batch(id)).toMatchObject({ state: 'closed' });
    expect((await endsOf(paydrop, id))[0]).toBe('paid');
    const corrected = await pay(paydrop, await desk.file('b.csv', [line('A-1', '100'), line('A-3', '50')]));
    expect(await endsOf(paydrop, corrected)).toEqual(['held paid_in_earlier_period', 'confirmed']);
  });

  it('does not close what it knows as created only, and what was confirmed and paid since', async () => {
    const config = 'policy: { strategy: reserve-then-confirm }';
    const bad = line('A-9', '109').replace('Wei,CHN', 'Wei,ch1');
    const file = await desk.file('whole.csv', [line('A-1', '101'), line('A-2', '102'), bad]);
    const id = await pay(await desk.open(config), file, PATIENT);
    await keepCopy();
    const before = await desk.open(config);
    await release(before, id, false, new Set(['2']));
    await resumeBatches(before, id, PATIENT);
    await putCopyBack();
    const paydrop = await desk.open(config);
    expect(await release(paydrop, id, true)).toMatchObject({ released: ['3'], followed: ['2'] });
    await resume(paydrop);
    expect((await endsOf(paydrop, id)).slice(0, 2)).toEqual(['paid', 'rejected cancelled']);
  });

  it('closes nothing while the service is out of reach, and says so; a later one closes', async () => {
    const id = await pay(await desk.open(), await desk.file('a.csv', EQUAL));
    await desk.shut();
    const alone = await desk.open('', 'nobody');
    expect(await release(alone, id, true)).toMatchObject({ released: [], left: [], unasked: 'service' });
    expect(await endsOf(alone, id)).toEqual(['held equal_rows', 'held equal_rows']);
    const manifest = await manifestPath(join(desk.workspace, 'processing', id));
    expect(await readFile(manifest, 'utf8')).not.toContain('closed');
    await desk.shut();
    expect(await release(await desk.open(), id, true)).toMatchObject({ released: ['2', '3'], unasked: null });
  });
});

describe('after an older ledger was put back, decline', () => {
  it('does not close what was approved and paid since: it is followed', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100'), ...EQUAL]);
    const id = await pay(await desk.open(REQUIRED), file);
    await keepCopy();
    const before = await desk.open(REQUIRED);
    await approve(before, id);
    await resumeBatches(before, id, PATIENT);
    await putCopyBack();
    const paydrop = await desk.open(REQUIRED);
    expect(await decline(paydrop, id)).toMatchObject({ kind: 'decided' });
    await resumeBatches(paydrop, id, PATIENT);
    expect(await endsOf(paydrop, id)).toEqual(['paid', 'rejected declined', 'rejected declined']);
    expect(await paydrop.ledger.batch(id)).toMatchObject({ state: 'closed' });
  });
});

describe('what a person cancelled, held again by an older ledger', () => {
  async function closedThenHeld(): Promise<string> {
    const id = await pay(await desk.open(), await desk.file('a.csv', EQUAL));
    await keepCopy();
    await release(await desk.open(), id, true, new Set(['2']));
    await putCopyBack();
    return id;
  }

  it('is not released', async () => {
    const id = await closedThenHeld();
    const paydrop = await desk.open();
    expect(await release(paydrop, id, false)).toMatchObject({ released: ['3'], closedBefore: ['2'] });
    expect(await endsOf(paydrop, id)).toEqual(['held equal_rows', 'ready']);
  });

  it('is closed again by the next resume, once the service has shown that it was not paid', async () => {
    const id = await closedThenHeld();
    const alone = await desk.open('', 'nobody');
    await resumeBatches(alone, null, HURRIED);
    expect(await endsOf(alone, id)).toEqual(['held equal_rows', 'held equal_rows']);
    await desk.shut();
    const paydrop = await desk.open();
    await resume(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['rejected cancelled', 'held equal_rows']);
    expect(await transfersOf(paydrop)).toEqual([]);
  });
});

it('what a person cancelled, and an older ledger would send, is held while the service does not tell', async () => {
  const config = 'executionDate: { past: hold }';
  const file = await desk.file('payroll@2026-11-28.csv', [line('A-1', '100'), ...EQUAL]);
  const id = await pay(await desk.open(config), file);
  await keepCopy();
  const before = await desk.open(config);
  clock.goTo('2026-11-28T11:30:00Z');
  await resume(before);
  await release(before, id, true);
  await putCopyBack();
  const alone = await desk.open(config, 'nobody');
  await resumeBatches(alone, null, HURRIED);
  expect((await endsOf(alone, id))[0]).toBe('held in_doubt_unsent');
  await desk.shut();
  const paydrop = await desk.open(config);
  await resume(paydrop);
  expect(new Set(await endsOf(paydrop, id))).toEqual(new Set(['rejected cancelled']));
  expect(await transfersOf(paydrop)).toEqual([]);
});

describe('a row whose first transfer ran out after the copy of the ledger was made', () => {
  it('and that was paid by a second one is followed, and not closed by --skip', async () => {
    await desk.close();
    desk = await openDesk({ clock, quoteLifeMs: 60_000 }, clock);
    const config = 'policy: { strategy: reserve-then-confirm }';
    const bad = line('A-9', '109').replace('Wei,CHN', 'Wei,ch1');
    const file = await desk.file('whole.csv', [line('A-1', '101'), line('A-2', '102'), bad]);
    const id = await pay(await desk.open(config), file, PATIENT);
    await keepCopy();
    const before = await desk.open(config);
    expect((await endsOf(before, id))[0]).toBe('held batch_stopped');
    clock.goTo('2026-10-30T10:20:00Z');
    await release(before, id, false, new Set(['2']));
    for (const minute of [22, 24, 26]) {
      await resumeBatches(before, id, HURRIED);
      clock.goTo(`2026-10-30T10:${String(minute)}:00Z`);
    }
    await resumeBatches(before, id, PATIENT);
    expect((await before.ledger.rows(id, 0, 1))[0]?.progress).toMatchObject({
      stage: 'paid',
      deadAttempts: [{ attempt: 1 }],
    });
    await putCopyBack();
    const paydrop = await desk.open(config);
    expect(await release(paydrop, id, true)).toMatchObject({ released: ['3'], followed: ['2'], left: [] });
    expect((await endsOf(paydrop, id)).slice(0, 2)).toEqual(['paid', 'rejected cancelled']);
  });
});

describe('a ledger that was rebuilt while reads hid what had been sent', () => {
  /** Nothing is found by its external id while `lag` is on. */
  function hiding(real: Paydrop, lag: { on: boolean }): Paydrop {
    const context = { operation: 'transferByExternalId', httpStatus: 404, retryAfterMs: null } as const;
    const transferByExternalId: Paydrop['service']['transferByExternalId'] = (id) =>
      lag.on
        ? Promise.reject(new Refused(10013, 'no', { ...context, serverTime: clock.now() }))
        : real.service.transferByExternalId(id);
    return { ...real, service: { ...real.service, transferByExternalId } };
  }

  it('leaves such a row held until 15 minutes later, and follows what a later look finds', async () => {
    const before = await desk.open();
    const path = await desk.file('a.csv', EQUAL);
    const id = await pay(before, path);
    await release(before, id, false, new Set(['2']));
    await resumeBatches(before, id, HURRIED);
    await desk.loseLedger();
    const lag = { on: true };
    const paydrop = hiding(await desk.open(), lag);
    await rebuildFile(paydrop, path, HURRIED);
    await resume(paydrop);
    const early = await release(paydrop, id, true);
    expect(early.released).toEqual([]);
    expect(early.left.map(({ row }) => row)).toEqual(['2', '3']);
    lag.on = false;
    clock.goTo('2026-10-30T10:05:00Z');
    await resume(paydrop);
    expect((await endsOf(paydrop, id))[0]).toBe('paid');
    clock.goTo('2026-10-30T13:00:00Z');
    await release(paydrop, id, true);
    await resume(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['paid', 'rejected cancelled']);
    expect(await paidAmounts(paydrop)).toEqual(['300']);
  });

  it('closes nothing of it by a decline before that: a person is asked to look', async () => {
    const before = await desk.open(REQUIRED);
    const path = await desk.file('payroll.csv', [line('A-1', '100')]);
    const id = await pay(before, path);
    await approve(before, id);
    await resumeBatches(before, id, HURRIED);
    await desk.loseLedger();
    const lag = { on: true };
    const paydrop = hiding(await desk.open(REQUIRED), lag);
    await rebuildFile(paydrop, path, HURRIED);
    await resume(paydrop);
    await decline(paydrop, id);
    await resume(paydrop);
    expect((await endsOf(paydrop, id)).map((end) => end.split(' ')[0])).toEqual(['held']);
    lag.on = false;
    clock.goTo('2026-10-30T10:05:00Z');
    await resume(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['paid']);
  });
});

it('a payment under the id of a row that differs from it is told before the row can be closed', async () => {
  const paydrop = await desk.open();
  const id = await pay(paydrop, await desk.file('a.csv', EQUAL));
  const [row] = await paydrop.ledger.rows(id, 0, 1);
  const fileId = (await paydrop.ledger.batch(id))?.fileId;
  if (row === undefined || row.payout === null || fileId === undefined) throw new Error('It is there.');
  const payout: Payout = { ...row.payout, requested: { side: 'destination', amount: '999' } };
  const quoted = await paydrop.service.createQuotation(quotationRequestOf(payout, crypto.randomUUID()));
  const due = { fileId, row: { ...row, payout } };
  const made = await paydrop.service.createTransfer(
    transferRequest(
      due,
      { id: transferExternalId(due, attemptNumberOf(due.row.progress)), quotationId: quoted.value.id },
      null,
    ),
  );
  await paydrop.service.confirmTransfer(made.value.id);
  const end = await release(paydrop, id, true);
  expect(end.released).toEqual(['3']);
  expect(end.left.map(({ row: left }) => left)).toEqual(['2']);
  expect(await endsOf(paydrop, id)).toEqual(['held id_collision', 'rejected cancelled']);
  const [told] = await paydrop.ledger.rows(id, 0, 1);
  expect(told?.progress.hold?.reason.en).toContain('It differs from this row');
});

it('a row that can no longer be read, and is on its way at the service, is neither offered nor closed: its end is told', async () => {
  await desk.close();
  desk = await openDesk({ clock, settleMs: 2 * 3_600_000 }, clock);
  const path = await desk.file('payroll.csv', [line('A-1', '100')]);
  const id = await pay(await desk.open(), path);
  await desk.loseLedger();
  const paydrop = await desk.open('sender: { registeredName: Wouri SARL }');
  await rebuildFile(paydrop, path, HURRIED);
  await resumeBatches(paydrop, null, HURRIED);
  expect(await endsOf(paydrop, id)).toEqual(['held in_doubt_unreadable']);
  expect(await release(paydrop, id, false)).toMatchObject({ released: [], onlySkip: [], followed: ['2'] });
  clock.goTo('2026-10-30T11:00:00Z');
  const early = await release(paydrop, id, true);
  expect(early).toMatchObject({ released: [], followed: [] });
  expect(early.left.map(({ row }) => row)).toEqual(['2']);
  clock.goTo('2026-10-30T13:00:00Z');
  await resumeBatches(paydrop, null, HURRIED);
  expect(await endsOf(paydrop, id)).toEqual(['paid']);
});

describe('release without --rows', () => {
  it('of a file that missed its time lets the file go, and its held rows stay held until they are released too', async () => {
    const paydrop = await desk.open('executionDate: { past: hold }');
    const file = await desk.file('payroll@2026-11-28.csv', [line('A-1', '100'), ...EQUAL]);
    const id = await pay(paydrop, file);
    clock.goTo('2026-11-28T11:30:00Z');
    await resume(paydrop);
    expect(await release(paydrop, id, false)).toMatchObject({
      file: 'missed-time',
      released: [],
      stillHeld: 2,
    });
    await resume(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['paid', 'held equal_rows', 'held equal_rows']);
    expect(await release(paydrop, id, false)).toMatchObject({
      file: null,
      released: ['3', '4'],
      stillHeld: 0,
    });
  });
});

describe('what the service answers about one row', () => {
  it('keeps no other row from being closed', async () => {
    const real = await desk.open();
    const id = await pay(real, await desk.file('a.csv', [line('', '300'), line('', '300'), line('', '300')]));
    const refused = externalId((await real.ledger.batch(id))?.fileId ?? '', '2', 'transfer', 1);
    const context = { operation: 'transferByExternalId', httpStatus: 500, retryAfterMs: null } as const;
    const transferByExternalId: Paydrop['service']['transferByExternalId'] = (asked) =>
      asked === refused
        ? Promise.reject(new Refused(10001, 'no', { ...context, serverTime: clock.now() }))
        : real.service.transferByExternalId(asked);
    const end = await release({ ...real, service: { ...real.service, transferByExternalId } }, id, true);
    expect(end.released).toEqual(['3', '4']);
    expect(end.left.map(({ row }) => row)).toEqual(['2']);
  });

  it('that contradicts itself, and was told to a person so, is no reason against closing it', async () => {
    const real = await desk.open();
    const transfer: Paydrop['service']['transfer'] = async (asked) => {
      const { value, serverTime } = await real.service.transfer(asked);
      return { value: { ...value, status: 'cancelled', statusCode: '100000' }, serverTime };
    };
    const paydrop = { ...real, service: { ...real.service, transfer } };
    const id = await pay(paydrop, await desk.file('a.csv', [line('A-1', '100')]));
    clock.goTo('2026-10-30T11:00:00Z');
    await resume(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['held unknown_status']);
    clock.goTo('2026-10-30T15:00:00Z');
    expect((await release(paydrop, id, true)).released).toEqual(['2']);
  });
});

describe('a transfer that differs from its row', () => {
  /** The service makes and shows each transfer in dollars. */
  async function heldInDollars(): Promise<{
    readonly paydrop: Paydrop;
    readonly real: Paydrop;
    readonly id: string;
  }> {
    const real = await desk.open();
    const inDollars = <T extends { value: { destinationCurrency: string } }>(answer: T): T => ({
      ...answer,
      value: { ...answer.value, destinationCurrency: 'USD' },
    });
    const service: Paydrop['service'] = {
      ...real.service,
      createTransfer: async (asked) => inDollars(await real.service.createTransfer(asked)),
      transfer: async (asked) => inDollars(await real.service.transfer(asked)),
      transferByExternalId: async (asked) => inDollars(await real.service.transferByExternalId(asked)),
    };
    const paydrop = { ...real, service };
    const id = await pay(paydrop, await desk.file('a.csv', [line('A-1', '100')]));
    expect(await endsOf(paydrop, id)).toEqual(['held echo_mismatch']);
    return { paydrop, real, id };
  }

  it('and was paid by somebody else is told as that, and not as the payment of the row', async () => {
    const { paydrop, real, id } = await heldInDollars();
    const [row] = await paydrop.ledger.rows(id, 0, 1);
    await real.service.confirmTransfer(row?.progress.hold?.foreign?.transferId ?? '');
    clock.goTo('2026-10-30T15:00:00Z');
    expect((await release(paydrop, id, true)).left.map(({ row: left }) => left)).toEqual(['2']);
    expect(await endsOf(paydrop, id)).toEqual(['held id_collision']);
  });

  it("is not confirmed by anybody's word", async () => {
    const { paydrop, real, id } = await heldInDollars();
    expect(await release(paydrop, id, false)).toMatchObject({ released: [] });
    await resume(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['held echo_mismatch']);
    expect((await transfersOf(real)).map(({ status }) => status)).toEqual(['created']);
  });
});

describe('what a person cancelled, and an older ledger knows as created and free to be confirmed', () => {
  const config = 'policy: { strategy: reserve-then-confirm }';

  /** Released, and copied so; then held once more, and closed. */
  async function closedThenFree(): Promise<string> {
    const bad = line('A-9', '109').replace('Wei,CHN', 'Wei,ch1');
    const first = await desk.open(config);
    const id = await pay(first, await desk.file('whole.csv', [line('A-1', '101'), bad]), PATIENT);
    await release(first, id, false, new Set(['2']));
    await keepCopy();
    const before = await desk.open(config);
    const [row] = await before.ledger.rows(id, 0, 1);
    if (row === undefined) throw new Error('The row is there.');
    const progress = { ...row.progress, hold: newHold('over_row_limit', 0) } as const;
    await record(before.ledger, row, { progress, dueAt: null, event: 'test' });
    // Nobody vouches any more that it was not confirmed: until no read can hide that, it is not closed.
    expect(await release(before, id, true, new Set(['2']))).toMatchObject({ released: [] });
    clock.goTo('2026-10-30T12:00:00Z');
    expect(await release(before, id, true, new Set(['2']))).toMatchObject({ released: ['2'] });
    await putCopyBack();
    return id;
  }

  it('is closed again before anything is sent', async () => {
    const id = await closedThenFree();
    const paydrop = await desk.open(config);
    await resume(paydrop);
    expect((await endsOf(paydrop, id))[0]).toBe('rejected cancelled');
    expect((await transfersOf(paydrop)).map(({ status }) => status)).toEqual(['created']);
  });

  it('is held while the service does not tell, and closed once it does', async () => {
    const id = await closedThenFree();
    const alone = await desk.open(config, 'nobody');
    await resumeBatches(alone, null, HURRIED);
    expect((await endsOf(alone, id))[0]).toBe('held confirm_uncertain');
    await desk.shut();
    const paydrop = await desk.open(config);
    await resume(paydrop);
    expect((await endsOf(paydrop, id))[0]).toBe('rejected cancelled');
    expect(await paidAmounts(paydrop)).toEqual([]);
  });
});
