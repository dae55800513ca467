// Interface: Events (what is announced, what is not) and the delivery rules.
import { setDefaultCACertificates } from 'node:tls';

import { describe, expect, it } from 'vitest';

import { silentLog, type Log, type LogFields } from '../../src/base/log.ts';
import { verifyWebhook } from '../../src/service/webhooks.ts';
import { freePort, receiver, type Received } from './receiver.ts';
import { confirmed, created, statusOf } from './sandbox-client.ts';
import { selfSigned } from './self-signed.ts';
import { until } from './until.ts';
import { withSandbox, type TestSandbox } from './with-sandbox.ts';

const LONG_MS = 3_600_000;
const DIGITS = '+8613800000001';

/** A sandbox that may call back to loopback, and the tries of its deliveries as the log has them. */
async function withDeliveries(): Promise<TestSandbox & { readonly tries: LogFields[] }> {
  const tries: LogFields[] = [];
  const log: Log = { ...silentLog, info: (_message, fields = {}) => void tries.push(fields) };
  return { ...(await withSandbox({ allowHttpCallbacks: true, log })), tries };
}

/** Confirms a transfer with this callback URL and lets the network act. */
async function settle({ client, clock }: TestSandbox, callbackUrl: string, msisdn = DIGITS): Promise<string> {
  const id = await confirmed(client, { callbackUrl, deliveryMethodInfo: { msisdn } });
  clock.advance(300);
  return id;
}

function signatureIsRight({ apiKey }: TestSandbox, { headers, body }: Received, path: string): boolean {
  return verifyWebhook(apiKey, path, body, headers['x-service-signature']);
}

describe('a webhook', () => {
  it('posts the transfer exactly as a read returns it', async () => {
    const sandbox = await withDeliveries();
    const { url, received } = await receiver();
    const id = await settle(sandbox, url);
    const hook = await until(() => received[0]);
    expect([hook.method, hook.path, hook.headers['content-type']]).toEqual([
      'POST',
      '/hooks/payouts',
      'application/json',
    ]);
    expect(hook.body.toString()).toBe((await sandbox.client.get(`/transfers/${id}`)).text);
  });

  it('is signed over POST, the path and the raw body', async () => {
    const sandbox = await withDeliveries();
    const { url, received } = await receiver();
    await settle(sandbox, `${url}/é%2Fx?token=1#part`);
    const hook = await until(() => received[0]);
    expect(signatureIsRight(sandbox, hook, '/hooks/payouts/%C3%A9%2Fx')).toBe(true);
    expect(signatureIsRight(sandbox, hook, '/hooks/payouts')).toBe(false);
  });

  it('is signed over "/" when the URL has no path', async () => {
    const sandbox = await withDeliveries();
    const { port, received } = await receiver();
    await settle(sandbox, `http://127.0.0.1:${String(port)}`);
    expect(signatureIsRight(sandbox, await until(() => received[0]), '/')).toBe(true);
  });

  it.each(['0100000', '0100002', '0100003', '0100004', '0100005', '0100006', '0100008'])(
    'tells of the failure that %s brings about',
    async (digits) => {
      const sandbox = await withDeliveries();
      const { url, received } = await receiver();
      await settle(sandbox, url, digits);
      const { body } = await until(() => received[0]);
      expect(JSON.parse(body.toString())).toMatchObject({ status: 'failed', statusCode: digits.slice(1) });
    },
  );

  it('comes twice for a reversed payout, and only then', async () => {
    const sandbox = await withDeliveries();
    const { url, received } = await receiver();
    await settle(sandbox, url, '0100001');
    await until(() => received.length === 1);
    sandbox.clock.advance(1_000);
    await until(() => received.length === 2);
    const codes = received.map(
      ({ body }) => (JSON.parse(body.toString()) as { statusCode: string }).statusCode,
    );
    expect(codes).toEqual(['20000', '100001']);
  });

  it('does not tell of created, submitted, a refusal at confirm, or what the staff does', async () => {
    const sandbox = await withDeliveries();
    const { url, received } = await receiver();
    const { client, clock } = sandbox;
    await created(client, { callbackUrl: url });
    for (const msisdn of ['0060000', '0077001', '0077002']) await settle(sandbox, url, msisdn);
    const { id } = await created(client, { callbackUrl: url, deliveryMethodInfo: { msisdn: '0010027' } });
    await client.post(`/transfers/${String(id)}/confirm`);
    clock.advance(LONG_MS);
    // One that is announced comes after all the others would have come.
    const announced = await settle(sandbox, url);
    await until(() => received.length > 0);
    expect(received.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)).toEqual([
      announced,
    ]);
  });
});

