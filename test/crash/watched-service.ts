// A connection to the service on which every request and response can be seen, lost or delayed, so that a kill falls exactly between two steps.
// It repeats nothing, and a forwarded request continues even if its sender is gone, as in a real network.
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import type { AddressInfo } from 'node:net';

export type Asked = { readonly method: string; readonly path: string };

/** What becomes of a request: it goes on, is lost, is refused as one too many, or goes on after so many milliseconds, when its sender may be gone. */
export type Fate = 'pass' | 'lose' | 'throttle' | { readonly lateMs: number };

export type Watcher = {
  readonly received?: (asked: Asked) => Fate;
  readonly answered?: (asked: Asked, httpStatus: number) => 'pass' | 'lose';
};

export type WatchedService = {
  readonly baseUrl: string;
  /** Takes the place of the watcher before. */
  readonly watch: (watcher: Watcher) => void;
  readonly calls: () => number;
  /** Resolves when nothing that was sent on is without its answer any more. */
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** How often `idle` looks. */
const LOOK_MS = 10;

type Reply = Readonly<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>;

export async function watchedService(serviceUrl: string): Promise<WatchedService> {
  const agent = new Agent({ keepAlive: true });
  let watcher: Watcher = {};
  let calls = 0;
  let open = 0;
  const server = createServer((incoming, response) => {
    calls += 1;
    open += 1;
    passOn(incoming, response, serviceUrl, agent, watcher)
      // The service broke off, or the program did: the other side sees the same.
      .catch(() => response.destroy())
      .finally(() => (open -= 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    watch: (next) => {
      watcher = next;
    },
    calls: () => calls,
    idle: async () => {
      while (open > 0) await delay(LOOK_MS);
    },
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function passOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  serviceUrl: string,
  agent: Agent,
  watcher: Watcher,
): Promise<void> {
  const { method = '', url = '' } = incoming;
  const body = await buffer(incoming);
  const asked = { method, path: url };
  const fate = watcher.received?.(asked) ?? 'pass';
  if (fate === 'lose') return void response.destroy();
  if (fate === 'throttle') return void response.writeHead(429).end('Too many requests');
  if (fate !== 'pass') await delay(fate.lateMs);
  const reply = await ask(new URL(serviceUrl + url), incoming, body, agent);
  if (watcher.answered?.(asked, reply.status) === 'lose') return void response.destroy();
  response.sendDate = false;
  response.writeHead(reply.status, reply.headers);
  response.end(reply.body);
}

function ask(url: URL, { method, headers }: IncomingMessage, body: Buffer, agent: Agent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const passed = { ...headers, host: url.host };
    const asking = request(url, { method: method ?? 'GET', headers: passed, agent }, (answer) => {
      buffer(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes }),
        reject,
      );
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
