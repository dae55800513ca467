// A ledger is lost and rebuilt while the service's reads do not show yet what was sent. Each row is paid under its own id all the same; paydrop
// concludes nothing else from a missing transfer before it has to.
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { folderNow } from '../../src/inbox/manifest.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { watch } from '../../src/app/daemon/daemon.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { settleRebuilt } from '../../src/app/workflow/resolve-doubt/settle-rebuilt.ts';
import { laterDoubt } from '../../src/app/workflow/carry/unseen-rows.ts';
import { settleUnseen } from '../../src/app/workflow/resolve-doubt/settle-unseen.ts';
import { standingFolder } from '../../src/inbox/workspace.ts';
import { externalId } from '../../src/payouts/payout.ts';
import { Refused } from '../../src/service/errors.ts';
import { type Desk, endsOf, HURRIED, line, openDesk, PATIENT, switchCorridor, transfersOf } from './desk.ts';
import { editManifest, passForLatest } from './put-back.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';
import { said } from './said.ts';

const SKIP_ROWS = 'policy: { onInvalidRows: skip-rows }';

const BEFORE_FENCE = '2026-10-30T10:10:00Z';
const BEHIND_FENCE = '2026-10-30T10:30:00Z';

let clock: CalendarClock;
let desk: Desk;
beforeEach(async () => {
  clock = calendarClock('2026-10-30T08:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

async function pay(paydrop: Paydrop, path: string, control = HURRIED): Promise<string> {
  return (await processBatch(paydrop, path, control)).summary.batch;
}

/** Reads by external id show nothing while `lag.isOn`. */
function lagging(real: Paydrop, lag: { isOn: boolean }): Paydrop {
  const transferByExternalId: Paydrop['service']['transferByExternalId'] = async (id) => {
    const shown = await real.service.transferByExternalId(lag.isOn ? crypto.randomUUID() : id);
    return shown;
  };
  return { ...real, service: { ...real.service, transferByExternalId } };
}

/** Rebuilds the lost ledger from these files while reads lag; gives what goes on with it, and the end of the lag. */
async function rebuildInTheLag(
  paths: readonly string[],
  config = SKIP_ROWS,
): Promise<{ readonly paydrop: Paydrop; readonly lag: { isOn: boolean } }> {
  await desk.loseLedger();
  clock.goTo('2026-10-30T10:00:00Z');
  const lag = { isOn: true };
  const paydrop = lagging(await desk.open(config), lag);
  for (const path of paths) await rebuildFile(paydrop, path, HURRIED);
  return { paydrop, lag };
}

async function resumeAt(paydrop: Paydrop, time: string) {
  clock.goTo(time);
  return resumeBatches(paydrop, null, PATIENT);
}

const setCorridor = (isEnabled: boolean) => switchCorridor(desk, 'chn-cny-b2c-wechat', isEnabled);

const paidAmounts = async (paydrop: Paydrop): Promise<readonly string[]> =>
  (await transfersOf(paydrop)).map(({ receiveAmount }) => receiveAmount).toSorted();

describe('the same payment in two files, of which the second was paid because the first was refused', () => {
  /** `a` waits for a person besides, so that its batch is open; gives both, and the ledger is lost. */
  async function paidByTheSecond(reference: string) {
    const first = await desk.open(SKIP_ROWS);
    const rows = [line(reference, '100'), line('', '300'), line('', '300'), line('A-5', '500')];
    const pathA = await desk.file('a.csv', rows);
    const a = await pay(first, pathA, { ...HURRIED, signal: AbortSignal.abort() });
    await setCorridor(false);
    // What a later lease is refused it believes after a quarter of an hour, and two looks a minute apart.
    for (const time of ['08:01', '08:21', '08:23']) {
      clock.goTo(`2026-10-30T${time}:00Z`);
      await resumeBatches(first, a, HURRIED);
    }
    await setCorridor(true);
    const pathB = await desk.file('b.csv', [line(reference, '100'), line('A-2', '50')]);
    const b = await pay(first, pathB);
    expect(await endsOf(first, a)).toEqual([
      'rejected 10003',
      'held equal_rows',
      'held equal_rows',
      'rejected 10003',
    ]);
    expect(await paidAmounts(first)).toEqual(['100', '50']);
    // As if nobody had been told so: what was reported stays rejected, see reported-rejected.test.ts.
    await editManifest(folderNow(first.workspace, a) ?? '', { rejected: {} });
    return { a, b, paths: [pathA, pathB] };
  }

  it('is paid by neither before reads can hide nothing, and everything else goes on at once', async () => {
    const { a, b, paths } = await paidByTheSecond('A-1');
    const { paydrop, lag } = await rebuildInTheLag(paths);
    const told = await resumeAt(paydrop, BEFORE_FENCE);
    expect(await endsOf(paydrop, a)).toEqual([
      'held in_doubt_unseen',
      'held equal_rows',
      'held equal_rows',
      'paid',
    ]);
    expect((await endsOf(paydrop, b))[0]).toBe('held in_doubt_unseen');
    expect(told?.map(({ words }) => said(words).join(' ')).at(-1)).toMatch(
      /until 2026-10-30T10:1\d:\d\d\.\d+Z the service may not show every .*1 row waits for that, and paydrop then looks again/,
    );
    lag.isOn = false;
    await resumeAt(paydrop, BEHIND_FENCE);
    expect(await endsOf(paydrop, a)).toEqual([
      'duplicate duplicate_reference',
      'held equal_rows',
      'held equal_rows',
      'paid',
    ]);
    expect(await endsOf(paydrop, b)).toEqual(['paid', 'paid']);
    expect(await paidAmounts(paydrop)).toEqual(['100', '50', '500']);
  });

  it('without a reference is paid once too', async () => {
    const { a, b, paths } = await paidByTheSecond('');
    const { paydrop, lag } = await rebuildInTheLag(paths);
    await resumeAt(paydrop, BEFORE_FENCE);
    lag.isOn = false;
    await resumeAt(paydrop, BEHIND_FENCE);
    expect((await endsOf(paydrop, a))[0]).toBe('held same_payment_recently');
    expect(await endsOf(paydrop, b)).toEqual(['paid', 'paid']);
    expect(await paidAmounts(paydrop)).toEqual(['100', '50', '500']);
  });

  it('where nothing was sent of either, one of them is paid and the other is its duplicate', async () => {
    const first = await desk.open(SKIP_ROWS);
    const stopped = { ...HURRIED, signal: AbortSignal.abort() };
    const pathA = await desk.file('a.csv', [line('A-1', '100'), line('A-3', '70')]);
    const a = await pay(first, pathA, stopped);
    const pathB = await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]);
    const b = await pay(first, pathB, stopped);
    const { paydrop } = await rebuildInTheLag([pathA, pathB]);
    await resumeAt(paydrop, BEFORE_FENCE);
    expect(await endsOf(paydrop, a)).toEqual(['held in_doubt_unseen', 'paid']);
    expect(await endsOf(paydrop, b)).toEqual(['held in_doubt_unseen', 'paid']);
    await resumeAt(paydrop, BEHIND_FENCE);
    // Which of them, is for their order: the files came at the same moment.
    const ends = [...(await endsOf(paydrop, a)), ...(await endsOf(paydrop, b))];
    expect(ends.toSorted()).toEqual(['duplicate duplicate_reference', 'paid', 'paid', 'paid']);
    expect(await paidAmounts(paydrop)).toEqual(['100', '50', '70']);
  });

  it('is not paid by one that an older ledger knows as open either', async () => {
    const rows = [line('A-1', '100'), line('', '300'), line('', '300')];
    const stopped = { ...HURRIED, signal: AbortSignal.abort() };
    const a = await pay(await desk.open(SKIP_ROWS), await desk.file('a.csv', rows), stopped);
    await desk.shut();
    const [ledger, copy] = [join(desk.workspace, 'ledger.sqlite'), join(desk.workspace, 'backup')];
    await copyFile(ledger, copy);
    const first = await desk.open(SKIP_ROWS);
    await setCorridor(false);
    await resumeAt(first, '2026-10-30T09:00:00Z');
    await resumeAt(first, '2026-10-30T09:30:00Z');
    await resumeAt(first, '2026-10-30T09:32:00Z');
    expect((await endsOf(first, a))[0]).toBe('rejected 10003');
    await setCorridor(true);
    const pathB = await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]);
    const b = await pay(first, pathB);
    await desk.loseLedger();
    await copyFile(copy, ledger);
    await passForLatest(desk.workspace);
    const lag = { isOn: true };
    const paydrop = lagging(await desk.open(SKIP_ROWS), lag);
    clock.goTo('2026-10-30T10:00:00Z');
    await rebuildFile(paydrop, pathB, HURRIED);
    await resumeAt(paydrop, BEFORE_FENCE);
    expect((await endsOf(paydrop, a))[0]).toBe('held in_doubt_unseen');
    lag.isOn = false;
    await resumeAt(paydrop, BEHIND_FENCE);
    expect((await endsOf(paydrop, a))[0]).toBe('duplicate duplicate_reference');
    expect(await endsOf(paydrop, b)).toEqual(['paid', 'paid']);
    expect(await paidAmounts(paydrop)).toEqual(['100', '50']);
  });
});

