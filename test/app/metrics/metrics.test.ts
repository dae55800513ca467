// The numbers and the health of a daemon, asked for over HTTP as Prometheus and a supervisor do.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { serveMetrics } from '../../../src/app/daemon/metrics-server.ts';
import { meteredTransport, openMeter, renderMetrics } from '../../../src/app/parts/meter.ts';
import { startBeside } from '../../../src/app/daemon/run-daemon.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Refused } from '../../../src/service/errors.ts';
import { httpPayoutService } from '../../../src/service/http-payout-service.ts';
import type { PayoutService } from '../../../src/service/payout-service.ts';
import type { Transport } from '../../../src/service/transport.ts';
import { freePort } from '../../sandbox/receiver.ts';
import { until } from '../../sandbox/until.ts';
import { HURRIED, line, magic, openDesk, PATIENT, type Desk } from '../desk.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';
import { atEnd } from '../../at-end.ts';
import { readMetrics, type ReadMetrics } from './read-metrics.ts';

let clock: LeapClock;
let desk: Desk;
beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

const ANY_PORT = 'metrics: { listen: "127.0.0.1:0" }';

async function serve(paydrop: Paydrop): Promise<string> {
  const server = await serveMetrics(paydrop);
  if (server === null) throw new Error('An address is set.');
  atEnd(() => server.close());
  return server.url;
}

async function scrape(url: string): Promise<ReadMetrics & { readonly text: string }> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  return { ...readMetrics(text), text };
}

