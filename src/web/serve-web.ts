// HTTP around the table of routes: who asks, whether they may, what they may send, and how they are told. Everything that can be wrong with a request
// as HTTP is settled here, so that no route knows of it.
import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { stream } from 'hono/streaming';

import { readNamedFile } from '../base/plain-file.ts';
import { FileViews } from '../app/desk/file-views.ts';
import { Jobs } from '../app/desk/jobs.ts';
import { Search } from '../app/desk/find.ts';
import { Payees } from '../app/desk/payees.ts';
import { openDoor } from '../app/desk/open-door.ts';
import type { Beside, WebParts } from '../app/daemon/run-daemon.ts';
import { buildVersion } from '../base/build-version.ts';
import { Connections, HANDSHAKE_WITHIN_MS } from './connections.ts';
import { Limiter, Replays } from './limits.ts';
import { openApi } from './openapi.ts';
import { Problem, problemFrom, problemOf } from './problems.ts';
import {
  type Call,
  type Caller,
  callOf,
  type Demo,
  etagOf,
  type EventSource,
  type HttpContext,
  readerOf,
  MEDIA_TYPES,
  namesTag,
  type Reply,
  type Room,
  type Route,
} from './call.ts';
import {
  addressOf,
  assertMay,
  assertOwn,
  assertStands,
  assertSteppedUp,
  browserIn,
  callerOf,
  CookieToSet,
  placeOf,
} from './callers.ts';
import { logDecision } from './decision-log.ts';
import { ROUTES } from './routes.ts';
import { Page } from './serve-page.ts';

export type WebServer = Beside & {
  /** Where it listens, without a slash at its end. */
  readonly url: string;
  /** Where the first person of all comes in; null once there is an admin. */
  readonly setUpUrl: string | null;
};

/** A file of the greatest size over a slow line. */
const REQUEST_WITHIN_MS = 30 * 60_000;
const HEADERS_WITHIN_MS = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;

type Web = Room & {
  readonly limiter: Limiter;
  readonly connections: Connections;
  readonly replays: Replays;
  readonly closing: AbortSignal;
  /** Null in a clone that has nothing to build it with. */
  readonly page: Page | null;
};

/** Throws the system's error when the address cannot be had. */
export async function serveWeb(parts: WebParts, demo: Demo | null = null): Promise<WebServer> {
  const { paydrop, address } = parts;
  if (demo !== null && !paydrop.isSandbox) throw new Error('Nobody comes in by a click where money is real.');
  const closing = new AbortController();
  const door = await openDoor(paydrop.config, paydrop.clock);
  const limiter = new Limiter(paydrop.clock);
  const [views, jobs] = [new FileViews(paydrop), new Jobs(paydrop.clock)];
  const search = new Search(paydrop, true);
  const payees = new Payees(search, door.verified);
  const page = await Page.open();
  const replays = new Replays(door.keys);
  const { tls, behindProxy } = paydrop.config.web;
  const options = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    connectionsCheckingInterval: HEADERS_WITHIN_MS,
    handshakeTimeout: HANDSHAKE_WITHIN_MS,
  };
  const pem = tls === null ? {} : { cert: readNamedFile(tls.certFile), key: readNamedFile(tls.keyFile) };
  // The table of routes needs the places of the server that serves it.
  const served = Promise.withResolvers<ReturnType<typeof router>>();
  const server = createAdaptorServer({
    fetch: async (request, env) => (await served.promise).fetch(request, env),
    // It ends what still sends after half a second, and the sender never hears why: see `Connections`.
    autoCleanupIncoming: false,
    ...(tls === null ? {} : { createServer: createTlsServer }),
    serverOptions: { ...options, ...pem },
  }) as Server;
  const connections = new Connections(server, behindProxy);
  const room = { ...parts, views, jobs, search, payees, door, demo, limiter, connections, replays, page };
  served.resolve(router({ ...room, closing: closing.signal }));
  try {
    await listen(server, address);
  } catch (error) {
    await search.close();
    door.close();
    throw error;
  }
  server.on('error', (error) => paydrop.log.error('web listener', { reason: error.message }));
  const following = door.balances.follow(paydrop, closing.signal);
  const { port } = server.address() as AddressInfo;
  const url = `${tls === null ? 'http' : 'https'}://localhost:${String(port)}`;
  paydrop.log.info('the interface is served', { reason: url });
  const close = async (): Promise<void> => {
    closing.abort();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    await Promise.all([jobs.close(), following]);
    await search.close();
    door.close();
  };
  const token = demo === null ? door.people.setUpToken() : null;
  const shownUrl = paydrop.config.web.publicUrl?.replace(/\/$/, '') ?? url;
  return { url, setUpUrl: token === null ? null : `${shownUrl}/setup#${token}`, close };
}

