// What the owner of an all-or-nothing file is told while something blocks it: only what is true, and to everybody who has to act.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import { mayDecide } from '../../src/app/workflow/batch/may-decide.ts';
import { openCourier } from '../../src/app/notify/courier.ts';
import type { NoticeMessage } from '../../src/app/config/notify-config.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { clientOf } from '../sandbox/sandbox-client.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { receiver } from '../sandbox/receiver.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { said } from './said.ts';

const WHOLE = 'policy: { strategy: reserve-then-confirm }';

/** The service takes it for no country, which shows only when the transfer is created. */
const REFUSED_AT_CREATE = line('A-9', '109').replace('Wei,CHN', 'Wei,ch1');

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

async function scene(
  options: SandboxOptions = {},
): Promise<{ readonly clock: ManualClock; readonly desk: Desk }> {
  const clock = manualClock();
  const desk = await openDesk({ clock, ...options }, passing(clock));
  desks.push(desk);
  return { clock, desk };
}

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

function lines(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => line(`A-${String(index + 1)}`, String(100 + index)));
}

async function setBalance(desk: Desk, availableAmount: string): Promise<void> {
  await clientOf(desk.sandbox).post('/sandbox/balances', { currency: 'XAF', availableAmount });
}

async function resume(paydrop: Paydrop, batch: string): Promise<BatchResult> {
  const [result] = (await resumeBatches(paydrop, batch, HURRIED)) ?? [];
  if (result === undefined) throw new Error('There was nothing to resume.');
  return result;
}

describe('a file that another process decides on', () => {
  it('is not told that nothing was confirmed, although that was so a moment ago', async () => {
    const { desk } = await scene();
    const real = await desk.open(WHOLE);
    await setBalance(desk, '10000');
    const { batch } = (await processBatch(real, await desk.file('payroll.csv', lines(2)), HURRIED)).summary;
    const other = await desk.open(WHOLE);
    let asked = 0;
    const balances: Paydrop['service']['balances'] = async () => {
      const answer = await real.service.balances();
      asked += 1;
      if (asked > 1) return answer;
      await setBalance(desk, '10000000');
      await resume(other, batch);
      return answer;
    };
    const result = await resume({ ...real, service: { ...real.service, balances } }, batch);
    expect(asked).toBeGreaterThan(0);
    expect(said(result.words).join(' ')).not.toContain('Nothing of the file was confirmed');
    expect(result.summary).toMatchObject({ waitingFor: null, outcomes: { submitted: 2 } });
  });
});

