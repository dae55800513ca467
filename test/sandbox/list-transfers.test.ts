// Interface: GET /transfers (list).
import { describe, expect, it } from 'vitest';

import { isoTime } from '../../src/base/clock.ts';
import { created, refusalOf } from './sandbox-client.ts';
import { withSandbox, type TestSandbox } from './with-sandbox.ts';

const DAY_MS = 86_400_000;

/** Ids of transfers created a second apart, from now on. */
async function createSome({ client, clock }: TestSandbox, count: number): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push((await created(client))['id']);
    clock.advance(1_000);
  }
  return ids;
}

describe('GET /transfers', () => {
  it('answers an array of transfers as single reads give them, oldest first', async () => {
    const sandbox = await withSandbox();
    const ids = await createSome(sandbox, 3);
    const { list } = await sandbox.client.get('/transfers');
    expect(list.map(({ id }) => id)).toEqual(ids);
    expect(list[0]).toEqual((await sandbox.client.get(`/transfers/${String(ids[0])}`)).json);
  });

  it('cuts the window at startTime and endTime, both included', async () => {
    const sandbox = await withSandbox();
    const start = sandbox.clock.now();
    const ids = await createSome(sandbox, 4);
    const query = `startTime=${isoTime(start + 1_000)}&endTime=${isoTime(start + 2_000)}`;
    const { list } = await sandbox.client.get(`/transfers?${query}`);
    expect(list.map(({ id }) => id)).toEqual(ids.slice(1, 3));
  });

  it('takes a window of exactly 7 days and refuses a wider one with 10023', async () => {
    const { client, clock } = await withSandbox();
    const end = clock.now();
    const window = (ms: number) => `/transfers?startTime=${isoTime(end - ms)}&endTime=${isoTime(end)}`;
    expect((await client.get(window(7 * DAY_MS))).status).toBe(200);
    expect(refusalOf(await client.get(window(7 * DAY_MS + 1)))).toBe('500/10023');
  });

  it('ends now without endTime and begins 7 days earlier without startTime', async () => {
    const sandbox = await withSandbox();
    await createSome(sandbox, 1);
    sandbox.clock.advance(8 * DAY_MS);
    const ids = await createSome(sandbox, 1);
    expect((await sandbox.client.get('/transfers')).list.map(({ id }) => id)).toEqual(ids);
    const start = isoTime(sandbox.clock.now() - 8 * DAY_MS);
    expect(refusalOf(await sandbox.client.get(`/transfers?startTime=${start}`))).toBe('500/10023');
  });

  it('hands a full page a key, by which the next pages come until one is not full', async () => {
    const sandbox = await withSandbox();
    const ids = await createSome(sandbox, 5);
    const seen: unknown[] = [];
    let page = await sandbox.client.get('/transfers?limit=2');
    seen.push(...page.list);
    for (let key = page.headers.get('x-next-key'); key !== null; key = page.headers.get('x-next-key')) {
      page = await sandbox.client.get('/transfers?limit=2', { 'x-next-key': key });
      seen.push(...page.list);
    }
    expect(seen.map((transfer) => (transfer as { id: unknown }).id)).toEqual(ids);
    expect(page.list).toHaveLength(1);
  });

  it('keeps window and limit in the key alone', async () => {
    const sandbox = await withSandbox();
    const ids = await createSome(sandbox, 3);
    const first = await sandbox.client.get('/transfers?limit=1');
    const second = await sandbox.client.get('/transfers', {
      'x-next-key': first.headers.get('x-next-key') ?? '',
    });
    expect(second.list.map(({ id }) => id)).toEqual(ids.slice(1, 2));
  });

  it('hands no key to a page that is not full, and one to a full last page', async () => {
    const sandbox = await withSandbox();
    await createSome(sandbox, 2);
    expect((await sandbox.client.get('/transfers?limit=3')).headers.get('x-next-key')).toBeNull();
    const last = await sandbox.client.get('/transfers?limit=2');
    const after = await sandbox.client.get('/transfers', {
      'x-next-key': last.headers.get('x-next-key') ?? '',
    });
    expect(after.text).toBe('[]');
  });

  it('neither skips nor repeats a transfer when others are created between two pages', async () => {
    const sandbox = await withSandbox();
    const ids = await createSome(sandbox, 3);
    const first = await sandbox.client.get('/transfers?limit=2');
    sandbox.clock.advance(1);
    await createSome(sandbox, 2);
    const second = await sandbox.client.get('/transfers', {
      'x-next-key': first.headers.get('x-next-key') ?? '',
    });
    expect(second.list.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'startTime=yesterday',
    'endTime=2026-11-20',
    'startTime=2026-11-20T10:00:00%2B01:00',
  ])('refuses %s', async (query) => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.get(`/transfers?${query}`))).toBe('400/10001');
  });

  it('refuses an end before the start, and a key that it never handed out', async () => {
    const { client } = await withSandbox();
    const backwards = '/transfers?startTime=2026-11-20T08:00:00Z&endTime=2026-11-20T07:59:59Z';
    expect(refusalOf(await client.get(backwards))).toBe('400/10001');
    expect(refusalOf(await client.get('/transfers', { 'x-next-key': 'made-up' }))).toBe('400/10001');
  });
});
