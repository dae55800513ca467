// Behind a company's proxy the calls go through a tunnel, once each, and each cause that keeps a call from the service is told apart.
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { beforeEach, describe, expect, it } from 'vitest';

import { isFault } from '../../src/service/errors.ts';
import { httpPayoutService } from '../../src/service/http-payout-service.ts';
import type { NetworkCause } from '../../src/service/network-cause.ts';
import { parsedProxy, proxyFor } from '../../src/service/proxy.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import { atEnd } from '../at-end.ts';
import {
  AUTHORITY,
  connectProxy,
  nobodysPort,
  plainServer,
  tlsServer,
  type CertificateName,
} from './broken-networks.ts';
import { CALLS, outcomeOf } from './calls.ts';
import { html, hostileServer, type Line, silence, text } from './hostile-server.ts';
import { IMPATIENT } from './open-client.ts';
import { TRANSFER } from './wire-samples.ts';

/** A time limit that only a silent service reaches. */
const SHORT_MS = 300;

function client(baseUrl: string, { proxy = '', timeoutMs = 10_000 } = {}) {
  const { transport, close } = undiciTransport(new URL(baseUrl), 2, proxy === '' ? null : new URL(proxy));
  atEnd(close);
  return httpPayoutService({ transport, apiKey: 'key', timeoutMs, clock: IMPATIENT });
}

async function causeOf(call: Promise<unknown>): Promise<NetworkCause | null> {
  try {
    await call;
  } catch (error) {
    if (isFault(error)) return error.context.networkCause ?? null;
    throw error;
  }
  throw new Error('The call succeeded.');
}

beforeEach(() => {
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, readFileSync(AUTHORITY, 'utf8')]);
  atEnd(() => setDefaultCACertificates(usual));
});

/** A service that counts what it gets to see. */
function serves() {
  const seen: string[] = [];
  const handle: Parameters<typeof tlsServer>[1] = (request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''} HTTP/${request.httpVersion}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(TRANSFER));
  };
  return { seen, handle };
}

describe('through a proxy', () => {
  it('a call reaches a service whose name only the proxy knows, once, over HTTP/1.1', async () => {
    const { seen, handle } = serves();
    const proxy = await connectProxy(await tlsServer('valid', handle));
    const service = client('https://pay.example', { proxy: proxy.url });
    expect(await outcomeOf(CALLS.createTransfer(service))).toBe('success');
    expect(await outcomeOf(CALLS.createTransfer(service))).toBe('success');
    for (const each of proxy.asked) expect(each).toEqual({ target: 'pay.example:443', login: null });
    expect(seen).toEqual(['POST /transfers HTTP/1.1', 'POST /transfers HTTP/1.1']);
  });

  it('a call carries the login that stands in the address of the proxy, and the service never sees it', async () => {
    const { handle } = serves();
    const headers: unknown[] = [];
    const port = await tlsServer('valid', (request, response) => {
      headers.push(request.headers['proxy-authorization']);
      handle(request, response);
    });
    const proxy = await connectProxy(port, { login: 'ngo:p@ss' });
    const url = proxy.url.replace('//', '//ngo:p%40ss@');
    expect(await outcomeOf(CALLS.createTransfer(client('https://pay.example', { proxy: url })))).toBe(
      'success',
    );
    expect(headers).toEqual([undefined]);
  });

  it('the certificate of the service is checked all the same', async () => {
    const { seen, handle } = serves();
    for (const [name, cause] of [
      ['self-signed', 'certificate-unknown'],
      ['expired', 'certificate-expired'],
      ['other-name', 'certificate-name'],
    ] as const) {
      const proxy = await connectProxy(await tlsServer(name, handle));
      const service = client('https://pay.example', { proxy: proxy.url });
      expect(await causeOf(CALLS.confirmTransfer(service))).toBe(cause);
    }
    expect(seen).toEqual([]);
  });

  it('a call that breaks after it left is open, and is not repeated', async () => {
    let requests = 0;
    const port = await tlsServer('valid', (request) => {
      requests += 1;
      request.socket.destroy();
    });
    const proxy = await connectProxy(port);
    const service = client('https://pay.example', { proxy: proxy.url });
    expect(await outcomeOf(CALLS.confirmTransfer(service))).toBe('Unanswered connection');
    expect(requests).toBe(1);
  });

  it.each([
    ['asks for a login', 'proxy-login', async () => (await connectProxy(1, { login: 'a:b' })).url],
    ['forbids the address', 'proxy', async () => (await connectProxy(null)).url],
    ['cannot reach the service', 'proxy', async () => (await connectProxy(null, { status: 502 })).url],
    ['is not there', 'proxy', async () => `http://127.0.0.1:${String(await nobodysPort())}`],
    ['has no name', 'proxy', () => Promise.resolve('http://no-such-proxy.invalid:3128')],
  ] as const)('that %s, nothing was sent', async (_what, cause, open) => {
    const service = client('https://pay.example', { proxy: await open() });
    expect(await outcomeOf(CALLS.confirmTransfer(service))).toBe('Unavailable unreachable');
    expect(await causeOf(CALLS.confirmTransfer(service))).toBe(cause);
  });
});

