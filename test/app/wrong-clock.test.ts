// The wall clock of this machine is wrong by an hour, and the service's is right: where the service's time decides, nothing is cancelled,
// concluded or counted by ours.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { settleUnseen } from '../../src/app/workflow/resolve-doubt/settle-unseen.ts';
import { releaseRows } from './release.ts';
import { type ReleaseEnd } from '../../src/app/workflow/decisions/release-rows.ts';
import { hasWork } from '../../src/app/daemon/unfinished.ts';
import type { Clock } from '../../src/base/clock.ts';
import { isFault, Unanswered } from '../../src/service/errors.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { approve, decline, REQUIRED, resume } from './approval/two-people.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { passForLatest } from './put-back.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';
import { PAUSED } from '../ledger/records.ts';
import { own, record } from '../ledger/own.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';
import { said } from './said.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SKIP_ROWS = 'policy: { onInvalidRows: skip-rows }';

let desk: Desk;
let clock: CalendarClock;
afterEach(() => desk.close());

/** The sandbox has the right time; every paydrop's wall clock is wrong by so much. */
async function openWrong(wrong: { readonly ms: number }): Promise<void> {
  clock = calendarClock('2026-10-30T09:58:00Z');
  desk = await openDesk({ clock }, { ...clock, now: () => clock.now() + wrong.ms } satisfies Clock);
}

async function pay(paydrop: Paydrop, path: string): Promise<string> {
  return (await processBatch(paydrop, path, PATIENT)).summary.batch;
}

/** Reads by external id show nothing while `lag.isOn`. */
function lagging(real: Paydrop, lag: { readonly isOn: boolean }): Paydrop {
  const transferByExternalId: Paydrop['service']['transferByExternalId'] = (id) =>
    real.service.transferByExternalId(lag.isOn ? crypto.randomUUID() : id);
  return { ...real, service: { ...real.service, transferByExternalId } };
}

async function rebuiltInTheLag(path: string, config: string) {
  await desk.loseLedger();
  clock.goTo('2026-10-30T10:00:00Z');
  const lag = { isOn: true };
  const paydrop = lagging(await desk.open(config), lag);
  await rebuildFile(paydrop, path, HURRIED);
  await resumeBatches(paydrop, null, HURRIED);
  clock.goTo('2026-10-30T10:02:00Z');
  return { paydrop, lag };
}

async function skip(paydrop: Paydrop, id: string): Promise<ReleaseEnd> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is there.');
  return releaseRows(paydrop, batch, { by: 'Ama', reason: 'not paid', rows: null, skip: true });
}

async function paidAmounts(paydrop: Paydrop): Promise<readonly string[]> {
  const paid = (await transfersOf(paydrop)).filter(({ status }) => status === 'paid');
  return paid.map(({ receiveAmount }) => receiveAmount).toSorted();
}