function listen(server: Server, { host, port }: WebParts['address']): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function router(web: Web): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (context, next) => {
    if (!isOwnHost(context.req.header('host') ?? '', web))
      return told(web, context, new Problem('host_wrong'));
    await next();
    // A part of the page is named by its content, and says itself how long it may be kept.
    for (const [name, value] of HEADERS)
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    return undefined;
  });
  app.get('/api/openapi.json', (context) => context.json(openApi(buildVersion())));
  app.get('/problems/:code', (context) => {
    const problem = problemOf(context.req.param('code'));
    if (problem === null) return told(web, context, new Problem('route_unknown'));
    return context.json(problem.body(readerOf(web, context)));
  });
  for (const route of ROUTES) {
    app.on(route.method, `/api/v1${routed(route)}`, (context) => respond(web, route, context));
  }
  app.notFound(
    (context) =>
      pageAt(web, context as HttpContext) ?? told(web, context as HttpContext, new Problem('route_unknown')),
  );
  app.onError((error, context) => told(web, context as HttpContext, error));
  return app;
}

/** A browser gives passkeys to names, not to numbers: who comes by a number is led to the name of the same machine. */
function pageAt({ page, paydrop }: Web, context: HttpContext): Response | null {
  const found = page?.answer(context) ?? null;
  const url = new URL(context.req.url);
  if (found === null || paydrop.config.web.publicUrl !== null || url.hostname === 'localhost') return found;
  url.hostname = 'localhost';
  return Response.redirect(url, 302);
}

/** What an address ends in belongs to its last part, whatever else that holds. */
function routed({ path, ending }: Route): string {
  return ending === undefined ? path : `${path}{.+${ending.replace('.', '\\.')}}`;
}

/** Security headers: no caching, content sniffing, referrer, or framing (clickjacking). */
const HEADERS = [
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['x-frame-options', 'DENY'],
] as const;

/** DNS rebinding: a foreign host name may resolve to this machine, and its pages would pass for ours. Only our own names are answered. */
function isOwnHost(host: string, { paydrop }: Web): boolean {
  const { publicUrl } = paydrop.config.web;
  if (publicUrl !== null) return host.toLowerCase() === new URL(publicUrl).host;
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host);
}

async function respond(web: Web, route: Route, context: HttpContext): Promise<Response> {
  const by = callerOf(web, route, context);
  assertMay(web, route, by);
  const asking = by.kind === 'nobody' ? addressOf(web, context) : by.id;
  web.connections.admit(context.env.incoming.socket, asking, by.kind !== 'nobody');
  const isUnauthenticated = by.kind === 'nobody' && context.req.method !== 'GET';
  const browser = isUnauthenticated ? web.door.browsers.find(browserIn(context)) : null;
  if (
    !(isUnauthenticated ? web.limiter.mayCallUnauthenticated(asking, browser) : web.limiter.mayCall(asking))
  )
    throw new Problem('rate_exceeded', { headers: { 'retry-after': '1' } });
  const cookie = new CookieToSet(web.door);
  const { setSession, renewSession, rememberBrowser } = cookie;
  const place = placeOf(web, context.req.header('host'));
  const call = await callOf(web, route, context, { by, place, setSession, renewSession, rememberBrowser });
  await assertOwn(route, call);
  // The secret is another one after a signature, whatever became of the order.
  const response = await answer(web, route, context, call).catch((error: unknown) =>
    error === call.signal.reason
      ? new Response(null, { status: NOBODY_WAITS })
      : told(web, context, error, () => presentOf(route.path, call)),
  );
  cookie.setIn(response.headers);
  return response;
}

/** Nobody reads it; as other servers log a request that its client closed. */
const NOBODY_WAITS = 499;

