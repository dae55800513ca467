// From the sandbox's own notification to the payout's end, over real HTTP: the addresses that are sent, the hints that come back, and the
// payouts that are found without hints.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { callsAtOnceOf } from '../../../src/app/config/config.ts';
import { deliveryTools } from '../../../src/app/workflow/carry/pay-batch.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { settleRebuilt } from '../../../src/app/workflow/resolve-doubt/settle-rebuilt.ts';
import { runDaemon } from '../../../src/app/daemon/run-daemon.ts';
import { startWebhookServer } from '../../../src/app/daemon/webhook-server.ts';
import { runBatch } from '../../../src/delivery/runner.ts';
import { SIGNATURE_HEADER, signedPath, signWebhook } from '../../../src/service/webhooks.ts';
import { clientOf } from '../../sandbox/sandbox-client.ts';
import { manualClock } from '../../sandbox/manual-clock.ts';
import { freePort } from '../../sandbox/receiver.ts';
import { until } from '../../sandbox/until.ts';
import { checkFile } from '../../../src/app/desk/check-file.ts';
import { makeWorkbook, rowsXml } from '../../rows/make-workbook.ts';
import { endsOf, HEADER, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { dropInto, QUICK } from '../schedule/watching.ts';
import { atEnd } from '../../at-end.ts';
import { heardLog, type LogLine } from './listening.ts';
import { own } from '../../ledger/own.ts';

afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});
const desks: Desk[] = [];

const SETTLE_MS = 1_000;

type Watched = {
  readonly desk: Desk;
  /** Time at the service, which stands still. */
  readonly pass: (ms: number) => void;
  readonly config: string;
  readonly calls: LogLine[];
  readonly open: () => Promise<Paydrop>;
  readonly listen: (paydrop: Paydrop) => Promise<{ readonly hinted: string[]; readonly lines: LogLine[] }>;
};

/** A desk whose sandbox posts its notifications to a listener in the same process. */
async function watched(): Promise<Watched> {
  const clock = manualClock();
  const service = heardLog();
  const desk = await openDesk({
    clock,
    allowHttpCallbacks: true,
    settleMs: SETTLE_MS,
    reversalMs: SETTLE_MS,
    log: service.log,
  });
  desks.push(desk);
  const port = await freePort();
  const config = `service: { callbackUrl: "http://127.0.0.1:${String(port)}/hooks/" }`;
  const listen: Watched['listen'] = async (paydrop) => {
    const { log, lines } = heardLog();
    const hinted: string[] = [];
    const { ledger, callbacks, clock: own } = paydrop;
    const { apiKey } = paydrop.keys;
    if (callbacks === null) throw new Error('A callback URL is set.');
    const onHint = ({ row }: { row: string }) => hinted.push(row);
    const listen = `127.0.0.1:${String(port)}`;
    const server = await startWebhookServer({ listen, ledger, apiKey, callbacks, log, clock: own, onHint });
    atEnd(() => server.close());
    return { hinted, lines };
  };
  const pass = (ms: number): void => clock.advance(ms);
  return { desk, pass, config, calls: service.lines, open: () => desk.open(config), listen };
}

/** Sends the rows of a file, and does not wait for what becomes of them. */
async function submitted({ desk }: Watched, paydrop: Paydrop, lines: readonly string[]): Promise<string> {
  const { summary } = await processBatch(paydrop, await desk.file('pay.csv', lines), HURRIED);
  return summary.batch;
}

/** One look at what is due now, as the daemon makes it. */
async function look(paydrop: Paydrop, id: string): Promise<void> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is gone.');
  const { ledger, log, config } = paydrop;
  await runBatch({
    ledger,
    log,
    tools: deliveryTools(paydrop, batch),
    leased: await own(ledger, id),
    batch: id,
    folder: '',
    fileId: batch.fileId,
    tenure: ledger.run,
    goal: 'tracked',
    concurrency: callsAtOnceOf(config.service).most,
    waitMs: 0,
    signal: new AbortController().signal,
    stop: () => null,
    onMoved: () => undefined,
  });
}

function nextLook(paydrop: Paydrop, batch: string): Promise<number | null> {
  return paydrop.ledger.nextDueAt(batch, ['confirmed']);
}

/** The last seven digits say what becomes of it: paid, then reversed. */
const REVERSED = line('R-1', '120').replace('+8613800138000', '+8613800100001');

/** The notification that the service would send of how the transfer stands now. */
async function notify({ desk }: Watched, paydrop: Paydrop, changes: object = {}): Promise<number> {
  const [transfer] = await transfersOf(paydrop);
  if (transfer === undefined || transfer.callbackUrl === null)
    throw new Error('The transfer has no callback URL.');
  const { text } = await clientOf(desk.sandbox).get(`/transfers/${transfer.id}`);
  const body = JSON.stringify({ ...(JSON.parse(text) as object), ...changes });
  const signature = signWebhook(desk.sandbox.apiKey, signedPath(transfer.callbackUrl), Buffer.from(body));
  const headers = { [SIGNATURE_HEADER]: signature };
  const { status } = await fetch(transfer.callbackUrl, { method: 'POST', body, headers });
  return status;
}

