// People at the page of a real daemon: each with a browser that keeps a cookie, and a passkey.
import { openDoor } from '../../src/app/desk/open-door.ts';
import type { Role } from '../../src/contract/words.ts';
import { type Asked, Authenticator, type Wrong } from './authenticator.ts';
import { type Told, told, type Web } from './with-web.ts';

/** What a browser of one person sends and keeps. */
export class Visitor {
  readonly web: Pick<Web, 'url'>;
  readonly passkey: Authenticator;
  /** As the browser has it; empty for none. */
  cookie = '';
  /** Of a browser that has signed in before; empty for none. */
  browser = '';

  constructor(web: Pick<Web, 'url'>, passkey = new Authenticator(web.url)) {
    this.web = web;
    this.passkey = passkey;
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const response = await fetch(`${this.web.url}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'sec-fetch-site': 'same-origin',
        ...this.#cookies(),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [value = ''] = set.split(';');
      if (value.startsWith('__Host-paydrop-browser=')) this.browser = value;
      else this.cookie = set.includes('Max-Age=0') ? '' : value;
    }
    return response;
  }

  #cookies(): { readonly cookie?: string } {
    const cookie = [this.cookie, this.browser].filter((each) => each !== '').join('; ');
    return cookie === '' ? {} : { cookie };
  }

  async json(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Told> {
    return told(method, await this.ask(method, path, body, headers));
  }

  async enrol(token: string, name?: string): Promise<Told> {
    const named = name === undefined ? {} : { name };
    const { body, status, headers } = await this.json('POST', '/enrolment/options', { token, ...named });
    if (status !== 200) return { status, headers, body };
    const credential = this.passkey.create(body as Asked);
    return this.json('POST', '/enrolment', {
      token,
      ...named,
      challenge: body['challenge'],
      credential,
      passkeyName: 'phone',
    });
  }

  async signIn(wrong: Wrong = {}): Promise<Told> {
    const { body } = await this.json('POST', '/session/options', {});
    return this.json('POST', '/session', {
      challenge: body['challenge'],
      assertion: this.passkey.sign(body as Asked, wrong),
    });
  }

  /** The request with the signature that its route wants. */
  async confirmed(method: string, path: string, body: object = {}, wrong: Wrong = {}): Promise<Told> {
    return this.json(method, path, { ...body, stepUp: await this.stepUp(method, path, wrong) });
  }

  async stepUp(method: string, path: string, wrong: Wrong = {}): Promise<object> {
    const { body } = await this.json('POST', '/session/step-up', { action: `${method} ${path}` });
    return { challenge: body['challenge'], assertion: this.passkey.sign(body as Asked, wrong) };
  }
}

/** Somebody who is signed in, invited as from the command line. */
export async function visitor(web: Web, name: string, ...roles: readonly Role[]): Promise<Visitor> {
  const door = await openDoor(web.paydrop.config);
  const { token } = door.people.invite(name, roles, null);
  door.close();
  const come = new Visitor(web);
  const { status, body } = await come.enrol(token);
  if (status !== 201) throw new Error(`${name} could not come in: ${JSON.stringify(body)}`);
  return come;
}