describe('the cause of a call that does not reach the service', () => {
  const over = async (name: CertificateName) =>
    `https://127.0.0.1:${String(await tlsServer(name, (_request, response) => void response.end('[]')))}`;
  const answered = async (line: Line) => (await hostileServer(line)).baseUrl;

  it.each([
    ['name', () => Promise.resolve('https://no-such-host.invalid')],
    ['refused', async () => `https://127.0.0.1:${String(await nobodysPort())}`],
    ['certificate-unknown', () => over('self-signed')],
    ['certificate-expired', () => over('expired')],
    ['certificate-early', () => over('early')],
    ['certificate-name', () => over('other-name')],
    [
      'no-tls',
      async () => `https://127.0.0.1:${String(await plainServer((_, response) => void response.end()))}`,
    ],
    ['late', () => answered(silence)],
    ['portal', () => answered(text(302, '', { location: 'http://portal.example/login' }))],
    ['portal', () => answered(html(200))],
    ['portal', () => answered(text(511, 'log in'))],
    ['proxy-login', () => answered(text(407, ''))],
  ] as const)('is told: %s', async (cause, open) => {
    const service = client(await open(), { timeoutMs: cause === 'late' ? SHORT_MS : 10_000 });
    expect(await causeOf(service.payoutCorridors())).toBe(cause);
    // What no service answered has not reached it either: only a request that left may have.
    const mutation = await outcomeOf(CALLS.confirmTransfer(service));
    if (cause !== 'late' && cause !== 'portal' && cause !== 'proxy-login')
      expect(mutation).toBe('Unavailable unreachable');
  });

  it('is none where the service answers itself', async () => {
    const { baseUrl } = await hostileServer(
      text(503, 'down'),
      text(400, '{"errorCode":10001,"message":"no"}'),
    );
    expect(await causeOf(CALLS.confirmTransfer(client(baseUrl)))).toBeNull();
    expect(await causeOf(CALLS.confirmTransfer(client(baseUrl)))).toBeNull();
  });
});

describe('the proxy of an address', () => {
  const PROXY = 'http://proxy.example:3128/';
  it.each([
    ['https://pay.example', { HTTPS_PROXY: 'http://proxy.example:3128' }, PROXY],
    ['https://pay.example', { https_proxy: 'proxy.example:3128' }, PROXY],
    ['https://pay.example', { HTTPS_PROXY: '' }, null],
    ['https://pay.example', { HTTP_PROXY: 'http://proxy.example:3128' }, null],
    ['http://127.0.0.1:8080', { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY }, null],
    ['https://pay.example', { HTTPS_PROXY: PROXY, NO_PROXY: '*' }, null],
    ['https://pay.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'localhost, .example' }, null],
    ['https://pay.example', { HTTPS_PROXY: PROXY, no_proxy: 'Pay.Example.' }, null],
    ['https://pay.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'ay.example' }, PROXY],
    ['https://pay.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'pay.example:8443' }, PROXY],
    ['https://pay.example:8443', { HTTPS_PROXY: PROXY, NO_PROXY: 'pay.example:8443' }, null],
    ['https://[::1]:8443', { HTTPS_PROXY: PROXY, NO_PROXY: '[::1]' }, null],
    ['https://[::1]:8443', { HTTPS_PROXY: PROXY, NO_PROXY: '::1' }, null],
  ])('%s, by %o: %s', (address, environment, expected) => {
    expect(proxyFor(new URL(address), null, environment)?.href ?? null).toBe(expected);
  });

  it('of the config counts for every address, whatever the environment says', () => {
    const configured = new URL('http://other.example:8080');
    const found = proxyFor(new URL('http://127.0.0.1:1'), configured, { NO_PROXY: '*' });
    expect(found).toBe(configured);
  });

  it.each(['socks5://proxy.example', 'ftp://proxy.example', 'http://'])('is not %s', (text_) => {
    expect(parsedProxy(text_)).toBeNull();
  });
});