describe('a transfer', () => {
  it('has a callback URL of its own, below the base of the config', async () => {
    const watch = await watched();
    const paydrop = await watch.open();
    await submitted(watch, paydrop, [line('A-1', '100'), line('A-2', '110')]);
    const transfers = await transfersOf(paydrop);
    const urls = transfers.map(({ callbackUrl }) => callbackUrl);
    expect(urls).toEqual(transfers.map(({ externalId }) => paydrop.callbacks?.urlOf(externalId)));
    expect(new Set(urls).size).toBe(2);
    for (const url of urls) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/hooks\/[0-9a-f]{64}$/);
  });

  it('has none, and the workspace no key, when the config names no base', async () => {
    const watch = await watched();
    const paydrop = await watch.desk.open();
    await submitted(watch, paydrop, [line('A-1', '100')]);
    expect((await transfersOf(paydrop)).map(({ callbackUrl }) => callbackUrl)).toEqual([null]);
    expect(paydrop.callbacks).toBeNull();
    expect(await readdir(watch.desk.workspace)).not.toContain('callback.key');
  });
});

describe('the service’s own notification', () => {
  it('makes its payout due, and the look that follows says paid', async () => {
    const watch = await watched();
    const paydrop = await watch.open();
    const { hinted, lines } = await watch.listen(paydrop);
    const batch = await submitted(watch, paydrop, [line('A-1', '100'), line('A-2', '110')]);
    expect(await nextLook(paydrop, batch)).toBeGreaterThan(0);
    watch.pass(2 * SETTLE_MS);
    await until(() => hinted.length === 2);
    expect(await nextLook(paydrop, batch)).toBe(0);
    expect(await endsOf(paydrop, batch)).toEqual(['confirmed', 'confirmed']);
    await look(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('that got lost is found by polling', async () => {
    const desk = await openDesk({ allowHttpCallbacks: true });
    desks.push(desk);
    const paydrop = await desk.open(
      `service: { callbackUrl: "http://127.0.0.1:${String(await freePort())}" }`,
    );
    const { summary } = await processBatch(
      paydrop,
      await desk.file('pay.csv', [line('A-1', '100')]),
      PATIENT,
    );
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid']);
  });

  it('of a reversal that overtakes the one of the payment ends as reversed, whatever is replayed later', async () => {
    const watch = await watched();
    const paydrop = await watch.open();
    const batch = await submitted(watch, paydrop, [REVERSED]);
    // Nobody listens yet, and time stands still before the service tries again.
    for (const statusCode of ['20000', '100001']) {
      watch.pass(1.3 * SETTLE_MS);
      await until(async () => (await transfersOf(paydrop))[0]?.statusCode === statusCode);
    }
    const { hinted } = await watch.listen(paydrop);
    const reversed = { status: 'failed', statusCode: '100001' };
    expect(await notify(watch, paydrop, reversed)).toBe(204);
    await look(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['failed 100001']);
    expect(await notify(watch, paydrop, { status: 'paid', statusCode: '20000' })).toBe(204);
    expect(await notify(watch, paydrop, reversed)).toBe(204);
    await look(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['failed 100001']);
    expect(hinted).toEqual(['2']);
  });

  it('that runs ahead of what the service answers moves nothing, and the payout is looked at again soon', async () => {
    const watch = await watched();
    const paydrop = await watch.open();
    await watch.listen(paydrop);
    const batch = await submitted(watch, paydrop, [line('A-1', '100')]);
    expect(await notify(watch, paydrop, { status: 'paid', statusCode: '20000' })).toBe(204);
    await look(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['confirmed']);
    const again = await nextLook(paydrop, batch);
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(Date.now() + paydrop.config.tracking.pollEvery);
    watch.pass(2 * SETTLE_MS);
    await until(async () => (await nextLook(paydrop, batch)) === 0);
    await look(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['paid']);
  });
});

describe('a reversal that the service tells of', () => {
  // The next look at closed batches would come after a minute.
  it('is answered at once under the next number, although its batch was closed', async () => {
    const { desk, pass } = await watched();
    const at = `127.0.0.1:${String(await freePort())}`;
    const heard = `service: { callbackUrl: "http://${at}/hooks" }\nwebhooks: { listen: "${at}" }`;
    const paydrop = await desk.open(`${heard}\n${QUICK}\nmetrics: { listen: null }`);
    const stopping = new AbortController();
    const ended = runDaemon(paydrop, {
      signal: stopping.signal,
      loadConfig: () => paydrop.config,
      reopenLog: null,
      startWeb: null,
      onStarted: () => undefined,
      onResult: () => undefined,
      onWaiting: () => undefined,
      onTrouble: () => undefined,
    });
    await dropInto(desk, 'pay.csv', [REVERSED]);
    const isAnswered = async (name: string) =>
      (await readdir(paydrop.workspace.outbox)).some((each) => each.endsWith(name));
    await until(async () => (await transfersOf(paydrop))[0]?.status === 'submitted');
    pass(1.3 * SETTLE_MS);
    await until(async () => (await paydrop.ledger.batches())[0]?.state === 'closed');
    expect(await isAnswered('.summary-2.json')).toBe(false);
    pass(1.3 * SETTLE_MS);
    await until(() => isAnswered('.summary-2.json'));
    stopping.abort();
    await ended;
  });
});

describe('after a lost ledger', () => {
  async function rebuilt(watch: Watched, path: string): Promise<Paydrop> {
    const paydrop = await watch.open();
    for (const { batch } of await rebuildFile(paydrop, path, HURRIED)) expect(batch.state).toBe('resolving');
    await settleRebuilt(paydrop);
    return paydrop;
  }

  it('the addresses are still ours: a notification of a transfer from before finds its payout', async () => {
    const watch = await watched();
    const before = await watch.open();
    await submitted(watch, before, [line('A-1', '100')]);
    await watch.desk.loseLedger();
    const paydrop = await rebuilt(watch, await watch.desk.file('pay.csv', [line('A-1', '100')]));
    const { hinted } = await watch.listen(paydrop);
    watch.pass(2 * SETTLE_MS);
    await until(() => hinted.length === 1);
  });

  it('and a lost key, no payout is held for its old address, and polling ends them all', async () => {
    const watch = await watched();
    const before = await watch.open();
    await submitted(watch, before, [line('A-1', '100'), line('A-2', '110')]);
    await watch.desk.loseLedger();
    await rm(join(watch.desk.workspace, 'callback.key'));
    const paydrop = await rebuilt(
      watch,
      await watch.desk.file('pay.csv', [line('A-1', '100'), line('A-2', '110')]),
    );
    const { hinted, lines } = await watch.listen(paydrop);
    watch.pass(2 * SETTLE_MS);
    await until(() => lines.some(({ level }) => level === 'warn'));
    expect(hinted).toEqual([]);
    await resumeBatches(paydrop, null, PATIENT);
    const [batch] = await paydrop.ledger.batches();
    expect(await endsOf(paydrop, batch?.id ?? '')).toEqual(['paid', 'paid']);
  });
});

describe('a notification that comes at a busy moment', () => {
  it('is answered before the process has worked for a second, while a workbook of thousands of rows is read', async () => {
    const watch = await watched();
    const paydrop = await watch.open();
    const { lines } = await watch.listen(paydrop);
    await submitted(watch, paydrop, [line('A-1', '100')]);
    const rows = Array.from({ length: 3_000 }, (_, row) => line(`B-${String(row)}`, String(100 + row)));
    const cells = [HEADER, ...rows].map((text) => text.split(','));
    const path = await watch.desk.write('large.xlsx', makeWorkbook([{ data: rowsXml(cells) }]));
    const worked: number[] = [];
    const checked = new AbortController();
    const checking = checkFile(paydrop, path).finally(() => checked.abort());
    while (!checked.signal.aborted) {
      const before = process.cpuUsage();
      expect(await notify(watch, paydrop, { status: 'paid', statusCode: '20000' })).toBe(204);
      const { user, system } = process.cpuUsage(before);
      worked.push((user + system) / 1_000);
    }
    expect((await checking).summary.file.rows).toBe(3_000);
    expect(Math.max(...worked)).toBeLessThan(1_000);
    expect(lines.filter(({ msg }) => msg === 'webhook').length).toBe(worked.length);
  });
});

describe('a flood of forged notifications', () => {
  it('while a batch is paid costs no call at the service, and every row is paid', async () => {
    const watch = await watched();
    const paydrop = await watch.open();
    const { hinted } = await watch.listen(paydrop);
    const flood = new AbortController();
    const base = (paydrop.callbacks?.urlOf('x') ?? '').replace(/\/x.*$/, '');
    const forge = async (): Promise<number> => {
      for (let sent = 0; ; sent += 1) {
        if (flood.signal.aborted) return sent;
        const response = await fetch(`${base}/${'a'.repeat(64)}`, {
          method: 'POST',
          body: '{"status":"paid"}',
        });
        expect([401, 429]).toContain(response.status);
      }
    };
    const forging = Array.from({ length: 4 }, forge);
    const lines = Array.from({ length: 20 }, (_, row) => line(`A-${String(row)}`, String(100 + row)));
    const batch = await submitted(watch, paydrop, lines);
    flood.abort();
    const forged = (await Promise.all(forging)).reduce((sum, sent) => sum + sent, 0);
    expect(forged).toBeGreaterThan(0);
    expect(hinted).toEqual([]);
    expect(watch.calls.filter(({ operation }) => operation === 'transfer')).toEqual([]);
    expect(await endsOf(paydrop, batch)).toEqual(lines.map(() => 'confirmed'));
    watch.pass(2 * SETTLE_MS);
    await until(() => hinted.length === lines.length);
    await look(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(lines.map(() => 'paid'));
  });
});
