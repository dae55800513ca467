// A closed batch stays true: when the service changes something after its end, paydrop finds it, reports it under the next number, and never
// overwrites what its owner has read.
import { readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { sameWords } from '../../src/base/language.ts';
import { exitCodeOf, type BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from './release.ts';
import type { Progress, Why } from '../../src/payouts/progress.ts';
import { Refused, Unanswered } from '../../src/service/errors.ts';
import type { Transfer } from '../../src/service/wire.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { endsOf, HURRIED, line, magic, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';
import { QUICK, startWatching } from './schedule/watching.ts';
import { own, record } from '../ledger/own.ts';
import { changeBatch, underLease } from '../../src/ledger/ledger.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import { said } from './said.ts';

const because = (errorCode: string): Why => ({ errorCode, reason: sameWords('') });

const CHANGED = { at: '2026-11-20T09:00:00.000Z', due: 'changed' } as const;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let clock: LeapClock;
let desk: Desk;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock, reversalMs: DAY_MS }, clock);
});
afterEach(() => desk.close());

async function pay(paydrop: Paydrop, lines: readonly string[], control = PATIENT): Promise<string> {
  const file = await desk.file('payroll.csv', lines);
  return (await processBatch(paydrop, file, control)).summary.batch;
}

async function resume(paydrop: Paydrop, control = PATIENT): Promise<readonly BatchResult[]> {
  return (await resumeBatches(paydrop, null, control)) ?? [];
}

