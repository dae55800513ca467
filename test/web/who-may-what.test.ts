// Who gets an answer at all: each route of the table by each scope, the server's name, the size and kind of a body, and repeated requests.
import { request } from 'node:http';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDoor } from '../../src/app/desk/open-door.ts';
import { systemClock } from '../../src/base/clock.ts';
import { inOneCommit, openPeopleFile } from '../../src/app/people/people-file.ts';
import { type Role, ROLES, type Scope, SCOPES } from '../../src/contract/words.ts';
import { ProgramKeys } from '../../src/app/people/program-keys.ts';
import { EN } from '../../src/messages/en.ts';
import { addressOf } from '../../src/web/callers.ts';
import { Limiter } from '../../src/web/limits.ts';
import { PROBLEMS } from '../../src/web/problems.ts';
import { ROUTES } from '../../src/web/routes.ts';
import { HEADER, lineTo, openDesk } from '../app/desk.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { ALL, type AskInit, openWeb, order, sent, until, type Web } from './with-web.ts';

const csv = (...lines: readonly string[]): string => `${[HEADER, ...lines].join('\n')}\n`;

let web: Web;
beforeAll(async () => {
  web = await openWeb('', undefined, ', bytesMax: 10KB');
});
afterAll(() => web.close());

const address = (path: string): string =>
  `/api/v1${path
    .replace(':batch', '20260101-00000000')
    .replace(':id', '00000000-0000-4000-8000-000000000000')
    .replace(':kind', 'result')
    .replace(':corridor', 'X.xlsx')
    .replace(':prefix', 'pd_test_nothing')
    .replaceAll(/:(\w+)/g, 'nothing')}`;

