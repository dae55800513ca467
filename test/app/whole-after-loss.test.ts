// An all-or-nothing file whose ledger was lost, or is older than the payments: for a while the service may show confirmed transfers as not
// confirmed, and anybody who believed that would pay twice.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { Refused } from '../../src/service/errors.ts';
import type { Transfer } from '../../src/service/wire.ts';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

const WHOLE = 'policy: { strategy: reserve-then-confirm }';

const LINES = [line('A-1', '101'), line('A-2', '102'), line('A-3', '103')];

/** The service takes it for no country, which shows only when the transfer is created. */
const REFUSED_AT_CREATE = line('A-9', '109').replace('Wei,CHN', 'Wei,ch1');

const MINUTE_MS = 60_000;

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

type Scene = {
  readonly clock: ManualClock;
  readonly desk: Desk;
  /** The machine of paydrop sleeps, and its monotonic clock with it. */
  readonly suspend: (ms: number) => void;
};

async function scene(options: SandboxOptions = {}): Promise<Scene> {
  const clock = manualClock();
  let suspendedMs = 0;
  const own: Clock = { ...passing(clock), monotonic: () => clock.monotonic() - suspendedMs };
  const desk = await openDesk({ clock, ...options }, own);
  desks.push(desk);
  const suspend = (ms: number): void => {
    suspendedMs += ms;
    clock.advance(ms);
  };
  return { clock, desk, suspend };
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

/** As if the process had died before it was decided that the file is confirmed. */
function undecided(paydrop: Paydrop): Paydrop {
  const decideWhole = (): never => {
    throw new Error('The power was cut.');
  };
  const ledger = new Proxy(paydrop.ledger, {
    get: (target, name) => {
      if (name === 'decideWhole') return decideWhole;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...paydrop, ledger };
}

/** What the reads of the service show of a transfer: the first has failed, and the others are shown as they were before their confirm while `lags`. */
type Lag = { lags: 'nothing' | 'created' | 'absent'; onRead?: () => void };

async function lagging(real: Paydrop, lag: Lag): Promise<Paydrop> {
  const [first] = (await transfersOf(real)).toSorted((a, b) => Number(b.sendAmount) - Number(a.sendAmount));
  const shown = (transfer: Transfer): Transfer => {
    if (transfer.id === first?.id) return { ...transfer, status: 'failed', statusCode: '100002' };
    return lag.lags === 'nothing' ? transfer : { ...transfer, status: 'created', statusCode: '10000' };
  };
  const transferByExternalId: Paydrop['service']['transferByExternalId'] = async (id) => {
    const answer = await real.service.transferByExternalId(id);
    const isAbsent = lag.lags === 'absent' && answer.value.id !== first?.id;
    if (!isAbsent) return { ...answer, value: shown(answer.value) };
    // The service's own words for an id that nobody has used.
    const missing = await real.service
      .transferByExternalId(crypto.randomUUID())
      .catch((fault: unknown) => fault);
    throw missing instanceof Refused ? missing : new Error('An id that nobody has used is refused.');
  };
  const service: Paydrop['service'] = {
    ...real.service,
    transferByExternalId,
    transfer: async (id) => {
      const answer = await real.service.transfer(id);
      lag.onRead?.();
      return { ...answer, value: shown(answer.value) };
    },
    transfers: async (asked) => {
      const answer = await real.service.transfers(asked);
      return { ...answer, value: { ...answer.value, transfers: answer.value.transfers.map(shown) } };
    },
  };
  return { ...real, service };
}

async function resume(paydrop: Paydrop): Promise<BatchResult> {
  const [result] = (await resumeBatches(paydrop, null, HURRIED)) ?? [];
  if (result === undefined) throw new Error('There was nothing to resume.');
  return result;
}

async function onlyBatch({ ledger }: Paydrop): Promise<BatchRecord> {
  const [batch] = await ledger.batches();
  if (batch === undefined) throw new Error('The batch is there.');
  return batch;
}

async function reasons({ ledger }: Paydrop): Promise<readonly (string | undefined)[]> {
  const [batch] = await ledger.batches();
  const rows = await ledger.rows(batch?.id ?? '', 0, 10);
  return rows.flatMap(({ progress }) => (progress.hold !== null ? [progress.hold.reason.en] : []));
}

/** Nobody may be told to pay it another way, and nothing of it may wait for a person. */
function expectToWait({ words, summary }: BatchResult): void {
  expect(summary).toMatchObject({ waitingFor: 'service', outcomes: { held: 0, failed: 1 } });
  expect(said(words)[0]).toMatch(
    /^The service shows no confirmed row.*Row \d was refused\. The ledger was lost or is an older copy.*may be confirmed.*Run "paydrop resume" after 20\S+Z, when this is certain\. Until then do not pay/,
  );
  expect(said(words).join(' ')).not.toMatch(/--skip|corrected file|Nothing of the file was confirmed/);
}

describe('a whole file that was paid, and whose ledger was lost', () => {
  it.each(['created', 'absent'] as const)(
    'is not stopped for a row that failed while reads may show the others as %s; later it is told as it is',
    async (lags) => {
      const { clock, desk } = await scene();
      const file = await desk.file('payroll.csv', LINES);
      await processBatch(await desk.open(WHOLE), file, HURRIED);
      await desk.loseLedger();
      const lag: Lag = { lags };
      const paydrop = await lagging(await desk.open(WHOLE), lag);
      await rebuildFile(paydrop, file, PATIENT);
      expectToWait(await resume(paydrop));
      expect((await onlyBatch(paydrop)).whole).toBe('reserving');
      clock.advance(14 * MINUTE_MS);
      expectToWait(await resume(paydrop));
      lag.lags = 'nothing';
      clock.advance(2 * MINUTE_MS);
      const { summary } = await resume(paydrop);
      expect(summary).toMatchObject({ state: 'closed', outcomes: { paid: 2, failed: 1, held: 0 } });
      expect(await transfersOf(paydrop)).toHaveLength(3);
    },
  );
});

it('a whole file that was paid is not stopped by what was read before the machine slept', async () => {
  const { desk, suspend } = await scene();
  const file = await desk.file('payroll.csv', LINES);
  await processBatch(await desk.open(WHOLE), file, HURRIED);
  await desk.loseLedger();
  const lag: Lag = { lags: 'created' };
  const paydrop = await lagging(await desk.open(`${WHOLE}\nservice: { concurrency: 1 }`), lag);
  await rebuildFile(paydrop, file, PATIENT);
  let reads = 0;
  lag.onRead = () => {
    reads += 1;
    if (reads === 1) suspend(16 * MINUTE_MS);
  };
  expectToWait(await resume(paydrop));
  expect(reads).toBeGreaterThan(1);
});

describe('a whole file that was paid, and whose ledger was put back as it stood before', () => {
  it('is not stopped for a row that failed before reads can hide nothing', async () => {
    const { clock, desk } = await scene();
    const file = await desk.file('payroll.csv', LINES);
    await expect(processBatch(undecided(await desk.open(WHOLE)), file, PATIENT)).rejects.toThrow('power');
    await desk.shut();
    const [ledger, backup] = [join(desk.workspace, 'ledger.sqlite'), join(desk.workspace, 'backup')];
    await copyFile(ledger, backup);
    await resumeBatches(await desk.open(WHOLE), null, HURRIED);
    const lag: Lag = { lags: 'created' };
    await desk.loseLedger();
    await copyFile(backup, ledger);
    const paydrop = await lagging(await desk.open(WHOLE), lag);
    expectToWait(await resume(paydrop));
    expect((await onlyBatch(paydrop)).whole).toBe('reserving');
    lag.lags = 'nothing';
    clock.advance(31 * MINUTE_MS);
    expect((await resume(paydrop)).summary).toMatchObject({ outcomes: { paid: 2, failed: 1, held: 0 } });
    expect(await transfersOf(paydrop)).toHaveLength(3);
  });
});

describe('a whole file of which nothing was confirmed before its ledger was lost', () => {
  async function stopped(options: SandboxOptions) {
    const { clock, desk } = await scene(options);
    const file = await desk.file('payroll.csv', LINES);
    await expect(processBatch(undecided(await desk.open(WHOLE)), file, PATIENT)).rejects.toThrow('power');
    await desk.loseLedger();
    const paydrop = await lagging(await desk.open(WHOLE), { lags: 'nothing' });
    await rebuildFile(paydrop, file, PATIENT);
    expectToWait(await resume(paydrop));
    clock.advance(17 * MINUTE_MS);
    const { batch } = (await resume(paydrop)).summary;
    expect((await endsOf(paydrop, batch)).toSorted()).toEqual([
      'failed 100002',
      'held batch_stopped',
      'held batch_stopped',
    ]);
    return reasons(paydrop);
  }

  it('is stopped for a row that failed once that is certain, and may then be paid from the corrected file', async () => {
    for (const reason of await stopped({ quoteLifeMs: 120 * MINUTE_MS }))
      expect(reason).toMatch(/Release this row.*--skip.*corrected file/);
  });

  it('is stopped too when its transfers have run out meanwhile, without a word of closing it', async () => {
    for (const reason of await stopped({ quoteLifeMs: 14 * MINUTE_MS })) {
      expect(reason).toMatch(/may have confirmed this row.*look it up at the service/);
      expect(reason).not.toMatch(/--skip|corrected/);
    }
  });
});

describe('a row that is held because its file is not whole', () => {
  async function heldRows(): Promise<Paydrop> {
    const { desk } = await scene();
    const file = await desk.file('payroll.csv', [...LINES, REFUSED_AT_CREATE]);
    await expect(processBatch(undecided(await desk.open(WHOLE)), file, PATIENT)).rejects.toThrow('power');
    await desk.shut();
    const paydrop = await desk.open(WHOLE);
    await resume(paydrop);
    expect(await endsOf(paydrop, (await onlyBatch(paydrop)).id)).toEqual([
      ...LINES.map(() => 'held batch_stopped'),
      'rejected 10001',
    ]);
    return paydrop;
  }

  it('is told at the next look as what the service says, once that shows it as confirmed', async () => {
    const paydrop = await heldRows();
    const [first] = await transfersOf(paydrop);
    await paydrop.service.confirmTransfer(first?.id ?? '');
    const { summary } = await resume(paydrop);
    expect(summary.outcomes).toMatchObject({ held: 2, rejected: 1, submitted: 1 });
    const rows = await paydrop.ledger.rows(summary.batch, 0, 10);
    const confirmed = rows.find(({ progress }) => progress.stage === 'confirmed');
    expect(confirmed?.progress).toMatchObject({ hold: null, why: null });
  });

  it('may be paid from the corrected file: no run of this ledger may confirm before the decision', async () => {
    for (const reason of await reasons(await heldRows()))
      expect(reason).toMatch(/Release this row.*--skip.*corrected file/);
  });
});