/** Every answer of the outbox, or of the batch's archive, by its name; not its notes, which say what was answered last. */
async function filesIn(...path: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = join(desk.workspace, ...path);
  const names = (await readdir(folder)).filter((name) => !/^\.|^(?:batch\.\d+|head)\.json$/.test(name));
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

function archiveOf(batch: string): readonly string[] {
  return ['archive', batch.slice(0, 4), batch.slice(4, 6), batch];
}

function expectKept(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): void {
  for (const [name, text] of before) expect(after.get(name)).toBe(text);
}

async function changeFirst(paydrop: Paydrop, batch: string, change: Partial<Progress>): Promise<void> {
  const [row] = await paydrop.ledger.rows(batch, 0, 1);
  if (row === undefined) throw new Error('The row is there.');
  const progress = { ...row.progress, ...change };
  await record(paydrop.ledger, row, { progress, dueAt: 0, event: 'test' });
}

async function reschedule({ ledger }: Paydrop, row: RowRecord, dueAt: number | null): Promise<void> {
  const batch = await ledger.batch(row.batch);
  if (batch === null) throw new Error('The batch is there.');
  await underLease(ledger, batch, (leased) => ledger.reschedule(leased, [{ row, dueAt }]));
}

describe('a payment that is reversed after its batch was closed', () => {
  it('is answered under the next number, and what was answered stays byte for byte', async () => {
    const paydrop = await desk.open();
    const batch = await pay(paydrop, [magic('A-1', '0100001'), line('A-2', '200')]);
    const outbox = await filesIn('outbox');
    const archive = await filesIn(...archiveOf(batch));
    clock.leap(2 * DAY_MS);
    const [result] = await resume(paydrop);
    expect(result?.summary).toMatchObject({
      state: 'closed',
      outcomes: { paid: 1, failed: 1 },
      supersedes: `payroll.${batch}.summary.json`,
      answers: [
        `payroll.${batch}.ack.json`,
        `payroll.${batch}.result-2.csv`,
        `payroll.${batch}.reconciliation-2.csv`,
        `payroll.${batch}.summary-2.json`,
      ],
    });
    const now = await filesIn('outbox');
    expect(now.get(`payroll.${batch}.result-2.csv`)).toContain('reversed after payout');
    expect(JSON.parse(now.get(`payroll.${batch}.summary-2.json`) ?? '')).toEqual(result?.summary);
    expectKept(outbox, now);
    expectKept(archive, await filesIn(...archiveOf(batch)));
    expect((await filesIn(...archiveOf(batch))).get(`payroll.${batch}.result-2.csv`)).toBe(
      now.get(`payroll.${batch}.result-2.csv`),
    );
    expect(result === undefined ? null : exitCodeOf(result, PATIENT.waitMs)).toBe(4);
  });

  it('takes its own off what was debited', async () => {
    const paydrop = await desk.open();
    const batch = await pay(paydrop, [magic('A-1', '0100001'), line('A-2', '200')]);
    clock.leap(2 * DAY_MS);
    const [result] = await resume(paydrop);
    const { debited } = result?.summary.totals[0] ?? {};
    const books = desk.sandbox.books().find(({ currency }) => currency === 'XAF');
    expect(debited).toMatch(/^[1-9]/);
    expect(books?.debitedAmount).toBe(debited);
    expect(await endsOf(paydrop, batch)).toEqual(['failed 100001', 'paid']);
  });

  it('is told once', async () => {
    const paydrop = await desk.open();
    await pay(paydrop, [magic('A-1', '0100001')]);
    clock.leap(2 * DAY_MS);
    expect(await resume(paydrop)).toHaveLength(1);
    expect(await resume(paydrop)).toEqual([]);
    clock.leap(2 * DAY_MS);
    expect(await resume(paydrop)).toEqual([]);
    expect([...(await filesIn('outbox')).keys()].filter((name) => name.includes('-3.'))).toEqual([]);
  });

  it('is told although another row changed against it, so that every sum stayed the same', async () => {
    const paydrop = await desk.open();
    const batch = await pay(paydrop, [magic('A-1', '0100001'), magic('A-2', '0100002')]);
    clock.leap(2 * DAY_MS);
    await resume(paydrop);
    // As if the service had exchanged the reasons of the two.
    const rows = await paydrop.ledger.rows(batch, 0, 2);
    for (const row of rows) {
      const { transfer } = row.progress;
      if (transfer === null) throw new Error('Both have a transfer.');
      const statusCode = transfer.statusCode === '100001' ? '100002' : '100001';
      const progress = { ...row.progress, transfer: { ...transfer, statusCode } };
      await record(paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
    }
    await changeBatch(paydrop.ledger, await own(paydrop.ledger, batch), { finished: CHANGED });
    const [result] = await resume(paydrop);
    expect(result?.summary.supersedes).toBe(`payroll.${batch}.summary-2.json`);
  });

  it('leaves the answer due when the run is killed between the two', async () => {
    const paydrop = await desk.open();
    const batch = await pay(paydrop, [line('A-1', '100')]);
    await changeBatch(paydrop.ledger, await own(paydrop.ledger, batch), { finished: CHANGED });
    await changeFirst(paydrop, batch, { stage: 'failed', why: because('100001') });
    const [row] = await paydrop.ledger.rows(batch, 0, 1);
    if (row === undefined) throw new Error('The row is there.');
    await reschedule(paydrop, row, null);
    await desk.shut();
    const [result] = await resume(await desk.open());
    expect(result?.summary.answers).toContain(`payroll.${batch}.result-2.csv`);
  });

  it('keeps the rows to fix where they are', async () => {
    const paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
    const batch = await pay(paydrop, [magic('A-1', '0100001'), line('A-2', 'x')]);
    const rejected = `payroll.${batch}.rejected.csv`;
    await rm(join(desk.workspace, 'outbox', rejected));
    clock.leap(2 * DAY_MS);
    const [result] = await resume(paydrop);
    expect(result?.summary.answers).toContain(rejected);
    expect([...(await filesIn('outbox')).keys()].filter((name) => name.includes('rejected'))).toEqual([]);
  });

  it('in a batch that is still open is told in its one result', async () => {
    const paydrop = await desk.open();
    const over = new AbortController();
    const batch = await pay(paydrop, [magic('A-1', '0100001'), magic('A-2', '0060000')], {
      ...PATIENT,
      signal: over.signal,
      // The other one never ends.
      view: { ...PATIENT.view, settled: () => over.abort() },
    });
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'confirmed']);
    clock.leap(2 * DAY_MS);
    const [result] = await resume(paydrop, HURRIED);
    expect(result?.summary).toMatchObject({ state: 'tracking', outcomes: { failed: 1, submitted: 1 } });
    expect(result?.summary.answers).toContain(`payroll.${batch}.result.csv`);
    expect(result?.summary.supersedes).toBeUndefined();
  });

  it('is not made again from a later file before a person has found out why', async () => {
    const paydrop = await desk.open();
    await pay(paydrop, [magic('A-1', '0100001')]);
    clock.leap(2 * DAY_MS);
    await resume(paydrop);
    const again = await pay(paydrop, [magic('A-1', '0100001'), line('A-2', '200')]);
    expect(await endsOf(paydrop, again)).toEqual(['held reversed_before', 'paid']);
  });

  it('that is found again after a lost ledger is not told a second time', async () => {
    const paydrop = await desk.open();
    const batch = await pay(paydrop, [magic('A-1', '0100001')]);
    clock.leap(2 * DAY_MS);
    await resume(paydrop);
    const outbox = await filesIn('outbox');
    await desk.loseLedger();
    const again = await desk.open();
    await rebuildFile(again, join(desk.workspace, ...archiveOf(batch), 'payroll.csv'), PATIENT);
    await resume(again);
    expect([...(await filesIn('outbox')).keys()].sort()).toEqual([...outbox.keys()].sort());
  });

  it('is told once although several look at the same moment, by the next look at the latest', async () => {
    const [one, other] = [await desk.open(), await desk.open()];
    const batch = await pay(one, [magic('A-1', '0100001')]);
    clock.leap(2 * DAY_MS);
    const results = await Promise.all([resume(one), resume(other), resume(other)]);
    results.push(await resume(other));
    expect(results.flat()).toHaveLength(1);
    const summaries = [...(await filesIn('outbox')).keys()].filter((name) => name.includes('summary'));
    expect(summaries.sort()).toEqual([`payroll.${batch}.summary-2.json`, `payroll.${batch}.summary.json`]);
  });
});

