// What stands before the nodes for notifications: a load balancer, which can also lead all of them to one node, or a copy of each to several.
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { atEnd } from '../at-end.ts';

export type Front = {
  readonly port: number;
  /** How many each node has taken. */
  readonly taken: readonly number[];
  /** From now on each notification goes to all these nodes at the same moment, by their number, and not to the next one in turn. */
  readonly leadTo: (nodes: readonly number[]) => void;
};

/** @param onNews called with each notification before it is passed on. */
export async function openFront(
  ports: readonly number[],
  onNews: () => void = () => undefined,
): Promise<Front> {
  const taken = ports.map(() => 0);
  let turn = 0;
  let fixed: readonly number[] | null = null;
  const passOn = async (incoming: IncomingMessage, body: Buffer, to: number): Promise<number | null> => {
    const status = await ask(incoming, body, ports[to] ?? 0).catch(() => null);
    if (status !== null) taken[to] = (taken[to] ?? 0) + 1;
    return status;
  };
  /** To the next node, or to one behind it that is there. */
  const inTurn = async (incoming: IncomingMessage, body: Buffer): Promise<number> => {
    for (let tries = 0; tries < ports.length; tries += 1) {
      const status = await passOn(incoming, body, (turn += 1) % ports.length);
      if (status !== null) return status;
    }
    return 503;
  };
  const toAll = async (incoming: IncomingMessage, body: Buffer, nodes: readonly number[]): Promise<number> =>
    (await Promise.all(nodes.map((node) => passOn(incoming, body, node))))[0] ?? 503;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      onNews();
      const body = Buffer.concat(chunks);
      const passing = fixed === null ? inTurn(incoming, body) : toAll(incoming, body, fixed);
      void passing.then((status) => outgoing.writeHead(status).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close().closeAllConnections());
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    leadTo: (nodes) => {
      fixed = nodes;
    },
  };
}

function ask(incoming: IncomingMessage, body: Buffer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', url: path = '', headers } = incoming;
    const asking = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
