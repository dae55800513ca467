// What is too large, for the limit or for the disk, is refused in words: nothing of it stays, and it does not lie in the memory meanwhile. Who falls silent
// is cut off.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { openDoor } from '../../src/app/desk/open-door.ts';
import { type Desk, openDesk } from '../app/desk.ts';
import { ask, live, type Life } from './with-process.ts';
import { ALL } from './with-web.ts';

const MB = 1024 ** 2;
const CHUNK = Buffer.alloc(64 * 1024, 'a,b\n');

/** Bytes of the process that lie in memory, as the system tells. */
function memoryOf({ child }: Life): number {
  const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

type Heard = { readonly status: number; readonly body: string };

/** Sends so much, or until it is answered; gives the answer and the most memory that was seen meanwhile. */
async function send(life: Life, bytes: number, headers: Readonly<Record<string, string>>) {
  const sending = request(`${life.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': 'huge.csv', ...headers },
  });
  const heard: Heard[] = [];
  const answered = new Promise<void>((resolve, reject) => {
    sending.on('error', (error) => (heard.length > 0 ? resolve() : reject(error)));
    sending.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => {
        heard.push({ status: response.statusCode ?? 0, body });
        resolve();
      });
    });
  });
  let most = 0;
  for (let sent = 0; sent < bytes && heard.length === 0; sent += CHUNK.length) {
    if (!sending.write(CHUNK)) await Promise.race([once(sending, 'drain'), answered]);
    if (sent % (4 * MB) === 0) most = Math.max(most, memoryOf(life));
  }
  if (heard.length === 0) sending.end();
  await answered;
  sending.destroy();
  return { ...heard[0], most };
}

async function nothingLeft({ workspace }: Desk): Promise<void> {
  const folder = join(workspace, 'uploads');
  while (existsSync(folder) && readdirSync(folder).length > 0) await turn();
}

async function withKey(work: (desk: Desk, key: string) => Promise<void>): Promise<void> {
  const desk = await openDesk();
  try {
    const { keys, close } = await openDoor((await desk.open()).config);
    const key = keys.make('Ledgerly', ALL, { isSandbox: true });
    close();
    await desk.shut();
    await work(desk, key);
  } finally {
    await desk.close();
  }
}

const LIMIT_MS = 120_000;

it(
  'a file beyond the limit is refused and gone, whether its length is told or not, in less than 100 MB of memory',
  { timeout: LIMIT_MS },
  async () => {
    await withKey(async (desk, key) => {
      const life = await live(desk, 'intake: { bytesMax: 200MB }');
      const authorization = `Bearer ${key}`;
      await ask(life, key, '/api/v1/files');
      const bytes = 400 * MB;
      for (const how of [{ 'content-length': String(bytes) }, { 'transfer-encoding': 'chunked' }]) {
        const before = memoryOf(life);
        const { status, body, most } = await send(life, bytes, { authorization, ...how });
        expect([status, body]).toEqual([413, expect.stringContaining('upload_too_large')]);
        expect((most - before) / MB).toBeLessThan(100);
        await nothingLeft(desk);
      }
      life.child.kill('SIGTERM');
      await life.ended;
    });
  },
);

it('on a full disk its sender is told so, and nothing of it stays', { timeout: LIMIT_MS }, async () => {
  await withKey(async (desk, key) => {
    // Blocks of 1,024 bytes: no file may grow beyond.
    const life = await live(desk, '', undefined, 'ulimit -f 4096;');
    const { status, body = '' } = await send(life, 8 * MB, { authorization: `Bearer ${key}` });
    expect(status).toBe(503);
    expect((JSON.parse(body) as { detail: string }).detail).toMatch(/room|larger|large/i);
    await nothingLeft(desk);
    expect((await ask(life, key, '/api/v1/files')).status).toBe(200);
    life.child.kill('SIGTERM');
    await life.ended;
  });
});

it('who falls silent or drips while it sends is told so, and cut off', { timeout: LIMIT_MS }, async () => {
  await withKey(async (desk, key) => {
    const life = await live(desk);
    const headers = { authorization: `Bearer ${key}`, 'x-file-name': 'slow.csv' };
    // As many as are received of one sender at once: one is silent, the other sends a byte now and then.
    const ends = [null, 1_000].map(async (everyMs) => {
      const sending = request(`${life.url}/api/v1/uploads`, { method: 'POST', headers });
      sending.on('error', () => undefined);
      sending.write(CHUNK);
      const dripping = everyMs === null ? null : setInterval(() => sending.write('a'), everyMs);
      const [response] = (await once(sending, 'response')) as [IncomingMessage];
      const body = await text(response);
      await once(sending, 'close');
      clearInterval(dripping ?? undefined);
      return [response.statusCode, (JSON.parse(body) as { code: string }).code];
    });
    const slow = [408, 'body_slow'];
    expect(await Promise.all(ends)).toEqual([slow, slow]);
    await nothingLeft(desk);
    expect((await send(life, CHUNK.length, headers)).status).toBe(201);
    life.child.kill('SIGTERM');
    await life.ended;
  });
});