describe.each([-HOUR_MS, HOUR_MS])('after a lost ledger, with a wall clock that is %i ms ahead', (ms) => {
  it('--skip leaves what a read may hide until the service has passed the fence, and it is paid once', async () => {
    await openWrong({ ms });
    const path = await desk.file('payroll.csv', [line('A-1', '100')]);
    const id = await pay(await desk.open(SKIP_ROWS), path);
    const { paydrop, lag } = await rebuiltInTheLag(path, SKIP_ROWS);
    const end = await skip(paydrop, id);
    expect(end).toMatchObject({ released: [], left: [{ row: '2' }] });
    expect(end.left[0]?.tryAgainAt).toMatch(/^2026-10-30T10:1[5-7]:00/);
    lag.isOn = false;
    const next = await pay(paydrop, await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]));
    clock.goTo('2026-10-30T10:40:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, id)).toEqual(['paid']);
    expect(await endsOf(paydrop, next)).toEqual(['held reference_undecided', 'paid']);
    expect(await paidAmounts(paydrop)).toEqual(['100', '50']);
  });

  it('--skip closes it once the service has passed the fence', async () => {
    await openWrong({ ms });
    const stopped = { ...HURRIED, signal: AbortSignal.abort() };
    const path = await desk.file('payroll.csv', [line('', '100'), line('', '100')]);
    const id = (await processBatch(await desk.open(SKIP_ROWS), path, stopped)).summary.batch;
    const { paydrop } = await rebuiltInTheLag(path, SKIP_ROWS);
    expect(await skip(paydrop, id)).toMatchObject({ released: [], left: [{ row: '2' }, { row: '3' }] });
    clock.goTo('2026-10-30T10:16:30Z');
    expect(await skip(paydrop, id)).toMatchObject({ released: ['2', '3'], left: [] });
  });

  it('a decline closes nothing that a read may hide, and it is paid once', async () => {
    await openWrong({ ms });
    const path = await desk.file('payroll.csv', [line('A-1', '100'), line('', '300'), line('', '300')]);
    const first = await desk.open(REQUIRED);
    const id = await pay(first, path);
    await approve(first, id);
    await resume(first, id);
    const { paydrop, lag } = await rebuiltInTheLag(path, REQUIRED);
    await decline(paydrop, id);
    await resume(paydrop, id, HURRIED);
    expect(await endsOf(paydrop, id)).not.toContain('rejected cancelled');
    lag.isOn = false;
    clock.goTo('2026-10-30T10:40:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    const next = await pay(paydrop, await desk.file('b.csv', [line('A-1', '100')]));
    await approve(paydrop, next);
    await resumeBatches(paydrop, next, PATIENT);
    expect(await paidAmounts(paydrop)).toEqual(['100']);
  });

  it('what waits for the fence goes on in a process that has asked nothing yet, once the service has passed it', async () => {
    await openWrong({ ms });
    const path = await desk.file('payroll.csv', [line('A-1', '100')]);
    const id = await pay(await desk.open(SKIP_ROWS), path);
    const { lag } = await rebuiltInTheLag(path, SKIP_ROWS);
    const unseen = async (): Promise<readonly string[]> => {
      await desk.shut();
      const paydrop = lagging(await desk.open(SKIP_ROWS), lag);
      await settleUnseen(paydrop);
      return endsOf(paydrop, id);
    };
    expect(await unseen()).toEqual(['held in_doubt_unseen']);
    lag.isOn = false;
    clock.goTo('2026-10-30T10:20:00Z');
    expect(await unseen()).toEqual(['ready']);
  });

  it('a daemon takes up what waits for the fence by the time of the service', async () => {
    await openWrong({ ms });
    const path = await desk.file('payroll.csv', [line('A-1', '100')]);
    const id = await pay(await desk.open(SKIP_ROWS), path);
    const { paydrop } = await rebuiltInTheLag(path, SKIP_ROWS);
    const isTakenUp = async (): Promise<boolean> => {
      const batch = await paydrop.ledger.batch(id);
      return batch !== null && hasWork(paydrop, batch, 0, { hasLeft: () => false });
    };
    expect(await isTakenUp()).toBe(false);
    clock.goTo('2026-10-30T10:20:00Z');
    expect(await isTakenUp()).toBe(true);
  });
});

it.each([
  ['was set back since', 0, -4 * MINUTE_MS, '2026-11-28T07:00:30Z'],
  ['was ahead when it was paid', 4 * MINUTE_MS, 0, '2026-11-28T07:00:30Z'],
])(
  'a clock that %s does not say that an older ledger sent nothing of a scheduled file: --skip follows what was paid',
  async (_name, thenMs, nowMs, at) => {
    const wrong = { ms: thenMs };
    await openWrong(wrong);
    const rows = [line('A-1', '100'), line('', '300'), line('', '300')];
    const id = await pay(await desk.open(SKIP_ROWS), await desk.file('payroll@2026-11-28.csv', rows));
    await desk.shut();
    const [ledger, copy] = [join(desk.workspace, 'ledger.sqlite'), join(desk.workspace, 'backup')];
    await copyFile(ledger, copy);
    clock.goTo(at);
    const before = await desk.open(SKIP_ROWS);
    await resumeBatches(before, id, PATIENT);
    expect((await endsOf(before, id))[0]).toBe('paid');
    await desk.loseLedger();
    await copyFile(copy, ledger);
    await passForLatest(desk.workspace);
    wrong.ms = nowMs;
    const paydrop = await desk.open(SKIP_ROWS);
    expect(await skip(paydrop, id)).toMatchObject({ released: ['3', '4'], followed: ['2'] });
    await pay(paydrop, await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]));
    expect(await paidAmounts(paydrop)).toEqual(['100', '50']);
  },
);