describe('a batch that was paid, closed and told so', () => {
  async function answersOf({ workspace }: Paydrop, batch: string): Promise<readonly string[]> {
    const names = await readdir((await standingFolder(workspace, batch)) ?? '');
    return names.filter((name) => name.includes('result')).toSorted();
  }

  it('is not answered as unpaid while a read may hide that it was', async () => {
    const path = await desk.file('payroll.csv', [line('A-1', '100')]);
    const first = await desk.open(SKIP_ROWS);
    const id = await pay(first, path, PATIENT);
    const before = await answersOf(first, id);
    expect(before).not.toEqual([]);
    const { paydrop, lag } = await rebuildInTheLag([path]);
    const [told] = (await resumeAt(paydrop, BEFORE_FENCE)) ?? [];
    expect(said(told?.words ?? []).join(' ')).toMatch(
      /until 2026-10-30T10:1\d:\d\d\.\d+Z the service may not show every/,
    );
    expect(await answersOf(paydrop, id)).toEqual(before);
    lag.isOn = false;
    await resumeAt(paydrop, BEHIND_FENCE);
    expect(await endsOf(paydrop, id)).toEqual(['paid']);
    expect(await paydrop.ledger.batch(id)).toMatchObject({ state: 'closed' });
    expect(await answersOf(paydrop, id)).toEqual(before);
    expect(await paidAmounts(paydrop)).toEqual(['100']);
  });

  it('is looked for again by a daemon by itself', async () => {
    const path = await desk.file('payroll.csv', [line('A-1', '100')]);
    const id = await pay(await desk.open(SKIP_ROWS), path, PATIENT);
    const { paydrop, lag } = await rebuildInTheLag([path]);
    await settleRebuilt(paydrop);
    expect(await endsOf(paydrop, id)).toEqual(['held in_doubt_unseen']);
    const stopper = new AbortController();
    const closed = Promise.withResolvers<unknown>();
    const ended = watch(paydrop, {
      signal: stopper.signal,
      onResult: ({ summary }) => {
        if (summary.state === 'closed') closed.resolve(null);
      },
      onWaiting: () => undefined,
      onTrouble: closed.reject,
    });
    lag.isOn = false;
    clock.goTo(BEHIND_FENCE);
    await closed.promise;
    stopper.abort();
    await ended;
    expect(await endsOf(paydrop, id)).toEqual(['paid']);
  });
});