/** Which roles may use what. `all`: every role; `anybody`: also who is not signed in. A route without a line here fails. */
const MAY: Readonly<Record<string, readonly Role[] | 'all' | 'anybody'>> = {
  'POST /uploads': ['maker'],
  'GET /uploads': 'all',
  'DELETE /uploads/:id': ['maker'],
  'POST /uploads/:id/documents': ['maker'],
  'GET /uploads/:id': 'all',
  'GET /uploads/:id/draft': ['maker'],
  'PUT /uploads/:id/draft': ['maker'],
  'GET /uploads/:id/faults': 'all',
  'GET /uploads/:id/faults/next': 'all',
  'GET /uploads/:id/payees': ['maker'],
  'GET /uploads/:id/rows': 'all',
  'POST /uploads/:id/submission': ['maker'],
  'GET /files': 'all',
  'GET /files/:batch': 'all',
  'GET /files/:batch/rows': 'all',
  'GET /files/:batch/timeline': 'all',
  'GET /files/:batch/answers': 'all',
  'GET /files/:batch/answers/:kind': 'all',
  'GET /files/:batch/proof': 'all',
  'GET /files/:batch/journal': 'all',
  'POST /files/:batch/approval': ['checker', 'treasurer'],
  'POST /files/:batch/decline': ['checker', 'treasurer'],
  'POST /files/:batch/pause': ['checker', 'treasurer'],
  'POST /files/:batch/resume': ['checker', 'treasurer'],
  'POST /files/:batch/release': ['checker', 'treasurer'],
  'POST /files/:batch/cancellation': ['checker', 'treasurer'],
  'GET /balances': 'all',
  'GET /balances/history': 'all',
  'GET /schedules': 'all',
  'GET /corridors': 'all',
  'GET /templates/:corridor': 'all',
  'POST /uploads/:id/cost': ['maker'],
  'POST /uploads/:id/reading': ['maker'],
  'POST /uploads/:id/profile': ['maker'],
  'POST /uploads/:id/corrections': ['maker'],
  'POST /files/:batch/correction': ['maker'],
  'GET /profiles': 'all',
  'POST /profiles/:name/confirmation': ['treasurer', 'admin'],
  'DELETE /profiles/:name': 'all',
  'POST /reconciliations': ['treasurer'],
  'GET /jobs': 'all',
  'GET /jobs/:job': 'all',
  'DELETE /jobs/:job': 'all',
  'GET /stop': 'all',
  'PUT /stop': 'all',
  'GET /files/:batch/comments': 'all',
  'POST /files/:batch/comments': 'all',
  'GET /delegations': 'all',
  'DELETE /delegations/:delegation': 'all',
  'GET /delegations/people': ['checker', 'treasurer'],
  'POST /delegations': ['checker', 'treasurer'],
  'GET /approvals': 'all',
  'GET /held': 'all',
  'GET /files/:batch/held': 'all',
  'GET /files/:batch/approval': 'all',
  'GET /files/:batch/comparison': 'all',
  'POST /files/:batch/approval/options': ['checker', 'treasurer'],
  'DELETE /stop': ['checker', 'treasurer'],
  'GET /events': 'all',
  'GET /session': 'anybody',
  'GET /session/oidc': 'anybody',
  'GET /session/oidc/return': 'anybody',
  'POST /session/options': 'anybody',
  'POST /session': 'anybody',
  'DELETE /session': 'anybody',
  'POST /session/demo': 'anybody',
  'POST /enrolment/options': 'anybody',
  'POST /enrolment': 'anybody',
  'POST /session/step-up': 'all',
  'POST /search': 'all',
  'GET /payees': 'all',
  'GET /payees/table': 'all',
  'GET /payees/:payee': 'all',
  'GET /files/:batch/payee': 'all',
  'POST /payees/:payee/verified': ['checker', 'treasurer'],
  'DELETE /payees/:payee': ['admin'],
  'DELETE /payees/:payee/verified': 'all',
  'GET /session/notices': 'all',
  'PUT /session/notices': 'all',
  'POST /session/notices/address': 'all',
  'POST /session/notices/address/code': 'all',
  'DELETE /session/notices/address': 'all',
  'POST /session/notices/browsers': 'all',
  'DELETE /session/notices/browsers/:browser': 'all',
  'GET /session/mine': 'all',
  'DELETE /session/mine/:session': 'all',
  'POST /session/passkeys/options': 'all',
  'POST /session/passkeys': 'all',
  'DELETE /session/passkeys/:passkey': 'all',
  'GET /people': ['admin', 'auditor'],
  'GET /people/invitations': ['admin'],
  'POST /people/invitations': ['admin'],
  'DELETE /people/invitations/:invitation': ['admin'],
  'PUT /people/:person/roles': ['admin'],
  'POST /people/:person/confirmation': ['admin'],
  'DELETE /people/:person': ['admin'],
  'GET /keys': ['admin', 'auditor'],
  'POST /keys': ['admin'],
  'DELETE /keys/:prefix': ['admin'],
  'GET /audit': ['admin', 'auditor'],
  'GET /audit/table': ['admin', 'auditor'],
  'GET /doctor': ['admin', 'treasurer', 'auditor'],
};

it('says of each route, and of no other, who may use it', () => {
  expect(ROUTES.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(MAY).sort());
});

