// Who is answered at all: each route of the table by each scope, the name of the server, the size and the kind of what is sent, and what is asked twice.
import { request } from 'node:http';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ProgramKeys, type Scope, SCOPES } from '../../src/app/desk/program-keys.ts';
import { EN } from '../../src/messages/en.ts';
import { Limiter } from '../../src/web/limits.ts';
import { PROBLEMS } from '../../src/web/problems.ts';
import { ROUTES } from '../../src/web/routes.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { ALL, openWeb, order, sent, until, type Web } from './with-web.ts';

const csv = (...lines: readonly string[]): string => `${[HEADER, ...lines].join('\n')}\n`;

let web: Web;
beforeAll(async () => {
  web = await openWeb('', undefined, ', bytesMax: 10KB');
});
afterAll(() => web.close());

const address = (path: string): string =>
  `/api/v1${path.replace(':batch', '20260101-00000000').replace(':id', '00000000-0000-4000-8000-000000000000').replace(':kind', 'result').replace(':corridor', 'X.xlsx')}`;

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_, { method, path, who }) => {
    it('is answered to nobody without a key', async () => {
      const { status, body, headers } = await web.json(address(path), { method, key: null });
      expect([status, body['code'], headers.get('www-authenticate')]).toEqual([401, 'key_missing', 'Bearer']);
      expect(headers.get('content-type')).toBe('application/problem+json');
    });

    it.each(SCOPES)('is answered to %s where its scope is that, and not otherwise', async (scope) => {
      const key = await web.key('one scope', [scope]);
      const response = await web.ask(address(path), { method, key });
      const code =
        response.headers.get('content-type')?.startsWith('application/problem') === true
          ? ((await response.json()) as { code: string }).code
          : '';
      await response.body?.cancel().catch(() => undefined);
      const allowed = who === scope;
      expect(['scope_missing', 'people_only', 'key_missing', 'key_unknown'].includes(code)).toBe(!allowed);
      expect(response.status === 403).toBe(!allowed);
    });

    it('is for people alone, whatever the key, where it decides something', async () => {
      const response = await web.ask(address(path), { method });
      await response.body?.cancel();
      expect(response.status === 403).toBe(who === 'people');
      expect(response.headers.get('cache-control')).toBe('no-store');
    });
  },
);

describe('a key', () => {
  it('that is unknown, or has ended, opens nothing', async () => {
    const ended = await web.key('Ended', ALL, '2026-01-01T00:00:00.000Z');
    for (const key of ['pd_test_nonsense', ended])
      expect(await web.json('/api/v1/files', { key })).toMatchObject({
        status: 401,
        body: { code: 'key_unknown' },
      });
  });

  it('is kept as a hash alone, in a file of its owner, and ends at once', async () => {
    const root = await mkdtemp(join(tmpdir(), 'paydrop-keys-'));
    const keys = new ProgramKeys({ root }, web.paydrop.clock);
    const key = keys.make('Books', ['files:read', 'money:read'], { isSandbox: false });
    expect(key).toMatch(/^pd_live_[\w-]{43}$/);
    expect(keys.find(key)).toMatchObject({
      name: 'Books',
      scopes: ['files:read', 'money:read'],
      endsAt: null,
    });
    expect(keys.list()[0]).not.toHaveProperty('hash');
    expect(keys.end(key.slice(0, 14))).toBe(1);
    expect([keys.find(key), keys.end('Books')]).toEqual([null, 0]);
    keys.close();
    expect((await stat(join(root, 'people.sqlite'))).mode & 0o777).toBe(0o600);
    for (const name of await readdir(root))
      expect(await readFile(join(root, name), 'latin1')).not.toContain(key.slice(14));
    await rm(root, { recursive: true });
  });

  it('that asks without end is told to wait, and another one is not', () => {
    const clock = manualClock();
    const limiter = new Limiter(clock);
    const asked = Array.from({ length: 201 }, () => limiter.mayCall('Busy'));
    expect([asked.indexOf(false), limiter.mayCall('Other')]).toEqual([200, true]);
    clock.advance(1_000);
    expect(Array.from({ length: 51 }, () => limiter.mayCall('Busy')).indexOf(false)).toBe(50);
  });

  it('that is guessed at is not looked for more than some times a second', () => {
    const clock = manualClock();
    const limiter = new Limiter(clock);
    for (let at = 0; at < 10; at += 1) limiter.guessed();
    expect(limiter.mayGuess()).toBe(false);
    clock.advance(100);
    expect(limiter.mayGuess()).toBe(true);
  });

  it('follows events on four streams, and no more', async () => {
    const key = await web.key('Follower');
    const open = await Promise.all([1, 2, 3, 4].map(() => web.ask('/api/v1/events', { key })));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await web.json('/api/v1/events', { key })).toMatchObject({
      status: 429,
      body: { code: 'streams_too_many' },
    });
    for (const { body } of open) await body?.cancel();
  });
});

describe('the name of the server', () => {
  const hostAsked = (host: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(web.url);
      const asked = request(
        { host: '127.0.0.1', port, path: '/api/openapi.json', headers: { host } },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      asked.on('error', reject).end();
    });

  it.each([
    ['localhost:1', 200],
    ['127.0.0.1', 200],
    ['[::1]:8790', 200],
    ['evil.test', 421],
    ['localhost.evil.test', 421],
    ['127.0.0.1.nip.io:80', 421],
  ])('%s is answered with %i', async (host, status) => {
    expect(await hostAsked(host)).toBe(status);
  });
});

