// Requests at the edges of the interface: a wrong query stays wrong behind a key, a day that there is not is no time, and what cannot be read
// as a request is answered like any other invalid one.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { describe, expect, it } from 'vitest';

import { withSandbox } from './with-sandbox.ts';

async function list(query: string, headers: Readonly<Record<string, string>> = {}) {
  const sandbox = await withSandbox();
  const answer = await fetch(`${sandbox.baseUrl}/transfers?${query}`, {
    headers: { 'x-api-key': sandbox.apiKey, ...headers },
  });
  return { status: answer.status, body: (await answer.json()) as { readonly errorCode?: number } };
}

const KEY = Buffer.from('{"from":0,"endTime":"2026-11-20T00:00:00.000Z","limit":5}').toString('base64url');

describe('the list of transfers, with a key of an earlier page', () => {
  it.each([
    ['startTime=2026-11-01T00:00:00Z&endTime=2026-11-20T00:00:00Z', 500, 10023],
    ['limit=0', 400, 10001],
    ['limit=abc', 400, 10001],
    ['startTime=abc', 400, 10001],
  ])('refuses %s as without one', async (query, status, errorCode) => {
    expect(await list(query, { 'x-next-key': KEY })).toMatchObject({ status, body: { errorCode } });
  });

  it('needs nothing else', async () => {
    expect(await list('', { 'x-next-key': KEY })).toEqual({ status: 200, body: [] });
  });
});

it.each(['2026-11-31T00:00:00Z', '2026-02-29T00:00:00Z'])('%s is no time', async (day) => {
  expect(await list(`startTime=${day}`)).toMatchObject({ status: 400, body: { errorCode: 10001 } });
});

it.each([
  ['a header that is too long', `GET /balances HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(40_000)}\r\n\r\n`],
  ['a method that there is not', 'FOO /rates HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['no HTTP at all', 'hello\r\n\r\n'],
])('%s is answered with a code', async (_name, request) => {
  const sandbox = await withSandbox();
  const socket = connect(Number(new URL(sandbox.baseUrl).port), '127.0.0.1');
  socket.write(request);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"errorCode":10001');
});
