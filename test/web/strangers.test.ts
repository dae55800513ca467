// What an attacker tries at the page and at the interface for programs: keys that have ended, secrets at rest, floods, cursors and names that are none of ours.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDoor } from '../../src/app/desk/open-door.ts';
import { type Desk, HEADER, line, openDesk } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, order, sent, until, type Web } from './with-web.ts';

let web: Web;
let admin: Visitor;
beforeAll(async () => {
  web = await openWeb();
  admin = await visitor(web, 'Ada Admin', 'admin');
});
afterAll(() => web.close());

/** What a stream says until it ends by itself. */
async function toItsEnd(response: Response): Promise<string> {
  let said = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? [])
    said += decoder.decode(chunk as Uint8Array, { stream: true });
  return said;
}

describe('the key of a program', () => {
  it('counts from the next request after it is made, and no more from the next after it is ended', async () => {
    const { keys, close } = await openDoor(web.paydrop.config);
    const key = keys.make('Newcomer', ['files:read'], { isSandbox: true });
    expect((await web.json('/api/v1/files', { key })).status).toBe(200);
    keys.end('Newcomer');
    expect((await web.json('/api/v1/files', { key })).body['code']).toBe('key_unknown');
    close();
  });

  it.each([
    ['by its prefix', (key: string) => key.slice(0, 14)],
    ['by its name', () => 'Follower'],
  ])('that is ended %s is told nothing more by a stream that it has opened', async (_, named) => {
    const key = await web.key('Follower');
    const stream = await web.ask('/api/v1/events', { key });
    expect(stream.status).toBe(200);
    const { keys, close } = await openDoor(web.paydrop.config);
    keys.end(named(key));
    close();
    await toItsEnd(stream);
    expect((await web.json('/api/v1/files', { key })).status).toBe(401);
  });

  it('that ends by its date ends its stream too', async () => {
    const endsAt = new Date(web.paydrop.clock.now() + 1_500).toISOString();
    const stream = await web.ask('/api/v1/events', { key: await web.key('Dated', ['files:read'], endsAt) });
    expect(stream.status).toBe(200);
    await toItsEnd(stream);
  });

  it('works while somebody guesses at keys', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        web.json('/api/v1/files', { key: `pd_test_guess-${String(at)}` }),
      ),
    );
    const codes = new Set(guesses.map(({ body }) => body['code']));
    expect([...codes].toSorted()).toEqual(['key_unknown', 'rate_exceeded']);
    expect((await web.json('/api/v1/files')).status).toBe(200);
  });

  it('and an invitation are nowhere in the workspace as they were told, whatever name a request had', async () => {
    const ask = async (path: string, body: object): Promise<string> => {
      const stepUp = await admin.stepUp('POST', path);
      const { status, body: told } = await admin.json(
        'POST',
        path,
        { ...body, stepUp },
        { 'idempotency-key': path },
      );
      expect(status).toBe(201);
      return (
        String(told['key'] ?? told['url'])
          .split('#')
          .at(-1) ?? ''
      );
    };
    const key = await ask('/keys', { name: 'Shown Once', scopes: ['files:read'] });
    const token = await ask('/people/invitations', { name: 'Marie Maker', roles: ['maker'] });
    for (const name of await readdir(web.desk.workspace)) {
      if (!name.startsWith('people.sqlite')) continue;
      const bytes = await readFile(join(web.desk.workspace, name), 'latin1');
      expect(bytes).not.toContain(key.slice(14));
      expect(bytes).not.toContain(token);
    }
  });
});

