// A month of a finance office on a test clock, through the real daemon and the real sandbox: suppliers every Friday, salaries on the 28th, rent from a
// standing file, a reversal, two outages of the service, and a key that the service takes no more from the middle of the salaries on. At its end
// every row is paid once and the books explain each other.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { compose } from '../../../src/app/compose.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { Findings } from '../../../src/app/desk/reconcile-batch.ts';
import { periodOf, reconcilePeriod } from '../../../src/app/desk/reconcile-period.ts';
import { ConfigReload } from '../../../src/app/daemon/config-reload.ts';
import { silentLog } from '../../../src/base/log.ts';
import {
  startSandbox,
  type RunningSandbox,
  type SandboxOptions,
} from '../../../src/sandbox/start-sandbox.ts';
import { configOnDisk, type ConfigOnDisk } from '../config-on-disk.ts';
import { line, magic, openDesk, PATIENT, type Desk } from '../desk.ts';
import { calendarClock, type CalendarClock } from './calendar-clock.ts';
import { dropInto, QUICK, startWatching, type Watching } from './watching.ts';

const CONFIG = `
schedules:
  - { folder: suppliers, cron: "0 10 * * 5", timeZone: Africa/Douala }
  - { folder: salaries, cron: "0 9 28 * *", timeZone: Africa/Douala }
  - { folder: rent, cron: "0 7 L * *", timeZone: Africa/Douala, standing: true }
${QUICK}`;

/** Half an hour until a payment is final, three days until the one that is reversed comes back, and answers that leave time to be in the middle. */
const LIFE = { settleMs: 30 * 60_000, reversalMs: 3 * 86_400_000, latencyMs: 50 };

const KEYS = { november: 'key-of-november', december: 'key-of-december' } as const;

let clock: CalendarClock;
let desk: Desk;
let folder: string;
let service: RunningSandbox;
let options: SandboxOptions;
let paydrop: Paydrop;
let daemon: Watching;
let onDisk: ConfigOnDisk;

beforeEach(async () => {
  clock = calendarClock('2026-11-01T08:00:00Z');
  folder = await mkdtemp(join(tmpdir(), 'paydrop-service-'));
  options = { ...LIFE, clock, apiKey: KEYS.november, statePath: join(folder, 'state') };
  desk = await openDesk(options, clock);
  service = desk.sandbox;
  onDisk = await configOnDisk(desk);
  await onDisk.write(CONFIG);
  const config = onDisk.load();
  paydrop = await compose(config, silentLog, clock);
  daemon = startWatching(paydrop, new ConfigReload(onDisk.load, config));
});
afterEach(async () => {
  await daemon.stop();
  await paydrop.close();
  await desk.close();
  await service.close();
  await rm(folder, { recursive: true });
});

async function serviceIsBack(apiKey: string): Promise<void> {
  const port = Number(new URL(desk.sandbox.baseUrl).port);
  service = await startSandbox({ ...options, apiKey, port });
}

const named =
  (name: string, state: string) =>
  (summary: { readonly file: { readonly name: string }; readonly state: string }) =>
    summary.file.name === name && summary.state === state;

/** Dropped two days before a Friday, and paid on it. */
async function scheduled(name: string, lines: readonly string[]): Promise<string> {
  await dropInto(desk, name, lines);
  const { summary } = await daemon.until(named(name.split('/')[1] ?? '', 'scheduled'));
  expect(summary.outcomes.pending).toBe(lines.length);
  return summary.payAt ?? '';
}

function suppliers(week: number): readonly string[] {
  return Array.from({ length: 12 }, (_none, index) =>
    line(`S-${String(week)}-${String(index)}`, String(100 + index)),
  );
}

/** Looks, one after the other, in which nothing has moved: longer than the service takes to answer a create that is under way. */
const LOOKS_AT_REST = 20;

/** Nothing is created without being confirmed: in a leap of the calendar it would expire, as it does over a night in which a service is away. */
async function nothingBetween(): Promise<void> {
  let looks = 0;
  let before = '';
  await vi.waitFor(
    async () => {
      const { stages, isBetween } = await stagesNow();
      looks = !isBetween && stages === before ? looks + 1 : 0;
      before = stages;
      expect(looks).toBeGreaterThanOrEqual(LOOKS_AT_REST);
    },
    { timeout: 20_000, interval: 5 },
  );
}

async function stagesNow(): Promise<{ readonly stages: string; readonly isBetween: boolean }> {
  const ids = (await paydrop.ledger.batches()).map(({ id }) => id);
  const counts = await Promise.all(ids.map((id) => paydrop.ledger.stageCounts(id)));
  return {
    stages: JSON.stringify(counts.map((stages) => [...stages])),
    isBetween: counts.some((stages) => stages.has('created') || stages.has('confirming')),
  };
}

/** Until such a result is told, in steps of the calendar that leave payments time to settle. */
async function until(fits: Parameters<Watching['until']>[0], from: string, stepMs: number): Promise<void> {
  const told = new AbortController();
  const end = daemon.until(fits).finally(() => told.abort());
  for (let at = Date.parse(from); !told.signal.aborted; at += stepMs) {
    await nothingBetween();
    clock.goTo(new Date(at).toISOString());
    await daemon.look();
  }
  await end;
}

const MINUTE_MS = 60_000;

function ended(name: string, from: string): Promise<void> {
  return until(named(name, 'closed'), from, 10 * MINUTE_MS);
}

