// A receiver of webhooks on loopback that keeps every request as it came, and answers what a test wants.
import { createServer as createPlain, type IncomingMessage } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../at-end.ts';

export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

export type Receiver = { readonly url: string; readonly port: number; readonly received: Received[] };

type ReplyTo = (request: Received) => { readonly status: number; readonly location?: string };

export async function receiver(
  replyTo: ReplyTo = () => ({ status: 204 }),
  { port = 0, tls }: { port?: number; tls?: { key: string; cert: string } } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const server = tls === undefined ? createPlain() : createSecure(tls);
  server.on('request', (incoming: IncomingMessage, outgoing) => {
    void readAll(incoming).then((body) => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body };
      received.push(request);
      const { status, location } = replyTo(request);
      outgoing.writeHead(status, location === undefined ? {} : { location }).end();
    });
  });
  atEnd(() => server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const taken = (server.address() as AddressInfo).port;
  const origin =
    tls === undefined ? `http://127.0.0.1:${String(taken)}` : `https://localhost:${String(taken)}`;
  return { url: `${origin}/hooks/payouts`, port: taken, received };
}

/** A port of this machine where nobody listens. */
export async function freePort(): Promise<number> {
  const server = createPlain();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
