// The listening socket of the sandbox, on loopback only, and its end.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Hono } from 'hono';

import type { FaultPlan } from './faults.ts';
import { dropConnection } from './write-answer.ts';

type App = Hono<{ Bindings: HttpBindings }>;

export type Listener = {
  readonly port: number;
  /** From now on `app` answers; until then every request finds its connection closed. */
  serve(app: App): void;
  close(): Promise<void>;
};

/** Longer than clients keep their idle sockets, so that none is closed under a request on its way. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Takes `port` of 127.0.0.1, or any free port for 0; rejects when it is taken. The port comes before everything else, so that a second
 * start by mistake ends before it touches the state file of the first.
 */
export async function listen(port: number, faults: FaultPlan): Promise<Listener> {
  let app: App | null = null;
  const server = createAdaptorServer({
    fetch: (request, env) => respond(app, request, env as HttpBindings),
    // The globals stay Node's own: this runs inside other people's processes.
    overrideGlobalObjects: false,
  }) as Server;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('connection', (socket) => {
    if (faults.onConnection() !== null) socket.resetAndDestroy();
  });
  server.on('clientError', (_error, socket) => refuseUnreadable(socket));
  await bind(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    serve: (served) => void (app = served),
    close: () => closeServer(server),
  };
}

/** What is no request that can be read is answered like any other invalid one. */
function refuseUnreadable(socket: Duplex): void {
  if (!socket.writable) return;
  const body = JSON.stringify({ errorCode: 10001, message: 'The request cannot be read.' });
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** The router would run a GET for a HEAD, and `GET /rates` has an effect: HEAD is not in the interface, and does nothing. */
function respond(app: App | null, request: Request, env: HttpBindings): Response | Promise<Response> {
  if (app === null) return dropConnection(env.incoming);
  if (env.incoming.method !== 'HEAD') return app.fetch(request, env);
  env.outgoing.writeHead(405, { allow: 'GET, POST, PUT' }).end();
  return RESPONSE_ALREADY_SENT;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
