// A proxy in front of the sandbox that lets everything through, except what a test wants lost, changed or answered otherwise.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { atEnd } from '../at-end.ts';

export type Asked = { readonly method: string; readonly path: string; readonly body: string };
export type Reply = { readonly status: number; readonly headers: Headers; readonly body: string };

export type Meddling = {
  /** Answers in the place of the service, which then never sees the request; null lets it through. */
  readonly instead?: (asked: Asked) => Promise<Partial<Reply> | null> | Partial<Reply> | null;
  /** Changes what the service answered. */
  readonly after?: (asked: Asked, reply: Reply) => Partial<Reply> | null;
};

/** Gives the proxy's own address. */
export async function meddlingProxy(baseUrl: string, meddling: Meddling): Promise<string> {
  const server = createServer((request, response) => {
    // A service that breaks off makes its proxy break off.
    replyTo(request, baseUrl, meddling).then(
      (reply) => send(reply, response),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

function send({ status, headers, body }: Reply, response: ServerResponse): void {
  // The time of an answer is the service's own, or none.
  response.sendDate = false;
  response.writeHead(status, { 'content-type': 'application/json', ...passedOn(headers) });
  response.end(body);
}

const PASSED_ON: ReadonlySet<string> = new Set(['date', 'retry-after', 'x-next-key']);

function passedOn(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => PASSED_ON.has(name)));
}

async function replyTo(
  request: IncomingMessage,
  baseUrl: string,
  { instead, after }: Meddling,
): Promise<Reply> {
  const { method = '', url = '' } = request;
  const bytes = await buffer(request);
  const asked = { method, path: url, body: bytes.toString() };
  const own = (await instead?.(asked)) ?? null;
  if (own !== null) return { status: 200, headers: new Headers(), body: '', ...own };
  const response = await fetch(baseUrl + url, {
    method,
    headers: forwarded(request),
    body: bytes.byteLength === 0 ? null : bytes,
  });
  const reply = { status: response.status, headers: response.headers, body: await response.text() };
  return { ...reply, ...after?.(asked, reply) };
}

function forwarded({ headers }: IncomingMessage): Record<string, string> {
  const names = ['x-api-key', 'content-type', 'x-next-key'];
  return Object.fromEntries(
    names.flatMap((name) => (name in headers ? [[name, String(headers[name])]] : [])),
  );
}

/** An error body of the interface. */
export function refusal(status: number, errorCode: number): Partial<Reply> {
  return { status, body: JSON.stringify({ errorCode, message: 'no' }) };
}

export const isCreate = ({ method, path }: Asked): boolean => method === 'POST' && path === '/transfers';
export const isConfirm = ({ path }: Asked): boolean => path.endsWith('/confirm');
export const isUpload = ({ method }: Asked): boolean => method === 'PUT';
export const isQuote = ({ method, path }: Asked): boolean => method === 'POST' && path === '/rates';
export const isRead = ({ method, path }: Asked): boolean =>
  method === 'GET' && path.startsWith('/transfers/');

/** True for the first `times` requests that `matches` recognises. */
export function first(times: number, matches: (asked: Asked) => boolean): (asked: Asked) => boolean {
  let left = times;
  return (asked) => matches(asked) && left-- > 0;
}
