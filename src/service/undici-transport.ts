// The transport over HTTP: an undici pool to the one origin of the service. It follows no redirect and repeats nothing.
import { Pool } from 'undici';

import { oneCall } from './one-call.ts';
import { Cut, NotSent, type Transport } from './transport.ts';

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
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Faults that may also come over a connection that stands; then the request may have arrived. */
const WHILE_CONNECTING = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

export type UndiciTransport = { readonly transport: Transport; readonly close: () => Promise<void> };

/** A keep-alive pool of at most `connections` sockets to the origin of `baseUrl`; a path in `baseUrl` is put before every request's. */
export function undiciTransport(baseUrl: URL, connections: number): UndiciTransport {
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const pool = new Pool(baseUrl.origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Said here it counts whatever the environment says.
    connect: { timeout: 10_000, rejectUnauthorized: true },
  });
  const transport: Transport = async ({ method, path, headers, body, timeoutMs }) => {
    try {
      return await oneCall(pool, { method, path: prefix + path, headers, body }, timeoutMs);
    } catch (error) {
      throw classify(error);
    }
  };
  return { transport, close: () => pool.destroy() };
}

function classify(error: unknown): NotSent | Cut {
  if (error instanceof Cut) return error;
  return wasNotSent(error) ? new NotSent(codeOf(error)) : new Cut('connection');
}

function wasNotSent(error: unknown): boolean {
  const code = codeOf(error);
  const isConnecting = error instanceof Error && 'syscall' in error && error.syscall === 'connect';
  return BEFORE_SENDING.has(code) || (isConnecting && WHILE_CONNECTING.has(code));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