/** A service whose answers and refusals bear no `Date`. */
function timeless(paydrop: Paydrop): Paydrop {
  const call = async (key: string | symbol, args: readonly unknown[]): Promise<unknown> => {
    const asked = Reflect.get(paydrop.service, key) as (...all: readonly unknown[]) => Promise<object>;
    try {
      return { ...(await asked(...args)), serverTime: null };
    } catch (error) {
      if (isFault(error)) Object.assign(error.context, { serverTime: null });
      throw error;
    }
  };
  const service = new Proxy(paydrop.service, {
    get:
      (_service, key) =>
      (...args: readonly unknown[]) =>
        call(key, args),
  });
  return { ...paydrop, service };
}

it('where the service tells no time at all, ours has to do: --skip waits for the fence by it, and closes then', async () => {
  await openWrong({ ms: HOUR_MS });
  const stopped = { ...HURRIED, signal: AbortSignal.abort() };
  const path = await desk.file('payroll.csv', [line('', '100'), line('', '100')]);
  await processBatch(await desk.open(SKIP_ROWS), path, stopped);
  await desk.loseLedger();
  const paydrop = timeless(await desk.open(SKIP_ROWS));
  const [rebuilt] = await rebuildFile(paydrop, path, HURRIED);
  const id = rebuilt?.batch.id ?? '';
  await resumeBatches(paydrop, null, HURRIED);
  expect(await skip(paydrop, id)).toMatchObject({ released: [], left: [{ row: '2' }, { row: '3' }] });
  clock.goTo('2026-10-30T10:30:00Z');
  expect(await skip(paydrop, id)).toMatchObject({ released: ['2', '3'], left: [] });
});

/** Created, and held since: an earlier run may have confirmed it. */
async function heldAsCreated(): Promise<string> {
  const real = await desk.open(SKIP_ROWS);
  const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
    for (const { id } of await real.ledger.batches())
      await changeBatch(real.ledger, await own(real.ledger, id), PAUSED);
    return real.service.createTransfer(request);
  };
  const paydrop = { ...real, service: { ...real.service, createTransfer } };
  const path = await desk.file('a.csv', [line('A-1', '100')]);
  const id = (await processBatch(paydrop, path, HURRIED)).summary.batch;
  const [row] = await real.ledger.rows(id, 0, 1);
  if (row?.progress.stage !== 'created') throw new Error('The row is created.');
  const held = { hold: newHold('batch_stopped', 0), confirm: 'sent' } as const;
  const progress = { ...row.progress, ...held };
  await record(real.ledger, row, { progress, dueAt: null, event: 'test' });
  await desk.shut();
  return id;
}

describe('what may have been confirmed, and is shown unconfirmed, is closed by --skip beyond the fence', () => {
  it('of our own clock, where the service tells no time at all', async () => {
    await openWrong({ ms: 0 });
    const id = await heldAsCreated();
    const paydrop = timeless(await desk.open(SKIP_ROWS));
    expect(await skip(paydrop, id)).toMatchObject({ released: [], left: [{ row: '2' }] });
    clock.goTo('2026-10-30T11:30:00Z');
    expect(await skip(paydrop, id)).toMatchObject({ released: ['2'], left: [] });
  });

  it('of the service alone, where it tells the time but not with every answer', async () => {
    await openWrong({ ms: 24 * HOUR_MS });
    const id = await heldAsCreated();
    const real = await desk.open(SKIP_ROWS);
    const { service } = timeless(real);
    const transfer: Paydrop['service']['transfer'] = (asked) => service.transfer(asked);
    const paydrop = { ...real, service: { ...real.service, transfer } };
    expect(await skip(paydrop, id)).toMatchObject({ released: [], left: [{ row: '2' }] });
  });
});

