// The transport over HTTP: an undici pool to the one origin of the service, through a proxy's tunnel (CONNECT) where there is one. It follows no redirect
// and repeats nothing.
import { createRequire } from 'node:module';

import type * as Undici from 'undici';
import type { Dispatcher, Pool } from 'undici';

import { callAfter } from '../base/clock.ts';
import { causeOfError, codeOf, refusalOfProxy } from './network-cause.ts';
import { Cut, NotSent, type TransportRequest, type TransportResponse } from './transport.ts';

/** Idle sockets are dropped after this, well before common servers (5 s and more) drop theirs under a request on its way. */
const KEEP_ALIVE_MS = 4_000;

/** Faults that undici can only raise before the first byte of a request is written. */
const BEFORE_SENDING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  // Of the first answer to a TLS handshake.
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  // A tunnel that was not opened.
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
]);

/** Faults that may also come over a connection that stands; then the request may have arrived. */
const WHILE_CONNECTING = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

/** The pool alone: the whole of undici (fetch, caches, web sockets) takes twice as long to load, and is not used. */
const require = createRequire(import.meta.url);
const UndiciPool = require('undici/lib/dispatcher/pool.js') as typeof Pool;

type UndiciTransport = {
  readonly transport: (request: TransportRequest) => Promise<TransportResponse>;
  readonly close: () => Promise<void>;
};

/** Stated here so that an environment variable cannot turn the check off. */
const CONNECT = { timeout: 10_000, rejectUnauthorized: true, allowH2: false };

/**
 * A keep-alive pool of at most `connections` sockets to the origin of `baseUrl`; a path in `baseUrl` is put before every request's.
 * @param proxy through which the connections go; the service's certificate is checked all the same.
 */
export function undiciTransport(
  baseUrl: URL,
  connections: number,
  proxy: URL | null = null,
): UndiciTransport {
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const pool = dispatcherFor(baseUrl, connections, proxy);
  const transport: UndiciTransport['transport'] = ({ method, path, headers, body, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const call = new OneCall(resolve, reject, timeoutMs, proxy !== null);
      try {
        pool.dispatch({ origin: baseUrl.origin, method, path: prefix + path, headers, body }, call);
      } catch (error) {
        call.fail(error);
      }
    });
  return { transport, close: () => pool.destroy() };
}

function dispatcherFor(baseUrl: URL, connections: number, proxy: URL | null): Dispatcher {
  const options = {
    connections,
    pipelining: 1,
    // Over HTTP/2 undici sends a request again by itself after a refused stream, and one dead connection holds up all calls.
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Each call has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxy === null) return new UndiciPool(baseUrl.origin, { ...options, connect: CONNECT });
  // The way to the proxy is opened by a method that only the whole of undici has.
  const { ProxyAgent } = require('undici') as typeof Undici;
  return new ProxyAgent({
    ...options,
    uri: proxy.href,
    // For plain addresses too: so the proxy sees the same, and passes nothing on by itself.
    proxyTunnel: true,
    connectTimeout: CONNECT.timeout,
    requestTls: CONNECT,
    proxyTls: CONNECT,
  });
}

function classify(error: unknown, isOverProxy: boolean): NotSent | Cut {
  if (error instanceof Cut) return error;
  const isSent = !wasNotSent(error);
  return isSent ? new Cut('connection') : new NotSent(codeOf(error), causeOfError(error, isOverProxy));
}

function wasNotSent(error: unknown): boolean {
  if (refusalOfProxy(error) !== null) return true;
  const code = codeOf(error);
  const isConnecting = error instanceof Error && 'syscall' in error && error.syscall === 'connect';
  return BEFORE_SENDING.has(code) || (isConnecting && WHILE_CONNECTING.has(code));
}

// One call on the pool, from the bytes of the request to the bytes of the response, by undici's own events. A stream and a signal for each call
// would cost more than the call.

/** The largest answer that is read: a list page of 200 transfers is under 0.5 MB. */
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;

/** Resolves with the whole response; rejects with `NotSent` or `Cut`. It ignores everything that comes after that. */
class OneCall implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (fault: NotSent | Cut) => void;
  readonly #clearDeadline: () => void;
  #controller: Dispatcher.DispatchController | null = null;
  #fault: NotSent | Cut | null = null;
  #status = 0;
  #headers: TransportResponse['headers'] | null = null;
  #bytes = 0;
  #chunks: Uint8Array[] = [];
  readonly #isOverProxy: boolean;

  constructor(
    resolve: (response: TransportResponse) => void,
    reject: (fault: NotSent | Cut) => void,
    timeoutMs: number,
    isOverProxy: boolean,
  ) {
    this.#isOverProxy = isOverProxy;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#clearDeadline = callAfter(timeoutMs, () => this.fail(new Cut('timeout')));
  }

  fail(error: unknown): void {
    this.#fault ??= classify(error, this.#isOverProxy);
    this.#clearDeadline();
    this.#reject(this.#fault);
    this.#controller?.abort(this.#fault);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Its time ran out while it waited for a connection, so it is not sent.
    if (this.#fault !== null) controller.abort(this.#fault);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#headers = firstValues(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > RESPONSE_BYTES_MAX) this.fail(new Cut('too-large'));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#clearDeadline();
    if (this.#headers === null) this.#reject(new Cut('connection'));
    else this.#resolve({ status: this.#status, headers: this.#headers, body: joined(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    this.fail(error);
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/** undici gives the names in lower case. */
function firstValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): TransportResponse['headers'] {
  const values = new Map<string, string>();
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) values.set(name, first);
  }
  return values;
}
