// How people come in, stay and go: the first by the link of the terminal, others by an invitation, everybody by a passkey.
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { openDoor } from '../../src/app/desk/open-door.ts';
import { accessChain, openPeopleFile, PeopleFault } from '../../src/app/people/people-file.ts';
import { People } from '../../src/app/people/people.ts';
import { Sessions } from '../../src/app/people/sessions.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { Authenticator } from './authenticator.ts';
import { visitor, Visitor } from './with-people.ts';
import { dataOf, openWeb, type Web } from './with-web.ts';

let web: Web;
let aline: Visitor;
const tokenOf = (url: unknown): string => String(url).split('#')[1] ?? '';
const scratch = () => mkdtemp(join(tmpdir(), 'paydrop-people-'));

beforeAll(async () => {
  web = await openWeb();
  aline = new Visitor(web);
});
afterAll(() => web.close());

describe('the first person', () => {
  it('comes in by the link that was printed, once, and is an admin', async () => {
    expect(web.setUpUrl).toMatch(/^http:\/\/localhost:\d+\/setup#[\w-]{43}$/);
    const token = tokenOf(web.setUpUrl);
    expect((await aline.json('GET', '/session')).body).toMatchObject({
      person: null,
      needsSetup: true,
      signing: 'passkey',
    });
    const { status, body, headers } = await aline.enrol(token, 'Aline Biya');
    expect([status, body['person']]).toMatchObject([201, { name: 'Aline Biya', roles: ['admin'] }]);
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-paydrop=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const other = new Visitor(web);
    expect(await other.enrol(token, 'Somebody Else')).toMatchObject({
      status: 401,
      body: { code: 'token_unknown' },
    });
    expect((await aline.json('GET', '/session')).body).toMatchObject({
      person: { name: 'Aline Biya' },
      needsSetup: false,
    });
  });

  it('does not come in with a token that was guessed', async () => {
    const other = new Visitor(web);
    expect(await other.enrol('x'.repeat(43), 'Somebody Else')).toMatchObject({
      status: 401,
      body: { code: 'token_unknown' },
    });
  });

  it('has a quarter of an hour, and the link that was printed last alone counts', async () => {
    const clock = manualClock();
    const people = new People(openPeopleFile({ root: await scratch() }, clock));
    const [first, last] = [people.setUpToken() ?? '', people.setUpToken() ?? ''];
    expect(() => people.invited(first, 'Aline')).toThrow(PeopleFault);
    clock.advance(15 * 60_000 - 1);
    expect(people.invited(last, 'Aline')).toMatchObject({ name: 'Aline', roles: ['admin'] });
    clock.advance(1);
    expect(() => people.invited(last, 'Aline')).toThrow(PeopleFault);
  });
});

describe('an invitation', () => {
  it('is made by an admin who signs for it, names somebody, and counts once', async () => {
    const order = { name: 'Marie Ngo', roles: ['checker'] };
    expect(await aline.json('POST', '/people/invitations', order)).toMatchObject({
      status: 403,
      body: { code: 'step_up_needed' },
    });
    const { status, body } = await aline.confirmed('POST', '/people/invitations', order);
    expect([status, body['name'], body['needsConfirmation']]).toEqual([201, 'Marie Ngo', false]);
    const marie = new Visitor(web);
    expect(await marie.enrol(tokenOf(body['url']))).toMatchObject({
      status: 201,
      body: { person: { name: 'Marie Ngo', roles: ['checker'] } },
    });
    expect((await new Visitor(web).enrol(tokenOf(body['url']))).body['code']).toBe('token_unknown');
    expect((await marie.json('GET', '/people')).body['code']).toBe('role_missing');
  });

  it.each(['marie NGO', 'Ngo Marie', 'M. Ngo'])(
    'is refused to %s, who may be somebody who is here',
    async (name) => {
      expect(await aline.confirmed('POST', '/people/invitations', { name, roles: ['maker'] })).toMatchObject({
        status: 409,
        body: { code: 'person_exists' },
      });
    },
  );

  it('counts for no other deed than the one that was signed, and once', async () => {
    const stepUp = await aline.stepUp('POST', '/people/invitations');
    expect(
      (await aline.json('POST', '/keys', { name: 'Books', scopes: ['files:read'], stepUp })).body['code'],
    ).toBe('challenge_unknown');
    const again = await aline.stepUp('POST', '/people/invitations');
    const order = { name: 'Nobody Yet', roles: ['maker'], stepUp: again };
    expect((await aline.json('POST', '/people/invitations', order)).status).toBe(201);
    expect(
      (await aline.json('POST', '/people/invitations', { ...order, name: 'Nobody Either' })).body['code'],
    ).toBe('challenge_unknown');
  });
});

describe('a passkey', () => {
  it('opens a session, and a wrong one does not', async () => {
    const paul = await visitor(web, 'Paul Biko', 'maker');
    await paul.ask('DELETE', '/session');
    expect((await paul.signIn()).status).toBe(200);
    for (const wrong of [
      { origin: web.url.replace(/\d+$/, '1') },
      { origin: 'http://evil.test' },
      { rpId: 'evil.test' },
      { unverified: true },
      { counter: 1 },
      { challenge: 'AAAA' },
      { type: 'webauthn.create' },
    ])
      expect(await paul.signIn(wrong), JSON.stringify(wrong)).toMatchObject({
        status: 401,
        body: { code: 'signature_refused' },
      });
    const stranger = new Visitor(web, new Authenticator(web.url));
    expect((await stranger.signIn()).body['code']).toBe('signature_refused');
  });

  it('of somebody else confirms nothing', async () => {
    const joe = await visitor(web, 'Joe Tchoua', 'admin');
    const own = joe.cookie;
    const thief = new Visitor(web, aline.passkey);
    thief.cookie = own;
    expect(
      (await thief.confirmed('POST', '/people/invitations', { name: 'Eve', roles: ['maker'] })).body['code'],
    ).toBe('signature_refused');
  });

  it('that is the last one stays, and another one is added with the first', async () => {
    const eva = await visitor(web, 'Eva Fotso', 'auditor');
    const first = eva.passkey.id;
    expect((await eva.confirmed('DELETE', `/session/passkeys/${first}`)).body['code']).toBe('passkey_last');
    const { body } = await eva.json('POST', '/session/passkeys/options', {});
    const second = new Authenticator(web.url);
    const credential = second.create(body as never);
    const order = { challenge: body['challenge'], credential, name: 'key' };
    expect((await eva.confirmed('POST', '/session/passkeys', order)).status).toBe(201);
    expect((await eva.confirmed('DELETE', `/session/passkeys/${first}`)).status).toBe(200);
    await eva.ask('DELETE', '/session');
    expect((await eva.signIn()).status).toBe(401);
    expect((await new Visitor(web, second).signIn()).status).toBe(200);
  });
});

describe('a session', () => {
  it('has another secret after each signature, and the one before opens nothing', async () => {
    const before = aline.cookie;
    await aline.confirmed('POST', '/people/invitations', { name: 'Guest One', roles: ['auditor'] });
    expect(aline.cookie).not.toBe(before);
    const thief = new Visitor(web);
    thief.cookie = before;
    expect(await thief.json('GET', '/files')).toMatchObject({
      status: 401,
      body: { code: 'session_missing' },
    });
    expect((await aline.json('GET', '/files')).status).toBe(200);
  });

  it('keeps its secret until a signed order is answered: what the browser asks meanwhile is answered', async () => {
    const joe = await visitor(web, 'Joe Kamga', 'checker');
    const { ledger } = web.paydrop;
    const batchOf = ledger.batch.bind(ledger);
    const [asked, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const slow = vi.spyOn(ledger, 'batch').mockImplementation(async (name) => {
      if (name !== 'slow') return batchOf(name);
      asked.resolve(undefined);
      await goOn.promise;
      return null;
    });
    const before = joe.cookie;
    const order = joe.confirmed('POST', '/files/slow/release', { reason: 'two salaries' });
    await asked.promise;
    expect((await joe.json('GET', '/files')).status).toBe(200);
    goOn.resolve(undefined);
    expect((await order).body['code']).toBe('batch_unknown');
    slow.mockRestore();
    expect(joe.cookie).not.toBe(before);
    expect((await joe.json('GET', '/files')).status).toBe(200);
  });

  it('takes no secret that a browser brought along', async () => {
    const tom = await visitor(web, 'Tom Essomba', 'maker');
    await tom.ask('DELETE', '/session');
    tom.cookie = '__Host-paydrop=chosen-by-somebody-else';
    expect((await tom.signIn()).status).toBe(200);
    expect(tom.cookie).not.toContain('chosen');
  });

  it('is over after signing out', async () => {
    const ada = await visitor(web, 'Ada Manga', 'maker');
    const { cookie } = ada;
    expect((await ada.json('DELETE', '/session')).status).toBe(200);
    expect(ada.cookie).toBe('');
    ada.cookie = cookie;
    expect((await ada.json('GET', '/files')).body['code']).toBe('session_missing');
  });

  it('ends when the roles change, and when the person is removed', async () => {
    const kim = await visitor(web, 'Kim Abena', 'maker');
    const { body } = await kim.json('GET', '/session');
    const { id } = body['person'] as { id: string };
    expect((await aline.confirmed('PUT', `/people/${id}/roles`, { roles: ['auditor'] })).status).toBe(200);
    expect((await kim.json('GET', '/files')).status).toBe(401);
    expect((await kim.signIn()).body['person']).toMatchObject({ roles: ['auditor'] });
    expect((await aline.confirmed('DELETE', `/people/${id}`)).status).toBe(200);
    expect([(await kim.json('GET', '/files')).status, (await kim.signIn()).status]).toEqual([401, 401]);
  });

  it('ends when nobody has done anything for a quarter of an hour, and after a day’s work whatever was done', async () => {
    const clock = manualClock();
    const people = new People(openPeopleFile({ root: await scratch() }, clock));
    const sessions = new Sessions(people);
    const person = people.add({ name: 'Aline', roles: ['maker'], invitedBy: null });
    const idle = sessions.begin(person, 'phone').secret;
    clock.advance(15 * 60_000 - 1);
    expect(sessions.find(idle, false)).not.toBeNull();
    clock.advance(1);
    expect(sessions.find(idle, true)).toBeNull();
    const busy = sessions.begin(person, 'phone').secret;
    for (let at = 0; at < 8 * 6 - 1; at += 1) {
      clock.advance(10 * 60_000);
      expect(sessions.find(busy, true)).not.toBeNull();
    }
    clock.advance(10 * 60_000);
    expect(sessions.find(busy, true)).toBeNull();
  });

  it('of one’s own can be ended from another, and nobody else’s', async () => {
    const lea = await visitor(web, 'Lea Nkoulou', 'maker');
    const second = new Visitor(web, lea.passkey);
    await second.signIn();
    const mine = (await second.json('GET', '/session/mine')).body['sessions'] as {
      id: string;
      isThis: boolean;
    }[];
    const first = mine.find(({ isThis }) => !isThis)?.id ?? '';
    expect((await aline.json('DELETE', `/session/mine/${first}`)).status).toBe(404);
    expect((await second.json('DELETE', `/session/mine/${first}`)).status).toBe(200);
    expect((await lea.json('GET', '/files')).status).toBe(401);
  });
});

describe('weighty roles', () => {
  it('given by one of two admins wait for the other', async () => {
    const ben = await visitor(web, 'Ben Ateba', 'admin');
    const { body } = await ben.confirmed('POST', '/people/invitations', {
      name: 'Zoe Mbida',
      roles: ['maker', 'checker'],
    });
    expect(body['needsConfirmation']).toBe(true);
    const zoe = new Visitor(web);
    expect((await zoe.enrol(tokenOf(body['url']))).body['person']).toMatchObject({ roles: ['maker'] });
    const { id } = dataOf(await ben.json('GET', '/people')).find(({ name }) => name === 'Zoe Mbida') as {
      id: string;
    };
    expect((await ben.confirmed('POST', `/people/${id}/confirmation`)).body['code']).toBe(
      'second_admin_needed',
    );
    const seen = { roles: ['maker', 'treasurer'] };
    expect((await aline.confirmed('POST', `/people/${id}/confirmation`, seen)).body['code']).toBe(
      'roles_changed',
    );
    const roles = ['checker', 'maker'];
    expect((await aline.confirmed('POST', `/people/${id}/confirmation`, { roles })).body['roles']).toEqual([
      'maker',
      'checker',
    ]);
    expect(
      (await ben.confirmed('PUT', `/people/${id}/roles`, { roles: ['maker', 'admin'] })).body,
    ).toMatchObject({
      roles: ['maker'],
      pending: { roles: ['maker', 'admin'], by: 'Ben Ateba' },
    });
  });

  it('still wait for a second admin where one has removed the other, until somebody at the command line gives them', async () => {
    for (const take of [
      (people: People, id: string) => people.remove(id, 'Ben'),
      (people: People, id: string) => people.setRoles(id, ['maker'], 'Ben'),
    ]) {
      const people = new People(openPeopleFile({ root: await scratch() }, web.paydrop.clock));
      const [aline, ben] = ['Aline', 'Ben'].map((name) =>
        people.add({ name, roles: ['admin'], invitedBy: null }),
      );
      take(people, aline?.id ?? '');
      expect(people.setRoles(ben?.id ?? '', ['admin', 'checker'], 'Ben')).toMatchObject({
        roles: ['admin'],
        pending: { roles: ['checker', 'admin'] },
      });
      expect(people.invite('Zoe', ['checker'], 'Ben').invitation.isConfirmed).toBe(false);
      expect(people.invite('Paul', ['admin'], null).invitation.isConfirmed).toBe(true);
    }
  });

  it('are given alone again where the other admin has gone of their own will, and where the command line has removed them', async () => {
    for (const take of [
      (people: People, id: string) => people.remove(id, null),
      (people: People, id: string) => people.setRoles(id, ['maker'], 'Aline'),
    ]) {
      const people = new People(openPeopleFile({ root: await scratch() }, web.paydrop.clock));
      const [aline] = ['Aline', 'Ben'].map((name) => people.add({ name, roles: ['admin'], invitedBy: null }));
      take(people, aline?.id ?? '');
      expect(people.invite('Zoe', ['checker'], 'Ben').invitation.isConfirmed).toBe(true);
    }
  });

  it('of the last admin cannot be taken away', async () => {
    const people = new People(openPeopleFile({ root: await scratch() }, web.paydrop.clock));
    const { id } = people.add({ name: 'Aline', roles: ['admin'], invitedBy: null });
    expect(() => people.setRoles(id, ['maker'], 'Aline')).toThrow('admin_last');
    expect(() => people.remove(id, 'Aline')).toThrow('admin_last');
  });
});

describe('the log of access', () => {
  it('has everything with a name, and shows what was changed in it', async () => {
    const { body } = await aline.json('GET', '/audit?limit=200');
    expect(body['chain']).toMatchObject({ isWhole: true });
    const codes = new Set((body['data'] as { what: string }[]).map(({ what }) => what));
    for (const what of [
      'set_up',
      'enrolled',
      'invited',
      'signed_in',
      'sign_in_refused',
      'signed_out',
      'roles_changed',
      'removed',
    ])
      expect(codes, what).toContain(what);
    const file = openPeopleFile({ root: web.desk.workspace }, web.paydrop.clock);
    file.database.exec("BEGIN; UPDATE access_log SET who = 'Nobody' WHERE seq = 3;");
    expect(accessChain(file)).toMatchObject({ isWhole: false, seq: 2 });
    file.database.exec('ROLLBACK; BEGIN; DELETE FROM access_log WHERE seq = 3;');
    expect(accessChain(file)).toMatchObject({ isWhole: false, seq: 2 });
    file.database.exec('ROLLBACK');
    file.database.close();
  });

  it('keeps no secret: neither of a cookie nor of a link', async () => {
    const door = await openDoor(web.paydrop.config);
    const { token } = door.people.invite('Last Guest', ['maker'], null);
    door.close();
    const secret = aline.cookie.split('=')[1] ?? '';
    for (const name of (await readdir(web.desk.workspace)).filter((each) =>
      each.startsWith('people.sqlite'),
    )) {
      const content = await readFile(join(web.desk.workspace, name), 'latin1');
      expect(content).not.toContain(token);
      expect(content).not.toContain(secret);
    }
  });
});