/** A service that answers no question about the balances, and tells what time it is in doing so, or does not. */
function withoutBalances(paydrop: Paydrop, told: { readonly serverTime: () => number | null }): Paydrop {
  const context = { operation: 'balances', httpStatus: 404, retryAfterMs: null } as const;
  const balances: Paydrop['service']['balances'] = () =>
    Promise.reject(new Unanswered('malformed', { ...context, serverTime: told.serverTime() }));
  return { ...paydrop, service: { ...paydrop.service, balances } };
}

describe('what waits for the fence goes on in a process that has asked nothing yet, where the service never tells its balances', () => {
  const silent = { serverTime: () => null };
  const told = { serverTime: () => clock.now() };
  const CORRIDORS_FAULT = { operation: 'payoutCorridors', httpStatus: 404, retryAfterMs: null } as const;
  const withoutCorridors = (paydrop: Paydrop): Paydrop => {
    const payoutCorridors: Paydrop['service']['payoutCorridors'] = () =>
      Promise.reject(new Unanswered('malformed', { ...CORRIDORS_FAULT, serverTime: null }));
    return { ...paydrop, service: { ...paydrop.service, payoutCorridors } };
  };

  /** What becomes of it on each side of the fence. */
  async function endsAround(wrap: (paydrop: Paydrop) => Paydrop): Promise<readonly string[]> {
    const path = await desk.file('payroll.csv', [line('A-1', '100')]);
    const id = await pay(await desk.open(SKIP_ROWS), path);
    await rebuiltInTheLag(path, SKIP_ROWS);
    const ends: string[] = [];
    for (const at of ['2026-10-30T10:02:00Z', '2026-10-30T10:20:00Z']) {
      clock.goTo(at);
      await desk.shut();
      const paydrop = wrap(await desk.open(SKIP_ROWS));
      await settleUnseen(paydrop);
      ends.push(...(await endsOf(paydrop, id)));
    }
    return ends;
  }

  it.each<[string, number, (paydrop: Paydrop) => Paydrop]>([
    ['but the time with its refusal', HOUR_MS, (real) => withoutCorridors(withoutBalances(real, told))],
    ['but the time with its corridors', HOUR_MS, (real) => withoutBalances(real, silent)],
  ])('%s', async (_name, ms, wrap) => {
    await openWrong({ ms });
    expect(await endsAround(wrap)).toEqual(['held in_doubt_unseen', 'ready']);
  });

  it.each<[string, (paydrop: Paydrop) => Paydrop]>([
    ['nothing answers', (real) => withoutCorridors(withoutBalances(real, silent))],
    ['the service told the time once, and no more', (real) => withoutBalances(timeless(real), silent)],
  ])('and it waits on where %s', async (_name, wrap) => {
    await openWrong({ ms: HOUR_MS });
    expect(await endsAround(wrap)).toEqual(['held in_doubt_unseen', 'held in_doubt_unseen']);
  });
});

it('what counts against the limit of a day counts on the day of the service, however our clock is set meanwhile', async () => {
  const wrong = { ms: 24 * HOUR_MS };
  await openWrong(wrong);
  const paydrop = await desk.open('limits: { perDay: 20000 XAF }');
  await pay(paydrop, await desk.file('a.csv', [line('A', '100'), line('B', '101')]));
  wrong.ms = 0;
  const second = await pay(paydrop, await desk.file('b.csv', [line('C', '102'), line('D', '103')]));
  expect((await paydrop.ledger.batch(second))?.wait?.for).toBe('limits');
  expect(await paidAmounts(paydrop)).toEqual(['100', '101']);
});