describe('what is sent', () => {
  it('that is larger than a file may be is refused, told so or not, and nothing of it is kept', async () => {
    const large = 'x'.repeat(20_000);
    const before = await readdir(join(web.desk.workspace, 'uploads')).catch(() => []);
    expect(await web.json('/api/v1/uploads', sent('large.csv', large))).toMatchObject({
      status: 413,
      body: { code: 'upload_too_large' },
    });
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from(large));
        controller.close();
      },
    });
    const init = { ...sent('large.csv', ''), body: stream as unknown as string, duplex: 'half' as const };
    expect(await web.json('/api/v1/uploads', init)).toMatchObject({
      status: 413,
      body: { code: 'upload_too_large' },
    });
    expect(await readdir(join(web.desk.workspace, 'uploads')).catch(() => [])).toEqual(before);
  });

  it('that is no JSON, or says what nobody asked for, is refused', async () => {
    const { body } = await web.json('/api/v1/uploads', sent('body.csv', csv(lineTo('body', 'Y-1', '1'))));
    const path = `/api/v1/uploads/${String(body['id'])}/submission`;
    expect(await web.json(path, { ...order({}), body: '{' })).toMatchObject({
      status: 422,
      body: { code: 'body_wrong' },
    });
    expect(await web.json(path, order({ skipRow: true }))).toMatchObject({
      status: 422,
      body: { code: 'body_wrong' },
    });
    expect(
      await web.json(path, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }),
    ).toMatchObject({
      status: 415,
      body: { code: 'body_kind_wrong' },
    });
    expect(await web.json(path, order({ again: 'x'.repeat(70_000) }))).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    });
  });

  it.each([
    ['limit=0', 'query_wrong'],
    ['limit=201', 'query_wrong'],
    ['limit=x', 'query_wrong'],
    ['limits=5', 'query_wrong'],
    ['after=nonsense', 'cursor_unknown'],
    [`after=${Buffer.from('{"id":1}').toString('base64url')}`, 'cursor_unknown'],
  ])('%s is answered with %s', async (query, code) => {
    expect(await web.json(`/api/v1/files?${query}`)).toMatchObject({ status: 422, body: { code } });
  });

  it('under a name of its own is done once, told again, and no other request bears that name', async () => {
    const named = (name: string, content: string) => {
      const init = sent(name, content);
      return {
        ...init,
        headers: { ...(init.headers as Record<string, string>), 'idempotency-key': 'order-1' },
      };
    };
    const content = csv(lineTo('named', 'I-1', '100'));
    const first = await web.json('/api/v1/uploads', named('named.csv', content));
    const again = await web.json('/api/v1/uploads', named('named.csv', content));
    expect([again.status, again.body, again.headers.get('location')]).toEqual([
      201,
      first.body,
      first.headers.get('location'),
    ]);
    for (const [name, other] of [
      ['named.csv', `${content} `],
      ['other.csv', content],
    ] as const)
      expect(await web.json('/api/v1/uploads', named(name, other))).toMatchObject({
        status: 422,
        body: { code: 'idempotency_other_request' },
      });
    const key = await web.key('Another program');
    expect((await web.json('/api/v1/uploads', { ...named('named.csv', content), key })).body['id']).not.toBe(
      first.body['id'],
    );
  });

  it('about another state than stands now is refused', async () => {
    const { body } = await web.json('/api/v1/uploads', sent('seen.csv', csv(lineTo('seen', 'V-1', '100'))));
    const path = `/api/v1/uploads/${String(body['id'])}`;
    await until(web, path, ({ state }) => state === 'checked');
    const etag = (await web.json(path)).headers.get('etag') ?? '';
    expect((await web.ask(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const submit = (seen: string) =>
      web.json(`${path}/submission`, {
        ...order({}),
        headers: { 'content-type': 'application/json', 'if-match': seen },
      });
    expect(await submit('"other"')).toMatchObject({ status: 412, body: { code: 'version_differs' } });
    expect((await submit(etag)).status).toBe(202);
  });
});

describe('the description', () => {
  it('has every route that a program may use, and none of those for people', async () => {
    const { body } = await web.json('/api/openapi.json', { key: null });
    expect(body['openapi']).toBe('3.1.0');
    const paths = body['paths'] as Readonly<Record<string, object>>;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const asked = ROUTES.filter(({ who }) => who !== 'people').map(
      ({ method, path }) =>
        `${method} /api/v1${path.replace(/:(\w+)/g, '{$1}').replace('{corridor}', '{corridor}.xlsx')}`,
    );
    expect(described.sort()).toEqual(asked.sort());
  });

  it('of a problem stands at its type, in the reader’s language', async () => {
    for (const code of Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[]) {
      const { body } = await web.json(`/problems/${code}`, {
        key: null,
        headers: { 'accept-language': 'fr-CM,fr;q=0.9' },
      });
      expect(body).toMatchObject({ code, status: PROBLEMS[code] });
      expect(body['title']).not.toBe(EN[`problem.${code}`]);
    }
  });
});

describe('scopes', () => {
  it('are those of the contract', () => {
    const contract: readonly Scope[] = ['files:write', 'files:read', 'money:read', 'reconcile'];
    expect(SCOPES).toEqual(contract);
  });
});
