// Signing in through a company's directory: a real provider (oidc-provider) over HTTP, a browser that keeps its cookies, and what strangers would try.
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Desk, openDesk } from '../app/desk.ts';
import { selfSigned } from '../sandbox/self-signed.ts';
import { type Asked, Authenticator } from './authenticator.ts';
import { visitor, Visitor } from './with-people.ts';
import { openWeb, type Web } from './with-web.ts';

type Account = { readonly name: string; groups: readonly string[] };

const ACCOUNTS = new Map<string, Account>([
  ['marie', { name: 'Marie Ngo', groups: ['approvers', 'staff'] }],
  ['paul', { name: 'Paul Biko', groups: ['staff'] }],
  ['aline', { name: 'Biya Aline', groups: ['finance'] }],
]);

/** No types of its own. */
type ProviderModule = {
  readonly default: new (
    issuer: string,
    settings: object,
  ) => {
    readonly callback: () => (request: IncomingMessage, response: ServerResponse) => void;
    readonly interactionFinished: (
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ) => Promise<void>;
  };
};
const PROVIDER: string = 'oidc-provider';

const trusted = getCACertificates('default');
let login: Server;
let desk: Desk;
let web: Web;
/** Who types a name at the provider. */
let typed = 'marie';

beforeAll(async () => {
  const { key, cert } = selfSigned();
  setDefaultCACertificates([...trusted, cert]);
  login = createServer({ key, cert });
  await new Promise<void>((resolve) => login.listen(0, 'localhost', resolve));
  const issuer = `https://localhost:${String((login.address() as AddressInfo).port)}`;
  desk = await openDesk();
  const secret = join(desk.workspace, 'oidc-secret');
  writeFileSync(secret, 'a secret of the client, long enough\n');
  web = await openWeb(
    '',
    desk,
    '',
    null,
    `, oidc: { name: Contoso, issuer: "${issuer}", clientId: paydrop, clientSecretFile: "${secret}", roles: { finance: [maker], approvers: [checker] } }`,
  );
  await listenAsProvider(issuer);
});
afterAll(async () => {
  await web.close();
  login.close();
  login.closeAllConnections();
  setDefaultCACertificates(trusted);
});

