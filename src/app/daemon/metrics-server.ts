// Answers `/metrics` and `/healthz`, to this machine only unless the config says otherwise. Known programs ask it for numbers every few seconds,
// so it is small, bounded, and never in the way of the payments.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';

import { buildVersion } from '../../base/build-version.ts';
import { say } from '../../base/language.ts';
import { ENDED } from '../../delivery/time-left.ts';
import { BATCH_STATES, ENDED_BATCH } from '../../ledger/batch-states.ts';
import type { CountedBatches } from '../../ledger/ledger.ts';
import { LedgerAway } from '../../ledger/ledger-unusable.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { waitingForOf } from '../../ledger/batch-rules.ts';
import { WAITING_FOR } from '../../ledger/wait.ts';
import { sentence } from '../../messages/messages.ts';
import { SETTLED, STAGES, type CountedAs } from '../../payouts/lifecycle.ts';
import { STANDINGS } from '../../contract/words.ts';
import { countsOf, standingOf } from '../../results/standing.ts';
import { isLoopback, type ListenAddress, parseListenAddress } from '../config/listeners.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import type { Paydrop } from '../parts.ts';
import {
  type Family,
  METRICS_CONTENT_TYPE,
  type Sample,
  byKey,
  gauge,
  moment,
  renderMetrics,
} from '../parts/meter.ts';

type MetricsServer = { readonly url: string; close(): Promise<void> };

/** If another program, or another `watch` of this machine, has the usual address, this one continues without, and says so. */
const METRICS_LISTEN = '127.0.0.1:8789';

/** A handful of programs ask; any others are strangers. */
const CONNECTIONS_MAX = 32;
const REQUEST_WITHIN_MS = 5_000;
const IDLE_MS = 5_000;
const CHECK_EVERY_MS = 1_000;
const HEADER_BYTES_MAX = 8 * 1024;

/** Counting the rows of large batches delays everything else, so it takes at most a fiftieth of the time, and runs no more often than this. */
const COUNT_EVERY_MS = 500;
const COUNT_SHARE = 50;

/** Null where `metrics.listen` is null. Throws `ConfigUnusable` when an address of the config cannot be opened. */
export async function serveMetrics(
  paydrop: Paydrop,
  onTrouble: (words: string) => void = () => undefined,
): Promise<MetricsServer | null> {
  const { listen } = paydrop.config.metrics;
  if (listen === null) return null;
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: REQUEST_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  });
  server.maxConnections = CONNECTIONS_MAX;
  const fault = await bind(server, parseListenAddress(listen, 'metrics.listen'));
  if (fault !== null && listen !== METRICS_LISTEN)
    throw new ConfigUnusable(sentence('daemon.metricsListen', { message: fault.message }), { cause: fault });
  if (fault !== null) {
    const { language } = paydrop.config;
    onTrouble(say(sentence('daemon.metricsTaken', { address: METRICS_LISTEN }), language));
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
      .catch((error: unknown): MetricsReply => {
        const reason = error instanceof Error ? error.message : 'unknown';
        paydrop.log.error('metrics cannot be told', { reason });
        return { status: 503, type: 'text/plain', body: 'The numbers cannot be read.\n' };
      })
      .then(({ status, type, body }) => {
        const allow = status === 405 ? { allow: 'GET, HEAD' } : {};
        // Whoever still sends a body, which nobody reads, keeps no place.
        const end = incoming.complete ? {} : { connection: 'close' };
        outgoing.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...end, ...allow });
        outgoing.end(incoming.method === 'HEAD' ? undefined : body);
      })
      .catch(() => incoming.destroy());
  };
}

type MetricsReply = { readonly status: number; readonly type: string; readonly body: string };

async function answer(
  { method, url = '', headers, socket }: IncomingMessage,
  counted: () => Promise<readonly Family[]>,
  own: () => readonly Family[],
  paydrop: Paydrop,
): Promise<MetricsReply> {
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
  return { status: health.status === 'failing' ? 503 : 200, type: 'application/json', body };
}

