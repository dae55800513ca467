// A service that answers as a test scripts it: bodies that are none, codes that are no codes, sockets that break. Each request takes
// the next line of the script; the last line serves all that follow.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../at-end.ts';

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

/** What is done with one request. */
export type Line = (response: ServerResponse, seen: Seen) => void;

export type HostileServer = { readonly baseUrl: string; readonly seen: readonly Seen[] };

export async function hostileServer(...script: readonly Line[]): Promise<HostileServer> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void readRequest(request).then((read) => {
      seen.push(read);
      (script[seen.length - 1] ?? script.at(-1))?.(response, read);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${String(port)}`, seen };
}

async function readRequest(request: IncomingMessage): Promise<Seen> {
  const { method = '', url = '', headers } = request;
  return { method, path: url, headers, body: (await buffer(request)).toString() };
}

type Headers = Readonly<Record<string, string>>;

/** An answer with exactly this body. */
export function text(status: number, body: string, headers: Headers = {}): Line {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** An answer in JSON. */
export function json(status: number, body: unknown, headers: Headers = {}): Line {
  return text(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

/** The page of some gateway. */
export function html(status: number): Line {
  return text(status, '<html><body>Please log in</body></html>', { 'content-type': 'text/html' });
}

/** An error as the interface has it. */
export function refusal(status: number, errorCode: unknown, message: unknown = 'no'): Line {
  return json(status, { errorCode, message });
}

/** The connection breaks without an answer. */
export const reset: Line = (response) => void response.socket?.resetAndDestroy();

/** The connection ends in the middle of the body that was announced. */
export const cutBody: Line = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":"q-1"', () => response.socket?.destroy());
};

/** No answer, ever. */
export const silence: Line = () => undefined;

/** A body without an end. */
export const endless: Line = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(256 * 1024, ' ');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};