async function listenAsProvider(issuer: string): Promise<void> {
  const { default: Provider } = (await import(PROVIDER)) as ProviderModule;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'paydrop',
        client_secret: 'a secret of the client, long enough',
        redirect_uris: [`${web.url}/api/v1/session/oidc/return`],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'groups'] },
    cookies: { keys: ['of this test'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/typed/${uid}` },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...ACCOUNTS.get(id) }),
    }),
    loadExistingGrant: async ({ oidc }: { oidc: Grants }) => {
      const grant = new oidc.provider.Grant({ clientId: 'paydrop', accountId: oidc.session.accountId });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  login.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/typed/') !== true) answer(request, response);
    else void provider.interactionFinished(request, response, { login: { accountId: typed } });
  });
}

type Grants = {
  readonly session: { readonly accountId: string };
  readonly provider: {
    readonly Grant: new (of: object) => { addOIDCScope: (scope: string) => void; save: () => Promise<void> };
  };
};

/** Follows where it is led, with a cookie jar a server; gives the answer of the first address that `stop` names, not yet asked for. */
async function browse(
  from: string,
  jars: Map<string, Map<string, string>>,
  stop: (url: URL) => boolean,
): Promise<URL> {
  let url = new URL(from);
  while (!stop(url)) {
    const jar = jars.get(url.host) ?? new Map<string, string>();
    jars.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const to = response.headers.get('location');
    if (to === null) throw new Error(`${url.href}: ${String(response.status)} ${await response.text()}`);
    url = new URL(to, url);
  }
  return url;
}

const isHome = (url: URL): boolean => url.host === new URL(web.url).host && url.pathname === '/';
const isReturn = (url: URL): boolean => url.pathname === '/api/v1/session/oidc/return';
const START = '/api/v1/session/oidc';

/** Somebody who has come in, or where the browser was led instead. */
async function comeIn(who: string): Promise<Visitor | string> {
  typed = who;
  const jars = new Map<string, Map<string, string>>();
  const { hash } = await browse(`${web.url}${START}`, jars, isHome);
  if (hash !== '') return hash;
  const come = new Visitor(web);
  come.cookie = `__Host-paydrop=${jars.get(new URL(web.url).host)?.get('__Host-paydrop') ?? ''}`;
  return come;
}

async function known(who: string): Promise<Visitor> {
  const come = await comeIn(who);
  if (typeof come === 'string') throw new Error(come);
  return come;
}

describe('the sign-in of a company', () => {
  it('is offered by its name, and brings somebody in with the roles of their groups', async () => {
    expect((await new Visitor(web).json('GET', '/session')).body['oidc']).toEqual({ name: 'Contoso' });
    const marie = await known('marie');
    expect((await marie.json('GET', '/session')).body).toMatchObject({
      person: { name: 'Marie Ngo', roles: ['checker'] },
      passkeys: 0,
    });
    const again = await known('marie');
    const mine = (await again.json('GET', '/session/mine')).body['sessions'];
    expect(mine).toHaveLength(2);
  });

  it('lets nobody in whom it gives no role, or whose name is somebody else’s', async () => {
    expect(await comeIn('paul')).toBe('#sign-in=refused');
    await visitor(web, 'Aline Biya', 'admin');
    expect(await comeIn('aline')).toBe('#sign-in=name');
  });

  it('takes roles away with the groups, and ends the sessions that had them', async () => {
    const before = await known('marie');
    const marie = ACCOUNTS.get('marie');
    if (marie === undefined) throw new Error('She is there.');
    marie.groups = ['staff'];
    expect(await comeIn('marie')).toBe('#sign-in=refused');
    expect((await before.json('GET', '/files')).status).toBe(401);
    marie.groups = ['finance', 'approvers'];
    expect((await (await known('marie')).json('GET', '/session')).body['person']).toMatchObject({
      roles: ['maker', 'checker'],
    });
  });

  it('counts for the browser that went alone, and once', async () => {
    typed = 'marie';
    const jars = new Map<string, Map<string, string>>();
    const back = await browse(`${web.url}${START}`, jars, isReturn);
    expect((await browse(back.href, new Map(), isHome)).hash).toBe('#sign-in=refused');
    const other = new Map<string, Map<string, string>>();
    await browse(`${web.url}${START}`, other, isReturn);
    expect((await browse(back.href, other, isHome)).hash).toBe('#sign-in=refused');

    const own = new Map<string, Map<string, string>>();
    const right = await browse(`${web.url}${START}`, own, isReturn);
    const cookies = new Map(own.get(new URL(web.url).host));
    expect((await browse(right.href, own, isHome)).hash).toBe('');
    expect((await browse(right.href, new Map([[new URL(web.url).host, cookies]]), isHome)).hash).toBe(
      '#sign-in=refused',
    );
  });

  it.each(['state', 'iss', 'code'])('counts for nothing with another %s', async (name) => {
    typed = 'marie';
    const jars = new Map<string, Map<string, string>>();
    const back = await browse(`${web.url}${START}`, jars, isReturn);
    back.searchParams.set(name, name === 'iss' ? 'http://evil.test' : 'guessed');
    expect((await browse(back.href, jars, isHome)).hash).toBe('#sign-in=refused');
  });
});

describe('who came in so', () => {
  const first = async (come: Visitor, stepUp?: object) => {
    const { body } = await come.json('POST', '/session/passkeys/options', {});
    return come.json('POST', '/session/passkeys', {
      challenge: body['challenge'],
      credential: come.passkey.create(body as Asked),
      name: 'phone',
      ...(stepUp === undefined ? {} : { stepUp }),
    });
  };

  it('makes a first passkey without another one, every later one with it, and signs with them', async () => {
    const marie = await known('marie');
    expect((await first(marie)).status).toBe(201);
    const later = new Visitor(web, new Authenticator(web.url));
    later.cookie = marie.cookie;
    expect((await first(later)).body['code']).toBe('step_up_needed');
    expect((await first(later, await marie.stepUp('POST', '/session/passkeys'))).status).toBe(201);
  });

  it('makes none with a session that somebody left open', async () => {
    const { database } = (await import('../../src/app/people/people-file.ts')).openPeopleFile(
      { root: desk.workspace },
      web.paydrop.clock,
    );
    const aline = ACCOUNTS.get('aline');
    ACCOUNTS.set('lea', { name: 'Lea Nkoulou', groups: aline?.groups ?? [] });
    const lea = await known('lea');
    database.exec('UPDATE sessions SET created_at = created_at - 301000');
    database.close();
    expect((await first(lea)).body['code']).toBe('step_up_needed');
  });
});

it('says so where the provider does not answer', async () => {
  const silent = await openDesk();
  const away = await openWeb(
    '',
    silent,
    '',
    null,
    ', oidc: { name: Contoso, issuer: "https://127.0.0.1:9", clientId: paydrop, roles: {} }',
  );
  try {
    const { status, headers } = await away.ask(START, { key: null, redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, '/#sign-in=away']);
  } finally {
    await away.close();
  }
});
