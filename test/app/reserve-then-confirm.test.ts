// A payroll that is paid whole or not at all: nothing is confirmed before every transfer stands, and from then on every one is.
import { readFile, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import { exitCodeOf, type BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from './release.ts';
import type { Clock } from '../../src/base/clock.ts';
import { type Ledger, changeBatch } from '../../src/ledger/ledger.ts';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { clientOf } from '../sandbox/sandbox-client.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { PAUSED } from '../ledger/records.ts';
import { own } from '../ledger/own.ts';
import { said } from './said.ts';

const WHOLE = 'policy: { strategy: reserve-then-confirm }';
const WHOLE_SKIPPING = 'policy: { strategy: reserve-then-confirm, onInvalidRows: skip-rows }';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

async function deskOf(options: SandboxOptions = {}, clock?: Clock): Promise<Desk> {
  const desk = await openDesk(options, clock);
  desks.push(desk);
  return desk;
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

async function statuses(paydrop: Paydrop): Promise<readonly string[]> {
  return (await transfersOf(paydrop)).map(({ status }) => status);
}

async function resumeOnly(paydrop: Paydrop): Promise<BatchResult> {
  const [result] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
  if (result === undefined) throw new Error('There was nothing to resume.');
  return result;
}

/** As if the process had died at a call of the ledger, before it or behind it. */
function dyingAt(paydrop: Paydrop, method: keyof Ledger, when: 'before' | 'after'): Paydrop {
  const ledger = new Proxy(paydrop.ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target) as unknown;
      return async (...given: unknown[]) => {
        if (when === 'after') await (value.apply(target, given) as Promise<unknown>);
        throw new Error('The power was cut.');
      };
    },
  });
  return { ...paydrop, ledger };
}

/** As if the process had died at the n-th confirm, before it was sent. */
function dyingAtConfirm(paydrop: Paydrop, nth: number): Paydrop {
  let confirms = 0;
  const confirmTransfer: Paydrop['service']['confirmTransfer'] = (id) => {
    confirms += 1;
    if (confirms >= nth) throw new Error('The power was cut.');
    return paydrop.service.confirmTransfer(id);
  };
  return { ...paydrop, service: { ...paydrop.service, confirmTransfer } };
}

async function debited(desk: Desk): Promise<string | undefined> {
  await Promise.resolve();
  return desk.sandbox.books().find(({ currency }) => currency === 'XAF')?.debitedAmount;
}

async function setBalance(desk: Desk, availableAmount: string): Promise<void> {
  await clientOf(desk.sandbox).post('/sandbox/balances', { currency: 'XAF', availableAmount });
}

/** The service takes it for no country, which shows only when the transfer is created. */
const REFUSED_AT_CREATE = line('A-9', '109').replace('Wei,CHN', 'Wei,ch1');

describe('a file that is paid whole or not at all', () => {
  it('is paid whole when all of its transfers stand', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE);
    const result = await processBatch(paydrop, await desk.file('payroll.csv', lines(40)), PATIENT);
    expect(result.summary).toMatchObject({ state: 'closed', outcomes: { paid: 40 } });
    expect(exitCodeOf(result, PATIENT.waitMs)).toBe(0);
    expect((await paydrop.ledger.batch(result.summary.batch))?.whole).toBe('confirming');
  });

  it('has no confirm sent before its last create was answered', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE);
    const calls: string[] = [];
    const service: Paydrop['service'] = {
      ...paydrop.service,
      createTransfer: async (request) => {
        const answer = await paydrop.service.createTransfer(request);
        calls.push('created');
        return answer;
      },
      confirmTransfer: (id) => {
        calls.push('confirm');
        return paydrop.service.confirmTransfer(id);
      },
    };
    await processBatch({ ...paydrop, service }, await desk.file('payroll.csv', lines(30)), PATIENT);
    expect(calls.lastIndexOf('created')).toBeLessThan(calls.indexOf('confirm'));
    expect(calls).toHaveLength(60);
  });

  it('goes on for the others when the network refuses the confirm of one', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE);
    const refused = line('A-9', '109').replace('+8613800138000', '+8613800010027');
    const file = await desk.file('payroll.csv', [refused, ...lines(5)]);
    const result = await processBatch(paydrop, file, PATIENT);
    expect(result.summary.outcomes).toMatchObject({ paid: 5, failed: 1 });
    expect(exitCodeOf(result, PATIENT.waitMs)).toBe(4);
  });

  it('is not stopped by rows that were rejected or are duplicates', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE_SKIPPING);
    await processBatch(paydrop, await desk.file('before.csv', lines(1)), PATIENT);
    const wrong = line('A-8', '');
    const file = await desk.file('payroll.csv', [...lines(3), wrong]);
    const { summary } = await processBatch(paydrop, file, PATIENT);
    expect(summary).toMatchObject({ state: 'closed', outcomes: { paid: 2, duplicate: 1, rejected: 1 } });
  });
});