/** What a request is refused with before it does anything. */
const REFUSED = [
  'scope_missing',
  'people_only',
  'role_missing',
  'key_missing',
  'key_unknown',
  'session_missing',
  'cross_site',
  'host_wrong',
];

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (name, { method, path, who }) => {
    const may = MAY[name] ?? [];
    const isUnsafe = method !== 'GET';
    const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } };
    const asked = async (init: AskInit): Promise<readonly [number, string]> => {
      const response = await web.ask(address(path), { method, ...init });
      const isProblem = response.headers.get('content-type')?.startsWith('application/problem') === true;
      const code = isProblem ? ((await response.json()) as { code: string }).code : '';
      expect(response.headers.get('cache-control')).toBe('no-store');
      await response.body?.cancel().catch(() => undefined);
      return [response.status, code];
    };
    const browser = (headers: Readonly<Record<string, string>>): AskInit => ({
      key: null,
      ...body,
      headers: { ...body.headers, ...headers },
    });
    const own = { 'sec-fetch-site': 'same-origin' };

    it('is answered to nobody who is not known', async () => {
      const { status, body: told, headers } = await web.json(address(path), { method, ...browser(own) });
      if (may === 'anybody') expect(REFUSED).not.toContain(told['code']);
      else {
        expect([status, told['code'], headers.get('www-authenticate')]).toEqual([
          401,
          'key_missing',
          'Bearer',
        ]);
        expect(headers.get('content-type')).toBe('application/problem+json');
      }
    });

    it.each(SCOPES)('is answered to %s where its scope is that, and not otherwise', async (scope) => {
      const key = await web.key('one scope', [scope]);
      const [status, code] = await asked({ key, ...(who === 'everybody' ? browser(own) : {}) });
      const readsAll = who === 'files:read' && scope === 'files:read-all';
      const allowed = who === scope || who === 'everybody' || readsAll;
      // To compare everything, a program has to be able to read everything.
      if (path === '/reconciliations' && allowed) {
        expect(code).toBe('scope_missing');
        return;
      }
      expect(REFUSED.includes(code)).toBe(!allowed);
      if (!allowed) expect([status, code]).toEqual([403, who === 'people' ? 'people_only' : 'scope_missing']);
    });

    it.each(ROLES)('is answered to a %s where the table says so', async (role) => {
      const [status, code] = await asked(browser({ ...own, cookie: await signedIn(role) }));
      const allowed = may === 'all' || may === 'anybody' || may.includes(role);
      expect(REFUSED.includes(code) ? code : '').toBe(allowed ? '' : 'role_missing');
      if (!allowed) expect(status).toBe(403);
    });

    it('is answered to nobody whose session has ended, or who waits for roles', async () => {
      const cookie = await signedIn('checker', 'maker', 'treasurer', 'admin', 'auditor');
      const door = await openDoor(web.paydrop.config);
      door.file.database.exec('DELETE FROM sessions');
      door.close();
      const [status, code] = await asked(browser({ ...own, cookie }));
      if (may === 'anybody') expect(REFUSED).not.toContain(code);
      else expect([status, code]).toEqual([401, 'session_missing']);
      const [, later] = await asked(browser({ ...own, cookie: await signedIn() }));
      expect(REFUSED.includes(later)).toBe(who !== 'everybody' && !path.startsWith('/session'));
    });

    it.runIf(isUnsafe)('is refused to a page of strangers, and does nothing', async () => {
      const cookie = await signedIn('checker', 'maker', 'treasurer', 'admin', 'auditor');
      for (const headers of [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { origin: 'null' },
        { origin: 'http://evil.test' },
        { origin: web.url.replace(/\d+$/, '1') },
        { ...own, origin: 'http://evil.test' },
      ])
        expect(await asked(browser({ ...headers, cookie })), JSON.stringify(headers)).toEqual([
          403,
          'cross_site',
        ]);
      const [, code] = await asked(browser({ origin: web.url, cookie }));
      if (may.length > 0) expect(REFUSED).not.toContain(code);
    });

    it('is answered under no name of a stranger', async () => {
      const cookie = await signedIn('admin');
      expect(await hostAsked('evil.test', { method, path: address(path), headers: { ...own, cookie } })).toBe(
        421,
      );
    });
  },
);

