// What holds a file up is told at the moment at which it begins, everywhere, and taken back when it is over; what was sent is followed meanwhile.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { statusOf } from '../../src/app/desk/batch-status.ts';
import { renderMetrics } from '../../src/app/parts/meter.ts';
import { ledgerCounts } from '../../src/app/daemon/metrics-server.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import type { RunControl } from '../../src/app/parts/run-options.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { clientOf } from '../sandbox/sandbox-client.ts';
import { HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;

beforeEach(async () => {
  // The first two rows can be paid, and no more.
  desk = await openDesk({ balances: { XAF: '20000' } });
});
afterEach(() => desk.close());

/** As long as a person may wait, so that nothing is told because the run gives up. */
const LONG_MS = 600_000;
const SOON = { timeout: 15_000, interval: 20 };
const ROWS = [line('A-1', '100'), line('A-2', '101'), line('A-3', '102'), line('A-4', '103')];

type Seen = { readonly halts: string[]; readonly control: RunControl; readonly stop: () => void };

function watcher(): Seen {
  const halts: string[] = [];
  const stopping = new AbortController();
  const halted: RunControl['view']['halted'] = (words) => halts.push(words?.en ?? 'over');
  const view = { ...PATIENT.view, halted };
  return { halts, control: { waitMs: LONG_MS, signal: stopping.signal, view }, stop: () => stopping.abort() };
}

async function status(paydrop: Paydrop) {
  const [batch] = await paydrop.ledger.batches();
  if (batch === undefined) throw new Error('The batch is not known.');
  return statusOf(paydrop, batch);
}

async function metric(paydrop: Paydrop, name: string): Promise<string | undefined> {
  const text = renderMetrics(await ledgerCounts(paydrop));
  return text.split('\n').find((each) => each.startsWith(name));
}

it('an empty balance is told with what is missing, while paid rows become final; topped up, it is taken back', async () => {
  const paydrop = await desk.open('service: { concurrency: 1 }');
  const warned: unknown[] = [];
  const logged = { ...paydrop, log: { ...paydrop.log, info: (...said: unknown[]) => warned.push(said) } };
  const { halts, control } = watcher();
  const running = processBatch(logged, await desk.file('pay.csv', ROWS), control);
  await vi.waitFor(async () => expect((await status(paydrop)).waitingFor).toBe('funds'), SOON);
  // The service has not been asked for the prices of all rows when it begins; a moment later the sum is exact.
  await vi.waitFor(async () => {
    const { words, standing, stands, outcomes } = await status(paydrop);
    expect({ standing, stands }).toEqual({ standing: 'awaiting-funds', stands: 'waits for funds' });
    expect(words).toMatch(
      /2 payments wait and need [\d,]+ XAF, [\d,]+ XAF are available, [\d,]+ XAF are missing/,
    );
    expect(words).toContain('tries again every 30 s');
    expect(outcomes).toMatchObject({ paid: 2, submitted: 0, pending: 2 });
  }, SOON);
  expect(halts.at(-1)).toMatch(/^balance empty: [\d,]+ XAF missing; tried again every 30 s, Ctrl-C is safe$/);
  expect(JSON.stringify(warned)).toMatch(
    /"batch waits",\{"batch":"[^"]+","code":"funds","reason":"[^"]+missing/,
  );
  expect(await metric(paydrop, 'paydrop_batches_waiting{for="funds"}')).toMatch(/ 1$/);
  expect(await metric(paydrop, 'paydrop_batches_standing{standing="awaiting-funds"}')).toMatch(/ 1$/);
  await clientOf(desk.sandbox).post('/sandbox/top-up', { currency: 'XAF', amount: '10000000' });
  const { summary } = await running;
  expect(summary).toMatchObject({ state: 'closed', waitingFor: null, standing: 'done' });
  expect(halts.at(-1)).toBe('over');
  expect(await transfersOf(paydrop)).toHaveLength(4);
});

it('a run that is told to stop while it waits keeps its reason, and the next run takes it back', async () => {
  const paydrop = await desk.open('service: { concurrency: 1 }');
  const { control, stop } = watcher();
  const running = processBatch(paydrop, await desk.file('pay.csv', ROWS), control);
  await vi.waitFor(async () => expect((await status(paydrop)).waitingFor).toBe('funds'), SOON);
  stop();
  const { summary, words } = await running;
  expect(summary).toMatchObject({ waitingFor: 'funds', standing: 'awaiting-funds' });
  expect(said(words).join(' ')).toContain('The XAF balance ran out');
  const [batch] = await paydrop.ledger.batches();
  if (batch === undefined) throw new Error('The batch is not known.');
  const left = await statusOf(paydrop, { ...batch, owner: null });
  expect(left).toMatchObject({ standing: 'awaiting-funds', stands: 'waits for funds', place: 'needs-you' });
  await clientOf(desk.sandbox).post('/sandbox/top-up', { currency: 'XAF', amount: '10000000' });
  const [resumed] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
  expect(resumed?.summary).toMatchObject({ state: 'closed', waitingFor: null, standing: 'done' });
});

it('a service out of reach is told while the run waits for it, is kept when the run is stopped, and ends with its first answer', async () => {
  const first = await desk.open();
  await processBatch(first, await desk.file('pay.csv', ROWS), HURRIED);
  await clientOf(desk.sandbox).post('/sandbox/top-up', { currency: 'XAF', amount: '10000000' });
  await desk.shut();
  const away = await desk.open('', 'nobody');
  const { halts, control, stop } = watcher();
  const running = resumeBatches(away, null, control);
  await vi.waitFor(async () => expect((await status(away)).waitingFor).toBe('service'), SOON);
  expect((await status(away)).standing).toBe('awaiting-service');
  expect(halts).toContain('the payout service is out of reach; tried again every 30 s, Ctrl-C is safe');
  stop();
  const [stopped] = (await running) ?? [];
  expect(stopped?.summary).toMatchObject({ waitingFor: 'service', standing: 'awaiting-service' });
  await desk.shut();
  const back = await desk.open();
  const [resumed] = (await resumeBatches(back, null, PATIENT)) ?? [];
  expect(resumed?.summary).toMatchObject({ state: 'closed', waitingFor: null, standing: 'done' });
});
