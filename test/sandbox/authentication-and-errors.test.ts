// Interface: Authentication, Errors; and what the sandbox says to requests that are not in the interface at all.
import { describe, expect, it } from 'vitest';

import { ROUTES } from '../../src/sandbox/routes.ts';
import { refusalOf } from './sandbox-client.ts';
import { withSandbox } from './with-sandbox.ts';

describe('authentication', () => {
  it.each(ROUTES.map(({ method, path }) => [method, path]))(
    '%s %s answers 403 with 10006 to a missing and to a wrong key',
    async (method, path) => {
      const { client } = await withSandbox();
      for (const headers of [{}, { 'x-api-key': 'another' }]) {
        const reply = await client.raw(path.replace(/:id.*(?=\/)|:id.*/, 'ext-x'), { method, headers });
        expect(refusalOf(reply)).toBe('403/10006');
        expect(reply.headers.get('content-type')).toBe('application/json');
        expect(typeof reply.json['message']).toBe('string');
      }
    },
  );

  it('comes before everything else, unknown paths included', async () => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.raw('/nothing', {}))).toBe('403/10006');
    expect(refusalOf(await client.raw('/rates', { method: 'POST', body: '{' }))).toBe('403/10006');
  });

  it('takes the key that the sandbox was started with', async () => {
    const { client, apiKey } = await withSandbox({ apiKey: 'k-1' });
    expect(apiKey).toBe('k-1');
    expect((await client.get('/public/balances')).status).toBe(200);
  });
});

describe('errors', () => {
  it.each(['', '{', '[]', '"text"', 'null', '12', '{"a":1}x', '['.repeat(300_000)])(
    'a body that is no JSON object (%#) is refused with 400/10001',
    async (body) => {
      const { client } = await withSandbox();
      for (const path of ['/rates', '/transfers']) {
        const reply = await client.post(path, body);
        expect(refusalOf(reply)).toBe('400/10001');
        expect(Array.isArray(reply.json['message'])).toBe(true);
      }
    },
  );

  it('a body that is not UTF-8 is refused', async () => {
    const { client, apiKey } = await withSandbox();
    const init = {
      method: 'POST',
      headers: { 'x-api-key': apiKey },
      body: Buffer.from('{"a":"\xff"}', 'latin1'),
    };
    expect(refusalOf(await client.raw('/rates', init))).toBe('400/10001');
  });

  it('a JSON body over 1 MB is refused, and the connection lives on', async () => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.post('/rates', { externalId: 'x'.repeat(2_000_000) }))).toBe('400/10001');
    expect((await client.get('/public/balances')).status).toBe(200);
  });

  it.each([
    ['GET', '/nothing'],
    ['GET', '/'],
    ['DELETE', '/rates'],
    ['PATCH', '/transfers'],
    ['OPTIONS', '/rates'],
    ['GET', '/transfers/x/confirm'],
    ['POST', '/transfers/x/attachment'],
    ['POST', '/sandbox/corridors/nothing'],
  ])('%s %s, which is nowhere, is answered 404 with an error body', async (method, path) => {
    const { client, apiKey } = await withSandbox();
    expect(refusalOf(await client.raw(path, { method, headers: { 'x-api-key': apiKey } }))).toBe('404/10001');
  });

  it('the Date header tells the time by which quotations expire', async () => {
    const { client, clock } = await withSandbox();
    clock.advance(3_600_000);
    expect((await client.get('/public/balances')).headers.get('date')).toBe('Fri, 20 Nov 2026 09:30:00 GMT');
  });
});