describe('/metrics', () => {
  it('counts rows, batches and calls as they are, in the text format', async () => {
    const paydrop = await desk.open(ANY_PORT);
    const url = await serve(paydrop);
    await processBatch(
      paydrop,
      await desk.file('one.csv', [line('A-1', '100'), magic('A-2', '0100002')]),
      PATIENT,
    );
    await processBatch(
      paydrop,
      await desk.file('two.csv', [line('', '70'), line('', '70'), magic('B-3', '0060000')]),
      HURRIED,
    );
    const { values, types } = await scrape(url);
    expect(
      Object.fromEntries([...values].filter(([name]) => /^paydrop_(rows|batches)/.test(name))),
    ).toMatchObject({
      'paydrop_batches{state="sending"}': 1,
      'paydrop_batches{state="closed"}': 1,
      'paydrop_batches_waiting{for="operator"}': 1,
      'paydrop_rows{stage="held"}': 2,
      'paydrop_rows{stage="confirmed"}': 1,
      'paydrop_rows{stage="ready"}': 0,
      'paydrop_rows_closed_total{outcome="paid"}': 1,
      'paydrop_rows_closed_total{outcome="failed"}': 1,
    });
    expect(values.get('paydrop_calls_total{route="POST /transfers",status="2xx"}')).toBe(3);
    expect(values.get('paydrop_calls_total{route="POST /transfers/{id}/confirm",status="2xx"}')).toBe(3);
    expect(values.get('paydrop_call_duration_seconds_count{route="POST /transfers"}')).toBe(3);
    expect(types.get('paydrop_call_duration_seconds')).toBe('histogram');
    expect(values.get('paydrop_last_successful_call_timestamp_seconds')).toBeCloseTo(clock.now() / 1_000, -2);
    expect(values.get('paydrop_pace_lanes')).toBe(16);
    expect(values.get('paydrop_oldest_batch_seconds')).toBeGreaterThan(0);
    expect(
      [...values.keys()].some((name) =>
        /^paydrop_build_info\{version="\d+\.\d+\.\d+(?:-[\w.]+)?"/.test(name),
      ),
    ).toBe(true);
  });

  it('a histogram grows with its bounds, to the count of all', async () => {
    const paydrop = await desk.open(ANY_PORT);
    for (const seconds of [0.001, 0.2, 0.2, 99]) paydrop.meter.call('GET /transfers', '2xx', seconds);
    const { values } = await scrape(await serve(paydrop));
    const at = (bound: string) =>
      values.get(`paydrop_call_duration_seconds_bucket{route="GET /transfers",le="${bound}"}`);
    expect([at('0.005'), at('0.1'), at('0.25'), at('30'), at('+Inf')]).toEqual([1, 1, 3, 3, 4]);
    expect(values.get('paydrop_call_duration_seconds_sum{route="GET /transfers"}')).toBeCloseTo(99.401);
  });

  it('tells of 429, of calls without an answer, of the pace that falls, and of messages that wait', async () => {
    const mail = `email: { host: 127.0.0.1, port: ${String(await freePort())}, security: none, from: a@b.example, to: c@d.example }`;
    const paydrop = await desk.open(`${ANY_PORT}\nnotify: { ${mail} }`, 'nobody');
    paydrop.meter.call('POST /rates', '429', 0.1);
    for (let call = 0; call < 20; call++)
      paydrop.rateControl.heard('mutation', 'throttled', clock.monotonic());
    await processBatch(paydrop, await desk.file('one.csv', [line('A-1', 'x')]), HURRIED);
    await processBatch(paydrop, await desk.write('two.csv', 'x'), HURRIED);
    const { values } = await scrape(await serve(paydrop));
    expect(values.get('paydrop_calls_total{route="POST /rates",status="429"}')).toBe(1);
    expect(values.get('paydrop_calls_total{route="GET /payout-corridors",status="none"}')).toBeGreaterThan(0);
    expect(values.get('paydrop_pace_lanes')).toBeLessThan(16);
    expect(values.get('paydrop_notices_waiting{channel="email"}')).toBeGreaterThan(0);
  });

  it('holds no name, account, file or id, whatever is paid', async () => {
    const paydrop = await desk.open(ANY_PORT);
    await processBatch(
      paydrop,
      await desk.file('secret-file.csv', [line('A-1', '100'), magic('A-2', '0060000')]),
      HURRIED,
    );
    const { text } = await scrape(await serve(paydrop));
    expect(text).not.toMatch(/secret-file|8613|A-1|\bWei\b|[0-9a-f]{8}-[0-9a-f]{4}|\d{8}-[0-9a-f]{8}/);
  });

  it('counts the ledger once for all who ask at the same time', async () => {
    const paydrop = await desk.open(ANY_PORT);
    let counts = 0;
    const ledger = Object.create(paydrop.ledger) as Paydrop['ledger'];
    Object.defineProperty(ledger, 'batches', {
      value: (which: Parameters<Paydrop['ledger']['batches']>[0]) => {
        if (which !== undefined && 'countedBy' in which) counts += 1;
        return paydrop.ledger.batches(which);
      },
    });
    Object.defineProperty(ledger, 'batch', { value: (id: string) => paydrop.ledger.batch(id) });
    const url = await serve({ ...paydrop, ledger });
    await Promise.all(Array.from({ length: 10 }, () => scrape(url)));
    expect(counts).toBe(1);
    clock.leap(60_000);
    await scrape(url);
    expect(counts).toBe(2);
  });
});

describe('/healthz', () => {
  async function ask(url: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await fetch(`${url}/healthz`);
    return { status: response.status, body: await response.json() };
  }

  it('is well while the daemon looks, and says why when it has not for too long', async () => {
    const paydrop = await desk.open(`${ANY_PORT}\nintake: { scanEvery: 1s }`);
    const url = await serve(paydrop);
    expect(await ask(url)).toMatchObject({ status: 200, body: { status: 'ok', reasons: [] } });
    clock.leap(300_000);
    const late = await ask(url);
    expect(late).toMatchObject({ status: 503, body: { status: 'failing' } });
    expect(JSON.stringify(late.body)).toMatch(/The daemon has not looked at the inbox for 30\d s\./);
    const stopper = new AbortController();
    const ended = watch(paydrop, {
      signal: stopper.signal,
      onResult: () => undefined,
      onWaiting: () => undefined,
      onTrouble: () => undefined,
    });
    await until(async () => (await ask(url)).status === 200);
    stopper.abort();
    await ended;
  });

  it('is not well when the ledger cannot be read, and says so', async () => {
    const paydrop = await desk.open(ANY_PORT);
    const url = await serve(paydrop);
    await desk.shut();
    const { status, body } = await ask(url);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).toMatch(/The ledger cannot be read: /);
    expect((await fetch(`${url}/metrics`)).status).toBe(503);
  });
});