/** The cookie of somebody who has these roles, and has just come in. */
async function signedIn(...roles: readonly Role[]): Promise<string> {
  const { people, sessions, file, close } = await openDoor(web.paydrop.config);
  count += 1;
  const person = inOneCommit(file, () =>
    people.add({ name: `Person ${String(count)}`, roles, invitedBy: null }),
  );
  const { secret } = sessions.begin(person, 'test');
  close();
  return `__Host-paydrop=${secret}`;
}
let count = 0;

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
    const file = openPeopleFile({ root }, web.paydrop.clock);
    const keys = new ProgramKeys(file);
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
    file.database.close();
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

  it('is told so sooner where it is not known, together with all others who are not, while the known ask on', () => {
    const clock = manualClock();
    const limiter = new Limiter(clock);
    // As many who knock seldom, and as many who do not.
    const knocks = Array.from({ length: 420 }, (_, at) =>
      limiter.mayCallUnauthenticated(`address ${String(at)}`, null),
    );
    expect([knocks.indexOf(false), limiter.mayCall('Known')]).toEqual([400, true]);
    expect(limiter.mayCallUnauthenticated('address 7', 'browser that has signed in before')).toBe(true);
    clock.advance(1_000);
    const again = Array.from({ length: 45 }, (_, at) =>
      limiter.mayCallUnauthenticated(`address ${String(at)}`, null),
    );
    expect(again.indexOf(false)).toBe(40);
    clock.advance(60_000);
    const alone = Array.from({ length: 110 }, () => limiter.mayCallUnauthenticated('busy address', null));
    expect([alone.indexOf(false), limiter.mayCallUnauthenticated('another address', null)]).toEqual([
      100,
      true,
    ]);
  });

  it('and a few addresses that knock without end lock out neither a quiet one nor a browser that is known', () => {
    const clock = manualClock();
    const limiter = new Limiter(clock);
    const few = Array.from({ length: 8 }, (_, at) => `loud ${String(at)}`);
    for (let second = 0; second < 120; second += 1) {
      for (const address of few)
        for (let turn = 0; turn < 20; turn += 1) limiter.mayCallUnauthenticated(address, null);
      const honest = `quiet ${String(second)}`;
      expect([
        limiter.mayCallUnauthenticated(honest, null),
        limiter.mayCallUnauthenticated(honest, null),
      ]).toEqual([true, true]);
      clock.advance(1_000);
    }
    // A browser that is known passes where it shares the address of the loud, but not without end either.
    const known = Array.from({ length: 40 }, () => limiter.mayCallUnauthenticated('loud 0', 'browser'));
    expect(known.slice(0, 20)).not.toContain(false);
    for (const address of few)
      for (let turn = 0; turn < 200; turn += 1) limiter.mayCallUnauthenticated(address, null);
    expect(limiter.mayCallUnauthenticated('loud 0', 'browser')).toBe(false);
  });

  it('is told so over HTTP: 429, and when to try again', { timeout: 30_000 }, async () => {
    // Where time stands still, no call is given back meanwhile.
    const desk = await openDesk({}, { ...systemClock, monotonic: () => 0 });
    const other = await openWeb('', desk);
    const key = await other.key('Busy');
    const all = Array.from({ length: 201 }, () => other.json('/api/v1/files', { key }));
    const refused = (await Promise.all(all)).filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body['code']])).toEqual([[429, 'rate_exceeded']]);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    const patient = await other.json('/api/v1/files', { key: await other.key('Patient') });
    expect(patient.status).toBe(200);
    await other.close();
  });

  it('and who has none is told apart by the network, of which a proxy alone tells another one', () => {
    const from = (behindProxy: boolean, socket: string, told?: string) =>
      addressOf(
        { paydrop: { config: { web: { behindProxy } } } } as Parameters<typeof addressOf>[0],
        {
          env: { incoming: { socket: { remoteAddress: socket } } },
          req: { header: () => told },
        } as unknown as Parameters<typeof addressOf>[1],
      );
    expect(from(false, '::ffff:10.0.0.1', '9.9.9.9')).toBe('address 10.0.0.1');
    expect(from(true, '10.0.0.1', '1.1.1.1, 9.9.9.9')).toBe('address 9.9.9.9');
    expect(from(true, '10.0.0.1')).toBe('address 10.0.0.1');
    expect(from(true, '10.0.0.1', '9.9.9.9:4711')).toBe('address 9.9.9.9');
    expect(from(true, '10.0.0.1', '[2001:db8::7]:4711')).toBe(from(false, '2001:db8::7'));
    expect(from(true, '10.0.0.1', '2001:db8::7')).toBe(from(false, '2001:db8:0:0:1::'));
    expect(from(false, '2001:db8:0:1::7')).not.toBe(from(false, '2001:db8::7'));
    expect(from(false, '::1')).toBe('address 0:0:0:0');
  });

  it('that is guessed at is not looked for more than some times a second', () => {
    const clock = manualClock();
    const limiter = new Limiter(clock);
    for (let at = 0; at < 10; at += 1) limiter.keyTried();
    expect(limiter.mayTryKey()).toBe(false);
    clock.advance(100);
    expect(limiter.mayTryKey()).toBe(true);
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

/** The status of a request under a name of the server. */
function hostAsked(
  host: string,
  {
    method = 'GET',
    path = '/api/openapi.json',
    headers = {},
  }: { method?: string; path?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(web.url);
    const options = { host: '127.0.0.1', port, path, method, headers: { ...headers, host } };
    const asked = request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject).end();
  });
}

