// What stands between a program and a service: TLS servers whose certificates are good or bad in one way, proxies that open a tunnel or refuse it, and
// ports that are nobody's. All on loopback.
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

import { atEnd } from '../at-end.ts';

export const CERTIFICATES = join(import.meta.dirname, 'certificates');
/** The authority that signed them, except the self-signed one. */
export const AUTHORITY = join(CERTIFICATES, 'authority.pem');

export type CertificateName = 'valid' | 'expired' | 'early' | 'other-name' | 'self-signed';

async function listen(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  );
  return (server.address() as AddressInfo).port;
}

/** A server over TLS; `handle` answers, or nobody does. */
export async function tlsServer(name: CertificateName, handle: RequestListener): Promise<number> {
  const read = (file: string) => readFileSync(join(CERTIFICATES, file));
  const key = read(name === 'self-signed' ? 'self-signed-key.pem' : 'server-key.pem');
  return listen(createHttps({ key, cert: read(`${name}.pem`) }, handle));
}

export async function plainServer(handle: RequestListener): Promise<number> {
  return listen(createHttp(handle));
}

/** A port on which nobody listens. */
export async function nobodysPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export type Proxy = {
  readonly url: string;
  /** What it was asked for, with the login that came. */
  readonly asked: { readonly target: string; readonly login: string | null }[];
};

/**
 * A proxy that opens tunnels (CONNECT), whatever the name, to a port of this machine.
 * @param port where all tunnels end; null refuses them. @param status of a refusal. @param login that it asks for.
 */
export async function connectProxy(
  port: number | null,
  { status = 403, login = null }: { readonly status?: number; readonly login?: string | null } = {},
): Promise<Proxy> {
  const asked: Proxy['asked'] = [];
  const server = createHttp((_request, response) => void response.writeHead(400).end());
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const given = request.headers['proxy-authorization'] ?? null;
    asked.push({ target: request.url ?? '', login: given });
    const wanted = login === null ? null : `Basic ${Buffer.from(login).toString('base64')}`;
    socket.on('error', () => undefined);
    if (wanted !== null && given !== wanted)
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n',
      );
    else if (port === null) socket.end(`HTTP/1.1 ${String(status)} No\r\ncontent-length: 0\r\n\r\n`);
    else tunnel(socket, port);
  });
  return { url: `http://127.0.0.1:${String(await listen(server))}`, asked };
}

function tunnel(socket: Socket, port: number): void {
  const to = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    to.pipe(socket).pipe(to);
  });
  to.on('error', () => socket.destroy());
  socket.on('close', () => to.destroy());
}