describe('a file of which a transfer that was given up has been brought back, and is paid', () => {
  /** The first transfers run out before the first confirm; the first of them is shown as paid once its row has given it up. */
  async function revived(): Promise<{ readonly paydrop: Paydrop; readonly batch: string }> {
    const { clock, desk } = await scene();
    const real = await desk.open(WHOLE);
    let creates = 0;
    const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
      const answer = await real.service.createTransfer(request);
      creates += 1;
      if (creates === 3) clock.advance(14.5 * MINUTE_MS);
      return answer;
    };
    const slow = { ...real, service: { ...real.service, createTransfer } };
    const { batch } = (await processBatch(slow, await desk.file('payroll.csv', lines(3)), HURRIED)).summary;
    // The run that goes on has another lease: only a look so late shows that the transfers are dead.
    clock.advance(22 * MINUTE_MS);
    const [row] = await real.ledger.rows(batch, 0, 1);
    const transfer: Paydrop['service']['transfer'] = async (id) => {
      const answer = await real.service.transfer(id);
      const [now] = await real.ledger.rows(batch, 0, 1);
      const isRevived = id === row?.progress.transfer?.transferId && now?.progress.deadAttempts.length === 1;
      return isRevived
        ? { ...answer, value: { ...answer.value, status: 'paid', statusCode: '20000' } }
        : answer;
    };
    return { batch, paydrop: { ...real, service: { ...real.service, transfer } } };
  }

  it('is not told that nothing was confirmed', async () => {
    const { paydrop, batch } = await revived();
    const { words } = await resume(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toContain('held transfer_reinstated');
    expect(said(words)[0]).toMatch(/^Held rows wait for a person: "paydrop status/);
  });
});

describe('a file of which no transfer is known', () => {
  it('is said to be under way while a create that got no answer may still arrive', async () => {
    const lost = { fault: 'drop', operations: ['createTransfer'], times: 1 } as const;
    const { desk } = await scene({ faults: { rules: [lost] } });
    const paydrop = await desk.open(WHOLE);
    const file = await desk.file('payroll.csv', [REFUSED_AT_CREATE]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    expect(said((await resume(paydrop, batch)).words)).toEqual([UNDER_WAY]);
  });

  const UNDER_WAY =
    'Nothing of the file was confirmed, because it is paid whole or not at all. Some rows are still in progress or have no answer yet. Run "paydrop resume".';
});

describe('a file that the limit of a day had stopped, and that is taken up on the day after', () => {
  async function overTheDay() {
    const { clock, desk } = await scene();
    const hook = await receiver();
    const more = `limits: { perDay: 100000 XAF }\nnotify: { hook: { url: "${hook.url}" } }`;
    await processBatch(await desk.open(more), await desk.file('before.csv', lines(5)), PATIENT);
    await desk.shut();
    const config = `${WHOLE}\n${more}`;
    const file = await desk.file('payroll.csv', [line('B-1', '400'), line('B-2', '410')]);
    const { batch } = (await processBatch(await desk.open(config), file, HURRIED)).summary;
    await desk.shut();
    clock.advance(DAY_MS);
    return { clock, hook, batch, open: (service?: 'nobody') => desk.open(config, service) };
  }

  it('is told of the file STOP as a trouble, and not as stopped once more by the limit', async () => {
    const { clock, hook, batch, open } = await overTheDay();
    const real = await open();
    const createQuotation: Paydrop['service']['createQuotation'] = async (request) => {
      await writeFile(join(real.workspace.inbox, 'STOP'), '');
      // By then the file is looked for again.
      clock.advance(1_000);
      return real.service.createQuotation(request);
    };
    await resume({ ...real, service: { ...real.service, createQuotation } }, batch);
    await openCourier(real, mayDecide).round(new AbortController().signal);
    const told = hook.received.map(({ body }) => JSON.parse(body.toString('utf8')) as NoticeMessage);
    const ofStop = told.filter(({ text }) => text.includes('STOP'));
    expect(ofStop.map(({ event }) => event)).toEqual(['trouble']);
    expect((await real.ledger.batch(batch))?.wait?.for).toBe('limits');
  });

  it('is still stopped by it while the service tells no prices, so that a release decides about the file', async () => {
    const { batch, open } = await overTheDay();
    const [real, away] = [await open(), await open('nobody')];
    const createQuotation: Paydrop['service']['createQuotation'] = (request) =>
      away.service.createQuotation(request);
    const { summary } = await resume({ ...real, service: { ...real.service, createQuotation } }, batch);
    expect(summary.waitingFor).toBe('operator');
    expect((await real.ledger.batch(batch))?.wait?.for).toBe('limits');
  });
});

describe('a file of which a row waits for a person', () => {
  it('is told to whoever is notified of held rows, once', async () => {
    const { desk } = await scene();
    const hook = await receiver();
    const paydrop = await desk.open(`${WHOLE}\nnotify: { hook: { url: "${hook.url}" } }`);
    await processBatch(paydrop, await desk.file('before.csv', lines(1)), PATIENT);
    const file = await desk.file('payroll.csv', [line('A-1', '999'), ...lines(4).slice(1)]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    await resume(paydrop, batch);
    await openCourier(paydrop, mayDecide).round(new AbortController().signal);
    const told = hook.received.map(({ body }) => JSON.parse(body.toString('utf8')) as NoticeMessage);
    expect(told.filter(({ event }) => event === 'held').map(({ subject }) => subject)).toEqual([
      '[paydrop] payroll.csv: 1 row waits for a person',
    ]);
  });

  it('is not stopped any more by the limit of the day before, so that a release decides about the row', async () => {
    const { clock, desk } = await scene();
    const limits = 'limits: { perDay: 100000 XAF, perRow: 20000 XAF }';
    await processBatch(await desk.open(limits), await desk.file('before.csv', lines(5)), PATIENT);
    await desk.shut();
    const paydrop = await desk.open(`${WHOLE}\n${limits}`);
    const file = await desk.file('payroll.csv', [line('B-1', '150'), line('B-2', '900')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    expect((await paydrop.ledger.batch(batch))?.wait?.for).toBe('limits');
    clock.advance(DAY_MS);
    await resume(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toContain('held over_row_limit');
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('The batch is there.');
    expect(record.wait?.for).toBe('held-rows');
    const order = { by: 'A. Ngo', reason: 'agreed', rows: null, skip: false };
    expect(await releaseRows(paydrop, record, order)).toMatchObject({ file: null, released: ['3'] });
    expect((await paydrop.ledger.batch(batch))?.decisions).toMatchObject([{ about: 'release' }]);
  });
});
