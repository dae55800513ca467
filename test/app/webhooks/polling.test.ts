// What polling costs, and what it is worth: with every notification lost each end is known within the bound, and with notifications nearly nothing is
// asked. `PAYDROP_TEST_SHOW_ROWS` and `PAYDROP_TEST_SHOW_SETTLE_MS` make it larger and slower than the suite has time for.
import { afterEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { listenForWebhooks } from '../../../src/app/daemon/webhook-server.ts';
import type { RowRecord } from '../../../src/ledger/records.ts';
import { freePort } from '../../sandbox/receiver.ts';
import { until } from '../../sandbox/until.ts';
import { lineTo, openDesk, PATIENT, type Desk } from '../desk.ts';
import { leapClock } from '../leap-clock.ts';
import { atEnd } from '../../at-end.ts';

/** Fewer than the list is asked for: it is the single reads that are counted. */
const ROWS = Number(process.env['PAYDROP_TEST_SHOW_ROWS'] ?? 15);
const SETTLE_MS = Number(process.env['PAYDROP_TEST_SHOW_SETTLE_MS'] ?? 2_000);
const LIMIT_MS = 40_000 + 4 * SETTLE_MS + 100 * ROWS;

/** What a busy machine adds to a look: the call itself, and those before it. */
const SLACK_MS = 1_500;

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

/** Time at the service runs as ours does, and every payout takes exactly as long. */
async function open(pollEvery: string): Promise<{ readonly desk: Desk; readonly paydrop: Paydrop }> {
  const clock = leapClock();
  const desk = await openDesk({ clock, allowHttpCallbacks: true, settleMs: SETTLE_MS }, clock);
  desks.push(desk);
  const port = String(await freePort());
  const paydrop = await desk.open(
    `service: { callbackUrl: "http://127.0.0.1:${port}/hooks" }\nwebhooks: { listen: "127.0.0.1:${port}" }\ntracking: { pollEvery: ${pollEvery} }`,
  );
  return { desk, paydrop };
}

async function payAll({ desk, paydrop }: Awaited<ReturnType<typeof open>>, name: string, count: number) {
  const lines = Array.from({ length: count }, (_, row) =>
    lineTo(name, `${name}-${String(row)}`, String(100 + row)),
  );
  const control = { ...PATIENT, waitMs: LIMIT_MS };
  const { summary } = await processBatch(paydrop, await desk.file(`${name}.csv`, lines), control);
  expect(summary).toMatchObject({ waitingFor: null, outcomes: { paid: count } });
  return paydrop.ledger.rows(summary.batch, 0, count);
}

/** Looks at single transfers since the start. */
function readsOf({ meter }: Paydrop): number {
  const calls = meter.families().find(({ name }) => name === 'paydrop_calls_total');
  if (calls === undefined || calls.type === 'histogram') throw new Error('Calls are counted.');
  return calls.samples
    .filter(({ labels }) => labels['route'] === 'GET /transfers/{id}')
    .reduce((sum, { value }) => sum + value, 0);
}

/** From the end at the service until it was known here. */
function latenessMs({ progress: { confirmedAt, finalAt } }: RowRecord): number {
  return Date.parse(finalAt ?? '') - Date.parse(confirmedAt ?? '') - SETTLE_MS;
}

describe('with every notification lost', () => {
  it(
    'each end is known within the time between two looks',
    async () => {
      const { desk, paydrop } = await open('1s');
      const rows = await payAll({ desk, paydrop }, 'lost', ROWS);
      const latest = Math.max(...rows.map(latenessMs));
      expect(latest).toBeLessThanOrEqual(1_000 + SLACK_MS);
      tell(`lost: ${String(ROWS)} rows, ${String(readsOf(paydrop))} reads, latest ${String(latest)} ms`);
    },
    LIMIT_MS,
  );
});

describe('with notifications', () => {
  it(
    'once they are known to arrive, each payout is looked at once, when it has ended; without them many times',
    async () => {
      const without = await open('30s');
      await payAll(without, 'without', ROWS);
      const readsWithout = readsOf(without.paydrop);

      const { desk, paydrop } = await open('30s');
      const listener = await listenForWebhooks(paydrop, () => undefined);
      atEnd(() => listener?.close());
      await payAll({ desk, paydrop }, 'first', 1);
      await until(() => paydrop.hearing.isTrusted());
      const before = readsOf(paydrop);
      const rows = await payAll({ desk, paydrop }, 'with', ROWS);
      const readsWith = readsOf(paydrop) - before;
      const latest = Math.max(...rows.map(latenessMs));
      tell(
        `${String(ROWS)} rows of ${String(SETTLE_MS)} ms: ${String(readsWithout)} reads without, ${String(readsWith)} with, latest ${String(latest)} ms`,
      );
      expect(readsWithout).toBeGreaterThanOrEqual(3 * ROWS);
      // One look at each end that was told; nearly none besides.
      expect(readsWith).toBeLessThanOrEqual(ROWS + Math.ceil(ROWS / 10));
      expect(latest).toBeLessThan(SLACK_MS + 1_000);
    },
    2 * LIMIT_MS,
  );
});

/** Shown where somebody has asked for more than the suite does. */
function tell(words: string): void {
  if (process.env['PAYDROP_TEST_SHOW_ROWS'] !== undefined) process.stderr.write(`${words}\n`);
}
