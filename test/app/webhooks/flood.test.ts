// Thousands of forged notifications from another process, while files are paid: no state changes, nothing falls over, and the payments go on.
// `PAYDROP_TEST_SHOW_FORGED=100000` sends as many as a bad day brings.
import { spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { listenForWebhooks } from '../../../src/app/daemon/webhook-server.ts';
import type { RowRecord } from '../../../src/ledger/records.ts';
import { SIGNATURE_HEADER, signedPath, signWebhook } from '../../../src/service/webhooks.ts';
import { freePort } from '../../sandbox/receiver.ts';
import { HURRIED, lineTo, magic, openDesk, type Desk } from '../desk.ts';
import type { ForgeOrder, ForgeTally } from './forge.ts';
import { atEnd } from '../../at-end.ts';

const FORGED = Number(process.env['PAYDROP_TEST_SHOW_FORGED'] ?? 2_000);
const LIMIT_MS = 60_000 + FORGED * 10;

/** Of each file that is paid, before and during the attack. */
const ROWS = 60;
const AT_ONCE = 32;

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ allowHttpCallbacks: true });
});
afterEach(() => desk.close());

async function open(): Promise<{ readonly paydrop: Paydrop; readonly port: number }> {
  const port = await freePort();
  const at = `127.0.0.1:${String(port)}`;
  const paydrop = await desk.open(
    `service: { callbackUrl: "http://${at}/hooks" }\nwebhooks: { listen: "${at}" }`,
  );
  const listener = await listenForWebhooks(paydrop, () => undefined);
  atEnd(() => listener?.close());
  return { paydrop, port };
}

/** Rows a second, from the file to the last confirm. */
async function payFile(paydrop: Paydrop, name: string): Promise<number> {
  const lines = Array.from({ length: ROWS }, (_, row) =>
    lineTo(name, `${name}-${String(row)}`, String(100 + row)),
  );
  const path = await desk.file(`${name}.csv`, lines);
  const startedAt = performance.now();
  const { summary } = await processBatch(paydrop, path, HURRIED);
  expect(summary.outcomes.pending + summary.outcomes.held + summary.outcomes.failed).toBe(0);
  return (ROWS * 1_000) / (performance.now() - startedAt);
}

/** What a stranger may know: the address of a transfer, what was posted to it, even how it was signed; but not the key. */
function kindsFor({ callbacks, keys: { apiKey } }: Paydrop, submitted: string): ForgeOrder['kinds'] {
  const path = signedPath(callbacks?.urlOf(submitted) ?? '');
  const body = JSON.stringify({ externalId: submitted, status: 'paid', statusCode: '20000' });
  const headers = { 'content-type': 'application/json' };
  const signed = (key: string, over: string): Record<string, string> => ({
    ...headers,
    [SIGNATURE_HEADER]: signWebhook(key, over, Buffer.from(body)),
  });
  return [
    { method: 'POST', path, headers, body },
    { method: 'POST', path, headers: signed('another key', path), body },
    { method: 'POST', path, headers: signed(apiKey, '/hooks/another'), body },
    { method: 'POST', path, headers: signed(apiKey, path), body: body.replace('paid', 'fail') },
    { method: 'POST', path: `/hooks/${'a'.repeat(64)}`, headers: signed(apiKey, path), body },
    { method: 'POST', path: '/hooks/%ff/..//x', headers, body: 'x'.repeat(300_000) },
    { method: 'GET', path: '/', headers: {}, body: '' },
  ];
}

async function forge(order: ForgeOrder): Promise<ForgeTally> {
  const child = spawn(execPath, [fileURLToPath(new URL('./forge.ts', import.meta.url))]);
  atEnd(() => child.kill());
  child.stdin.end(JSON.stringify(order));
  return JSON.parse(await text(child.stdout)) as ForgeTally;
}

it(
  'a flood of forged notifications changes nothing and stops nothing',
  async () => {
    const { paydrop, port } = await open();
    const { ledger } = paydrop;
    const { summary } = await processBatch(
      paydrop,
      await desk.file('stays.csv', [magic('S-1', '0060000')]),
      HURRIED,
    );
    const row = async (): Promise<RowRecord | undefined> => (await ledger.rows(summary.batch, 0, 1))[0];
    const before = await row();
    const submitted = before?.progress.transfer?.externalId ?? '';
    await payFile(paydrop, 'warm');
    const calmBefore = await payFile(paydrop, 'before');

    const startedAt = performance.now();
    const over = new AbortController();
    const order = {
      count: FORGED,
      atOnce: AT_ONCE,
      host: '127.0.0.1',
      port,
      kinds: kindsFor(paydrop, submitted),
    };
    const forging = forge(order).finally(() => over.abort());
    const attacked: number[] = [];
    do attacked.push(await payFile(paydrop, `attacked-${String(attacked.length)}`));
    while (!over.signal.aborted);
    const tally = await forging;
    const seconds = (performance.now() - startedAt) / 1_000;

    const answered = Object.entries(tally).filter(([status]) => /^\d+$/.test(status));
    const statuses = answered.map(([status]) => status).filter((status) => !['401', '429'].includes(status));
    expect(statuses).toEqual([]);
    expect(Object.values(tally).reduce((sum, times) => sum + times, 0)).toBe(FORGED);
    expect(await row()).toEqual(before);
    expect((await ledger.batch(summary.batch))?.state).toBe('following');
    expect((await paydrop.service.transferByExternalId(submitted)).value.status).toBe('submitted');
    expect((await ledger.history.verify()).fault).toBeNull();
    const calmAfter = await payFile(paydrop, 'after');
    const middle = attacked.toSorted((a, b) => a - b)[Math.floor(attacked.length / 2)] ?? 0;
    tell(
      `${String(FORGED)} forged in ${seconds.toFixed(1)} s: ${JSON.stringify(tally)}; rows a second: ${calmBefore.toFixed(0)} before, ${middle.toFixed(0)} attacked (${String(attacked.length)} files), ${calmAfter.toFixed(0)} after`,
    );
    // A flood takes its share of the processor, and no more: the machine of a test has two, and four programs on them.
    expect(middle).toBeGreaterThan(Math.min(calmBefore, calmAfter) / 10);
  },
  LIMIT_MS,
);

/** Shown where somebody has asked for more than the suite does. */
function tell(words: string): void {
  if (process.env['PAYDROP_TEST_SHOW_FORGED'] !== undefined) process.stderr.write(`${words}\n`);
}
