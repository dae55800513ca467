// HTTP/1.1 on bare sockets: a service that takes longer to parse its requests than its clients take to make them would measure itself.
import { createServer, type Server, type Socket } from 'node:net';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly head: string;
  readonly body: Buffer;
};
export type Reply = {
  readonly status: number;
  readonly body: string;
  readonly nextKey?: string;
  readonly retryAfterSeconds?: number;
  /** What becomes of the reply on its way: the connection is reset instead of it, or ends in its middle. */
  readonly lost?: 'reset' | 'cut';
};

const HEAD_END = Buffer.from('\r\n\r\n');
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** Answers every request of keep-alive connections with a body of a known length, `afterMs` after it has come whole. */
export function startServer(handle: (asked: Asked) => Reply & { readonly afterMs: number }): Server {
  return createServer((socket) => {
    socket.setNoDelay(true);
    let waiting: Buffer = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      for (let taken = takeRequest(waiting); taken !== null; taken = takeRequest(waiting)) {
        waiting = waiting.subarray(taken.bytes);
        answer(socket, handle(taken.asked));
      }
    });
  });
}

function takeRequest(from: Buffer): { readonly asked: Asked; readonly bytes: number } | null {
  const end = from.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = from.toString('latin1', 0, end);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? '0');
  const bytes = end + HEAD_END.length + length;
  if (from.length < bytes) return null;
  const [method = '', path = ''] = head.slice(0, head.indexOf('\r\n')).split(' ');
  return { asked: { method, path, head, body: from.subarray(end + HEAD_END.length, bytes) }, bytes };
}

let date = { second: 0, text: '' };

function dateNow(): string {
  const second = Math.floor(Date.now() / 1000);
  if (date.second !== second) date = { second, text: new Date(second * 1000).toUTCString() };
  return date.text;
}

function answer(socket: Socket, reply: Reply & { readonly afterMs: number }): void {
  if (reply.afterMs === 0) send(socket, reply);
  else setTimeout(() => send(socket, reply), reply.afterMs);
}

function send(socket: Socket, { status, body, nextKey, retryAfterSeconds, lost }: Reply): void {
  if (lost === 'reset') {
    socket.resetAndDestroy();
    return;
  }
  const next = nextKey === undefined ? '' : `x-next-key: ${nextKey}\r\n`;
  const after = retryAfterSeconds === undefined ? '' : `Retry-After: ${String(retryAfterSeconds)}\r\n`;
  const head = `HTTP/1.1 ${String(status)} ${REASONS[status] ?? ''}\r\nDate: ${dateNow()}\r\nContent-Type: application/json\r\n${next}${after}Content-Length: ${String(Buffer.byteLength(body))}\r\nConnection: keep-alive\r\n\r\n`;
  if (lost === 'cut') socket.end(head + body.slice(0, body.length / 2));
  else socket.write(head + body);
}
