// Starting and ending the sandbox in a process that has other things to do.
import { createConnection } from 'node:net';
import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { silentLog, type LogFields } from '../../src/base/log.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import {
  clientOf,
  confirmed,
  created,
  freshReference,
  quotationRequest,
  statusOf,
} from './sandbox-client.ts';
import { until } from './until.ts';
import { withSandbox } from './with-sandbox.ts';

describe('the running sandbox', () => {
  it('pays by the clock of the machine when it is given no other', async () => {
    const { client } = await withSandbox({ clock: systemClock, settleMs: 5 });
    const id = await confirmed(client);
    await until(async () => (await statusOf(client, id)) === 'paid/20000');
  });

  it('reverses by the clock of the machine too', async () => {
    const { client } = await withSandbox({ clock: systemClock, settleMs: 5, reversalMs: 5 });
    const id = await confirmed(client, { deliveryMethodInfo: { msisdn: '0100001' } });
    await until(async () => (await statusOf(client, id)) === 'failed/100001');
  });

  it('lets each answer wait for its latency', async () => {
    const { client, clock } = await withSandbox({ latencyMs: 40 });
    const reply = client.get('/public/balances');
    await until(() => clock.sleepers() === 1);
    clock.advance(40);
    expect((await reply).status).toBe(200);
  });

  it('settles many payouts, each once', async () => {
    const { client, clock, books } = await withSandbox();
    await Promise.all(Array.from({ length: 200 }, () => confirmed(client)));
    clock.advance(300);
    expect((await client.get('/transfers?limit=200')).list.every(({ status }) => status === 'paid')).toBe(
      true,
    );
    expect(books()[2]).toMatchObject({ pendingAmount: '0', debitedAmount: String(200 * 86_166) });
  });

  it('ends at once with sockets open, requests waiting and payouts due', async () => {
    const sandbox = await startSandbox({ clock: systemClock, settleMs: 60_000, latencyMs: 0 });
    await confirmed(clientOf(sandbox));
    const socket = createConnection(Number(new URL(sandbox.baseUrl).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => socket.destroy());
    const startedMs = performance.now();
    await Promise.all([sandbox.close(), once(socket, 'close')]);
    await sandbox.close();
    // Its payouts are due in a minute.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    await expect(fetch(sandbox.baseUrl)).rejects.toThrow();
  });

  it('does nothing for a request that still waits when it ends', async () => {
    const { client, close, clock, books } = await withSandbox({ latencyMs: 60_000 });
    const reply = client.post('/sandbox/top-up', { currency: 'XAF', amount: 5 }).catch(() => null);
    await until(() => clock.sleepers() === 1);
    await close();
    expect(await reply).toBeNull();
    expect(books()[2]?.availableAmount).toBe('500000000');
  });

  it('leaves the globals of its process alone', async () => {
    const before = [globalThis.Request, globalThis.Response];
    await withSandbox();
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it('writes no name, account or key to its log', async () => {
    const lines: string[] = [];
    const keep = (message: string, fields: LogFields = {}) =>
      void lines.push(message + JSON.stringify(fields));
    const log = { ...silentLog, debug: keep, info: keep, warn: keep, error: keep };
    const { client } = await withSandbox({ log, apiKey: 'a-secret-key' });
    await created(client, { externalId: freshReference() });
    await client.post('/rates', quotationRequest({ mode: 'nonsense' }));
    expect(lines).toHaveLength(3);
    expect(lines.join()).not.toMatch(/Wei|138000|Forest|a-secret-key/);
  });
});
