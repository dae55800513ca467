// A message that names several days is one batch: accepted or refused whole, each payment made on its day, and answered when those of a day have ended.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { v5 as uuid } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { batchOf } from '../../src/app/workflow/batch/work.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { declineBatch, approveBatch } from '../../src/app/workflow/approval/decide-approval.ts';
import { Refused, Unanswered } from '../../src/service/errors.ts';
import { readStatus, returnsOfOdoo, type StatusMessage } from '../invariants/status-messages.ts';
import { blocks, payment } from '../rows/pain001/messages.ts';
import { releaseRows } from './release.ts';
import { endsOf, HURRIED, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';

const NAMESPACE = '5b7c2a1e-94d3-4f0a-8e61-2f9d3c7b6a10';
const DAYS = ['2026-11-27', '2026-11-28', '2026-12-01'] as const;

let clock: CalendarClock;
let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  clock = calendarClock('2026-11-28T09:00:00Z');
  desk = await openDesk({ clock, reversalMs: 86_400_000 }, clock);
});
afterEach(() => desk.close());

async function open(policy = 'onInvalidRows: refuse-file', reports = 'detail: rejected'): Promise<void> {
  const debtors = '[{ account: PAYDROP-XAF, currency: XAF }]';
  paydrop = await desk.open(
    `policy: { ${policy} }\niso20022: { camt054: true, debtors: ${debtors}, statusReports: { ${reports} } }`,
  );
}

const DEBTORS = 'iso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }] }';

const amount = (value: number) => `<InstdAmt Ccy="CNY">${String(value)}</InstdAmt>`;
const paid = (reference: string, value: number) => payment({ reference, amount: amount(value) });
/** The days stand in another order than they are paid in, and one stands twice. */
const THREE = blocks([
  [DAYS[1], [paid('B-1', 201), paid('B-2', 202)]],
  [DAYS[2], [paid('C-1', 301)]],
  [DAYS[0], [paid('A-1', 101)]],
  [DAYS[1], [paid('B-3', 203)]],
]);
const PLACES = { [DAYS[0]]: ['4'], [DAYS[1]]: ['1', '2', '5'], [DAYS[2]]: ['3'] };

const outbox = () => join(desk.workspace, 'outbox');
const shaOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function statuses(): Promise<readonly StatusMessage[]> {
  return (await statusTextsOf()).map(readStatus);
}

async function statusTextsOf(): Promise<readonly string[]> {
  const names = (await readdir(outbox())).filter((name) => /\.status-\d+\.xml$/.test(name));
  const inOrder = names.toSorted(
    (a, b) => Number(/status-(\d+)/.exec(a)?.[1]) - Number(/status-(\d+)/.exec(b)?.[1]),
  );
  return Promise.all(inOrder.map((name) => readFile(join(outbox(), name), 'utf8')));
}

/** The EndToEndIds of all debits that were told. */
async function debitsTold(): Promise<string[]> {
  const names = (await readdir(outbox())).filter((name) => name.includes('.camt054'));
  const texts = await Promise.all(names.map((name) => readFile(join(outbox(), name), 'utf8')));
  return texts.flatMap((text) => [...text.matchAll(/<EndToEndId>([^<]*)</g)].map(([, id = '']) => id));
}

async function standing(): Promise<readonly string[]> {
  return (await paydrop.ledger.batches()).map(({ fileId, state }) => `${fileId.slice(64)} ${state}`).sort();
}

async function theBatch(): Promise<string> {
  return (await paydrop.ledger.batches()).at(-1)?.id ?? '';
}

/** Rows by day and place, under the ids that the bytes alone give. */
async function paidIds(text: string): Promise<[string, string][]> {
  const known = new Map(
    Object.entries(PLACES).flatMap(([day, places]) =>
      places.map((place) => [uuid(`${shaOf(text)}/${place}/transfer/1`, NAMESPACE), `${day} ${place}`]),
    ),
  );
  const transfers = await transfersOf(paydrop);
  return transfers.map(({ externalId, status }) => [known.get(externalId) ?? externalId, status]);
}