it('what is found while the batch is taken over is told by whoever has it then, once', async () => {
  const [one, other] = [await desk.open(), await desk.open()];
  const batch = await pay(one, [magic('A-1', '0100001')]);
  clock.leap(2 * DAY_MS);
  const others: Promise<readonly BatchResult[]>[] = [];
  const transfer: Paydrop['service']['transfer'] = async (id) => {
    if (others.length === 0) others.push(resume(other));
    await Promise.all(others);
    return one.service.transfer(id);
  };
  const first = { ...one, service: { ...one.service, transfer } };
  expect(await resume(first)).toEqual([]);
  const [told] = (await Promise.all(others)).flat();
  expect(await endsOf(one, batch)).toEqual(['failed 100001']);
  expect(told?.summary.supersedes).toBe(`payroll.${batch}.summary.json`);
  expect(await resume(one)).toEqual([]);
  expect(await resume(other)).toEqual([]);
});

describe('a closed batch of which nothing is due', () => {
  it('is left alone: resume ends at once and asks nobody', async () => {
    await pay(await desk.open(), [line('A-1', '100')]);
    await desk.shut();
    expect(await resume(await desk.open('', 'nobody'))).toEqual([]);
  });

  it('is asked for again after an hour, and a service out of reach is told', async () => {
    await pay(await desk.open(), [line('A-1', '100')]);
    await desk.shut();
    clock.leap(HOUR_MS);
    const [result] = await resume(await desk.open('', 'nobody'), HURRIED);
    expect(result === undefined ? null : exitCodeOf(result, 0)).toBe(5);
    expect(said(result?.words ?? []).join(' ')).toContain('Nothing listens at the address');
    await desk.shut();
    expect(await resume(await desk.open())).toEqual([]);
  });

  it('whose archive was carried away is looked at all the same, and asked for when there is something to tell', async () => {
    const paydrop = await desk.open();
    const batch = await pay(paydrop, [magic('A-1', '0100001')]);
    const archive = join(desk.workspace, ...archiveOf(batch));
    await rename(archive, `${archive}.away`);
    clock.leap(HOUR_MS);
    expect(await resume(paydrop)).toEqual([]);
    clock.leap(2 * DAY_MS);
    const [missed] = await resume(paydrop);
    expect(said(missed?.words ?? []).join(' ')).toContain('Restore it');
    await rename(`${archive}.away`, archive);
    const [result] = await resume(paydrop);
    expect(result?.summary.answers).toContain(`payroll.${batch}.result-2.csv`);
  });

  it('is never looked at again once no reversal can come', async () => {
    const paydrop = await desk.open('tracking: { reversalWindow: 2d }');
    const batch = await pay(paydrop, [line('A-1', '100')]);
    clock.leap(3 * DAY_MS);
    expect(await resume(paydrop)).toEqual([]);
    expect(await paydrop.ledger.nextDueAt(batch, ['paid'])).toBeNull();
  });
});

