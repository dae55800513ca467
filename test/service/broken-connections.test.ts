// Connections that break, stall or never come about: what may have arrived is unanswered, what cannot have left is unavailable.
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';

import { OPERATIONS, type Operation } from '../../src/service/errors.ts';
import { CALLS, outcomeOf } from './calls.ts';
import { cutBody, endless, hostileServer, json, reset, silence, text } from './hostile-server.ts';
import { openClient } from './open-client.ts';
import { TRANSFER } from './wire-samples.ts';

const operations = Object.keys(OPERATIONS) as Operation[];
/** Long enough that the request has arrived at a server of this machine, short enough for a test. */
const SHORT_MS = 150;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a refused connection', () => {
  it.each(operations)('to %s: not executed, the same request later', async (operation) => {
    const client = openClient({ baseUrl: `http://127.0.0.1:${String(await freePort())}` });
    expect(await outcomeOf(CALLS[operation](client))).toBe('Unavailable unreachable');
  });

  it('is the same by the name localhost, which has two addresses', async () => {
    const client = openClient({ baseUrl: `http://localhost:${String(await freePort())}` });
    expect(await outcomeOf(CALLS.confirmTransfer(client))).toBe('Unavailable unreachable');
  });

  it('and an unknown host are the same', async () => {
    const client = openClient({ baseUrl: 'http://no-such-host.invalid' });
    expect(await outcomeOf(CALLS.confirmTransfer(client))).toBe('Unavailable unreachable');
  });
});

describe.each([
  ['a reset', reset],
  ['a body cut off', cutBody],
])('%s', (_name, line) => {
  it.each(operations)('leaves %s open when it has an effect', async (operation) => {
    const { baseUrl } = await hostileServer(line);
    const isRead = OPERATIONS[operation] === 'read';
    const expected = isRead ? 'Unavailable unreachable' : 'Unanswered connection';
    expect(await outcomeOf(CALLS[operation](openClient({ baseUrl })))).toBe(expected);
  });
});

describe('a body without an end', () => {
  it('is read up to a bound and leaves a create open', async () => {
    const { baseUrl, seen } = await hostileServer(endless);
    expect(await outcomeOf(CALLS.createTransfer(openClient({ baseUrl })))).toBe('Unanswered malformed');
    expect(seen).toHaveLength(1);
  });

  it('of 10 MB is not taken either, and one of 3 MB is', async () => {
    const padded = (megabytes: number) => text(200, JSON.stringify(TRANSFER) + ' '.repeat(megabytes << 20));
    const tooLarge = await hostileServer(padded(10));
    expect(await outcomeOf(CALLS.createTransfer(openClient(tooLarge)))).toBe('Unanswered malformed');
    const large = await hostileServer(padded(3));
    expect(await outcomeOf(CALLS.createTransfer(openClient(large)))).toBe('success');
  });
});

describe('a service that does not answer in time', () => {
  it.each(['createTransfer', 'confirmTransfer', 'transfer'] as const)(
    'leaves %s unanswered after one try',
    async (operation) => {
      const { baseUrl, seen } = await hostileServer(silence);
      const client = openClient({ baseUrl, timeoutMs: SHORT_MS });
      expect(await outcomeOf(CALLS[operation](client))).toBe('Unanswered timeout');
      expect(seen).toHaveLength(1);
    },
  );

  it('in the middle of its body is the same', async () => {
    const { baseUrl } = await hostileServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":');
    });
    const client = openClient({ baseUrl, timeoutMs: SHORT_MS });
    expect(await outcomeOf(CALLS.createTransfer(client))).toBe('Unanswered timeout');
  });

  // On a busy machine the two times may be up in two turns: then the second call has had a connection of its own in between.
  it('is not sent any more what waited behind it for as long', { retry: 5 }, async () => {
    const { baseUrl, seen } = await hostileServer(silence, json(200, TRANSFER));
    const client = openClient({ baseUrl, timeoutMs: SHORT_MS, connections: 1 });
    const outcomes = await Promise.all(['first', 'second'].map((id) => outcomeOf(client.transfer(id))));
    expect(outcomes).toEqual(['Unanswered timeout', 'Unanswered timeout']);
    expect(await outcomeOf(client.transfer('third'))).toBe('success');
    expect(seen.map(({ path }) => path)).toEqual(['/transfers/first', '/transfers/third']);
  });

  it('and answers later never answers the next request with it', async () => {
    const late: (() => void)[] = [];
    const { baseUrl, seen } = await hostileServer((response, { path }) => {
      const id = path.split('/').at(-1) ?? '';
      const answer = (): void =>
        json(200, { ...TRANSFER, id })(response, { method: '', path, headers: {}, body: '' });
      if (id === 'first') late.push(answer);
      else {
        // The late answer goes out first, on any socket that is open.
        late.splice(0).forEach((send) => send());
        answer();
      }
    });
    // One connection, so that the second request would have to share it.
    const client = openClient({ baseUrl, timeoutMs: SHORT_MS, connections: 1 });
    expect(await outcomeOf(client.transfer('first'))).toBe('Unanswered timeout');
    expect((await client.transfer('second')).value.id).toBe('second');
    expect(late).toEqual([]);
    expect(seen).toHaveLength(2);
  });
});

describe('a keep-alive connection that the service closes', () => {
  it('is replaced for the next read', async () => {
    const { baseUrl } = await hostileServer(
      (response) => {
        response.end(JSON.stringify(TRANSFER), () => response.socket?.destroy());
      },
      json(200, TRANSFER),
    );
    const client = openClient({ baseUrl, connections: 1 });
    await client.transfer('t-1');
    expect((await client.transfer('t-1')).value.id).toBe('t-1');
  });
});
