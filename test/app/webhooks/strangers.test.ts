// Requests that do not come from the service: refused without a word, without a look at the ledger's rows or at the service, whatever their content.
import { createConnection, type Socket } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, describe, expect, it, vi } from 'vitest';

import type { Ledger } from '../../../src/ledger/ledger.ts';
import { SIGNATURE_HEADER, signedPath, signWebhook } from '../../../src/service/webhooks.ts';
import { manualClock } from '../../sandbox/manual-clock.ts';
import { atEnd } from '../../at-end.ts';
import { API_KEY, bodyOf, ID, listening, send, type Listening, type Sent } from './listening.ts';

afterEach(() => vi.restoreAllMocks());

/** A ledger that must not even be asked. */
const UNASKED: Pick<Ledger, 'transferOf' | 'hint'> = {
  transferOf: () => Promise.reject(new Error('The ledger was asked.')),
  hint: () => Promise.reject(new Error('The ledger was written.')),
};

const RIGHT = signWebhook(API_KEY, '/', bodyOf());

describe('a forged notification is 401, and nobody asks the ledger', () => {
  it.each<[string, Sent]>([
    ['without a signature', { signature: null }],
    ['with an empty one', { signature: '' }],
    ['with one of another key', { apiKey: 'another-key' }],
    ['signed with an empty key', { signature: signWebhook('', '/', bodyOf()) }],
    ['signed over another path', { signature: RIGHT }],
    ['with 63 digits', { signature: RIGHT.slice(1) }],
    ['with 65 digits', { signature: `${RIGHT}0` }],
    ['with what is not hexadecimal', { signature: 'g'.repeat(64) }],
    ['with 64 bytes that are no ASCII', { signature: 'é'.repeat(64) }],
    ['with a signature of 8,000 digits', { signature: 'a'.repeat(8_000) }],
    ['to an address that was never ours', { target: () => '/paydrop/1234' }],
    ['to the base alone', { target: () => '/paydrop' }],
    ['to no address', { target: () => '/' }],
    ['as a GET of a redirect, to a strange address', { target: () => '/', method: 'GET' }],
  ])('%s', async (_name, sent) => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    expect(await send(desk, sent)).toBe(401);
    expect(desk.hinted).toEqual([]);
    expect(desk.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('with the right signature in capitals', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    expect(await send(desk, { signature: rightFor(desk).toUpperCase() })).toBe(401);
  });

  it('with the right signature twice', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    const signature = `${SIGNATURE_HEADER}: ${rightFor(desk)}\r\n`;
    expect(
      await raw(desk, `${headOf(desk)}${signature}${signature}${lengthOf(bodyOf())}`, bodyOf()),
    ).toContain(' 401 ');
  });

  it('with the body changed by one byte', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    const body = Buffer.concat([bodyOf(), Buffer.from(' ')]);
    expect(await send(desk, { body, signature: rightFor(desk) })).toBe(401);
  });

  it('packed with gzip, where the signature is of what is inside', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    const sent = {
      body: gzipSync(bodyOf()),
      signature: rightFor(desk),
      headers: { 'content-encoding': 'gzip' },
    };
    expect(await send(desk, sent)).toBe(401);
  });

  it('and a redirect’s GET to the right address is 405', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    expect(await send(desk, { method: 'GET' })).toBe(405);
  });
});

/** Nested too deep for any parser. */
const DEEP = Buffer.from('['.repeat(200_000));

describe('a body with a good signature is taken, whatever is in it', () => {
  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['bad UTF-8', Buffer.concat([Buffer.from([0xff, 0xfe, 0xc0]), bodyOf()])],
    ['no JSON', Buffer.from('status=paid')],
    ['JSON of another kind', Buffer.from('null')],
    ['JSON that is cut', bodyOf().subarray(0, 100)],
    ['JSON nested without end', DEEP],
    ['gzip', gzipSync(bodyOf())],
    ['a number that is too long for money', bodyOf({ sendAmount: '9'.repeat(1_000) })],
    ['a number that no float holds', Buffer.from(bodyOf().toString().replace('85000', '1e999999999'))],
  ])('%s: the payout is looked at, and a person is told', async (_name, body) => {
    const desk = await listening();
    const before = await desk.row();
    expect(await send(desk, { body })).toBe(204);
    expect(await desk.isDue()).toBe(true);
    expect((await desk.row()).progress).toEqual(before.progress);
    expect(desk.lines.some(({ level, reason }) => level === 'error' && reason === 'unreadable')).toBe(true);
  });

  it.each([
    ['__proto__', '{"__proto__":{"status":"created","isAdmin":true},'],
    ['constructor and prototype', '{"constructor":{"prototype":{"isAdmin":true}},'],
    ['the same key twice', '{"status":"created","status":"failed",'],
    ['a field nobody knows', '{"riskScore":1e308,'],
  ])('%s: it changes nothing but that the payout is looked at', async (_name, start) => {
    const desk = await listening();
    const before = await desk.row();
    const body = Buffer.from(bodyOf().toString().replace('{', start));
    expect(await send(desk, { body })).toBe(204);
    expect(await desk.isDue()).toBe(true);
    expect((await desk.row()).progress).toEqual(before.progress);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });
});