describe('a file with rows whose price shows that the recipient would get too little', () => {
  it('is paid without them where wrong rows are skipped', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE_SKIPPING);
    const amounts = ['10000', '1', '20000', '2', '30000'];
    const path = await desk.file(
      'payroll.csv',
      amounts.map((amount, row) => line(`A-${String(row)}`, amount)),
    );
    const written = await readFile(path, 'utf8');
    await writeFile(path, written.replace('destinationAmount', 'sourceAmount'));
    const { summary } = await processBatch(paydrop, path, PATIENT);
    expect(summary).toMatchObject({ state: 'closed', outcomes: { paid: 3, rejected: 2 } });
  });
});

describe('a file of which a later price puts a row out of bounds', () => {
  /** The prices of the first try are too old once the funds are there, and the recipients get less by then. */
  async function pricedAgain(config: string) {
    const clock = manualClock();
    const desk = await deskOf({ clock }, passing(clock));
    const paydrop = await desk.open(config.replace('policy: {', 'policy: { maxDrift: 90%,'));
    await setBalance(desk, '0');
    const amounts = ['100000', '200000', '1500'];
    const path = await desk.file(
      'payroll.csv',
      amounts.map((amount, row) => line(`A-${String(row)}`, amount)),
    );
    const written = await readFile(path, 'utf8');
    await writeFile(path, written.replace('destinationAmount', 'sourceAmount'));
    expect((await processBatch(paydrop, path, HURRIED)).summary.waitingFor).toBe('funds');
    clock.advance(16 * 60_000);
    await setBalance(desk, '10000000');
    await clientOf(desk.sandbox).post('/sandbox/rates', { currency: 'CNY', thousandthsPerEur: '3906' });
    // A later lease believes what an earlier one was refused once no read can hide what that one sent; by then the other transfers have run out.
    let { summary } = await resumeOnly(paydrop);
    for (const minutes of [20, 2, 10, 6]) {
      clock.advance(minutes * 60_000);
      if (summary.state !== 'closed') ({ summary } = await resumeOnly(paydrop));
    }
    return { paydrop, summary };
  }

  it('is stopped where one wrong row refuses the whole file', async () => {
    const { paydrop, summary } = await pricedAgain(WHOLE);
    expect(await endsOf(paydrop, summary.batch)).toEqual([
      ...['held batch_stopped', 'held batch_stopped'],
      'rejected amount_outside_bounds',
    ]);
    expect(await statuses(paydrop)).not.toContain('paid');
  });

  it('is paid without that row where wrong rows are skipped', async () => {
    const { summary } = await pricedAgain(WHOLE_SKIPPING);
    expect(summary.outcomes).toMatchObject({ paid: 2, rejected: 1 });
  });
});