describe('a maker who keeps how a file is read', () => {
  const UNKNOWN = HEADER.split(',').map((_, at) => `Zeile ${'ABCDEFGHIJK'.charAt(at)}`);
  const columns = Object.fromEntries(UNKNOWN.map((name, at) => [name, HEADER.split(',')[at] ?? '']));
  const STANDING = {
    approved: 'files: "approved.csv"\npolicy: { approval: required }\n',
    'of-folder': 'files: "of-folder.csv"\nfolder: paris\n',
    listed: 'files: "listed.csv"\nreceivers: { by: Zeile A, list: { Z-1: { receiver.lastName: Li } } }\n',
    'other-names': 'files: "wages*.csv"\n',
    named: 'files: "named.csv"\n',
  };
  let desk: Desk;
  let page: Web;
  let armand: Visitor;

  beforeAll(async () => {
    desk = await openDesk();
    for (const [name, text] of Object.entries(STANDING)) await desk.write(`profiles/${name}.yaml`, text);
    page = await openWeb('tenants: [{ folder: lyon, profile: named }]', desk);
    armand = await visitor(page, 'Armand Mbarga', 'maker');
  });
  afterAll(() => page.close());

  const pathOf = (name: string): string => join(page.paydrop.config.profilesPath, `${name}.yaml`);

  async function kept(file: string, name: string, mayReplace: boolean) {
    const { headers, ...sending } = sent(file, `${UNKNOWN.join(',')}\n${line('Z-1', '100')}\n`);
    const own = {
      ...(headers as Record<string, string>),
      cookie: armand.cookie,
      'sec-fetch-site': 'same-origin',
    };
    const { body } = await page.json('/api/v1/uploads', { ...sending, headers: own, key: null });
    return armand.json('POST', `/uploads/${String(body['id'])}/profile`, { columns, name, mayReplace });
  }

  it.each([
    ['asks for an approval', 'approved'],
    ['is for one folder', 'of-folder'],
    ['lists receivers', 'listed'],
    ['the config names for a folder', 'named'],
  ] as const)('does not replace a profile that %s', async (_, name) => {
    const { status, body } = await kept(`${name}.csv`, name, true);
    expect([status, body['code']]).toEqual([409, 'profile_guarded']);
    expect(await readFile(pathOf(name), 'utf8')).toBe(STANDING[name]);
  });

  it('adds no second profile for files that one reads already: all of them would be refused', async () => {
    const { status, body } = await kept('wages 2026-11.csv', 'mine', false);
    expect([status, body['code']]).toEqual([409, 'profile_guarded']);
    expect(await readdir(page.paydrop.config.profilesPath)).not.toContain('mine.yaml');
  });

  it('replaces what was kept at the page before', async () => {
    expect((await kept('honoraires 2026-11.csv', 'fees', false)).status).toBe(201);
    expect((await kept('honoraires 2026-12.csv', 'fees', false)).body['code']).toBe('profile_exists');
    expect((await kept('honoraires 2026-12.csv', 'fees', true)).status).toBe(201);
  });
});