async function transferIds(): Promise<readonly string[]> {
  const rows = await Promise.all(
    (await paydrop.ledger.batches()).map(({ id }) => paydrop.ledger.rows(id, 0, 1_000)),
  );
  return rows.flat().flatMap(({ progress }) => progress.transfer?.transferId ?? []);
}

/** The salaries as they stand in the ledger at this moment. */
async function salaries() {
  const batch = (await paydrop.ledger.batches()).find(({ fileName }) => fileName === 'november.csv');
  return { waitingFor: batch?.wait?.for, stages: await paydrop.ledger.stageCounts(batch?.id ?? '') };
}

/** The service takes another key as soon as the first of the salaries are confirmed. */
async function rotateInTheMiddle(): Promise<void> {
  await vi.waitFor(
    async () => expect((await salaries()).stages.get('confirmed') ?? 0).toBeGreaterThan(0),
    // All sixty take a tenth of a second.
    { timeout: 20_000, interval: 1 },
  );
  service.rotateKey(KEYS.december);
}

it('a month of a finance office: every row is paid once, and the books agree', async () => {
  await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '900'), line('RENT-2', '950')]);
  await daemon.until(named('offices.csv', 'scheduled'));

  clock.goTo('2026-11-04T09:00:00Z');
  const first = [...suppliers(1), magic('S-1-back', '0100001')];
  expect(await scheduled('suppliers/week-1.csv', first)).toBe('2026-11-06T09:00:00.000Z');
  await ended('week-1.csv', '2026-11-06T09:00:00Z');

  clock.goTo('2026-11-11T09:00:00Z');
  const reversal = await daemon.until(
    ({ outcomes, file }) => file.name === 'week-1.csv' && outcomes.failed === 1,
  );
  expect(reversal.summary.answers.some((name) => name.includes('result-2'))).toBe(true);

  // The service is away when the second Friday comes, and for two hours more.
  await scheduled('suppliers/week-2.csv', suppliers(2));
  await service.close();
  clock.goTo('2026-11-13T09:00:00Z');
  await daemon.look();
  clock.goTo('2026-11-13T11:00:00Z');
  await serviceIsBack(KEYS.november);
  await ended('week-2.csv', '2026-11-13T11:10:00Z');

  clock.goTo('2026-11-18T09:00:00Z');
  await scheduled('suppliers/week-3.csv', suppliers(3));
  await ended('week-3.csv', '2026-11-20T09:00:00Z');

  clock.goTo('2026-11-25T09:00:00Z');
  const staff = Array.from({ length: 60 }, (_none, index) =>
    line(`PAY-11-${String(index)}`, String(500 + index)),
  );
  expect(await scheduled('salaries/november.csv', staff)).toBe('2026-11-28T08:00:00.000Z');
  await scheduled('suppliers/week-4.csv', suppliers(4));
  await ended('week-4.csv', '2026-11-27T09:00:00Z');

  // The old key is refused in the middle of the salaries, for ten minutes: some are confirmed, none has failed, and nobody is asked to start again.
  clock.goTo('2026-11-28T08:00:00Z');
  await rotateInTheMiddle();
  await daemon.until(({ file, waitingFor }) => file.name === 'november.csv' && waitingFor === 'credentials');
  clock.goTo('2026-11-28T08:10:00Z');
  await daemon.look();
  const { waitingFor, stages } = await salaries();
  expect(waitingFor).toBe('credentials');
  expect(stages.get('confirmed')).toBeGreaterThan(0);
  expect(stages.get('confirmed')).toBeLessThan(staff.length);
  for (const stage of ['failed', 'held', 'rejected'] as const) expect(stages.get(stage) ?? 0).toBe(0);
  await onDisk.writeKey('api-key-december', KEYS.december);
  await onDisk.write(CONFIG, 'apiKeyFile: ./api-key-december');

  // All salaries are on their way when the service goes away, and final when it is back.
  const isSent = named('november.csv', 'tracking');
  await until(
    (summary) => isSent(summary) && summary.outcomes.submitted + summary.outcomes.paid === staff.length,
    '2026-11-28T08:10:30Z',
    MINUTE_MS,
  );
  expect(paydrop.keys.apiKey).toBe(KEYS.december);
  await service.close();
  clock.goTo('2026-11-28T10:00:00Z');
  await daemon.look();
  await serviceIsBack(KEYS.december);
  await ended('november.csv', '2026-11-28T10:10:00Z');

  await ended('offices.csv', '2026-11-30T06:00:00Z');
  clock.goTo('2026-11-30T12:00:00Z');
  await daemon.stop();

  expect([...(await salaries()).stages]).toEqual([['paid', staff.length]]);
  const paid = await transferIds();
  expect(paid).toHaveLength(4 * 12 + 1 + 60 + 2);
  expect(new Set(paid).size).toBe(paid.length);
  const days = { from: '2026-11-01', to: '2026-11-30' };
  const period = periodOf(days);
  if (period === null) throw new Error('November is a period.');
  const findings = new Findings();
  await reconcilePeriod(paydrop, days, period, findings, PATIENT);
  expect(findings.differences).toEqual([]);
  expect(await readdir(join(desk.workspace, 'inbox', 'rent'))).toEqual(['offices.csv']);
  // Twenty seconds on a busy machine of two cores.
}, 90_000);