const ALL = ['2026-11-27 4', '2026-11-28 1', '2026-11-28 2', '2026-11-28 5', '2026-12-01 3'];

/** The service refuses to create the transfer of one row, or gives no answer. */
function failing(text: string, place: string, how: 'refused' | 'unanswered'): Paydrop {
  const { service } = paydrop;
  const id = uuid(`${shaOf(text)}/${place}/transfer/1`, NAMESPACE);
  const context = { operation: 'createTransfer', httpStatus: 400, retryAfterMs: null } as const;
  const fault = () =>
    how === 'refused'
      ? new Refused(10001, 'no', { ...context, serverTime: clock.now() })
      : new Unanswered('timeout', { ...context, httpStatus: null, serverTime: null });
  const createTransfer: typeof service.createTransfer = (request) =>
    request.externalId === id ? Promise.reject(fault()) : service.createTransfer(request);
  return { ...paydrop, service: { ...service, createTransfer } };
}

describe('a message of three days', () => {
  it('is one batch, each row paid on its day under the ids of its bytes', async () => {
    await open();
    const path = await desk.write('three.xml', THREE);
    const first = await processBatch(paydrop, path, PATIENT);
    const name = `20261128-${shaOf(THREE).slice(0, 8)}`;
    expect([first.summary.batch, first.summary.state, first.summary.waitingFor]).toEqual([
      name,
      'scheduled',
      'schedule',
    ]);
    expect(first.summary.outcomes).toMatchObject({ paid: 4, pending: 1 });
    expect((await paidIds(THREE)).map(([row]) => row).sort()).toEqual(ALL.slice(0, 4));
    clock.goTo('2026-12-01T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    expect((await paidIds(THREE)).sort()).toEqual(ALL.map((row) => [row, 'paid']));
    expect(await standing()).toEqual([' closed']);
  });

  it.each([
    ['as it comes', ''],
    ['where a person has approved it', 'approval: required'],
    ['where each day is paid whole or not at all', 'strategy: reserve-then-confirm'],
  ])('is paid on none of its days before the first has come, %s', async (_, policy) => {
    clock.goTo('2026-11-20T09:00:00Z');
    await open(policy === '' ? undefined : policy);
    await processBatch(paydrop, await desk.write('three.xml', THREE), PATIENT);
    const batch = await batchOf(paydrop, await theBatch());
    if (policy.startsWith('approval')) {
      expect(batch.wait?.for).toBe('approval');
      await approveBatch(paydrop, batch.id, { by: 'Awa Ndiaye', via: 'command line' });
    }
    const seen: number[] = [];
    for (const day of ['2026-11-21', '2026-11-26', ...DAYS.slice(0, 2), '2026-11-30', DAYS[2]]) {
      clock.goTo(`${day}T05:00:00Z`);
      await resumeBatches(paydrop, null, PATIENT);
      clock.goTo(`${day}T09:00:00Z`);
      await resumeBatches(paydrop, null, PATIENT);
      seen.push((await transfersOf(paydrop)).length);
    }
    expect(seen).toEqual([0, 0, 1, 4, 4, 5]);
    expect((await paidIds(THREE)).sort()).toEqual(ALL.map((row) => [row, 'paid']));
  });

  it('is paid on none of its days before the first has come, also from a ledger that was rebuilt', async () => {
    clock.goTo('2026-11-20T09:00:00Z');
    await open();
    const path = await desk.write('three.xml', THREE);
    await processBatch(paydrop, path, PATIENT);
    await desk.loseLedger();
    await open();
    await rebuildFile(paydrop, path, PATIENT);
    for (const hour of ['10', '11']) {
      clock.goTo(`2026-11-20T${hour}:00:00Z`);
      await resumeBatches(paydrop, null, PATIENT);
    }
    expect(await transfersOf(paydrop)).toEqual([]);
    clock.goTo('2026-11-27T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('whose day was missed waits for a person, who decides about that day alone', async () => {
    await open();
    const hold = 'executionDate: { past: hold }';
    await desk.shut();
    paydrop = await desk.open(`policy: { onInvalidRows: refuse-file }\n${hold}\n${DEBTORS}`);
    await processBatch(paydrop, await desk.write('three.xml', THREE), PATIENT);
    expect(await transfersOf(paydrop)).toEqual([]);
    const order = { by: 'Awa Ndiaye', reason: 'late', rows: null, skip: false } as const;
    // The clock of whoever decides may be ahead by weeks.
    const ahead = { ...paydrop, clock: { ...clock, now: () => clock.now() + 30 * 86_400_000 } };
    await releaseRows(ahead, await batchOf(paydrop, await theBatch()), order);
    await resumeBatches(paydrop, null, PATIENT);
    expect((await paidIds(THREE)).map(([row]) => row).sort()).toEqual(ALL.slice(0, 4));
    clock.goTo('2026-12-01T18:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    expect((await batchOf(paydrop, await theBatch())).wait?.for).toBe('missed-time');
    expect(await transfersOf(paydrop)).toHaveLength(4);
    await releaseRows(paydrop, await batchOf(paydrop, await theBatch()), order);
    await resumeBatches(paydrop, null, PATIENT);
    expect((await paidIds(THREE)).sort()).toEqual(ALL.map((row) => [row, 'paid']));
  });

  it('is answered when the payments of a day have ended, and once more when all have', async () => {
    await open();
    await processBatch(paydrop, await desk.write('three.xml', THREE), PATIENT);
    expect((await debitsTold()).sort()).toEqual(['A-1', 'B-1', 'B-2', 'B-3']);
    clock.goTo('2026-12-01T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    const told = await statuses();
    const name = `20261128-${shaOf(THREE).slice(0, 8)}`;
    expect(told.map(({ msgId }) => msgId)).toEqual([1, 2, 3].map((n) => `${name}-S${String(n)}`));
    expect(told.every(({ count, msgId }) => count === 5 && msgId.length <= 35)).toBe(true);
    expect(told.map(({ perStatus }) => perStatus)).toEqual([
      { ACCP: 4, PDNG: 1 },
      { ACSC: 4, PDNG: 1 },
      { ACSC: 5 },
    ]);
    expect((await debitsTold()).sort()).toEqual(['A-1', 'B-1', 'B-2', 'B-3', 'C-1']);
  });

  it('leaves what its owner knows as it is while nothing happens between its days', async () => {
    await open();
    await processBatch(paydrop, await desk.write('three.xml', THREE), PATIENT);
    const before = await readdir(outbox());
    clock.goTo('2026-11-29T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    expect(await readdir(outbox())).toEqual(before);
    expect(await transfersOf(paydrop)).toHaveLength(4);
  });

  it('is refused whole for one wrong payment of one day, and told once', async () => {
    await open();
    const text = THREE.replace(amount(301), amount(0));
    const first = await processBatch(paydrop, await desk.write('three.xml', text), PATIENT);
    expect(first.summary.state).toBe('refused');
    expect(await transfersOf(paydrop)).toEqual([]);
    const told = await statuses();
    expect(told.map(({ group, count, perStatus }) => ({ group, count, perStatus }))).toEqual([
      { group: 'RJCT', count: 5, perStatus: { RJCT: 5 } },
    ]);
    expect(told[0]?.transactions.map(({ endToEndId, codes }) => [endToEndId, ...codes])).toContainEqual([
      'C-1',
      'AM01',
    ]);
    // The same bytes are still wrong, and what was corrected is a new message.
    const again = await processBatch(paydrop, await desk.write('three.xml', text), PATIENT);
    expect(again.summary.state).toBe('refused');
    const better = await processBatch(paydrop, await desk.write('better.xml', THREE), PATIENT);
    expect(better.summary.outcomes).toMatchObject({ paid: 4, pending: 1 });
  });

  it('pays what is right of it under skip-rows', async () => {
    await open('onInvalidRows: skip-rows');
    const text = THREE.replace(amount(202), amount(0));
    await processBatch(paydrop, await desk.write('three.xml', text), PATIENT);
    expect(await endsOf(paydrop, await theBatch())).toEqual(['paid', 'rejected', 'quoted', 'paid', 'paid']);
    expect(returnsOfOdoo(await statusTextsOf())).toEqual(['B-2']);
  });

  it('is the same message when it comes again, and a second time on purpose', async () => {
    await open();
    const path = await desk.write('three.xml', THREE);
    await processBatch(paydrop, path, PATIENT);
    expect((await processBatch(paydrop, path, PATIENT)).isRepeated).toBe(true);
    clock.goTo('2026-12-01T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    const second = await processBatch(paydrop, path, HURRIED, true);
    expect(second.summary.batch.slice(9)).toBe(`${shaOf(THREE).slice(0, 8)}-2`);
    expect(second.summary.outcomes).toMatchObject({ pending: 0 });
    expect((await standing()).map((each) => each.split(' ')[0])).toEqual(['', '#2']);
  });

  it('is approved once, and nothing of a later day is sent before it', async () => {
    await open('approval: required');
    await processBatch(paydrop, await desk.write('three.xml', THREE), PATIENT);
    const id = await theBatch();
    expect(await endsOf(paydrop, id)).toEqual(Array(5).fill('quoted'));
    await approveBatch(paydrop, id, { by: 'Awa Ndiaye', via: 'command line' });
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, id)).toEqual(['paid', 'paid', 'quoted', 'paid', 'paid']);
    clock.goTo('2026-12-01T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, id)).toEqual(Array(5).fill('paid'));
  });

  it('is declined whole', async () => {
    await open('approval: required');
    await processBatch(paydrop, await desk.write('three.xml', THREE), PATIENT);
    const order = { by: 'Awa Ndiaye', via: 'command line', reason: 'paid by hand' } as const;
    await declineBatch(paydrop, await theBatch(), order);
    await resumeBatches(paydrop, null, PATIENT);
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(returnsOfOdoo(await statusTextsOf()).toSorted()).toEqual(['A-1', 'B-1', 'B-2', 'B-3', 'C-1']);
  });

  it('counts against the limits of a day what is paid on it', async () => {
    await open();
    const dear = blocks([
      [DAYS[1], [paid('B-1', 900)]],
      [DAYS[2], [paid('C-1', 900)]],
    ]);
    await processBatch(paydrop, await desk.write('two.xml', dear), PATIENT);
    clock.goTo('2026-12-01T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    const spent = async (day: string) => (await paydrop.ledger.spent(await theBatch(), 'XAF', day)).day;
    expect(Number(await spent(DAYS[1]))).toBeGreaterThan(0);
    expect(await spent(DAYS[2])).toBe(await spent(DAYS[1]));
  });

  it('lets a person cancel what is not due yet, and closes', async () => {
    await open();
    await processBatch(paydrop, await desk.write('three.xml', THREE), PATIENT);
    const batch = await batchOf(paydrop, await theBatch());
    const order = { by: 'Awa Ndiaye', reason: 'paid by hand', rows: null, skip: true } as const;
    const end = await releaseRows(paydrop, batch, order);
    expect(end.released).toEqual(['3']);
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, batch.id)).toEqual(['paid', 'paid', 'rejected cancelled', 'paid', 'paid']);
    expect(await standing()).toEqual([' closed']);
    expect(returnsOfOdoo(await statusTextsOf())).toEqual(['C-1']);
  });

  it('is paid day by day, each whole or not at all', async () => {
    await open('strategy: reserve-then-confirm');
    await processBatch(paydrop, await desk.write('three.xml', THREE), PATIENT);
    expect((await paidIds(THREE)).map(([row]) => row).sort()).toEqual(ALL.slice(0, 4));
    clock.goTo('2026-12-01T09:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    expect((await paidIds(THREE)).sort()).toEqual(ALL.map((row) => [row, 'paid']));
  });

  it.each([
    ['stays', false],
    ['is lost', true],
  ])(
    'has a day stopped that cannot be paid whole, and the others paid, where its ledger %s',
    async (_, isLost) => {
      await open('strategy: reserve-then-confirm');
      const path = await desk.write('three.xml', THREE);
      const batch = (await processBatch(failing(THREE, '2', 'refused'), path, PATIENT)).summary.batch;
      const stopped = ['held batch_stopped', 'rejected 10001', 'quoted', 'paid', 'held batch_stopped'];
      expect(await endsOf(paydrop, batch)).toEqual(stopped);
      clock.goTo('2026-12-01T09:00:00Z');
      await resumeBatches(paydrop, null, PATIENT);
      const ends = stopped.with(2, 'paid');
      expect(await endsOf(paydrop, batch)).toEqual(ends);
      if (isLost) {
        await desk.loseLedger();
        await open('strategy: reserve-then-confirm');
        await rebuildFile(paydrop, path, PATIENT);
        for (const hour of ['10', '11', '12']) {
          clock.goTo(`2026-12-01T${hour}:00:00Z`);
          await resumeBatches(paydrop, null, PATIENT);
        }
      }
      const paidNow = (await transfersOf(paydrop)).filter(({ status }) => status === 'paid');
      expect(paidNow).toHaveLength(2);
      await releaseRows(paydrop, await batchOf(paydrop, batch), {
        ...{ by: 'Awa Ndiaye', reason: 'agreed', rows: new Set(['1', '5']), skip: false },
      });
      await resumeBatches(paydrop, null, PATIENT);
      expect(await endsOf(paydrop, batch)).toEqual(ends.with(0, 'paid').with(4, 'paid'));
    },
  );

  it('pays a later day whole or not at all also from a ledger that was rebuilt', async () => {
    await open('strategy: reserve-then-confirm');
    const two = blocks([
      [DAYS[1], [paid('A-1', 101)]],
      [DAYS[2], [paid('B-1', 201), paid('B-2', 202)]],
    ]);
    const path = await desk.write('two.xml', two);
    await processBatch(paydrop, path, PATIENT);
    clock.goTo('2026-12-01T09:00:00Z');
    // One transfer of the day is created, the other gets no answer.
    await resumeBatches(failing(two, '3', 'unanswered'), null, HURRIED);
    expect((await paidIds(two)).map(([, status]) => status).sort()).toEqual(['created', 'paid']);
    await desk.loseLedger();
    await open('strategy: reserve-then-confirm');
    await rebuildFile(paydrop, path, PATIENT);
    for (const hour of ['10', '11', '12']) {
      clock.goTo(`2026-12-01T${hour}:00:00Z`);
      await resumeBatches(failing(two, '3', 'refused'), null, PATIENT);
    }
    const statuses = (await transfersOf(paydrop)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'paid')).toHaveLength(1);
    expect(statuses).not.toContain('submitted');
  });

  it.each([
    ['beside its folders', []],
    ['without its folders', ['processing', 'archive']],
    ['without its folders and answers', ['processing', 'archive', 'outbox']],
  ])('is found again after the ledger is lost, %s', async (_, lost) => {
    await open();
    const path = await desk.write('three.xml', THREE);
    await processBatch(paydrop, path, PATIENT);
    await desk.loseLedger();
    for (const folder of lost) await rm(join(desk.workspace, folder), { recursive: true, force: true });
    await open();
    await rebuildFile(paydrop, path, PATIENT);
    await resumeBatches(paydrop, null, PATIENT);
    expect((await paidIds(THREE)).map(([row]) => row).sort()).toEqual(ALL.slice(0, 4));
    clock.goTo('2026-12-01T10:00:00Z');
    await resumeBatches(paydrop, null, PATIENT);
    await resumeBatches(paydrop, null, PATIENT);
    expect((await paidIds(THREE)).sort()).toEqual(ALL.map((row) => [row, 'paid']));
    const ids = (await statuses()).map(({ msgId }) => msgId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(returnsOfOdoo(await statusTextsOf())).toEqual([]);
  });
});

const WRITES = new Set(['addBatch', 'revise', 'addRows', 'clearRows', 'crossCheck', 'record', 'takeOver']);

/** Of a process that is gone before its next write once it has made so many. */
function dyingAfter(ledger: Paydrop['ledger'], writes: number): Paydrop['ledger'] {
  let left = writes;
  return new Proxy(ledger, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      return (...args: unknown[]): unknown => {
        if (WRITES.has(String(name)) && (left -= 1) < 0) throw new Error('killed');
        return own.apply(target, args);
      };
    },
  });
}

/** Another start each time, so that all places are met over time. */
const STRIDE = 12;
/** Some seven lives, on a busy machine. */
const LIMIT_MS = 120_000;
const FIRST_CUT = 1 + (Date.now() % STRIDE);

describe(`a message of three days that is cut short at every twelfth write from ${String(FIRST_CUT)} on`, () => {
  async function cutShort(writes: number, text: string, isDropped: boolean): Promise<boolean> {
    await desk.close();
    clock.goTo('2026-11-28T09:00:00Z');
    desk = await openDesk({ clock, reversalMs: 86_400_000 }, clock);
    await open();
    const path = await desk.write('three.xml', text);
    const cut = { ...paydrop, ledger: dyingAfter(paydrop.ledger, writes) };
    const result = await processBatch(cut, path, HURRIED).catch(() => null);
    await desk.shut();
    await open();
    if (isDropped) await processBatch(paydrop, path, PATIENT);
    await resumeBatches(paydrop, null, PATIENT);
    // Before anything was taken the file still lies where it was.
    if ((await paydrop.ledger.batches()).length === 0) await processBatch(paydrop, path, PATIENT);
    return result !== null;
  }

  it.each([
    ['is gone on with', false],
    ['is dropped again', true],
  ])('%s, and each payment is made once', { timeout: LIMIT_MS }, async (_, isDropped) => {
    for (let writes = FIRST_CUT, isWhole = false; !isWhole; writes += STRIDE) {
      isWhole = await cutShort(writes, THREE, isDropped);
      expect((await paidIds(THREE)).map(([row]) => row).sort()).toEqual(ALL.slice(0, 4));
      clock.goTo('2026-12-01T09:00:00Z');
      await resumeBatches(paydrop, null, PATIENT);
      expect((await paidIds(THREE)).sort()).toEqual(ALL.map((row) => [row, 'paid']));
      const told = await statuses();
      expect(told.map(({ msgId }) => Number(/-S(\d+)$/.exec(msgId)?.[1]))).toEqual(
        told.map((_each, index) => index + 1),
      );
      expect(told.at(-1)?.perStatus).toEqual({ ACSC: 5 });
      expect((await debitsTold()).sort()).toEqual(['A-1', 'B-1', 'B-2', 'B-3', 'C-1']);
    }
  });

  it('and is wrong on one day is refused whole all the same', { timeout: LIMIT_MS }, async () => {
    const wrong = THREE.replace(amount(203), amount(0));
    for (let writes = FIRST_CUT, isWhole = false; !isWhole; writes += STRIDE) {
      isWhole = await cutShort(writes, wrong, false);
      expect(await standing()).toEqual([' refused']);
      expect(await transfersOf(paydrop)).toEqual([]);
      expect((await statuses()).map(({ group }) => group)).toEqual(['RJCT']);
    }
  });
});