describe('a file that has a time', () => {
  const DUE = '2026-11-28T07:00:00Z';
  const rows = [line('A-1', '100')];

  async function scheduled(ms: number) {
    const wrong = { ms };
    await openWrong(wrong);
    const paydrop = await desk.open(SKIP_ROWS);
    const id = await pay(paydrop, await desk.file('payroll@2026-11-28.csv', rows));
    const look = async () => (await resumeBatches(paydrop, id, PATIENT))?.[0] ?? null;
    return { wrong, paydrop, id, look };
  }

  it('is not paid by a clock that is weeks ahead, and says why; once it is set right it is paid at its time', async () => {
    const { wrong, paydrop, id, look } = await scheduled(35 * DAY_MS);
    const early = await look();
    expect(early?.summary).toMatchObject({ state: 'scheduled', waitingFor: 'schedule' });
    expect(said(early?.words ?? []).join(' ')).toContain(
      'The clock of this machine is about 35 days ahead of the clock of the payout',
    );
    expect(await transfersOf(paydrop)).toEqual([]);
    wrong.ms = 0;
    expect(said((await look())?.words ?? []).join(' ')).not.toContain('clock');
    expect(await transfersOf(paydrop)).toEqual([]);
    clock.goTo(DUE);
    expect((await look())?.summary.outcomes.paid).toBe(1);
    expect(await endsOf(paydrop, id)).toEqual(['paid']);
  });

  it('is not paid a minute early by a clock that is a minute ahead', async () => {
    const { paydrop, look } = await scheduled(3 * MINUTE_MS);
    clock.goTo('2026-11-28T06:58:00Z');
    expect((await look())?.summary.state).toBe('scheduled');
    expect(await transfersOf(paydrop)).toEqual([]);
    clock.goTo(DUE);
    expect((await look())?.summary.outcomes.paid).toBe(1);
  });

  it('is neither paid late nor forgotten without a word by a clock that is behind: a daemon takes it up to say so', async () => {
    const { paydrop, id, look } = await scheduled(-35 * DAY_MS);
    clock.goTo('2026-11-28T07:00:30Z');
    const batch = await paydrop.ledger.batch(id);
    expect(batch !== null && (await hasWork(paydrop, batch, 0, { hasLeft: () => false }))).toBe(true);
    expect(said((await look())?.words ?? []).join(' ')).toContain(
      '35 days behind the clock of the payout service',
    );
    const { events } = await paydrop.ledger.history.verify();
    const { wait } = (await paydrop.ledger.batch(id)) ?? {};
    await look();
    expect((await paydrop.ledger.batch(id))?.wait).toEqual(wait);
    // Taking the batch over is told; finding the same again is not.
    expect((await paydrop.ledger.history.verify()).events - events).toBeLessThan(3);
  });

  it('waits while the service does not answer, for our clock alone pays nobody', async () => {
    const { id } = await scheduled(0);
    await desk.shut();
    clock.goTo('2026-11-28T07:00:30Z');
    const paydrop = await desk.open(SKIP_ROWS, 'nobody');
    const [result] = (await resumeBatches(paydrop, id, HURRIED)) ?? [];
    expect(result?.summary).toMatchObject({ waitingFor: 'service', outcomes: { paid: 0 } });
    expect((await paydrop.ledger.batch(id))?.state).toBe('accepted');
  });
});

it.each([6 * DAY_MS, -6 * DAY_MS])(
  'what was paid a moment ago is recent, however our clock is set meanwhile (%i ms)',
  async (ms) => {
    const wrong = { ms: 0 };
    await openWrong(wrong);
    const first = await desk.open(SKIP_ROWS);
    await pay(first, await desk.file('a.csv', [line('', '100'), line('', '101')]));
    await desk.shut();
    wrong.ms = ms;
    const paydrop = await desk.open(SKIP_ROWS);
    const again = await pay(
      paydrop,
      await desk.file('b.csv', [line('', '101'), line('', '100'), line('', '102')]),
    );
    expect(await endsOf(paydrop, again)).toEqual([
      'held same_payment_recently',
      'held same_payment_recently',
      'held file_paid_before',
    ]);
    expect(await paidAmounts(paydrop)).toEqual(['100', '101']);
  },
);