describe('a file of which one row is refused at its create', () => {
  async function refused() {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE);
    const file = await desk.file('payroll.csv', [...lines(5), REFUSED_AT_CREATE]);
    const result = await processBatch(paydrop, file, PATIENT);
    return { desk, paydrop, result, batch: result.summary.batch };
  }

  it('has nothing of it confirmed, and its owner is told by which row', async () => {
    const { desk, paydrop, result, batch } = await refused();
    expect(await endsOf(paydrop, batch)).toEqual([
      ...Array.from({ length: 5 }, () => 'held batch_stopped'),
      'rejected 10001',
    ]);
    expect(new Set(await statuses(paydrop))).toEqual(new Set(['created']));
    expect(await debited(desk)).toBe('0');
    expect(exitCodeOf(result, PATIENT.waitMs)).toBe(5);
    expect(result.summary).toMatchObject({ waitingFor: 'operator', outcomes: { held: 5, rejected: 1 } });
    expect(said(result.words)).toEqual([
      `The file is paid whole or not at all, and one of its rows was refused, so no other row is confirmed: held rows wait for a person. "paydrop status ${batch}" has the commands: one pays the others without it, one cancels them so that the corrected file pays them.`,
    ]);
    expect(result.attention?.[0]?.reason).toMatch(/paid whole or not at all.*\(Row 7 was refused\.\)/);
  });

  it('stays so when it is resumed', async () => {
    const { desk, paydrop, batch } = await refused();
    await resumeOnly(paydrop);
    expect((await endsOf(paydrop, batch)).filter((end) => end.startsWith('held'))).toHaveLength(5);
    expect(await debited(desk)).toBe('0');
  });

  it('is paid without it once a person has released the others', async () => {
    const { desk, paydrop, batch } = await refused();
    await release(paydrop, batch, false);
    const result = await resumeOnly(await desk.open());
    expect(result.summary).toMatchObject({ state: 'closed', outcomes: { paid: 5, rejected: 1 } });
    expect((await statuses(paydrop)).filter((status) => status === 'paid')).toHaveLength(5);
  });

  it('is paid from the corrected file once a person has closed the others unpaid', async () => {
    const { desk, paydrop, batch } = await refused();
    await release(paydrop, batch, true);
    expect((await resumeOnly(paydrop)).summary).toMatchObject({ state: 'closed', outcomes: { rejected: 6 } });
    const corrected = await desk.file('corrected.csv', [...lines(5), line('A-9', '109')]);
    const result = await processBatch(paydrop, corrected, PATIENT);
    expect(result.summary).toMatchObject({ state: 'closed', outcomes: { paid: 6 } });
    expect((await statuses(paydrop)).filter((status) => status === 'paid')).toHaveLength(6);
  });
});

async function release({ ledger, ...records }: Paydrop, batch: string, skip: boolean): Promise<void> {
  const record = await ledger.batch(batch);
  if (record === null) throw new Error('The batch is there.');
  await releaseRows({ ledger, ...records }, record, { by: 'A. Ngo', reason: 'agreed', rows: null, skip });
}

describe('a file of which one row waits for a person', () => {
  it('has nothing created; once that row is closed, the others are paid', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE);
    await processBatch(paydrop, await desk.file('before.csv', lines(1)), PATIENT);
    const changed = line('A-1', '999');
    const file = await desk.file('payroll.csv', [changed, ...lines(4).slice(1)]);
    const result = await processBatch(paydrop, file, PATIENT);
    const { batch } = result.summary;
    expect(result.summary).toMatchObject({
      waitingFor: 'operator',
      outcomes: { held: 1, pending: 3 },
    });
    expect(exitCodeOf(result, PATIENT.waitMs)).toBe(5);
    expect(said(result.words)).toEqual([
      `Nothing of the file was confirmed, because it is paid whole or not at all. Held rows wait for a person: "paydrop status ${batch}" says why. Decide with "paydrop release", then run "paydrop resume".`,
    ]);
    expect(await transfersOf(paydrop)).toHaveLength(1);
    await release(paydrop, batch, true);
    expect((await resumeOnly(paydrop)).summary).toMatchObject({
      state: 'closed',
      outcomes: { paid: 3, rejected: 1 },
    });
  });
});