describe('the name of the server', () => {
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

  it('that is far larger is heard out, so that whoever sends it hears why', async () => {
    const { body } = await web.json('/api/v1/uploads', sent('with.csv', csv(lineTo('with', 'W-1', '1'))));
    const large = Buffer.alloc(12_000_000);
    for (const path of ['/api/v1/uploads', `/api/v1/uploads/${String(body['id'])}/documents`])
      for (let times = 0; times < 6; times += 1)
        expect((await web.json(path, sent('large.csv', large))).status).toBe(413);
    const json = { ...order({}), body: 'x'.repeat(12_000_000) };
    for (let times = 0; times < 6; times += 1)
      expect((await web.json(`/api/v1/uploads/${String(body['id'])}/submission`, json)).status).toBe(413);
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
      body: {
        code: 'body_wrong',
        detail: 'This address does not take this of the body as it is: skipRow.',
      },
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
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*'])
      expect((await web.ask(path, { headers: { 'if-none-match': known } })).status).toBe(304);
    expect((await web.ask(path, { headers: { 'if-none-match': '"another"' } })).status).toBe(200);
    const document = sent('a.pdf', '%PDF');
    const late = { ...document, headers: { ...(document.headers as object), 'if-match': '"other"' } };
    expect(await web.json(`${path}/documents`, late)).toMatchObject({ body: { code: 'version_differs' } });
    const submit = (seen: string) =>
      web.json(`${path}/submission`, {
        ...order({}),
        headers: { 'content-type': 'application/json', 'if-match': seen },
      });
    expect(await submit('"other"')).toMatchObject({ status: 412, body: { code: 'version_differs' } });
    const { status, body: taken } = await submit(`"another", ${etag}`);
    expect(status).toBe(202);
    const file = `/api/v1/files/${String(taken['batch'])}`;
    // Before it is closed its result is written more than once.
    await until(web, file, ({ state: standing }) => standing === 'closed');
    const answer = `${file}/answers/result`;
    const response = await web.ask(answer);
    expect(response.status).toBe(200);
    const tag = response.headers.get('etag') ?? '';
    expect((await response.text()).length).toBeGreaterThan(100);
    expect((await web.ask(answer, { headers: { 'if-none-match': tag } })).status).toBe(304);
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
    const asked = ROUTES.filter(({ who }) => who !== 'people' && who !== 'everybody').map(
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
    const contract: readonly Scope[] = [
      'files:write',
      'files:read',
      'files:read-all',
      'money:read',
      'reconcile',
    ];
    expect(SCOPES).toEqual(contract);
  });
});