async function answer(web: Web, route: Route, context: HttpContext, call: Call): Promise<Response> {
  const { by } = call;
  const { path, method } = context.req;
  const perform = async (octets = call.octets): Promise<Reply> => {
    await assertSeen(route, call);
    assertStands(web, by);
    await assertSteppedUp(route, call, `${method} ${path.slice('/api/v1'.length)}`);
    const reply = await route.does({ ...call, octets });
    logDecision(route, call);
    return reply;
  };
  const order = method === 'GET' ? null : context.req.header('idempotency-key');
  if (order === undefined || order === null || by.kind === 'nobody' || route.isToldOnce === true)
    return replied(web, context, by, await perform());
  const request = `${method} ${path} ${call.fileName} ${JSON.stringify(call.body ?? null)}`;
  const kept = await web.replays.once(by.id, order, request, call.octets, async (octets) => {
    const reply = await perform(octets);
    if (!('json' in reply)) throw new Error('What is no JSON is not kept.');
    return {
      status: reply.status,
      body: JSON.stringify(reply.json),
      location: reply.headers?.['location'] ?? null,
    };
  });
  const headers = {
    'content-type': 'application/json',
    ...(kept.location === null ? {} : { location: kept.location }),
  };
  return new Response(kept.body, { status: kept.status, headers });
}

/** Throws a `Problem` where an order about an upload or a file says that it saw another state of it than stands now. */
async function assertSeen({ method, path }: Route, call: Call): Promise<void> {
  const seen = call.header('if-match');
  if (method === 'GET' || seen === undefined) return;
  const now = await presentOf(path, call);
  if (now !== null && !namesTag(seen, etagOf(JSON.stringify(now)))) throw new Problem('version_differs');
}

/** The upload or the file that a route is about, as it is now; null where it is about none. */
async function presentOf(path: string, call: Call): Promise<{ readonly state?: unknown } | null> {
  const [about] = /^\/(?:uploads\/:id|files\/:batch)\b/.exec(path) ?? [];
  const now = await ROUTES.find((each) => each.method === 'GET' && each.path === about)?.does(call);
  return now !== undefined && 'json' in now && typeof now.json === 'object' ? now.json : null;
}

function replied(web: Web, context: HttpContext, by: Caller, reply: Reply): Response | Promise<Response> {
  if ('events' in reply) return eventStream(web, context, by, reply.events);
  const [body, type] =
    'json' in reply ? [JSON.stringify(reply.json), 'application/json'] : [reply.bytes, reply.type];
  const tag = typeof body === 'string' ? { etag: etagOf(body) } : {};
  const headers: Record<string, string> = { 'content-type': type, ...tag, ...reply.headers };
  const { etag } = headers;
  const isKnown = etag !== undefined && namesTag(context.req.header('if-none-match'), etag);
  if (isKnown && context.req.method === 'GET') {
    if (body instanceof Readable) body.destroy();
    return new Response(null, { status: 304, headers: { etag } });
  }
  const shown = body instanceof Readable ? (Readable.toWeb(body) as ReadableStream) : body;
  return new Response(
    typeof shown === 'string' || shown instanceof ReadableStream ? shown : new Uint8Array(shown),
    {
      status: reply.status,
      headers,
    },
  );
}

function eventStream(web: Web, context: HttpContext, { id }: Caller, source: EventSource): Response {
  // Nobody would read what is written, and the place would never be free again.
  if (context.req.method === 'HEAD')
    return new Response(null, { headers: { 'content-type': MEDIA_TYPES.events } });
  const end = web.limiter.openStream(id);
  if (end === null) throw new Problem('streams_too_many', { headers: { 'retry-after': '5' } });
  context.header('content-type', MEDIA_TYPES.events);
  context.header('x-accel-buffering', 'no');
  return stream(context, async (out) => {
    const gone = new AbortController();
    out.onAbort(() => gone.abort());
    try {
      // Each is awaited: a stream that is closed before its write has ended has lost it.
      await source(
        async (text) => {
          await out.write(text);
        },
        AbortSignal.any([gone.signal, web.closing]),
      );
    } finally {
      end();
    }
  });
}

/** @param present what the request was about, as it is now: who met another state of it is told which. */
async function told(
  web: Web,
  context: HttpContext,
  error: unknown,
  present: () => ReturnType<typeof presentOf> = () => Promise.resolve(null),
): Promise<Response> {
  const problem = await problemFrom(error, web.paydrop.log);
  const now = problem.status === 409 ? await present().catch(() => null) : null;
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...problem.headers,
  };
  return new Response(JSON.stringify({ ...problem.body(readerOf(web, context)), state: now?.state }), {
    status: problem.status,
    headers,
  });
}