describe('a process that dies', () => {
  it.each(['before', 'after'] as const)(
    '%s the decision, with every transfer created and none confirmed: resume confirms all, whatever its own config says',
    async (when) => {
      const desk = await deskOf();
      const file = await desk.file('payroll.csv', lines(20));
      const dying = dyingAt(await desk.open(WHOLE), 'decideWhole', when);
      await expect(processBatch(dying, file, PATIENT)).rejects.toThrow('The power was cut');
      expect(await statuses(dying)).toEqual(Array.from({ length: 20 }, () => 'created'));
      await desk.shut();
      const paydrop = await desk.open();
      expect((await resumeOnly(paydrop)).summary).toMatchObject({ state: 'closed', outcomes: { paid: 20 } });
      expect(await transfersOf(paydrop)).toHaveLength(20);
    },
  );

  it('in the middle of confirming: resume ends it', async () => {
    const desk = await deskOf();
    const file = await desk.file('payroll.csv', lines(20));
    const dying = dyingAtConfirm(await desk.open(`${WHOLE}\nservice: { concurrency: 2 }`), 7);
    await expect(processBatch(dying, file, PATIENT)).rejects.toThrow('The power was cut');
    expect((await statuses(dying)).filter((status) => status === 'created').length).toBeGreaterThan(10);
    await desk.shut();
    const paydrop = await desk.open();
    expect((await resumeOnly(paydrop)).summary).toMatchObject({ state: 'closed', outcomes: { paid: 20 } });
    expect(await transfersOf(paydrop)).toHaveLength(20);
  });

  it.each([1, 7])(
    'at confirm %i, and the disk of the ledger with it: a rebuild goes on to the end, whatever its own config says',
    async (nth) => {
      const desk = await deskOf();
      const file = await desk.file('payroll.csv', lines(20));
      const dying = dyingAtConfirm(await desk.open(`${WHOLE}\nservice: { concurrency: 2 }`), nth);
      await expect(processBatch(dying, file, PATIENT)).rejects.toThrow('The power was cut');
      await desk.loseLedger();
      const paydrop = await desk.open();
      const [rebuilt] = await rebuildFile(paydrop, file, PATIENT);
      expect(rebuilt?.batch.whole).toBe(nth === 1 ? 'reserving' : 'confirming');
      expect((await resumeOnly(paydrop)).summary).toMatchObject({ state: 'closed', outcomes: { paid: 20 } });
      expect(await transfersOf(paydrop)).toHaveLength(20);
    },
  );
});

describe('a file that does not fit into the life of its quotations', () => {
  it('is refused before anything is created, with how many rows, how long, and what to do; smaller ones are paid', async () => {
    const desk = await deskOf({ latencyMs: 40, quoteLifeMs: 15_000 });
    const paydrop = await desk.open(`${WHOLE}\nservice: { concurrency: 1 }`);
    const file = await desk.file('payroll.csv', lines(150));
    const result = await processBatch(paydrop, file, PATIENT);
    expect(exitCodeOf(result, PATIENT.waitMs)).toBe(3);
    expect(result.summary).toMatchObject({ state: 'refused', outcomes: { pending: 150 } });
    expect(said(result.words)[0]).toMatch(
      /before the quotations expire, after 15 s\. 150 rows need about [\d mins]+ at the pace measured now.*files of fewer rows.*service\.concurrency.*row-by-row/,
    );
    expect(await transfersOf(paydrop)).toEqual([]);
    const smaller = await desk.file('smaller.csv', lines(4));
    expect((await processBatch(paydrop, smaller, PATIENT)).summary.outcomes.paid).toBe(4);
  });
});

describe('a service that loses answers', () => {
  it('gets a whole file paid whole, once', async () => {
    const clock = manualClock();
    const operations = ['createQuotation', 'createTransfer', 'confirmTransfer'] as const;
    const faults = { seed: 5, rules: [{ fault: 'drop-answer', operations, probability: 0.2 }] } as const;
    const desk = await deskOf({ clock, faults }, passing(clock));
    const paydrop = await desk.open(WHOLE);
    const file = await desk.file('payroll.csv', lines(40));
    const { summary } = await processBatch(paydrop, file, PATIENT);
    expect(summary).toMatchObject({ state: 'closed', outcomes: { paid: 40 } });
    expect(await transfersOf(paydrop)).toHaveLength(40);
  });

  it('has nothing confirmed while one create has no answer at all, and the whole file once it has', async () => {
    const clock = manualClock();
    const silent = { fault: 'drop', operations: ['createTransfer'], skip: 4, times: 40 } as const;
    const desk = await deskOf({ clock, faults: { rules: [silent] } }, passing(clock));
    const paydrop = await desk.open(WHOLE);
    const result = await processBatch(paydrop, await desk.file('payroll.csv', lines(5)), HURRIED);
    expect(said(result.words)[0]).toMatch(/^Nothing of the file was confirmed/);
    expect(result.summary.outcomes.pending).toBe(5);
    expect(await statuses(paydrop)).toEqual(['created', 'created', 'created', 'created']);
    for (let tries = 0; tries < 10; tries++) await resumeBatches(paydrop, null, PATIENT);
    expect((await statuses(paydrop)).filter((status) => status === 'paid')).toHaveLength(5);
  });
});