describe('delivery', () => {
  it.each([200, 204, 299, 400, 404, 500, 503])('makes one attempt when the reply is %d', async (status) => {
    const sandbox = await withDeliveries();
    const { url, received } = await receiver(() => ({ status }));
    await settle(sandbox, url);
    await until(() => sandbox.tries.length === 1);
    sandbox.clock.advance(LONG_MS);
    await settle(sandbox, url);
    await until(() => sandbox.tries.length === 2);
    expect(received).toHaveLength(2);
  });

  it('tries a refused connection again, up to 3 times over 12 seconds', async () => {
    const sandbox = await withDeliveries();
    await settle(sandbox, `http://127.0.0.1:${String(await freePort())}/`);
    for (const [tries, waitMs] of [3_000, 4_000, 5_000].entries()) {
      await until(() => sandbox.tries.length === tries + 1 && sandbox.clock.sleepers() > 0);
      sandbox.clock.advance(waitMs);
    }
    await until(() => sandbox.tries.length === 4);
    expect(sandbox.tries.map(({ reason }) => reason)).toEqual(Array(4).fill('not-connected'));
    expect(sandbox.clock.sleepers()).toBe(0);
  });

  it('arrives when the receiver comes up between two tries', async () => {
    const sandbox = await withDeliveries();
    const port = await freePort();
    await settle(sandbox, `http://127.0.0.1:${String(port)}/late`);
    await until(() => sandbox.tries.length === 1 && sandbox.clock.sleepers() > 0);
    const { received } = await receiver(undefined, { port });
    sandbox.clock.advance(3_000);
    expect(signatureIsRight(sandbox, await until(() => received[0]), '/late')).toBe(true);
  });

  it('tries again when the host name does not resolve', async () => {
    const sandbox = await withDeliveries();
    await settle(sandbox, 'https://nowhere.invalid/hook');
    await until(() => sandbox.tries.length === 1 && sandbox.clock.sleepers() > 0);
    expect(sandbox.tries[0]?.reason).toBe('not-connected');
  });

  it.each([301, 302, 303])('turns into a GET without a body after %d', async (status) => {
    const sandbox = await withDeliveries();
    const { url, received } = await receiver(({ path }) =>
      path === '/moved' ? { status: 204 } : { status, location: '/moved' },
    );
    await settle(sandbox, url);
    const { method, path, body } = await until(() => received[1]);
    expect([method, path, body.byteLength]).toEqual(['GET', '/moved', 0]);
  });

  it.each([307, 308])(
    'keeps body and signature after %d, so that the signature is wrong for the new path',
    async (status) => {
      const sandbox = await withDeliveries();
      const { url, received } = await receiver(({ path }) =>
        path === '/moved' ? { status: 204 } : { status, location: '/moved' },
      );
      await settle(sandbox, url);
      const hook = await until(() => received[1]);
      expect([hook.method, hook.path]).toEqual(['POST', '/moved']);
      expect(hook.body).toEqual(received[0]?.body);
      expect(signatureIsRight(sandbox, hook, '/hooks/payouts')).toBe(true);
      expect(signatureIsRight(sandbox, hook, '/moved')).toBe(false);
    },
  );

  it('ends at a redirect to plain HTTP elsewhere, and in a loop', async () => {
    const sandbox = await withDeliveries();
    const away = await receiver(() => ({ status: 307, location: 'http://example.com/' }));
    const loop = await receiver(() => ({ status: 307, location: '/hooks/payouts' }));
    await settle(sandbox, away.url);
    await settle(sandbox, loop.url);
    await until(() => sandbox.tries.length === 2);
    expect(sandbox.tries.map(({ reason }) => reason)).toEqual(['redirect-refused', 'redirect-refused']);
    expect(away.received).toHaveLength(1);
  });

  it('refuses a self-signed certificate and reaches a trusted one', async () => {
    const sandbox = await withDeliveries();
    const tls = selfSigned();
    const { url, received } = await receiver(undefined, { tls });
    await settle(sandbox, url);
    await until(() => sandbox.tries.length === 1);
    expect([sandbox.tries[0]?.reason, received.length]).toEqual(['no-answer', 0]);
    setDefaultCACertificates([tls.cert]);
    await settle(sandbox, url);
    expect(signatureIsRight(sandbox, await until(() => received[0]), '/hooks/payouts')).toBe(true);
  });

  it('does not hold up the status', async () => {
    const sandbox = await withDeliveries();
    const id = await settle(sandbox, `http://127.0.0.1:${String(await freePort())}/`);
    expect(await statusOf(sandbox.client, id)).toBe('paid/20000');
  });
});

describe('http callback URLs', () => {
  it.each(['http://localhost:1/', 'http://127.0.0.1/', 'http://[::1]:9/x'])(
    'to loopback are taken when allowed: %s',
    async (callbackUrl) => {
      const { client } = await withDeliveries();
      await expect(created(client, { callbackUrl })).resolves.toMatchObject({ callbackUrl });
    },
  );

  it.each([
    'http://example.com/',
    'http://127.0.0.1.example.com/',
    'http://10.0.0.1/',
    'ftp://localhost/',
    'https://user:secret@example.com/',
  ])('to anywhere else are refused: %s', async (callbackUrl) => {
    const { client } = await withDeliveries();
    await expect(created(client, { callbackUrl })).rejects.toThrow('callbackUrl');
  });
});
