// The columns of a large file are read beside everything else, once for the last word of a person.
import type { Worker } from 'node:worker_threads';

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';

import { FileThread } from '../../src/app/parts/file-thread.ts';
import { HEADER, line } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { openWeb, type Web } from './with-web.ts';

const ROWS = 5_000;

let web: Web;
let armand: Visitor;
const threads: Worker[] = [];
const onThread = (thread: Worker): void => void threads.push(thread);

beforeAll(async () => {
  process.on('worker', onThread);
  web = await openWeb();
  // The index of the search has a thread of its own.
  while (threads.length === 0) await web.paydrop.clock.sleep(20);
  threads.length = 0;
  armand = await visitor(web, 'Armand Mbarga', 'maker');
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  process.off('worker', onThread);
  await web.close();
});

async function uploaded(name: string, rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, n) => line(`${name}-${String(n)}`, '100.00'));
  const response = await fetch(`${web.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': name, cookie: armand.cookie, 'sec-fetch-site': 'same-origin' },
    body: [HEADER, ...lines, ''].join('\n'),
  });
  const { id } = (await response.json()) as { id: string };
  while ((await armand.json('GET', `/uploads/${id}`)).body['state'] === 'checking')
    await web.paydrop.clock.sleep(20);
  return id;
}

const trialOf = async (id: string, columns: Readonly<Record<string, string>> = {}) =>
  (await armand.json('POST', `/uploads/${id}/reading`, { columns })).body['trial'];

it('of a large file come from the thread that checks it, and are those of a small one', async () => {
  const small = await trialOf(await uploaded('small.csv', 3));
  expect(threads).toHaveLength(0);
  const large = await trialOf(await uploaded('large.csv', ROWS));
  expect(threads).toHaveLength(1);
  expect(small).toMatchObject({ rows: 3, payable: 3, faults: [], mayBeSaved: true });
  expect(large).toEqual({ ...(small as object), rows: ROWS, payable: ROWS });
});

it('are told as questions and faults alike, whatever the size of the file', async () => {
  const [small, large] = [await uploaded('few.csv', 3), await uploaded('many.csv', ROWS)];
  const [few, many] = await Promise.all(
    [small, large].map((id) => trialOf(id, { 'delivery.msisdn': 'ignore' })),
  );
  expect(few).toMatchObject({ payable: 0, faults: [{ code: 'delivery_field_missing', rows: 3 }] });
  expect(many).toMatchObject({ payable: 0, faults: [{ code: 'delivery_field_missing', rows: ROWS }] });
  for (const id of [small, large]) {
    const { status, body } = await armand.json('POST', `/uploads/${id}/reading`, {
      columns: { Nobody: 'amount' },
    });
    expect([status, body['code']]).toEqual([422, 'profile_unfit']);
    expect(body['detail']).toContain('«reference»');
  }
});

it('are no longer read once nobody waits for them', async () => {
  const id = await uploaded('left.csv', ROWS);
  const run = vi.spyOn(FileThread.prototype, 'run');
  const leaving = new AbortController();
  const asked = fetch(`${web.url}/api/v1/uploads/${id}/reading`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: armand.cookie, 'sec-fetch-site': 'same-origin' },
    body: '{}',
    signal: leaving.signal,
  });
  const ofFile = (): number => run.mock.calls.findIndex(([, { bytes }]) => bytes !== null);
  await vi.waitFor(() => expect(ofFile()).toBeGreaterThan(-1), { timeout: 120_000, interval: 1 });
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await expect(run.mock.results[ofFile()]?.value).rejects.toContain('closed');
  expect(await trialOf(id)).toMatchObject({ payable: ROWS });
});