describe('a whole file that was begun', () => {
  it('is not decided while it is paused, and is paid once it is resumed', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE);
    const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
      for (const { id } of await paydrop.ledger.batches())
        await changeBatch(paydrop.ledger, await own(paydrop.ledger, id), PAUSED);
      return paydrop.service.createTransfer(request);
    };
    const pausing = { ...paydrop, service: { ...paydrop.service, createTransfer } };
    const result = await processBatch(pausing, await desk.file('payroll.csv', lines(3)), PATIENT);
    expect(said(result.words)[0]).toMatch(/^Paused by Marie Dupont/);
    expect((await paydrop.ledger.batch(result.summary.batch))?.whole).toBe('reserving');
    expect((await resumeOnly(paydrop)).summary).toMatchObject({ state: 'closed', outcomes: { paid: 3 } });
  });

  it('has nothing more created when the rest no longer fits, and says how to go on', async () => {
    const clock = manualClock();
    const desk = await deskOf({ clock }, passing(clock));
    const paydrop = await desk.open(WHOLE);
    await setBalance(desk, '10000');
    const file = await desk.file('payroll.csv', lines(20));
    expect((await processBatch(paydrop, file, HURRIED)).summary.waitingFor).toBe('funds');
    await setBalance(desk, '10000000');
    const before = (await transfersOf(paydrop)).length;
    const createQuotation: Paydrop['service']['createQuotation'] = async (request) => {
      const answer = await paydrop.service.createQuotation(request);
      clock.advance(40_000);
      return answer;
    };
    const slow = { ...paydrop, service: { ...paydrop.service, createQuotation } };
    const [result] = (await resumeBatches(slow, null, HURRIED)) ?? [];
    expect(said(result?.words ?? [])[0]).toMatch(
      /^Nothing of the file was confirmed.*20 rows need about 39 min.*one call in 40 s.*Raise "service\.concurrency".*"paydrop resume"/,
    );
    expect(await transfersOf(paydrop)).toHaveLength(before);
  });
});

describe('a file that was previewed long before', () => {
  it('is reserved under new prices where those of the preview would not last', async () => {
    const clock = manualClock();
    const desk = await deskOf({ clock }, passing(clock));
    const paydrop = await desk.open(WHOLE);
    const file = await desk.file('payroll.csv', lines(60));
    await previewFile(paydrop, file, PATIENT);
    clock.advance(14 * 60_000);
    const { summary } = await processBatch(paydrop, file, HURRIED);
    expect(summary.outcomes.submitted).toBe(60);
    const lives = (await transfersOf(paydrop)).map(({ expiredAt }) => Date.parse(expiredAt) - clock.now());
    expect(Math.min(...lives)).toBeGreaterThan(14 * 60_000);
  });
});

describe('a file for which the funds run out at its last row', () => {
  it('has nothing confirmed; topped up, two processes at once pay it whole, once', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE);
    // Five rows cost about 45,000, each nearly 9,000.
    await setBalance(desk, '40000');
    const file = await desk.file('payroll.csv', lines(5));
    const result = await processBatch(paydrop, file, HURRIED);
    expect(result.summary).toMatchObject({ waitingFor: 'funds', outcomes: { pending: 5 } });
    expect(exitCodeOf(result, HURRIED.waitMs)).toBe(5);
    expect(said(result.words).join(' ')).toMatch(
      /^Nothing of the file was confirmed, because it is paid whole or not at all\. The XAF balance ran out: 1 payment waits.*are missing\. Top up/,
    );
    expect(await statuses(paydrop)).toEqual(Array.from({ length: 4 }, () => 'created'));
    await desk.shut();
    await setBalance(desk, '1000000');
    const runs = await Promise.all([desk.open(), desk.open()]);
    await Promise.allSettled(runs.map((run) => resumeBatches(run, null, PATIENT)));
    const last = await desk.open();
    await resumeBatches(last, null, PATIENT);
    expect((await last.ledger.batches()).map(({ state, whole }) => `${state} ${String(whole)}`)).toEqual([
      'closed confirming',
    ]);
    expect(await statuses(last)).toEqual(Array.from({ length: 5 }, () => 'paid'));
  });
});

