// Floods and slow senders at the listener (slowloris), over real sockets: whoever takes many places takes them from itself, and what is refused holds none for long.
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line } from '../app/desk.ts';
import { openWeb, sent, until, type Web } from './with-web.ts';
import { visitor } from './with-people.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

const HONEST = 8;

/** Opens so many connections, each with the beginning of a request. */
async function flood(count: number, beginning: string, from = '127.0.0.1'): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(web.url);
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port: Number(port), host: hostname, localAddress: from });
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(beginning.replace('HOST', `localhost:${port}`));
    return socket;
  });
  await Promise.all(sockets.filter(({ connecting }) => connecting).map((socket) => once(socket, 'connect')));
  return sockets;
}

/** Of a stranger's request, from an address of this machine: Linux has all of 127.0.0.0/8. */
async function statusFrom(localAddress: string, path: string): Promise<number> {
  const { port } = new URL(web.url);
  const asking = request({
    host: '127.0.0.1',
    port,
    path,
    localAddress,
    headers: { host: `localhost:${port}` },
  });
  asking.end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded;

/** Also where the other end has reset it. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()));

async function allClosed(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(sockets.filter(isOpen).map(closed));
}

const BEGINNINGS = {
  'an upload without a key':
    'POST /api/v1/uploads HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000000000\r\n\r\na',
  'an upload with a wrong key, in chunks':
    'POST /api/v1/uploads HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n',
  'an address that is none': 'PUT /nowhere HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000000\r\n\r\na',
  'another host': 'POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000000\r\n\r\na',
  'a body where none is asked for':
    'GET /api/v1/session HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000000\r\n\r\na',
  'a part of a page with a body': 'GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000000\r\n\r\na',
} as const;

describe('a flood of requests that drip', () => {
  it.each(Object.entries(BEGINNINGS))(
    'with %s keeps no place, and honest requests are answered',
    async (_, beginning) => {
      const sockets = await flood(150, beginning);
      const dripping = setInterval(
        () => sockets.forEach((socket) => isOpen(socket) && socket.write('a')),
        200,
      );
      try {
        const answers = await Promise.all(Array.from({ length: HONEST }, () => web.json('/api/v1/files')));
        expect(answers.map(({ status }) => status)).toEqual(Array(HONEST).fill(200));
        await allClosed(sockets);
      } finally {
        clearInterval(dripping);
        for (const socket of sockets) socket.destroy();
      }
    },
  );

  it('of more connections than there are places costs the flood its own, and none of those that are known', async () => {
    const key = await web.key('Follower');
    const stream = await web.ask('/api/v1/events', { key });
    const reader = stream.body?.getReader();
    const sockets = await flood(600, 'POST /api/v1/uploads HTTP/1.1\r\nHost: HOST\r\n');
    try {
      const answers = await Promise.all(Array.from({ length: HONEST }, () => web.json('/api/v1/files')));
      expect(answers.map(({ status }) => status)).toEqual(Array(HONEST).fill(200));
      const ended = reader?.read().then(({ done }) => done);
      expect(await Promise.race([ended, web.paydrop.clock.sleep(50).then(() => false)])).toBe(false);
      await expect.poll(() => sockets.filter(isOpen).length).toBeLessThanOrEqual(64);
    } finally {
      for (const socket of sockets) socket.destroy();
      await reader?.cancel();
    }
  });

  it.runIf(process.platform === 'linux')(
    'from as many addresses as fill all places leaves some for whoever comes from another, and for those who are signed in',
    async () => {
      const chief = await visitor(web, 'Clara Chef', 'treasurer');
      const beginning = 'POST /api/v1/session/options HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000\r\n';
      const floods = Array.from({ length: 9 }, (_, at) => flood(64, beginning, `127.0.0.${String(at + 2)}`));
      const sockets = (await Promise.all(floods)).flat();
      try {
        for (let turn = 0; turn < HONEST; turn += 1) {
          expect(await statusFrom(`127.0.1.${String(turn)}`, '/')).toBe(200);
          expect((await chief.json('GET', '/files')).status).toBe(200);
        }
        expect(sockets.filter(isOpen).length).toBeLessThan(sockets.length);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    },
  );

  it('is read no further than a little, however fast it sends, and is told why', async () => {
    const { hostname, port } = new URL(web.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    let said = '';
    socket.setEncoding('utf8').on('data', (text: string) => (said += text));
    socket.write(BEGINNINGS['an upload without a key'].replace('HOST', `localhost:${port}`));
    const chunk = Buffer.alloc(1024 ** 2);
    const more = (): void => {
      while (socket.bytesWritten < 200 * chunk.length && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
    await closed(socket);
    expect(said).toContain('key_missing');
    // What lies in the buffers of both ends is the system's.
    expect(socket.bytesWritten).toBeLessThan(50 * chunk.length);
  });
});

describe('one sender', () => {
  const small = (name: string): ReturnType<typeof sent> => sent(name, `${HEADER}\n${line('S-1', '100')}\n`);
  const dripped = (key: string, name: string): Promise<readonly Socket[]> =>
    flood(
      1,
      `POST /api/v1/uploads HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer ${key}\r\nX-File-Name: ${name}\r\nContent-Length: 100000\r\n\r\na`,
    );

  it("who drips holds its own places, and nobody else's", async () => {
    const [slow, quick] = [await web.key('Slow'), await web.key('Quick')];
    const sockets = (await Promise.all([dripped(slow, 'a.csv'), dripped(slow, 'b.csv')])).flat();
    try {
      const uploads = join(web.desk.workspace, 'uploads');
      await expect.poll(async () => (await readdir(uploads)).length).toBe(2);
      const third = await web.json('/api/v1/uploads', { ...small('c.csv'), key: slow });
      expect(third.body['code']).toBe('uploads_busy');
      for (let turn = 0; turn < 15; turn += 1)
        expect((await web.json('/api/v1/uploads', { ...small('d.csv'), key: quick })).status).toBe(201);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it("who sends much and submits nothing fills its own room, and nobody else's", async () => {
    const other = await openWeb('', undefined, ', bytesMax: 20KB');
    try {
      const [greedy, modest] = [await other.key('Greedy'), await other.key('Modest')];
      const large = sent('large.csv', `${HEADER}\n${`${line('L-1', '100')}\n`.repeat(150)}`);
      const codes: unknown[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const { body, status } = await other.json('/api/v1/uploads', { ...large, key: greedy });
        codes.push(status === 201 ? status : body['code']);
      }
      expect(codes.at(0)).toBe(201);
      expect(codes.at(-1)).toBe('uploads_full');
      expect((await other.json('/api/v1/uploads', { ...small('m.csv'), key: modest })).status).toBe(201);
    } finally {
      await other.close();
    }
  });
});

describe('a few addresses that knock without end', () => {
  it('lock nobody out of signing in', async () => {
    const other = await openWeb(
      '',
      undefined,
      '',
      null,
      ', behindProxy: true, publicUrl: "https://pay.example"',
    );
    try {
      const knock = async (address: string): Promise<number> => {
        const asking = request(`${other.url}/api/v1/session/options`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-forwarded-for': address,
            origin: 'https://pay.example',
            host: 'pay.example',
          },
        });
        asking.end('{}');
        const [response] = (await once(asking, 'response')) as [IncomingMessage];
        response.resume();
        return response.statusCode ?? 0;
      };
      // No more at once than one address has places. On a busy machine it takes longer until their bucket is empty, because it fills meanwhile.
      const loud: number[] = [];
      for (let turn = 0; turn < 10 || (!loud.includes(429) && turn < 200); turn += 1)
        loud.push(
          ...(await Promise.all(Array.from({ length: 48 }, (_, at) => knock(`203.0.113.${String(at % 4)}`)))),
        );
      expect(new Set(loud)).toEqual(new Set([200, 429]));
      const honest = await Promise.all(
        Array.from({ length: 40 }, (_, at) => knock(`198.51.100.${String(at)}`)),
      );
      expect(honest).toEqual(Array(40).fill(200));
    } finally {
      await other.close();
    }
  });
});

it('who cancels a refused file is told that nothing of it is held', async () => {
  const chief = await visitor(web, 'Theo Tresor', 'treasurer');
  await writeFile(join(web.desk.workspace, 'inbox', 'faulty.csv'), `${HEADER}\n${line('F-1', 'x')}\n`);
  const { data } = (await until(web, '/api/v1/files?limit=1', ({ data: all }) =>
    (all as { state: string }[]).some(({ state }) => state === 'refused'),
  )) as unknown as { data: readonly { batch: string }[] };
  const path = `/files/${data[0]?.batch ?? ''}/cancellation`;
  for (const rows of [null, ['2'], ['99']]) {
    const looked = await chief.json('POST', path, { rows, dryRun: true });
    expect([looked.status, looked.body['matching']]).toEqual([200, 0]);
    const { status, body } = await chief.confirmed('POST', path, { rows, reason: 'wrong file' });
    expect([status, body['released'], body['left']]).toEqual([200, 0, 0]);
  }
});