describe('an end that the staff took back', () => {
  it('makes the row wait for a person, who has the last word of the service taken over', async () => {
    const paydrop = await desk.open();
    const batch = await pay(paydrop, [line('A-1', '100'), line('A-2', '200')]);
    await changeFirst(paydrop, batch, { stage: 'failed', why: because('100002') });
    const [held] = await resume(paydrop);
    expect(await endsOf(paydrop, batch)).toEqual(['held status_went_back', 'paid']);
    expect(held?.summary).toMatchObject({
      state: 'closed',
      waitingFor: 'operator',
      outcomes: { held: 1, paid: 1 },
    });
    expect(held === undefined ? null : exitCodeOf(held, 0)).toBe(5);
    expect((await filesIn('outbox')).get(`payroll.${batch}.result-2.csv`)).toContain(
      'It now says: paid to the recipient.',
    );
    const [still] = await resume(paydrop);
    expect(still?.summary).toEqual(held?.summary);
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('The batch is there.');
    await releaseRows(paydrop, record, { by: 'Ama', reason: 'the service paid it', rows: null, skip: true });
    const [last] = await resume(paydrop);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
    expect(last?.summary).toMatchObject({
      waitingFor: null,
      outcomes: { paid: 2, held: 0 },
      supersedes: `payroll.${batch}.summary-2.json`,
    });
    expect(await resume(paydrop)).toEqual([]);
  });

  it('of a transfer that had been given up is told with both ids, and the row goes on by the word of a person', async () => {
    const paydrop = await desk.open();
    const batch = await pay(paydrop, [line('A-1', '100'), line('A-2', '200')]);
    const other = (await paydrop.ledger.rows(batch, 0, 9))[1]?.progress.transfer;
    if (other === undefined || other === null) throw new Error('The row was paid.');
    // As if the second transfer had been another attempt of the first row, expired then and paid by hand since.
    const dead = {
      attempt: 2,
      transfer: other,
      proof: 'expired-unconfirmed',
    } as const;
    await changeFirst(paydrop, batch, { deadAttempts: [dead] });
    const [held] = await resume(paydrop);
    expect(await endsOf(paydrop, batch)).toEqual(['held transfer_reinstated', 'paid']);
    expect(held?.summary).toMatchObject({ waitingFor: 'operator', outcomes: { held: 1, paid: 1 } });
    expect((await filesIn('outbox')).get(`payroll.${batch}.result-2.csv`)).toContain(other.transferId);
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('The batch is there.');
    const order = { by: 'Ama', reason: 'the service takes the other one back', rows: null, skip: true };
    await releaseRows(paydrop, record, order);
    await resume(paydrop);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
    clock.leap(DAY_MS);
    expect(await resume(paydrop)).toEqual([]);
  });

  it.each(['0077001', '0077002'])(
    'digits %s: a change without a webhook before the end is followed as any other',
    async (digits) => {
      const paydrop = await desk.open();
      const batch = await pay(paydrop, [magic('A-1', digits)]);
      expect(await endsOf(paydrop, batch)).toEqual([digits === '0077001' ? 'paid' : 'failed 100002']);
      clock.leap(HOUR_MS);
      expect(await resume(paydrop)).toEqual([]);
    },
  );
});