describe('what is too large or too slow', () => {
  it('a body announced as more than 256 KB is 413 before it is read', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    expect(await raw(desk, `${headOf(desk)}Content-Length: ${String(256 * 1024 + 1)}\r\n\r\n`)).toContain(
      ' 413 ',
    );
  });

  it('a body in chunks without end is 413 at the byte beyond the limit', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    expect(await raw(desk, `${headOf(desk)}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}`)).toContain(
      ' 413 ',
    );
  });

  it('a body of exactly 256 KB is read', async () => {
    const desk = await listening();
    const body = Buffer.concat([bodyOf(), Buffer.alloc(256 * 1024 - bodyOf().length, ' ')]);
    expect(await send(desk, { body })).toBe(204);
  });

  it('a body that comes byte by byte, in chunks of one, is read all the same', async () => {
    const desk = await listening();
    const chunks = [...bodyOf()].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('');
    const body = Buffer.from(`${chunks}0\r\n\r\n`, 'latin1');
    const signature = `${SIGNATURE_HEADER}: ${rightFor(desk)}\r\n`;
    const head = `${headOf(desk)}${signature}Transfer-Encoding: chunked\r\n\r\n`;
    expect(await raw(desk, head, body)).toContain(' 204 ');
  });

  it.each([
    ['a head', 'POST / HTTP/1.1\r\nHost: x\r\n'],
    ['a body', null],
  ])('%s that never ends is cut off in time', async (_name, text) => {
    const limits = { headersWithinMs: 100, requestWithinMs: 100, checkEveryMs: 20 };
    const desk = await listening('confirmed', { ledger: UNASKED, limits });
    expect(await raw(desk, text ?? `${headOf(desk)}Content-Length: 9\r\n\r\n1234`)).toContain(' 408 ');
  });

  it('a head of more than 16 KB is refused', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    expect(await raw(desk, `${headOf(desk)}X: ${'x'.repeat(17_000)}\r\n\r\n`)).toContain(' 431 ');
  });

  it('what is no HTTP at all is 400', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    expect(await raw(desk, '\u0016\u0003\u0001 hello\r\n\r\n')).toContain(' 400 ');
  });

  it('beyond the most connections each further one is closed, and the others are served', async () => {
    const desk = await listening('confirmed', { limits: { connectionsMax: 2 } });
    const first = connect(desk);
    await once(first, 'connect');
    const answer = ended(first);
    const idle = connect(desk);
    await once(idle, 'connect');
    expect(await raw(desk, headOf(desk))).toBe('');
    const signature = `${SIGNATURE_HEADER}: ${rightFor(desk)}\r\nConnection: close\r\n`;
    first.write(`${headOf(desk)}${signature}${lengthOf(bodyOf())}`);
    first.write(bodyOf());
    expect(await answer).toContain(' 204 ');
  });

  it('a sender who goes away in the middle leaves nothing behind', async () => {
    const desk = await listening('confirmed', { ledger: UNASKED });
    const socket = connect(desk);
    await once(socket, 'connect');
    socket.write(`${headOf(desk)}Content-Length: 9\r\n\r\n1234`);
    socket.resetAndDestroy();
    expect(await send(desk, { signature: null })).toBe(401);
    await desk.server.close();
  });
});

describe('a ledger that cannot be written is 503', () => {
  it.each([
    ['held by another program', 'locked'],
    ['on a full disk', 'full'],
  ])('%s: nothing is said to be taken, and the next one is', async (_name, fault) => {
    const heard = vi.spyOn(DatabaseSync.prototype, 'exec').mock;
    const desk = await listening();
    const [connection] = heard.contexts as readonly DatabaseSync[];
    const end =
      connection === undefined ? () => undefined : fault === 'full' ? fill(connection) : hold(connection);
    expect(await send(desk)).toBe(503);
    expect(desk.hinted).toEqual([]);
    end();
    expect(await desk.isDue()).toBe(false);
    expect(await send(desk)).toBe(204);
    expect(await desk.isDue()).toBe(true);
  });
});