describe('the listener', () => {
  it('answers nothing else, to nobody who writes', async () => {
    const url = await serve(await desk.open(ANY_PORT));
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${url}/metrics`, { method: 'HEAD' })).status).toBe(200);
    const status = await new Promise((resolve) => {
      request(url, { path: '//evil.example/../metrics' }, (incoming) =>
        resolve(incoming.resume().statusCode),
      ).end();
    });
    expect(status).toBe(404);
  });

  it.each([
    ['evil.example', 421],
    ['evil.example:8789', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost:1', 200],
    ['127.0.0.1', 200],
    ['[::1]:8789', 200],
  ])(
    'asked for %s it answers with %i: no page in a browser reads it under a name of its own',
    async (host, status) => {
      const url = await serve(await desk.open(ANY_PORT));
      const answered = await new Promise((resolve) => {
        request(`${url}/metrics`, { headers: { host } }, (incoming) =>
          resolve(incoming.resume().statusCode),
        ).end();
      });
      expect(answered).toBe(status);
    },
  );

  it.each(['POST', 'GET'])('lets nobody keep a place who sends a body, %s', async (method) => {
    const url = await serve(await desk.open(ANY_PORT));
    const { hostname, port } = new URL(url);
    // As many as there are places.
    const sockets = Array.from({ length: 32 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined).resume();
      socket.write(`${method} /metrics HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 100000\r\n\r\na`);
      return socket;
    });
    const dripping = setInterval(
      () => sockets.forEach((socket) => socket.writable && socket.write('a')),
      100,
    );
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    clearInterval(dripping);
    expect((await fetch(`${url}/healthz`)).status).toBeLessThanOrEqual(503);
  });

  it('is off where the config says so; a usual address that is taken stops no daemon, one of the config does', async () => {
    expect(await serveMetrics(await desk.open('metrics: { listen: null }'))).toBeNull();
    const url = await serve(await desk.open(ANY_PORT));
    const taken = new URL(url).host;
    await expect(startBeside(await desk.open(`metrics: { listen: "${taken}" }`))).rejects.toThrow(
      /metrics\.listen cannot be used/,
    );
    await expect(
      desk.open('metrics: { listen: "nowhere" }').then((paydrop) => serveMetrics(paydrop)),
    ).rejects.toThrow(/metrics\.listen must be an address and a port/);
    // Some process may have the usual address on this machine now: two ask for it, and neither fails.
    for (const paydrop of [await desk.open(), await desk.open()]) {
      const server = await serveMetrics(paydrop);
      if (server !== null) atEnd(() => server.close());
    }
  });
});

it.each<[string, string, (service: PayoutService) => Promise<unknown>]>([
  ['GET /payout-corridors', '/payout-corridors', (service) => service.payoutCorridors()],
  ['GET /rates/{id}', '/rates/q-1', (service) => service.quotation('q-1')],
  ['GET /rates/{id}', '/rates/ext-a', (service) => service.quotationByExternalId('a')],
  ['GET /transfers/{id}', '/transfers/t-1', (service) => service.transfer('t-1')],
  ['GET /transfers/{id}', '/transfers/ext-a', (service) => service.transferByExternalId('a')],
  ['GET /transfers', '/transfers?limit=200', (service) => service.transfers({ limit: 200 })],
  [
    'PUT /transfers/{id}/attachment',
    '/transfers/t-1/attachment',
    (service) => service.uploadAttachment('t-1', { contentType: 'application/pdf', bytes: new Uint8Array() }),
  ],
  ['POST /transfers/{id}/confirm', '/transfers/t-1/confirm', (service) => service.confirmTransfer('t-1')],
  ['GET /public/balances', '/public/balances', (service) => service.balances()],
])('a call is counted under its route, not its path: %s, %s', async (route, path, call) => {
  const meter = openMeter(systemClock);
  const asked: string[] = [];
  const refusing: Transport = (request) => {
    asked.push(`${request.method} ${request.path}`);
    const body = Buffer.from('{"errorCode":10001,"message":"wrong"}');
    return Promise.resolve({ status: 400, headers: new Map(), body });
  };
  const transport = meteredTransport(refusing, meter, systemClock);
  const service = httpPayoutService({ transport, apiKey: 'k', timeoutMs: 1_000, clock: systemClock });
  await expect(call(service)).rejects.toThrow(Refused);
  expect(asked).toEqual([`${String(route.split(' ')[0])} ${path}`]);
  const { values } = readMetrics(renderMetrics(meter.families()));
  expect(values.get(`paydrop_calls_total{route="${route}",status="4xx"}`)).toBe(1);
});

it('text in labels and help cannot break a line', () => {
  const text = renderMetrics([
    { name: 'a', help: 'one\ntwo \\', type: 'gauge', samples: [{ labels: { l: 'x"\n\\' }, value: 1e21 }] },
  ]);
  expect(readMetrics(text).values).toEqual(new Map([['a{l="x\\"\\n\\\\"}', 1e21]]));
});

it('the clock of the machine counts calls too', async () => {
  const own = await openDesk();
  const paydrop = await own.open(ANY_PORT);
  await paydrop.service.balances();
  const { values } = await scrape(await serve(paydrop));
  const seconds = values.get('paydrop_call_duration_seconds_sum{route="GET /public/balances"}') ?? 0;
  expect(seconds).toBeGreaterThan(0);
  expect(values.get('paydrop_last_successful_call_timestamp_seconds')).toBeCloseTo(
    systemClock.now() / 1_000,
    -1,
  );
  await own.close();
});
