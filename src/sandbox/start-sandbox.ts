// The embedded payout service: starts it on a loopback port of this machine, in this process. Any client of the real service can use this one,
// over the same HTTP.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Hono } from 'hono';

import { systemClock, type Clock } from '../base/clock.ts';
import type { DecimalText } from '../base/decimal.ts';
import { silentLog, type Log } from '../base/log.ts';
import { SOURCE_CURRENCIES } from '../service/wire.ts';
import { dropConnection } from './answers.ts';
import { OPENING_BALANCES, openBook } from './balances.ts';
import { booksOf } from './control.ts';
import { planFaults, readFaults, type FaultPlan, type Faults } from './faults.ts';
import type { SourceCurrency } from './field-forms.ts';
import { liveSandbox } from './live-sandbox.ts';
import { serve } from './serve.ts';
import {
  applyChange,
  emptyState,
  noJournal,
  openJournal,
  replayJournal,
  type Book,
  type SandboxSettings,
  type State,
} from './state.ts';
import { startWebhooks } from './webhooks.ts';

export type SandboxOptions = {
  /** 0, the default, takes any free port. The host is always 127.0.0.1: its key guards nothing. */
  readonly port?: number;
  readonly apiKey?: string;
  /** A journal that survives a restart and `kill -9`; only one running sandbox may use a file. Without it, everything is forgotten at the end. */
  readonly statePath?: string;
  /** Takes `http:` callback URLs too, on loopback only. */
  readonly allowHttpCallbacks?: boolean;
  /** How long every quotation is valid, instead of the corridors' own. */
  readonly quoteLifeMs?: number;
  /** Every answer takes this much longer. */
  readonly latencyMs?: number;
  /** From confirm to the network's outcome, a quarter more or less. */
  readonly settleMs?: number;
  /** From `paid` to its reversal, a quarter more or less. */
  readonly reversalMs?: number;
  /** The deposit at the first start, in each source currency; ignored when the state file already has balances. */
  readonly balances?: Readonly<Partial<Record<SourceCurrency, DecimalText>>>;
  /** A faults file, or its content. */
  readonly faultsPath?: string;
  readonly faults?: Faults;
  readonly clock?: Clock;
  readonly log?: Log;
};

export type RunningSandbox = {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** From now on, only this key is accepted, and it signs the notifications. */
  readonly rotateKey: (apiKey: string) => void;
  /** What was deposited in each currency, and where it is now; `depositedAmount` is always the sum of the other three. */
  readonly books: () => readonly Book[];
  /** Ends every timer, socket and delivery at once. */
  readonly close: () => Promise<void>;
};

const API_KEY = 'sandbox-key';
/** Long enough for `submitted` to be seen, short enough for a demo. */
const SETTLE_MS = 300;
const REVERSAL_MS = 1_000;

/** Starts the service; rejects when the port is taken, or when the state or faults file cannot be read. */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const faults = faultPlanOf(options);
  const listener = await listen(options.port ?? 0, faults);
  try {
    return await openSandbox(options, faults, listener);
  } catch (error) {
    await listener.close();
    throw error;
  }
}

async function openSandbox(
  options: SandboxOptions,
  faults: FaultPlan,
  listener: Listener,
): Promise<RunningSandbox> {
  const { apiKey = API_KEY, clock = systemClock, log = silentLog, latencyMs = 0 } = options;
  const settings = settingsOf(options);
  const state = openingState(options);
  const journal = options.statePath === undefined ? noJournal : await openJournal(options.statePath, state);
  let valid = apiKey;
  const key = (): string => valid;
  const webhooks = startWebhooks({ key, allowHttpCallbacks: settings.allowHttpCallbacks, clock, log });
  const live = liveSandbox({ state, journal, webhooks, clock, log, settings });
  const closing = new AbortController();
  listener.serve(serve({ ...live, key, faults, latencyMs, log, closing: closing.signal }));
  const close = once(async () => {
    closing.abort();
    live.stop();
    await Promise.all([listener.close(), webhooks.close()]);
    journal.close();
  });
  const rotateKey = (next: string): void => void (valid = next);
  const baseUrl = `http://127.0.0.1:${listener.port}`;
  return { baseUrl, apiKey, rotateKey, books: () => booksOf(state), close };
}

function settingsOf(options: SandboxOptions): SandboxSettings {
  return {
    allowHttpCallbacks: options.allowHttpCallbacks ?? false,
    quoteLifeMs: options.quoteLifeMs ?? null,
    settleMs: options.settleMs ?? SETTLE_MS,
    reversalMs: options.reversalMs ?? REVERSAL_MS,
  };
}

function faultPlanOf({ faults, faultsPath }: SandboxOptions): FaultPlan {
  return planFaults(faults ?? (faultsPath === undefined ? {} : readFaults(faultsPath)));
}

/** The state from the state file, or fresh books. */
function openingState({ statePath, balances }: SandboxOptions): State {
  const state = emptyState();
  if (statePath !== undefined) replayJournal(statePath, state);
  const missing = SOURCE_CURRENCIES.filter((currency) => !state.books.has(currency));
  const deposits = { ...OPENING_BALANCES, ...balances };
  applyChange(state, { books: missing.map((currency) => openBook(currency, deposits[currency])) });
  return state;
}

/** A second close does nothing more. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null;
  return () => (closing ??= close());
}

// The listening socket of the sandbox, on loopback only, and its end.

type App = Hono<{ Bindings: HttpBindings }>;

type Listener = {
  readonly port: number;
  /** From now on `app` answers; until then every request finds its connection closed. */
  serve(app: App): void;
  close(): Promise<void>;
};

/** Longer than clients keep idle sockets, so that none is closed while a request is on its way. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Takes `port` of 127.0.0.1, or any free port for 0; rejects when it is taken. The port is taken before everything else, so that a second start
 * by mistake ends before it touches the state file of the first.
 */
async function listen(port: number, faults: FaultPlan): Promise<Listener> {
  let app: App | null = null;
  const server = createAdaptorServer({
    fetch: (request, env) => respond(app, request, env as HttpBindings),
    // The global objects stay Node's own, because this runs inside other people's processes.
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

/** A request that cannot be read gets the answer of any other invalid one. */
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
