// A service that fails for some seconds: check, rebuild and reconcile wait for it as a run does, and no longer than a person would.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { compose } from '../../src/app/compose.ts';
import { checkFile } from '../../src/app/desk/check-file.ts';
import { Findings, reconcileBatch } from '../../src/app/desk/reconcile-batch.ts';
import { patientReads } from '../../src/app/parts/wait-for-service.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { rebuildFiles } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { silentLog } from '../../src/base/log.ts';
import { meddlingProxy } from '../delivery/meddling-proxy.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';
import { HURRIED, line, lineTo, openDesk, PATIENT, type Desk } from './desk.ts';

let clock: LeapClock;
let desk: Desk;
let file: string;
/** Reads that still go unanswered. */
let lost = 0;
let opened: Paydrop;

async function openThrough(): Promise<Paydrop> {
  const { config } = await desk.open();
  await desk.shut();
  const baseUrl = new URL(
    await meddlingProxy(desk.sandbox.baseUrl, {
      instead: ({ method }) => {
        if (method !== 'GET' || lost === 0) return null;
        lost -= 1;
        return { status: 503, body: '' };
      },
    }),
  );
  // A wait makes as much time pass.
  const sleep = (ms: number): Promise<void> => {
    clock.leap(ms);
    return Promise.resolve();
  };
  return compose({ ...config, baseUrl }, silentLog, { ...clock, sleep });
}

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
  file = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', '200')]);
  expect(exitCodeOf(await processBatch(await desk.open(), file, PATIENT), 0)).toBe(0);
});
afterEach(async () => {
  lost = 0;
  await opened.close();
  await desk.close();
});

const patient = (paydrop: Paydrop): Paydrop => patientReads(paydrop, PATIENT.signal);

const COMMANDS = {
  check: async (paydrop: Paydrop) => {
    const unpaid = await desk.file('unpaid.csv', [lineTo('unpaid', 'U-1', '100')]);
    expect(exitCodeOf(await checkFile(paydrop, unpaid), 0)).toBe(0);
  },
  reconcile: async (paydrop: Paydrop) => {
    const findings = new Findings();
    for (const batch of await paydrop.ledger.batches())
      await reconcileBatch(paydrop, batch, findings, PATIENT);
    expect([findings.rows, findings.differences]).toEqual([2, []]);
  },
  rebuild: async (paydrop: Paydrop) => {
    const { rebuilt } = await rebuildFiles(paydrop, [file], HURRIED);
    expect(rebuilt.map(({ found }) => found)).toEqual([2]);
  },
} as const;

describe.each(Object.entries(COMMANDS))('%s', (name, command) => {
  beforeEach(async () => {
    if (name === 'rebuild') await desk.loseLedger();
    opened = await openThrough();
  });

  it('rides out seven reads that go unanswered', async () => {
    lost = 7;
    await command(patient(opened));
    expect(lost).toBe(0);
  });

  it('ends where nobody answers for longer', async () => {
    lost = Infinity;
    const startedAt = clock.monotonic();
    await expect(command(patient(opened))).rejects.toThrow('is unavailable');
    expect(clock.monotonic() - startedAt).toBeGreaterThan(15_000);
    expect(clock.monotonic() - startedAt).toBeLessThan(60_000);
  });
});