describe('the same payment in two files of which nothing was sent, where it is not yet certain that either is', () => {
  it.each([
    ['is paid whole', 'policy: { onInvalidRows: skip-rows, strategy: reserve-then-confirm }'],
    ['is approved first', 'policy: { onInvalidRows: skip-rows, approval: required }'],
  ])('goes on in one of them only: a file %s', async (_how, config) => {
    const first = await desk.open(config);
    const stopped = { ...HURRIED, signal: AbortSignal.abort() };
    const pathA = await desk.file('a.csv', [line('A-1', '100'), line('A-3', '70')]);
    const a = await pay(first, pathA, stopped);
    const pathB = await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]);
    const b = await pay(first, pathB, stopped);
    const { paydrop, lag } = await rebuildInTheLag([pathA, pathB], config);
    await resumeAt(paydrop, BEFORE_FENCE);
    lag.isOn = false;
    clock.goTo(BEHIND_FENCE);
    await settleUnseen(paydrop);
    const ends = [(await endsOf(paydrop, a))[0], (await endsOf(paydrop, b))[0]];
    expect(ends.filter((end) => end === 'held reference_undecided')).toHaveLength(1);
    expect(ends.filter((end) => end === 'ready' || end === 'quoted')).toHaveLength(1);
  });
});

describe('a row that the service will not tell of', () => {
  it('is for a person, and keeps no other waiting', async () => {
    const path = await desk.file('a.csv', [line('A-1', '100'), line('A-2', '50')]);
    const other = await desk.file('b.csv', [line('A-2', '50'), line('A-1', '100')]);
    const first = await desk.open(SKIP_ROWS);
    const stopped = { ...HURRIED, signal: AbortSignal.abort() };
    const id = await pay(first, path, stopped);
    await pay(first, other, stopped);
    const { paydrop, lag } = await rebuildInTheLag([path, other]);
    await resumeAt(paydrop, BEFORE_FENCE);
    expect(await endsOf(paydrop, id)).toEqual(['held in_doubt_unseen', 'held in_doubt_unseen']);
    lag.isOn = false;
    clock.goTo(BEHIND_FENCE);
    await settleUnseen(refusing(paydrop, externalId(await fileIdOf(paydrop, id), '2', 'transfer', 1)));
    expect(await endsOf(paydrop, id)).toEqual(['held in_doubt_unsent', 'ready']);
  });
});

