// Answers `/metrics` and `/healthz`, to this machine unless the config says otherwise. It is asked for a number every few seconds by programs that
// are known, so it is small, bounded, and never in the way of the payments.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';

import { ConfigUnusable } from '../config/config-unusable.ts';
import { isLoopback } from '../config/config.ts';
import { parseListenAddress, type ListenAddress } from '../config/listen-address.ts';
import type { Paydrop } from '../parts.ts';
import { buildVersion } from '../../base/build-version.ts';
import { healthOf } from './health.ts';
import { ledgerCounts } from './ledger-counts.ts';
import { gauge, moment } from '../parts/meter.ts';
import { METRICS_CONTENT_TYPE, renderMetrics, type Family } from '../parts/text-format.ts';
import { sentence } from '../../messages/messages.ts';

export type MetricsServer = { readonly url: string; close(): Promise<void> };

/** Another program, or another `watch` of this machine, has the usual address: then this one goes on without, and says so. */
export const METRICS_LISTEN = '127.0.0.1:8789';

/** A handful of programs ask; the rest are strangers. */
const CONNECTIONS_MAX = 32;
const REQUEST_WITHIN_MS = 5_000;
const IDLE_MS = 5_000;
const HEADER_BYTES_MAX = 8 * 1024;

/** Counting the rows of large batches holds up everything else, so it takes no more than a fiftieth of the time, and is not done more often than this. */
const COUNT_EVERY_MS = 5_000;
const COUNT_SHARE = 50;

/** Null where `metrics.listen` is null. Throws `ConfigUnusable` when an address of the config cannot be had. */
export async function serveMetrics(paydrop: Paydrop): Promise<MetricsServer | null> {
  const { listen } = paydrop.config.metrics;
  if (listen === null) return null;
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: REQUEST_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    keepAliveTimeout: IDLE_MS,
  });
  server.maxConnections = CONNECTIONS_MAX;
  const fault = await bind(server, parseListenAddress(listen, 'metrics.listen'));
  if (fault !== null && listen !== METRICS_LISTEN)
    throw new ConfigUnusable(sentence('daemon.metricsListen', { message: fault.message }), { cause: fault });
  if (fault !== null) {
    paydrop.log.warn('metrics are not served: the usual address is taken', { reason: METRICS_LISTEN });
    return null;
  }
  server.on('request', answers(paydrop));
  server.on('error', (error) => paydrop.log.error('metrics listener', { reason: error.message }));
  const { address, family, port } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
  paydrop.log.info('metrics are served', { reason: url });
  return { url, close: () => close(server) };
}

function answers(paydrop: Paydrop): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const counted = countedNowAndThen(paydrop);
  const own = ownFamilies(paydrop);
  return (incoming, outgoing) => {
    outgoing.on('error', () => incoming.destroy());
    answer(incoming, counted, own, paydrop)
      .catch((error: unknown): Answer => {
        const reason = error instanceof Error ? error.message : 'unknown';
        paydrop.log.error('metrics cannot be told', { reason });
        return { status: 503, type: 'text/plain', body: 'The numbers cannot be read.\n' };
      })
      .then(({ status, type, body }) => {
        const allow = status === 405 ? { allow: 'GET, HEAD' } : {};
        outgoing.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...allow });
        outgoing.end(incoming.method === 'HEAD' ? undefined : body);
      })
      .catch(() => incoming.destroy());
  };
}

type Answer = { readonly status: number; readonly type: string; readonly body: string };

async function answer(
  { method, url = '', headers, socket }: IncomingMessage,
  counted: () => Promise<readonly Family[]>,
  own: () => readonly Family[],
  paydrop: Paydrop,
): Promise<Answer> {
  if (isLed(headers.host, socket.localAddress))
    return { status: 421, type: 'text/plain', body: 'Ask by the address of this machine.\n' };
  const [path] = url.split('?', 1);
  if (path !== '/metrics' && path !== '/healthz')
    return { status: 404, type: 'text/plain', body: 'Ask for /metrics or /healthz.\n' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: 'text/plain', body: '' };
  if (path === '/metrics')
    return { status: 200, type: METRICS_CONTENT_TYPE, body: renderMetrics([...own(), ...(await counted())]) };
  const health = await healthOf(paydrop);
  const body = `${JSON.stringify({ ...health, version: buildVersion() })}\n`;
  return { status: health.status === 'ok' ? 200 : 503, type: 'application/json', body };
}

/** A page in somebody's browser may have its own name lead to this machine; an address, or no name at all, was meant. */
function isLed(host: string | undefined, localAddress = ''): boolean {
  // Elsewhere it has whatever name its owner gave it.
  if (!isLoopback({ hostname: localAddress.includes(':') ? `[${localAddress}]` : localAddress }))
    return false;
  const name = (host ?? 'localhost').replace(/:\d*$/, '');
  return name !== 'localhost' && isIP(name.replace(/^\[|\]$/g, '')) === 0;
}

function ownFamilies({ meter, rateControl, isSandbox }: Paydrop): () => readonly Family[] {
  const version = buildVersion();
  return () => [
    gauge('paydrop_build_info', 'Which version runs.', [
      { labels: { version, node: process.version }, value: 1 },
    ]),
    gauge('paydrop_start_timestamp_seconds', 'When this process started.', moment(meter.startedAt)),
    gauge('paydrop_sandbox', '1 while the embedded sandbox stands in for the service.', [
      { labels: {}, value: Number(isSandbox) },
    ]),
    gauge('paydrop_pace_lanes', 'Payments that may be under way at the same time now.', [
      { labels: {}, value: rateControl.lanes('mutation') },
    ]),
    ...meter.families(),
  ];
}

/** However often somebody asks, and however many ask at once. */
function countedNowAndThen(paydrop: Paydrop): () => Promise<readonly Family[]> {
  const { clock } = paydrop;
  let last: Promise<readonly Family[]> | null = null;
  let againAt = -Infinity;
  return () => {
    const startedAt = clock.monotonic();
    if (last !== null && startedAt < againAt) return last;
    againAt = Infinity;
    last = ledgerCounts(paydrop).finally(() => {
      const now = clock.monotonic();
      againAt = now + Math.max(COUNT_EVERY_MS, COUNT_SHARE * (now - startedAt));
    });
    return last;
  };
}

/** The fault, or null when it listens. */
function bind(server: Server, { host, port }: ListenAddress): Promise<Error | null> {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => {
      server.off('error', resolve);
      resolve(null);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
