// `service.requestsPerSecond` holds for every call of every command: here a preview, a run, and the polling after the payments.
import { afterEach, expect, it } from 'vitest';

import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { compose } from '../../src/app/compose.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { meddlingProxy } from '../delivery/meddling-proxy.ts';
import { line, openDesk, PATIENT } from './desk.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const PER_SECOND = 40;

it.each([
  ['preview', previewFile, 20],
  ['run', processBatch, 10],
] as const)('a %s makes no more calls than the config allows', async (_command, carry, rows) => {
  const desk = await openDesk();
  closers.push(() => desk.close());
  const calledAt: number[] = [];
  const address = await meddlingProxy(desk.sandbox.baseUrl, {
    instead: () => {
      calledAt.push(systemClock.monotonic());
      return null;
    },
  });
  const { config } = await desk.open(`service: { requestsPerSecond: ${String(PER_SECOND)} }`);
  await desk.shut();
  const paydrop = await compose({ ...config, baseUrl: new URL(address) }, silentLog);
  closers.push(() => paydrop.close());
  const lines = Array.from({ length: rows }, (_none, index) => line(`A-${String(index)}`, '100'));
  const result = await carry(paydrop, await desk.file('payroll.csv', lines), PATIENT);
  expect(exitCodeOf(result, 0)).toBe(0);
  expect(calledAt.length).toBeGreaterThanOrEqual(rows);
  // The first call waits for nobody, and a call may take a moment longer on its way than the next.
  const least = ((calledAt.length - 1) / PER_SECOND) * 1_000 - 50;
  expect((calledAt.at(-1) ?? 0) - (calledAt[0] ?? 0)).toBeGreaterThan(least);
});