async function fileIdOf(paydrop: Paydrop, id: string): Promise<string> {
  return (await paydrop.ledger.batch(id))?.fileId ?? '';
}

/** The service answers every question about this id with a refusal. */
function refusing(real: Paydrop, refused: string): Paydrop {
  const context = { operation: 'transferByExternalId', httpStatus: 500, retryAfterMs: null } as const;
  const transferByExternalId: Paydrop['service']['transferByExternalId'] = (id) =>
    id === refused
      ? Promise.reject(new Refused(10001, 'no', { ...context, serverTime: clock.now() }))
      : real.service.transferByExternalId(id);
  return { ...real, service: { ...real.service, transferByExternalId } };
}

describe('a row that cannot be read as a payment any more', () => {
  it('and was paid is not told as rejected while a read may hide that, and its corrected file is not paid', async () => {
    const path = await desk.file('payroll.csv', [line('A-1', '100'), line('A-3', '70')]);
    const id = await pay(await desk.open(SKIP_ROWS), path);
    await setCorridor(false);
    const { paydrop, lag } = await rebuildInTheLag([path]);
    await resumeAt(paydrop, BEFORE_FENCE);
    expect(await endsOf(paydrop, id)).toEqual(['held in_doubt_unseen', 'held in_doubt_unseen']);
    await setCorridor(true);
    lag.isOn = false;
    await resumeAt(paydrop, BEHIND_FENCE);
    expect(await endsOf(paydrop, id)).toEqual(['paid', 'paid']);
    const again = await pay(
      paydrop,
      await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]),
      PATIENT,
    );
    expect((await endsOf(paydrop, again))[0]).toMatch(/^held reference_/);
    expect(await paidAmounts(paydrop)).toEqual(['100', '50', '70']);
  });

  it('and was never sent is rejected with its faults, once no read can hide that', async () => {
    const path = await desk.file('payroll.csv', [line('A-1', '100'), line('A-3', '70')]);
    const stopped = { ...HURRIED, signal: AbortSignal.abort() };
    const id = await pay(await desk.open(SKIP_ROWS), path, stopped);
    await setCorridor(false);
    const { paydrop } = await rebuildInTheLag([path]);
    await resumeAt(paydrop, BEHIND_FENCE);
    expect(await endsOf(paydrop, id)).toEqual(['rejected', 'rejected']);
    const [row] = await paydrop.ledger.rows(id, 0, 1);
    expect(row?.rejections.length).toBeGreaterThan(0);
  });

  it('and was told as rejected when its file came stays so at once', async () => {
    const wrong = line('A-3', '70').replace('wechat', 'pigeon');
    const path = await desk.file('payroll.csv', [line('A-1', '100'), wrong]);
    const id = await pay(await desk.open(SKIP_ROWS), path);
    const { paydrop } = await rebuildInTheLag([path]);
    expect((await endsOf(paydrop, id))[1]).toBe('rejected');
  });
});

it.each([
  [undefined, 1, 1],
  [1, 2, 2],
  [2, 1, 2],
  // A time that is still to be found out is now.
  [null, 1, null],
  [1, null, null],
])('a batch in doubt since %s that comes into one since %s is in doubt since %s', (known, other, since) => {
  expect(laterDoubt(known === undefined ? known : { since: known }, { since: other })).toEqual({ since });
});