describe('a payment that had ended, and that the service does not know for a while', () => {
  /** As with the key of another account. */
  function forgetful(paydrop: Paydrop): Paydrop {
    const context = { operation: 'transfer', httpStatus: 404, retryAfterMs: null } as const;
    const transfer = () => Promise.reject(new Refused(10014, 'no', { ...context, serverTime: clock.now() }));
    return { ...paydrop, service: { ...paydrop.service, transfer } };
  }

  /** As it is held when ten such answers are taken for the service's last word. */
  async function heldForGone(paydrop: Paydrop, lines: readonly string[]): Promise<string> {
    const batch = await pay(paydrop, lines);
    const [row] = await paydrop.ledger.rows(batch, 0, 1);
    if (row === undefined) throw new Error('The row is there.');
    const held = { hold: { ...newHold('unexpected_refusal', 0), errorCode: '10014' } } as const;
    const progress = { ...row.progress, ...held };
    await record(paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
    await changeBatch(paydrop.ledger, await own(paydrop.ledger, batch), { finished: CHANGED });
    await resume(forgetful(paydrop));
    return batch;
  }

  it.each([
    { skip: false, lists: { released: ['2'], followed: [] } },
    { skip: true, lists: { released: [], followed: ['2'] } },
  ])(
    'is followed again by the word of a person (--skip: $skip), never paid or closed by it, and its end is answered anew',
    async ({ skip, lists }) => {
      const paydrop = await desk.open();
      const batch = await heldForGone(paydrop, [magic('A-1', '0100001')]);
      expect(await endsOf(paydrop, batch)).toEqual(['held 10014']);
      const record = await paydrop.ledger.batch(batch);
      if (record === null) throw new Error('The batch is there.');
      const order = { by: 'Ama', reason: 'the key was wrong', rows: null, skip };
      expect(await releaseRows(paydrop, record, order)).toMatchObject({ ...lists, left: [] });
      const [now] = await resume(paydrop);
      expect(now?.summary).toMatchObject({ state: 'closed', outcomes: { paid: 1, held: 0 } });
      expect(now?.summary.supersedes).toBe(`payroll.${batch}.summary-2.json`);
      clock.leap(2 * DAY_MS);
      await resume(paydrop);
      expect(await endsOf(paydrop, batch)).toEqual(['failed 100001']);
      expect(await transfersOf(paydrop)).toHaveLength(1);
    },
  );
});

/** What the service is made to say instead of the truth; null for the truth. `n` counts the reads of single transfers. */
type Say = (n: number, truth: Transfer) => Promise<Said> | Said;
type Said = Pick<Transfer, 'status' | 'statusCode'> | null;
const CREATED: Said = { status: 'created', statusCode: '10000' };
const SUBMITTED: Said = { status: 'submitted', statusCode: '10001' };

function saying(paydrop: Paydrop, say: Say): Paydrop {
  let n = 0;
  const transfer: Paydrop['service']['transfer'] = async (id) => {
    const answer = await paydrop.service.transfer(id);
    n += 1;
    return { ...answer, value: { ...answer.value, ...(await say(n, answer.value)) } };
  };
  return { ...paydrop, service: { ...paydrop.service, transfer } };
}

describe('a payment whose confirm was never answered, and that had failed at the first look', () => {
  /** Its staff sends it again, which is seen and released: the row is on its way, and nobody here knows since when. */
  async function sentAgain(paydrop: Paydrop): Promise<string> {
    const confirmTransfer: Paydrop['service']['confirmTransfer'] = async (id) => {
      await paydrop.service.confirmTransfer(id);
      const context = { operation: 'confirmTransfer', httpStatus: null, retryAfterMs: null } as const;
      throw new Unanswered('connection', { ...context, serverTime: null });
    };
    const unheard = { ...paydrop, service: { ...paydrop.service, confirmTransfer } };
    const batch = await pay(unheard, [magic('A-1', '0100002')]);
    const [failed] = await paydrop.ledger.rows(batch, 0, 1);
    expect(failed?.progress).toMatchObject({ stage: 'failed', confirmedAt: null });
    clock.leap(HOUR_MS);
    await resume(saying(paydrop, () => SUBMITTED));
    expect(await endsOf(paydrop, batch)).toEqual(['held status_went_back']);
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('The batch is there.');
    const order = { by: 'Ama', reason: 'they send it again', rows: null, skip: false };
    await releaseRows(paydrop, record, order);
    await desk.shut();
    return batch;
  }

  it.each([
    ['fails again', null, 'failed 100002'],
    ['is paid', { status: 'paid', statusCode: '20000' }, 'paid'],
  ] as const)('is followed to its end when it is sent again and %s', async (_, said, end) => {
    const batch = await sentAgain(await desk.open());
    const paydrop = await desk.open();
    const [result] = await resume(saying(paydrop, () => said));
    expect(result?.isBroken).not.toBe(true);
    expect(await endsOf(paydrop, batch)).toEqual([end]);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });
});

describe('an end that a read does not show yet, because it lags', () => {
  it('of a confirm that the network refused stays as it was seen', async () => {
    const paydrop = await desk.open();
    const batch = await pay(
      saying(paydrop, () => CREATED),
      [magic('A-1', '0010027')],
    );
    expect(await endsOf(paydrop, batch)).toEqual(['held network_undecided']);
    clock.leap(60_000);
    await resume(saying(paydrop, (n) => (n === 2 ? CREATED : null)));
    const ended = await endsOf(paydrop, batch);
    expect(ended).toEqual([expect.stringMatching(/^failed /)]);
    clock.leap(HOUR_MS);
    await resume(paydrop);
    expect(await endsOf(paydrop, batch)).toEqual(ended);
  });

  it('of a payment that a notification has looked at again stays as it was seen, and nothing is answered anew', async () => {
    const paydrop = await desk.open();
    const hinting = saying(paydrop, async (_, { status }) => {
      const [record] = status === 'paid' ? await paydrop.ledger.batches() : [];
      const [row] = record === undefined ? [] : await paydrop.ledger.rows(record.id, 0, 1);
      if (row?.progress.stage === 'confirmed') await paydrop.ledger.hint(row);
      return null;
    });
    const batch = await pay(hinting, [line('A-1', '100')]);
    expect(await paydrop.ledger.nextDueAt(batch, ['paid'])).toBe(0);
    clock.leap(60_000);
    const lagging = saying(paydrop, () => SUBMITTED);
    expect(await resume(lagging)).toEqual([]);
    expect(await endsOf(paydrop, batch)).toEqual(['paid']);
    expect([...(await filesIn('outbox')).keys()].filter((name) => name.includes('-2.'))).toEqual([]);
    // What still says so once no read can be so old has been taken back.
    clock.leap(HOUR_MS);
    await resume(lagging);
    expect(await endsOf(paydrop, batch)).toEqual(['held status_went_back']);
  });
});

describe('a payment that a person had followed again after its batch was closed', () => {
  /** As a service whose staff has sent the payment once more. */
  function undone(paydrop: Paydrop): Paydrop {
    const transfer: Paydrop['service']['transfer'] = async (id) => {
      const answer = await paydrop.service.transfer(id);
      return { ...answer, value: { ...answer.value, status: 'submitted', statusCode: '10001' } };
    };
    return { ...paydrop, service: { ...paydrop.service, transfer } };
  }

  it('is looked at by watch until it has ended, and what has not changed meanwhile is not told again', async () => {
    const paydrop = await desk.open(QUICK);
    const batch = await pay(paydrop, [line('A-1', '100')]);
    clock.leap(HOUR_MS);
    await resume(undone(paydrop));
    expect(await endsOf(paydrop, batch)).toEqual(['held status_went_back']);
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('The batch is there.');
    await releaseRows(paydrop, record, { by: 'Ama', reason: 'sent once more', rows: null, skip: false });
    expect(await resume(undone(paydrop), HURRIED)).toHaveLength(1);
    expect(await endsOf(paydrop, batch)).toEqual(['confirmed']);
    const told = await filesIn('outbox');
    const [still] = await resume(undone(paydrop), HURRIED);
    expect(still?.summary).toMatchObject({ state: 'closed', outcomes: { submitted: 1, paid: 0 } });
    expect(await filesIn('outbox')).toEqual(told);
    clock.leap(60_000);
    const daemon = startWatching(paydrop);
    const { summary } = await daemon.until(({ outcomes }) => outcomes.paid === 1);
    await daemon.stop();
    expect(summary).toMatchObject({ state: 'closed', supersedes: `payroll.${batch}.summary-3.json` });
    expect(await paydrop.ledger.batches({ toLookAt: clock.now() })).toEqual([]);
    expectKept(told, await filesIn('outbox'));
  });
});

/** The reads of the service are counted. */
function counted(paydrop: Paydrop) {
  const asked = { list: 0, single: 0 };
  const service: Paydrop['service'] = {
    ...paydrop.service,
    transfers: (query) => {
      asked.list += 1;
      return paydrop.service.transfers(query);
    },
    transfer: (id) => {
      asked.single += 1;
      return paydrop.service.transfer(id);
    },
  };
  return { asked, counting: { ...paydrop, service } };
}

it('small files cost fewer than three reads a row in sixty days, and a late reversal is found', async () => {
  await desk.close();
  desk = await openDesk({ clock, reversalMs: 60 * DAY_MS }, clock);
  const paydrop = await desk.open();
  for (let day = 0; day < 10; day += 1) {
    const rows = [0, 1, 2].map((row) =>
      line(`D-${String(day)}-${String(row)}`, String(200 + 10 * day + row)),
    );
    const back = magic(`R-${String(day)}`, '0100001').replace(',100,', `,${String(100 + day)},`);
    const file = await desk.file(`day-${String(day)}.csv`, [...rows, back]);
    await processBatch(paydrop, file, PATIENT);
    clock.leap(DAY_MS);
  }
  const { asked, counting } = counted(paydrop);
  const found: BatchResult[] = [];
  for (let day = 0; day < 70; day += 1) {
    clock.leap(DAY_MS);
    found.push(...(await resume(counting)));
  }
  expect(found.map(({ summary: { outcomes } }) => [outcomes.paid, outcomes.failed])).toEqual(
    Array.from({ length: 10 }, () => [3, 1]),
  );
  // Each reversal is read by itself, and then counts as an end of its own.
  expect(asked.single).toBe(10);
  expect(asked.list).toBeLessThan(3 * 40);
});

describe('many rows', () => {
  it('are looked at by the list, and one that is notified meanwhile is read by itself at once', async () => {
    const paydrop = await desk.open();
    const lines = Array.from({ length: 30 }, (_, index) => line(`A-${String(index)}`, String(100 + index)));
    const batch = await pay(paydrop, lines);
    clock.leap(HOUR_MS + 60_000);
    const [row] = await paydrop.ledger.rows(batch, 0, 1);
    if (row === undefined) throw new Error('The row is there.');
    const service: Paydrop['service'] = {
      ...paydrop.service,
      // Reversed after the list was read, and before it was heard.
      transfers: async (query) => {
        const answer = await paydrop.service.transfers(query);
        await paydrop.ledger.hint(row);
        return answer;
      },
    };
    const reversed = saying({ ...paydrop, service }, () => ({ status: 'failed', statusCode: '100001' }));
    await resume(reversed);
    expect((await endsOf(paydrop, batch)).slice(0, 2)).toEqual(['failed 100001', 'paid']);
  });

  it('are read one by one when the list has no end', async () => {
    const paydrop = await desk.open();
    const lines = Array.from({ length: 30 }, (_, index) => line(`A-${String(index)}`, String(100 + index)));
    await pay(paydrop, [...lines, magic('R-1', '0100001')]);
    clock.leap(2 * DAY_MS);
    const service: Paydrop['service'] = {
      ...paydrop.service,
      transfers: () => Promise.resolve({ value: { transfers: [], nextKey: 'again' }, serverTime: null }),
    };
    const [result] = await resume({ ...paydrop, service });
    expect(result?.summary.outcomes).toMatchObject({ paid: 30, failed: 1 });
  });

  it('are looked at by the list, and only what has changed is read by itself', async () => {
    const paydrop = await desk.open();
    const lines = Array.from({ length: 150 }, (_, index) => line(`A-${String(index)}`, String(100 + index)));
    const batch = await pay(paydrop, [...lines, magic('R-1', '0100001')]);
    clock.leap(2 * DAY_MS);
    const { asked, counting } = counted(paydrop);
    const [result] = await resume(counting);
    expect(result?.summary.outcomes).toMatchObject({ paid: 150, failed: 1 });
    expect(asked).toEqual({ list: 2, single: 1 });
    expect(await paydrop.ledger.nextDueAt(batch, ['paid', 'failed'])).toBeGreaterThan(clock.now());
  });
});
