// What stands between a daemon and its service is told wherever somebody looks: by doctor, status and the log of the file, and by a notice, at once where only a
// person can mend it and after a while where most outages end by themselves. No row fails because of it, and no supervisor restarts anything. `TABLE=1`
// prints what is told.
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { NoticeMessage } from '../../../src/app/config/notify-config.ts';
import { startBeside } from '../../../src/app/daemon/run-daemon.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { doctor, status } from '../../../src/app/desk/commands.ts';
import { CAUSE_WORDS, OUTAGE_ENDS_MS } from '../../../src/app/parts/service-trouble.ts';
import type { NetworkCause } from '../../../src/service/network-cause.ts';
import { atEnd } from '../../at-end.ts';
import { freePort, receiver } from '../../sandbox/receiver.ts';
import {
  AUTHORITY,
  connectProxy,
  nobodysPort,
  plainServer,
  tlsServer,
  type CertificateName,
} from '../../service/broken-networks.ts';
import { html, hostileServer, type Line, silence, text } from '../../service/hostile-server.ts';
import { line, openDesk, type Desk } from '../desk.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';

const WAITING = { timeout: 30_000, interval: 50 };
const LONG_MS = 60_000;

let clock: LeapClock;
let desk: Desk;
beforeEach(async () => {
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, readFileSync(AUTHORITY, 'utf8')]);
  atEnd(() => setDefaultCACertificates(usual));
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

type Network = { readonly baseUrl: string; readonly proxy?: string };

const over = async (name: CertificateName): Promise<Network> => ({
  baseUrl: `https://127.0.0.1:${String(await tlsServer(name, (_request, response) => void response.end('[]')))}`,
});
const answered = async (answer: Line): Promise<Network> => ({
  baseUrl: (await hostileServer(answer)).baseUrl,
});
const through = async (proxy: Promise<{ readonly url: string }>): Promise<Network> => ({
  baseUrl: 'https://pay.example',
  proxy: (await proxy).url,
});

type Case = readonly [
  what: string,
  cause: NetworkCause,
  told: 'at once' | 'later',
  open: () => Promise<Network>,
];

const NETWORKS: readonly Case[] = [
  ['an unknown name', 'name', 'at once', () => Promise.resolve({ baseUrl: 'https://no-such-host.invalid' })],
  ['an unknown authority', 'certificate-unknown', 'at once', () => over('self-signed')],
  ['an expired certificate', 'certificate-expired', 'at once', () => over('expired')],
  ['a certificate of tomorrow', 'certificate-early', 'at once', () => over('early')],
  ['a certificate of another name', 'certificate-name', 'at once', () => over('other-name')],
  [
    'https to a plain port',
    'no-tls',
    'at once',
    async () => ({
      baseUrl: `https://127.0.0.1:${String(await plainServer((_, response) => void response.end()))}`,
    }),
  ],
  [
    '302 of a portal',
    'portal',
    'at once',
    () => answered(text(302, '', { location: 'http://portal.example/' })),
  ],
  ['a page of a portal', 'portal', 'at once', () => answered(html(200))],
  ['511 of a portal', 'portal', 'at once', () => answered(text(511, 'log in'))],
  ['407 of a proxy', 'proxy-login', 'at once', () => through(connectProxy(1, { login: 'a:b' }))],
  ['403 of a proxy', 'proxy', 'at once', () => through(connectProxy(null))],
  [
    'a proxy that is not there',
    'proxy',
    'at once',
    async () => through(Promise.resolve({ url: `http://127.0.0.1:${String(await nobodysPort())}` })),
  ],
  [
    'a port that nobody has',
    'refused',
    'later',
    async () => ({ baseUrl: `https://127.0.0.1:${String(await nobodysPort())}` }),
  ],
  ['a service that is silent', 'late', 'later', () => answered(silence)],
];

const table: string[] = [];
function tell(what: string, said: Readonly<Record<string, string | null | undefined>>): void {
  const lines = Object.entries(said).map(([where, words]) => `  ${where.padEnd(8)} ${words ?? ''}`);
  table.push([what, ...lines].join('\n'));
}
afterAll(() => {
  if (process.env['TABLE'] !== undefined) process.stdout.write(`\n${table.join('\n\n')}\n`);
});

