// The transport over HTTP: an undici pool to the one origin of the service. It follows no redirect and repeats nothing.
import { Pool } from 'undici';

import { startDeadline } from '../base/clock.ts';
import { Cut, NotSent, type Transport, type TransportResponse } from './transport.ts';

/** The largest answer that is read: a list page of 200 transfers is under 0.5 MB. */
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;

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
    connect: { timeout: 10_000 },
  });
  const transport: Transport = async ({ method, path, headers, body, timeoutMs }) => {
    const deadline = startDeadline(timeoutMs);
    try {
      const response = await pool.request({
        method,
        path: prefix + path,
        headers,
        body,
        signal: deadline.signal,
      });
      return {
        status: response.statusCode,
        headers: firstValues(response.headers),
        body: await readAll(response.body),
      };
    } catch (error) {
      throw classify(error, deadline.signal);
    } finally {
      deadline.clear();
    }
  };
  return { transport, close: () => pool.destroy() };
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > RESPONSE_BYTES_MAX) throw new Cut('too-large');
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function firstValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): TransportResponse['headers'] {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) values.set(name.toLowerCase(), first);
  }
  return values;
}

function classify(error: unknown, deadline: AbortSignal): NotSent | Cut {
  if (error instanceof Cut) return error;
  if (deadline.aborted) return new Cut('timeout');
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