describe('several processes at once', () => {
  /** A batch that stopped for want of funds after a few of its rows. */
  async function begun(content: readonly string[]): Promise<Desk> {
    const desk = await deskOf({ latencyMs: 2 });
    await setBalance(desk, '60000');
    const paydrop = await desk.open(`${WHOLE}\nservice: { concurrency: 2 }`);
    await processBatch(paydrop, await desk.file('payroll.csv', content), HURRIED);
    await desk.shut();
    await setBalance(desk, '10000000');
    return desk;
  }

  async function resumeThree(desk: Desk): Promise<Paydrop> {
    const runs = await Promise.all([desk.open(), desk.open(), desk.open()]);
    const ends = await Promise.allSettled(runs.map((run) => resumeBatches(run, null, PATIENT)));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    return desk.open();
  }

  it('pay a whole file once', async () => {
    const desk = await begun(lines(30));
    const last = await resumeThree(desk);
    await resumeBatches(last, null, PATIENT);
    expect(await statuses(last)).toEqual(Array.from({ length: 30 }, () => 'paid'));
    expect((await last.ledger.batches()).map(({ state }) => state)).toEqual(['closed']);
  });

  it('confirm nothing of a file of which one row is refused', async () => {
    const desk = await begun([...lines(30), REFUSED_AT_CREATE.replace('A-9', 'A-99')]);
    const last = await resumeThree(desk);
    expect(new Set(await statuses(last))).toEqual(new Set(['created']));
    const [batch] = await last.ledger.batches();
    // A refusal is believed at once by the run that alone has sent the create, and else when no create of another run can arrive any more.
    expect(['reserving', 'stopped']).toContain(batch?.whole);
    const ends = new Set(await endsOf(last, batch?.id ?? ''));
    if (batch?.whole === 'stopped') expect(ends).toEqual(new Set(['held batch_stopped', 'rejected 10001']));
    else expect(ends).not.toContain('rejected 10001');
  });
});

describe('a file that runs out of time before its first confirm', () => {
  /** The last create takes nearly all of the quotations' fifteen minutes. */
  async function late() {
    const clock = manualClock();
    const desk = await deskOf({ clock }, passing(clock));
    const paydrop = await desk.open(WHOLE);
    let creates = 0;
    const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
      const answer = await paydrop.service.createTransfer(request);
      creates += 1;
      if (creates === 3) clock.advance(14.5 * 60_000);
      return answer;
    };
    const slow = { ...paydrop, service: { ...paydrop.service, createTransfer } };
    const result = await processBatch(slow, await desk.file('payroll.csv', lines(3)), HURRIED);
    return { clock, desk, paydrop, result };
  }

  it('has nothing confirmed, and says from when on it can be tried again', async () => {
    const { paydrop, result } = await late();
    expect(exitCodeOf(result, HURRIED.waitMs)).toBe(5);
    expect(result.summary.outcomes).toMatchObject({ pending: 3 });
    expect(said(result.words)[0]).toMatch(
      /^Nothing of the file was confirmed.*expire by themselves, for certain at 2026-11-20T09:01:\d\d\.\d+Z; run "paydrop resume" then/,
    );
    expect(await statuses(paydrop)).toEqual(['created', 'created', 'created']);
  });

  it('makes no new transfer before the old ones are proved dead', async () => {
    const { clock, paydrop } = await late();
    clock.advance(40_000);
    const [result] = (await resumeBatches(paydrop, null, HURRIED)) ?? [];
    expect(said(result?.words ?? [])[0]).toMatch(/^Nothing of the file was confirmed.*resume/);
    expect(await statuses(paydrop)).toEqual(['created', 'created', 'created']);
  });

  it('is paid once, whole, by new transfers when the old ones are proved dead', async () => {
    const { clock, paydrop } = await late();
    clock.advance(22 * 60_000);
    const result = await resumeOnly(paydrop);
    expect(result.summary).toMatchObject({ state: 'closed', outcomes: { paid: 3 } });
    expect((await statuses(paydrop)).toSorted()).toEqual([
      ...['created', 'created', 'created'],
      ...['paid', 'paid', 'paid'],
    ]);
    const rows = await paydrop.ledger.rows(result.summary.batch, 0, 10);
    expect(rows.map(({ progress }) => progress.deadAttempts.map(({ proof }) => proof))).toEqual(
      Array.from({ length: 3 }, () => ['expired-unconfirmed']),
    );
  });
});