/** A daemon with a file of one row, and what is told of it. */
async function startOn({ baseUrl, proxy }: Network) {
  const hook = await receiver();
  const metrics = `127.0.0.1:${String(await freePort())}`;
  const paydrop = await desk.open(
    [
      'intake: { settleFor: 20ms, scanEvery: 50ms }',
      `service: { timeout: 1s${proxy === undefined ? '' : `, proxy: "${proxy}"`} }`,
      `metrics: { listen: "${metrics}" }`,
      `notify: { hook: { url: "${hook.url}" }, events: [trouble, completion] }`,
    ].join('\n'),
    new URL(baseUrl),
  );
  const beside = await startBeside(paydrop);
  const stop = new AbortController();
  const silent = { onResult: () => undefined, onWaiting: () => undefined, onTrouble: () => undefined };
  const ended = watch(paydrop, { signal: stop.signal, ...silent });
  await copyFile(
    await desk.file('payroll.csv', [line('A-1', '100')]),
    join(paydrop.workspace.inbox, 'payroll.csv'),
  );
  return {
    // doctor knocks at the hook without a message.
    notices: () =>
      hook.received
        .filter(({ body }) => body.length > 0)
        .map(({ body }) => JSON.parse(body.toString()) as NoticeMessage),
    batch: async () => (await status(paydrop, { all: true })).batches[0],
    finding: async () => (await doctor(paydrop)).find(({ name }) => name === 'service'),
    health: async () => {
      const response = await fetch(`http://${metrics}/healthz`);
      const { status: state, reasons } = (await response.json()) as { status: string; reasons: string[] };
      return { code: response.status, state, reasons };
    },
    close: async () => {
      stop.abort();
      await ended;
      await beside.close();
    },
  };
}

type Daemon = Awaited<ReturnType<typeof startOn>>;

async function daemonOn(network: Network, does: (daemon: Daemon) => Promise<void>): Promise<void> {
  const daemon = await startOn(network);
  try {
    await does(daemon);
  } finally {
    await daemon.close();
  }
}

it.each(NETWORKS)('%s is told as %s, by notice %s', { timeout: LONG_MS }, async (what, cause, told, open) => {
  await daemonOn(await open(), async (daemon) => {
    const words = CAUSE_WORDS[cause].en;
    await vi.waitFor(async () => expect((await daemon.batch())?.words).toContain(words), WAITING);
    const finding = await daemon.finding();
    expect(finding).toMatchObject({ ok: false });
    expect(finding?.words.en).toContain(words);
    // A supervisor that restarted it would mend nothing.
    const health = await daemon.health();
    expect(health).toEqual({ code: 200, state: 'ok', reasons: [] });
    if (told === 'later') {
      expect(daemon.notices()).toEqual([]);
      clock.leap(OUTAGE_ENDS_MS);
    }
    await vi.waitFor(() => expect(daemon.notices()).toHaveLength(1), WAITING);
    const [notice] = daemon.notices();
    expect(notice).toMatchObject({ event: 'trouble', subject: '[paydrop] the service is out of reach' });
    expect(notice?.text).toContain(words);
    const batch = await daemon.batch();
    expect(batch?.outcomes).toMatchObject({ failed: 0, rejected: 0 });
    tell(`${what} (${cause}, notice ${told})`, {
      doctor: finding?.words.en,
      status: batch?.words,
      healthz: JSON.stringify(health),
      notice: `${notice?.subject ?? ''} | ${notice?.text ?? ''}`,
    });
  });
});

it(
  'through a proxy that lets it out a file is paid, and only its end is told',
  { timeout: LONG_MS },
  async () => {
    const behind = new URL(desk.sandbox.baseUrl);
    const port = await tlsServer('valid', (incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const onward = request(new URL(url ?? '/', behind), { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      incoming.pipe(onward);
    });
    const proxy = await connectProxy(port);
    await daemonOn({ baseUrl: 'https://pay.example', proxy: proxy.url }, async (daemon) => {
      await vi.waitFor(async () => expect((await daemon.batch())?.outcomes.paid).toBe(1), WAITING);
      const finding = await daemon.finding();
      expect(finding).toMatchObject({ ok: true });
      await vi.waitFor(() => expect(daemon.notices()).toHaveLength(1), WAITING);
      const [notice] = daemon.notices();
      expect(notice).toMatchObject({ event: 'completion', outcomes: { paid: 1 } });
      for (const { target } of proxy.asked) expect(target).toBe('pay.example:443');
      tell('a proxy that lets it out', {
        doctor: finding?.words.en,
        status: (await daemon.batch())?.stands,
        healthz: JSON.stringify(await daemon.health()),
        notice: notice?.subject,
      });
    });
  },
);
