// A finance desk whose daemon serves programs: real HTTP on a port of its own, and keys as the command line makes them.
import { openDoor } from '../../src/app/desk/open-door.ts';
import type { Scope } from '../../src/contract/words.ts';
import { loadProfiles, loadProposals } from '../../src/app/config/profile-file.ts';
import { runDaemon } from '../../src/app/daemon/run-daemon.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import type { Demo } from '../../src/web/call.ts';
import { serveWeb, type WebServer } from '../../src/web/serve-web.ts';
import { type Desk, openDesk } from '../app/desk.ts';
import { assertAsDescribed } from './replies.ts';

export const ALL: readonly Scope[] = [
  'files:write',
  'files:read',
  'files:read-all',
  'money:read',
  'reconcile',
];

export type Web = {
  readonly desk: Desk;
  readonly paydrop: Paydrop;
  readonly url: string;
  readonly setUpUrl: string | null;
  /** A key of a program of this name. */
  readonly key: (name?: string, scopes?: readonly Scope[], endsAt?: string) => Promise<string>;
  /** A request with the key of a program that may do everything; `init.key` is another, null for none. */
  readonly ask: (path: string, init?: AskInit) => Promise<Response>;
  readonly json: (path: string, init?: AskInit) => Promise<Told>;
  /** Has the daemon read another config, as when its file was changed. */
  readonly reload: (change: Partial<Paydrop['config']>) => void;
  /** Ends the daemon as a signal does. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type AskInit = RequestInit & { readonly key?: string | null };

export type Told = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
};

/** @param on a desk that is open already, as after a kill. @param beside keys of the page's section besides `listen`. */
export async function openWeb(
  text = '',
  on?: Desk,
  intake = '',
  demo: Demo | null = null,
  beside = '',
): Promise<Web> {
  const desk = on ?? (await openDesk());
  const paydrop = await desk.open(
    `web: { listen: "127.0.0.1:0"${beside} }\nmetrics: { listen: null }\nintake: { scanEvery: 1s${intake} }\n${text}`,
  );
  let { config } = paydrop;
  const reload: Web['reload'] = (change) => {
    config = { ...config, ...change };
    process.emit('SIGHUP');
  };
  const stopping = new AbortController();
  const listening = Promise.withResolvers<WebServer>();
  const ended = runDaemon(paydrop, {
    signal: stopping.signal,
    loadConfig: () => ({
      ...config,
      fileProfiles: loadProfiles(config.profilesPath),
      proposedProfiles: loadProposals(config.profilesPath),
    }),
    reopenLog: null,
    onStarted: () => undefined,
    onResult: () => undefined,
    onWaiting: () => undefined,
    onTrouble: () => undefined,
    startWeb: async (parts) => {
      const web = await serveWeb(
        demo === null ? parts : { ...parts, paydrop: { ...parts.paydrop, isSandbox: true } },
        demo,
      );
      listening.resolve(web);
      return web;
    },
  });
  ended.catch(listening.reject);
  const { url, setUpUrl } = await listening.promise;
  const key: Web['key'] = async (name = 'Ledgerly', scopes = ALL, endsAt) => {
    const { keys, close: shut } = await openDoor(paydrop.config);
    try {
      return keys.make(name, scopes, { isSandbox: true, ...(endsAt === undefined ? {} : { endsAt }) });
    } finally {
      shut();
    }
  };
  const own = await key();
  const ask: Web['ask'] = async (path, { key: shown = own, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (shown !== null) headers.set('authorization', `Bearer ${shown}`);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  const json: Web['json'] = async (path, init) => {
    const response = await ask(path, init);
    return told(init?.method ?? 'GET', response);
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  const close = async (): Promise<void> => {
    await stop();
    await desk.close();
  };
  return { desk, paydrop, url, setUpUrl, key, ask, json, reload, stop, close };
}

/** What a response says, which must be what the table of routes says of it. */
export async function told(method: string, response: Response): Promise<Told> {
  const said = await response.text();
  const body = said === '' ? {} : (JSON.parse(said) as Told['body']);
  assertAsDescribed(method, response.url, response.status, body);
  return { status: response.status, headers: response.headers, body };
}

export function sent(name: string, content: string | Uint8Array): AskInit {
  return { method: 'POST', body: content as string, headers: { 'x-file-name': encodeURIComponent(name) } };
}

export function order(body: object): AskInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Asks until it is so. */
export async function until(
  web: Web,
  path: string,
  is: (body: Told['body']) => boolean,
): Promise<Told['body']> {
  for (;;) {
    const { body } = await web.json(path);
    if (is(body)) return body;
    await web.paydrop.clock.sleep(20);
  }
}

/** What a list holds. */
export function dataOf({ body }: Pick<Told, 'body'>): readonly Told['body'][] {
  return body['data'] as readonly Told['body'][];
}