/** A web page may point a name of its own at this machine, so only requests for an address, or for no name, are answered. */
function isLed(host: string | undefined, localAddress = ''): boolean {
  // At another address, it has the name that its owner gave it.
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

/** Bounds the cost however often, and however many, ask at once. */
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

// Whether the daemon works: it looks at the inbox again and again, and the ledger can be read. A supervisor that restarts unhealthy processes must
// not restart one that only waits for funds or for a service.

type Health = {
  /** `waiting`: healthy, but nothing is sent while the ledger is away. */
  readonly status: 'ok' | 'waiting' | 'failing';
  /** In words; empty when all is well. */
  readonly reasons: readonly string[];
  /** How long ago the daemon looked at the inbox. */
  readonly lookedSecondsAgo: number;
  /** Whose health it is: another program may have the usual address. */
  readonly workspace: string;
  readonly pid: number;
};

/** Longer than two scans: a file of a million rows may be read between two looks. */
const LOOK_PATIENCE_MS = 3 * 60_000;

async function healthOf({ config, clock, ledger, meter, workspace }: Paydrop): Promise<Health> {
  const agoMs = clock.monotonic() - meter.lookedAt();
  const withinMs = 2 * config.intake.scanEvery + LOOK_PATIENCE_MS;
  const seconds = Math.round(agoMs / 1_000);
  const unread = await ledger.batch('health').then(
    () => null,
    (error: unknown) => error,
  );
  const isAway = meter.isAway() || unread instanceof LedgerAway;
  const failing = [
    meter.inboxFault()?.en ?? null,
    agoMs > withinMs ? `The daemon has not looked at the inbox for ${String(seconds)} s.` : null,
    unread === null || isAway
      ? null
      : `The ledger cannot be read: ${unread instanceof Error ? unread.message : 'unknown'}`,
  ].filter((words) => words !== null);
  const waiting = isAway
    ? ['The ledger is out of reach. Nothing is sent; the daemon goes on when it is back.']
    : [];
  const status = failing.length > 0 ? 'failing' : isAway ? 'waiting' : 'ok';
  const owner = { workspace: workspace.root, pid: process.pid };
  return { status, reasons: [...failing, ...waiting], lookedSecondsAgo: seconds, ...owner };
}

// The content of the ledger at this moment, as numbers: how many batches wait for what, and the stages of their rows.

/** A payment that has ended is still looked at for as long as it may be reversed. */
const CALLED = [...STAGES.filter((stage) => !SETTLED.has(stage)), ...ENDED];

export async function ledgerCounts({
  ledger,
  clock,
}: Pick<Paydrop, 'ledger' | 'clock'>): Promise<readonly Family[]> {
  const open = (await ledger.batches({ toLookAt: clock.now() })).filter(
    ({ state }) => !ENDED_BATCH.has(state),
  );
  const states = await ledger.batches({ countedBy: 'state' });
  const stages = zeros<CountedAs>([...STAGES, 'held', 'scheduled']);
  let oldestDueAt: number | null = null;
  let due = 0;
  const standings = zeros(STANDINGS);
  for (const batch of open) {
    const { id } = batch;
    const counts = await ledger.stageCounts(id);
    for (const [stage, rows] of counts) stages[stage] += rows;
    standings[standingOf(batch, countsOf(counts, batch.rows))] += 1;
    const dueAt = await ledger.nextDueAt(id, CALLED);
    if (dueAt !== null && dueAt <= clock.now()) due += 1;
    // A time of 0 or 1 means "now", and says nothing about how long the row has waited.
    if (dueAt !== null && dueAt > 1) oldestDueAt = Math.min(oldestDueAt ?? dueAt, dueAt);
  }
  return [
    byState(states),
    gauge(
      'paydrop_batches_waiting',
      'Unfinished batches by what they wait for.',
      byKey(count(open, WAITING_FOR, waitingForOf), 'for'),
    ),
    gauge(
      'paydrop_batches_standing',
      'Unfinished batches by what is true of their money.',
      byKey(standings, 'standing'),
    ),
    gauge('paydrop_batches_due', 'Unfinished batches with a row whose next call is due.', one(due)),
    gauge('paydrop_rows', 'Rows of unfinished batches by stage.', byKey(stages, 'stage')),
    gauge(
      'paydrop_oldest_batch_seconds',
      'Age of the oldest unfinished batch.',
      ages(
        open.map(({ acceptedAt }) => Date.parse(acceptedAt)),
        clock.now(),
      ),
    ),
    gauge(
      'paydrop_oldest_due_seconds',
      'For how long the next call that is most overdue has been due.',
      ages(oldestDueAt === null ? [] : [oldestDueAt], clock.now()),
    ),
    ...(await noticeCounts(ledger)),
  ];
}

function byState(counted: readonly CountedBatches[]): Family {
  const known = Object.fromEntries(counted.map(({ state, batches }) => [state, batches]));
  return gauge('paydrop_batches', 'Batches by state.', byKey({ ...zeros(BATCH_STATES), ...known }, 'state'));
}

async function noticeCounts(ledger: Paydrop['ledger']): Promise<readonly Family[]> {
  const standings = await ledger.notices.standing();
  const samples = (value: (standing: (typeof standings)[number]) => number): readonly Sample[] =>
    standings.map((standing) => ({ labels: { channel: standing.channel }, value: value(standing) }));
  return [
    gauge(
      'paydrop_notices_waiting',
      'Messages to people that are not told yet.',
      samples(({ waiting }) => waiting),
    ),
    gauge(
      'paydrop_notices_given_up',
      'Messages to people that were never told.',
      samples(({ givenUp }) => givenUp),
    ),
  ];
}

function zeros<T extends string>(keys: readonly T[]): Record<T, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<T, number>;
}

function count<T extends string>(
  batches: readonly BatchRecord[],
  keys: readonly T[],
  keyOf: (batch: BatchRecord) => T | null,
): Record<T, number> {
  const counts = zeros(keys);
  for (const key of batches.map(keyOf)) if (key !== null) counts[key] += 1;
  return counts;
}

function one(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}

/** The age of the oldest; 0 when there is none, or when its time is still to come. */
function ages(times: readonly number[], now: number): readonly Sample[] {
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity);
  return one(oldest === Infinity ? 0 : Math.max(0, now - oldest) / 1_000);
}