function hold(connection: DatabaseSync): () => void {
  // A short wait in place of the usual one.
  connection.exec('PRAGMA busy_timeout = 20');
  const holder = new DatabaseSync(connection.location() ?? '');
  holder.exec('BEGIN IMMEDIATE');
  return () => holder.close();
}

/** A limit of pages is a full disk of that size; the last page is filled with what happens anyway. */
function fill(connection: DatabaseSync): () => void {
  const { page_count: pages } = connection.prepare('PRAGMA page_count').get() ?? {};
  connection.exec(`PRAGMA max_page_count = ${String(pages)}`);
  const event = connection.prepare(
    "INSERT INTO groups (seq, last, at, batch, hash, events) SELECT max(last) + 1, max(last) + 1, '', '', '', ? FROM groups",
  );
  for (const size of [1_000, 100, 10, 1])
    for (let isFull = false; !isFull;)
      try {
        event.run('x'.repeat(size));
      } catch {
        isFull = true;
      }
  return () => connection.exec('PRAGMA max_page_count = 100000');
}

describe('a flood of forged requests', () => {
  /** Some thousand, sixteen at a time. */
  const FORGED = 3_200;

  it('changes no state, asks nobody, fills no log, is never a 5xx, and a true notification still comes through', async () => {
    const clock = manualClock();
    const desk = await listening('confirmed', { clock });
    const asked = vi.spyOn(desk.ledger, 'transferOf');
    const before = await desk.row();
    const answers = new Map<string, number>();
    const forgeries = forgeriesOf(desk);
    for (let sent = 0; sent < FORGED; sent += 16)
      for (const answer of await Promise.all(forgeries.map((forged) => raw(desk, forged)))) {
        const status = answer.slice(0, 'HTTP/1.1 401'.length);
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    // Time stands still, so that all came in one second.
    expect(Object.fromEntries(answers)).toEqual({ 'HTTP/1.1 401': 50, 'HTTP/1.1 429': FORGED - 50 });
    expect(asked).not.toHaveBeenCalled();
    expect((await desk.row()).progress).toEqual(before.progress);
    expect(await desk.isDue()).toBe(false);
    expect(desk.lines.length).toBeLessThan(5);
    expect(await send(desk)).toBe(204);
    expect(await desk.isDue()).toBe(true);
    await desk.server.close();
    expect(desk.lines.reduce((sum, { tries = 0 }) => sum + tries, 0)).toBe(FORGED);
  }, 60_000);
});

/** Sixteen requests of strangers: half of them know an address. */
function forgeriesOf(desk: Listening): readonly string[] {
  const body = `${lengthOf(bodyOf())}${bodyOf().toString()}`;
  const head = headOf(desk);
  const strange = `POST /paydrop/${'a'.repeat(64)} HTTP/1.1\r\nHost: x\r\n`;
  const signed = (signature: string): string => `${SIGNATURE_HEADER}: ${signature}\r\n`;
  const headers = ['', signed(''), signed('f'.repeat(64)), signed(`${rightFor(desk)}0`)];
  const short = [head, strange].flatMap((start) => headers.map((header) => `${start}${header}${body}`));
  return [...short, ...short];
}

function rightFor({ callbacks }: Listening): string {
  return signWebhook(API_KEY, signedPath(callbacks.urlOf(ID)), bodyOf());
}

function headOf({ callbacks }: Listening): string {
  return `POST ${signedPath(callbacks.urlOf(ID))} HTTP/1.1\r\nHost: x\r\n`;
}

function lengthOf(body: Buffer): string {
  return `Content-Length: ${String(body.length)}\r\n\r\n`;
}

function connect({ server }: Listening): Socket {
  const socket = createConnection(Number(new URL(server.url).port), '127.0.0.1');
  // A refusal may come while we are still writing.
  socket.on('error', () => socket.destroy());
  atEnd(() => socket.destroy());
  return socket;
}

/** Everything that is answered until the connection ends. */
function ended(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (piece: Buffer) => (text += piece.toString()));
    socket.on('close', () => resolve(text));
  });
}

async function raw(desk: Listening, head: string, body: Buffer = Buffer.alloc(0)): Promise<string> {
  const socket = connect(desk);
  const answer = ended(socket);
  await once(socket, 'connect');
  // The last good answer would keep the connection.
  socket.write(Buffer.concat([Buffer.from(head.replace('\r\n', '\r\nConnection: close\r\n')), body]));
  return answer;
}
