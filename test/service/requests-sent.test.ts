// What leaves the client: each method, path, header and body, once; the key to the service's own origin and nowhere else.
import { describe, expect, it } from 'vitest';

import { OPERATIONS, type Operation } from '../../src/service/errors.ts';
import { CALLS, outcomeOf } from './calls.ts';
import { hostileServer, html, json, refusal, reset, text, type Line } from './hostile-server.ts';
import { openClient } from './open-client.ts';
import { TRANSFER } from './wire-samples.ts';

const operations = Object.keys(OPERATIONS) as Operation[];
const of = (kind: 'read' | 'mutation') => operations.filter((operation) => OPERATIONS[operation] === kind);

const PATHS: Readonly<Record<Operation, string>> = {
  payoutCorridors: 'GET /payout-corridors',
  createQuotation: 'POST /rates',
  quotation: 'GET /rates/q-1',
  quotationByExternalId: 'GET /rates/ext-e-1',
  createTransfer: 'POST /transfers',
  transfer: 'GET /transfers/t-1',
  transferByExternalId: 'GET /transfers/ext-e-1',
  transfers: 'GET /transfers',
  uploadAttachment: 'PUT /transfers/t-1/attachment',
  confirmTransfer: 'POST /transfers/t-1/confirm',
  balances: 'GET /public/balances',
};

async function sentBy(operation: Operation, ...script: readonly Line[]) {
  const { baseUrl, seen } = await hostileServer(...script);
  const outcome = await outcomeOf(CALLS[operation](openClient({ baseUrl, apiKey: 'key-1' })));
  return { outcome, seen };
}

describe('a request', () => {
  it.each(operations)('%s has its method, its path and the key', async (operation) => {
    const { seen } = await sentBy(operation, refusal(500, 10003));
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([PATHS[operation]]);
    expect(seen[0]?.headers['x-api-key']).toBe('key-1');
  });

  it('of a base address with a path is made below that path', async () => {
    const { baseUrl, seen } = await hostileServer(json(200, TRANSFER));
    await openClient({ baseUrl: `${baseUrl}/v1/payouts/` }).transfer('t-1');
    expect(seen[0]?.path).toBe('/v1/payouts/transfers/t-1');
  });

  it.each(['../admin', 'a/b', 'a?b=c', 'a#b', 'ä'])(
    'with the id %j stays one segment of its path',
    async (id) => {
      const { baseUrl, seen } = await hostileServer(json(200, TRANSFER));
      await outcomeOf(openClient({ baseUrl }).transfer(id));
      expect(seen.map(({ path }) => path.split('/').length)).toEqual([3]);
      expect(seen[0]?.path.startsWith('/transfers/')).toBe(true);
    },
  );

  it('to confirm has no body, and an upload has exactly the bytes and their type', async () => {
    const confirm = await sentBy('confirmTransfer', text(200, ''));
    expect(confirm.seen[0]).toMatchObject({ body: '' });
    const upload = await sentBy('uploadAttachment', text(200, ''));
    expect(upload.seen[0]).toMatchObject({ body: '%PDF-', headers: { 'content-type': 'application/pdf' } });
  });

  it('for a list carries filters in the query and the page key in its header', async () => {
    const { baseUrl, seen } = await hostileServer(json(200, [], { 'x-next-key': 'page/3=' }));
    const query = { startTime: '2026-11-20T08:30:00.000Z', endTime: '2026-11-21T08:30:00.000Z', limit: 5 };
    const { value } = await openClient({ baseUrl }).transfers({ ...query, nextKey: 'page/2=' });
    expect(value.nextKey).toBe('page/3=');
    const last = await hostileServer(json(200, [], { 'x-next-key': '' }));
    expect((await openClient({ baseUrl: last.baseUrl }).transfers(query)).value.nextKey).toBeNull();
    expect(seen[0]?.headers['x-next-key']).toBe('page/2=');
    const sent = new URL(seen[0]?.path ?? '', baseUrl).searchParams;
    expect(Object.fromEntries(sent)).toEqual({ ...query, limit: '5' });
  });
});

describe('a mutation', () => {
  const TROUBLE: readonly (readonly [string, Line])[] = [
    ['502', html(502)],
    ['429 with Retry-After: 0', text(429, '', { 'retry-after': '0' })],
    ['a reset', reset],
    ['500 with 10001', refusal(500, 10001)],
  ];
  it.each(of('mutation').flatMap((operation) => TROUBLE.map(([name, line]) => ({ operation, name, line }))))(
    '$operation is sent exactly once when met by $name',
    async ({ operation, line }) => {
      const { seen, outcome } = await sentBy(operation, line);
      expect(outcome).toContain('Unanswered');
      expect(seen).toHaveLength(1);
    },
  );
});

describe('a read', () => {
  it.each(of('read'))(
    '%s is tried three times when the service is overloaded, then given up',
    async (operation) => {
      const { seen, outcome } = await sentBy(operation, html(503));
      expect(outcome).toBe('Unavailable overloaded');
      expect(seen).toHaveLength(3);
    },
  );

  it('recovers from a reset and from a bad gateway', async () => {
    const { seen, outcome } = await sentBy('transfer', reset, html(502), json(200, TRANSFER));
    expect(outcome).toBe('success');
    expect(seen).toHaveLength(3);
  });

  it.each([
    ['a refusal', refusal(500, 10014)],
    ['a refused key', refusal(403, 10006)],
    ['a redirect', text(302, '', { location: '/x' })],
    ['a long Retry-After', text(429, '', { 'retry-after': '60' })],
  ])('is tried once when met by %s', async (_name, line) => {
    expect((await sentBy('transfer', line)).seen).toHaveLength(1);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is not followed, and the key goes nowhere else', async (status) => {
    const elsewhere = await hostileServer(json(200, TRANSFER));
    for (const operation of ['transfer', 'createTransfer', 'confirmTransfer'] as const) {
      const location = `${elsewhere.baseUrl}/transfers`;
      const { outcome, seen } = await sentBy(operation, text(status, '', { location }));
      expect(outcome).toBe('Unavailable redirected');
      expect(seen).toHaveLength(1);
    }
    expect(elsewhere.seen).toEqual([]);
  });
});
