// The state file: what survives a restart and a kill, and what a damaged file does.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { receiver } from './receiver.ts';
import {
  BANK_QUOTATION,
  BANK_TRANSFER,
  confirmed,
  created,
  quoted,
  refusalOf,
  statusOf,
  transferRequest,
} from './sandbox-client.ts';
import { until } from './until.ts';
import { withSandbox } from './with-sandbox.ts';

let folder = '';
let statePath = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  statePath = join(folder, 'state.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A kill leaves everything as it is, so a second sandbox simply starts on what the first, never closed, has written. */
const start = () => withSandbox({ statePath });

describe('the state file', () => {
  it('brings back quotations, transfers and balances as they were', async () => {
    const before = await start();
    const transfer = await created(before.client, {
      deliveryMethodInfo: { msisdn: '1', note: { depth: [12.5] } },
    });
    const after = await start();
    expect((await after.client.get(`/transfers/${String(transfer['id'])}`)).json).toEqual(transfer);
    expect((await after.client.get(`/rates/${String(transfer['quotationId'])}`)).status).toBe(200);
    expect(after.books()).toEqual(before.books());
  });

  it('remembers which references were used', async () => {
    const before = await start();
    const quotation = await quoted(before.client);
    const request = transferRequest(quotation['id']);
    await before.client.post('/transfers', request);
    const { client } = await start();
    expect(refusalOf(await client.post('/transfers', request))).toBe('500/10011');
    await expect(quoted(client, { externalId: quotation['externalId'] })).rejects.toThrow('10002');
  });

  it('remembers a rate that was moved', async () => {
    const before = await start();
    const usual = await quoted(before.client);
    await before.client.post('/sandbox/rates', { currency: 'CNY', thousandthsPerEur: '3906' });
    const { client } = await start();
    const dearer = await quoted(client, { externalId: 'after-the-restart' });
    expect(Number(dearer['sourceAmount'])).toBeCloseTo(2 * Number(usual['sourceAmount']), -1);
  });

  it('remembers an uploaded document and a corridor that was switched off', async () => {
    const before = await start();
    const { id } = await created(before.client, BANK_TRANSFER, BANK_QUOTATION);
    await before.client.put(`/transfers/${String(id)}/attachment`, Buffer.from('%PDF-'), 'application/pdf');
    await before.client.post('/sandbox/corridors/chn-cny-b2c-wechat', { isEnabled: false });
    const { client } = await start();
    expect((await client.post(`/transfers/${String(id)}/confirm`)).status).toBe(200);
    expect((await client.get('/payout-corridors?deliveryMethod=wechat&transactionMode=B2C')).list).toEqual(
      [],
    );
  });

  it('settles, with its webhook, what was submitted before the kill', async () => {
    const { url, received } = await receiver();
    const before = await start();
    await before.client.post('/sandbox/top-up', { currency: 'XAF', amount: 1 });
    const killed = await withSandbox({ statePath, allowHttpCallbacks: true });
    const id = await confirmed(killed.client, { callbackUrl: url });
    const after = await withSandbox({ statePath, allowHttpCallbacks: true });
    expect(await statusOf(after.client, id)).toBe('submitted/10001');
    after.clock.advance(300);
    expect(await statusOf(after.client, id)).toBe('paid/20000');
    await until(() => received.length === 1);
  });

  it('still reverses what was paid before the kill', async () => {
    const before = await start();
    const id = await confirmed(before.client, { deliveryMethodInfo: { msisdn: '0100001' } });
    before.clock.advance(300);
    expect(await statusOf(before.client, id)).toBe('paid/20000');
    const after = await start();
    after.clock.advance(1_300);
    expect(await statusOf(after.client, id)).toBe('failed/100001');
  });

  it('tolerates a last line that was cut', async () => {
    const before = await start();
    const { id } = await created(before.client);
    appendFileSync(statePath, '{"transferChange":{"id":"cu');
    const middle = await start();
    expect(await statusOf(middle.client, id)).toBe('created/10000');
    await middle.client.post(`/transfers/${String(id)}/confirm`);
    expect(await statusOf((await start()).client, id)).toBe('submitted/10001');
  });

  it('is refused when a line in its middle cannot be read', async () => {
    const before = await start();
    await created(before.client);
    const lines = readFileSync(statePath, 'utf8').split('\n');
    writeFileSync(statePath, ['garbage', ...lines].join('\n'));
    await expect(start()).rejects.toThrow('line 1');
  });

  it.each(['name,amount\n', 'one line without an end', '{"rows": 1}\n'])(
    'never takes the place of a file that is none: %j',
    async (text) => {
      writeFileSync(statePath, text);
      await expect(start()).rejects.toThrow('no state of a sandbox');
      expect(readFileSync(statePath, 'utf8')).toBe(text);
    },
  );

  it('is compacted at the next start', async () => {
    const before = await start();
    for (let times = 0; times < 20; times += 1)
      await before.client.post('/sandbox/top-up', { currency: 'XAF', amount: 1 });
    const size = statSync(statePath).size;
    const after = await start();
    expect(statSync(statePath).size).toBeLessThan(size / 2);
    expect(after.books()).toEqual(before.books());
  });

  it('can be read by nobody else', async () => {
    await start();
    expect(statSync(statePath).mode & 0o777).toBe(0o600);
  });

  it('is not touched by a second start on a port that is taken', async () => {
    const { client, baseUrl } = await start();
    const port = Number(new URL(baseUrl).port);
    await expect(withSandbox({ statePath, port })).rejects.toThrow('EADDRINUSE');
    const { id } = await created(client);
    expect(await statusOf((await start()).client, id)).toBe('created/10000');
  });
});