describe('a stranger', () => {
  it.each(['x', '', '-1', '{"a":1}', '__proto__', '%00', 'e30', '9'.repeat(2_000)])(
    'who goes on from %j in the stream of events is told from the start, or that it is none, and breaks nothing',
    async (last) => {
      const gone = new AbortController();
      const response = await web.ask('/api/v1/events', {
        headers: { 'last-event-id': last },
        signal: AbortSignal.any([gone.signal, AbortSignal.timeout(5_000)]),
      });
      expect([200, 400]).toContain(response.status);
      gone.abort();
      expect((await web.json('/api/v1/files')).status).toBe(200);
    },
  );

  it.each([
    '/api/v1/files/..%2f..%2fpeople.sqlite',
    '/api/v1/files/x/answers/..%2f..%2f..%2fledger.sqlite',
    '/api/v1/uploads/..%2f..%2f',
    '/api/v1/uploads/%00',
    '/api/v1/templates/..%2f..%2fpeople.sqlite.xlsx',
    '/api/v1/templates/__proto__.xlsx',
    '/api/v1/files?after=__proto__',
    '/api/v1/files?limit=1e9',
    '/problems/constructor',
    '/problems/__proto__',
    '/..%2f..%2fpeople.sqlite',
    '/assets/..%2f..%2f..%2fpackage.json',
    '//evil.example/api/v1/files',
  ])('who asks for %s is told a 4xx, or the page, and no file', async (path) => {
    const response = await web.ask(path);
    const said = await response.text();
    expect(response.status).toBeLessThan(500);
    expect(said).not.toMatch(/SQLite format|"dependencies"/);
    if (path.startsWith('/api') || path.startsWith('/problems'))
      expect(response.status).toBeGreaterThanOrEqual(400);
  });

  it('sees no upload of another, and adds nothing to it', async () => {
    const own = await web.json('/api/v1/uploads', sent('pay.csv', `${HEADER}\n${line('S-1', '100')}\n`));
    const id = String(own.body['id']);
    const key = await web.key('Somebody Else');
    for (const path of ['', '/faults', '/rows', '/faults/next?row=0&column=0&step=1'])
      expect((await web.json(`/api/v1/uploads/${id}${path}`, { key })).status).toBe(404);
    const document = { ...sent('a.pdf', '%PDF-1.4'), key };
    expect((await web.json(`/api/v1/uploads/${id}/documents`, document)).status).toBe(404);
    expect((await web.json(`/api/v1/uploads/${id}/submission`, { ...order({}), key })).status).toBe(404);
    await until(web, `/api/v1/uploads/${id}`, ({ state }) => state === 'checked');
    expect(dataOf(await web.json('/api/v1/files')).length).toBe(0);
  });

  it('who makes a cursor, or takes one to another list, is told so, and not that nothing is left', async () => {
    const some = Array.from({ length: 3 }, (_, at) => line(`C-${String(at)}`, `x${String(at)}`));
    const cursors: string[] = [];
    for (const name of ['one.csv', 'other.csv']) {
      const { body } = await web.json('/api/v1/uploads', sent(name, `${HEADER}\n${some.join('\n')}\n`));
      const path = `/api/v1/uploads/${String(body['id'])}`;
      await until(web, path, ({ state }) => state === 'checked');
      const page = await web.json(`${path}/faults?limit=1`);
      cursors.push(String(page.body['next']));
      const made = { entry: 7, fault: 0 };
      const stranger = Buffer.from(JSON.stringify(made)).toString('base64url');
      const own = String(page.body['next']);
      for (const after of [stranger, own.slice(0, -2), ...cursors.slice(0, -1)])
        expect(await web.json(`${path}/faults?after=${after}`)).toMatchObject({
          status: 422,
          body: { code: 'cursor_unknown' },
        });
      expect(dataOf(await web.json(`${path}/faults?limit=200&after=${own}`)).length).toBeGreaterThan(0);
    }
    for (const list of ['files', 'jobs', 'uploads', 'corridors', 'balances', 'schedules']) {
      const after = Buffer.from('9').toString('base64url');
      expect(await web.json(`/api/v1/${list}?after=${after}`)).toMatchObject({ status: 422 });
    }
  });

  it.each(['GET', 'POST', 'DELETE'])(
    'who forgot the key is told so, whatever is asked: %s',
    async (method) => {
      const path = method === 'DELETE' ? '/api/v1/uploads/x' : '/api/v1/uploads';
      const { status, body, headers } = await web.json(path, { method, key: null });
      expect([status, body['code'], headers.get('www-authenticate')]).toEqual([401, 'key_missing', 'Bearer']);
    },
  );

  it('who asks only for the head of the stream takes no place of it', async () => {
    const key = await web.key('Header');
    for (let turn = 0; turn < 6; turn += 1)
      expect((await web.ask('/api/v1/events', { method: 'HEAD', key })).status).toBe(200);
    const gone = new AbortController();
    const { status } = await web.ask('/api/v1/events', { key, signal: gone.signal });
    gone.abort();
    expect(status).toBe(200);
  });

  it.each([
    'batch.json',
    '.upload.json',
    'profile.yaml',
    '../x.csv',
    'a/b.csv',
    'x.csv\u0000.pdf',
    '.sheet.1.rows',
    'pay.control.json',
    'STOP',
    '',
  ])('who sends a file called %j is refused, and nothing of it is kept', async (name) => {
    const { status, body } = await web.json('/api/v1/uploads', sent(name, `${HEADER}\n`));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(String(body['code'])).toMatch(/^upload_(?:name_unsafe|kind_unknown)$/);
  });
});
