// The lists that people and programs look at: files by state and by words, what was sent and not submitted, what money is promised to, and work that
// is under way.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { FileViews } from '../../src/app/desk/file-views.ts';
import { archiveFolder } from '../../src/inbox/workspace.ts';
import { HEADER, line, lineTo } from '../app/desk.ts';
import { dataOf, openWeb, order, sent, type Told, until, type Web } from './with-web.ts';

const csv = (...lines: readonly string[]): string => `${[HEADER, ...lines].join('\n')}\n`;
/** Above it a file needs approval. */
const SMALL = '100';
const LARGE = '15000';

let web: Web;
beforeAll(async () => {
  web = await openWeb('policy: { approval: 1000000 XAF, approvalBy: name }\ntracking: { pollEvery: 1s }');
});
afterAll(() => web.close());

async function uploaded(name: string, content: string, key?: string): Promise<string> {
  const init = key === undefined ? sent(name, content) : { ...sent(name, content), key };
  return String((await web.json('/api/v1/uploads', init)).body['id']);
}

async function submitted(name: string, content: string, state: string): Promise<string> {
  const id = await uploaded(name, content);
  const { body } = await web.json(`/api/v1/uploads/${id}/submission`, order({}));
  await until(web, `/api/v1/files/${String(body['batch'])}`, (file) => file['state'] === state);
  return String(body['batch']);
}

const list = async (path: string, key?: string): Promise<readonly Told['body'][]> =>
  dataOf(await web.json(`/api/v1${path}`, key === undefined ? {} : { key }));

describe('files', () => {
  const batches: string[] = [];
  beforeAll(async () => {
    for (const [at, [amount, state]] of [
      [SMALL, 'closed'],
      [LARGE, 'awaiting-approval'],
      [SMALL, 'closed'],
      [LARGE, 'awaiting-approval'],
    ].entries())
      batches.push(
        await submitted(
          `Salaires n° ${String(at)}.csv`,
          csv(lineTo(`p${String(at)}`, `L-${String(at)}`, amount ?? '')),
          state ?? '',
        ),
      );
  });
  const numbers = async (query: string) =>
    (await list(`/files?${query}`)).map(({ batch }) => batches.indexOf(String(batch)));

  it('are listed by state, newest first', async () => {
    expect(await numbers('')).toEqual([3, 2, 1, 0]);
    expect(await numbers('state=open')).toEqual([3, 1]);
    expect(await numbers('state=awaiting-approval')).toEqual([3, 1]);
    expect(await numbers('state=closed')).toEqual([2, 0]);
    expect(await numbers('state=paying')).toEqual([]);
    expect((await web.json('/api/v1/files?state=nothing')).status).toBe(422);
  });

  it('are found by words of their name, their batch, and who brought them', async () => {
    expect(await numbers('find=SALAIRES%202.csv')).toEqual([2]);
    expect(await numbers(`find=${String(batches[1])}`)).toEqual([1]);
    expect(await numbers('find=ledgerly&state=open')).toEqual([3, 1]);
    expect(await numbers('find=salaires%20nobody')).toEqual([]);
  });

  it.each(['state=open', 'state=closed', 'find=salaires'])('come in pages that end: %s', async (query) => {
    const all = await numbers(query);
    const paged: unknown[] = [];
    for (let after = ''; ;) {
      const { body } = await web.json(`/api/v1/files?limit=1&${query}${after}`);
      paged.push(...dataOf({ body }).map(({ batch }) => batches.indexOf(String(batch))));
      if (typeof body['next'] !== 'string') break;
      after = `&after=${body['next']}`;
    }
    expect(paged).toEqual(all);
  });

  it('that are closed are read from the disk once, and again where another summary stands', async () => {
    const views = new FileViews(web.paydrop);
    const batch = await web.paydrop.ledger.batch(batches[0] ?? '');
    if (batch === null) throw new Error('The batch is gone.');
    const first = await views.summary(batch.id);
    const folder = archiveFolder(web.paydrop.workspace, batch.id);
    const stem = `Salaires n° 0.${batch.id}.summary`;
    const text = await readFile(join(folder, `${stem}.json`), 'utf8');
    const parse = vi.spyOn(JSON, 'parse');
    await web.paydrop.clock.sleep(300);
    expect(await views.summary(batch.id)).toEqual(first);
    expect(parse.mock.calls.filter(([said]) => said === text)).toEqual([]);
    const second = { ...(JSON.parse(text) as object), supersedes: `${stem}.json` };
    await writeFile(join(folder, `${stem}-2.json`), JSON.stringify(second));
    try {
      await vi.waitFor(async () => expect(await views.summary(batch.id)).toHaveProperty('supersedes'), {
        timeout: 20_000,
      });
    } finally {
      await rm(join(folder, `${stem}-2.json`));
    }
    await vi.waitFor(async () => expect(await views.summary(batch.id)).not.toHaveProperty('supersedes'), {
      timeout: 20_000,
    });
  });

  it('tell what is promised to each of them, and that nobody has approved it', async () => {
    const xaf = (await list('/balances')).find(({ currency }) => currency === 'XAF');
    const files = xaf?.['files'] as readonly Told['body'][];
    expect(files.map(({ batch }) => batches.indexOf(String(batch)))).toEqual([1, 3]);
    expect(files[0]).toMatchObject({ file: 'Salaires n° 1.csv', awaitsApproval: true, unpriced: 0 });
    const sum = files.reduce((total, { promised }) => total + BigInt(String(promised)), 0n);
    expect(String(sum)).toBe(xaf?.['promised']);
    for (const { batch, promised } of files) {
      const left = await web.paydrop.ledger.leftToSend(String(batch), 'all');
      expect(left.get('XAF')?.amount).toBe(promised);
    }
  });
});

describe('uploads', () => {
  it('that are not submitted are listed for whoever sent them, newest first', async () => {
    const key = await web.key('Paie');
    const one = await uploaded('one.csv', csv(lineTo('u1', 'U-1', SMALL)), key);
    await web.paydrop.clock.sleep(5);
    const two = await uploaded('two.csv', csv(line('U-2', 'x')), key);
    for (const id of [one, two])
      for (;;) {
        const { body } = await web.json(`/api/v1/uploads/${id}`, { key });
        if (body['state'] !== 'checking') break;
        await web.paydrop.clock.sleep(20);
      }
    expect(await list('/uploads', key)).toMatchObject([
      { id: two, name: 'two.csv', state: 'checked', rows: 1, faulty: 1 },
      { id: one, name: 'one.csv', state: 'checked', rows: 1, faulty: 0 },
    ]);
    expect(await list('/uploads', await web.key('Other'))).toEqual([]);
    await web.json(`/api/v1/uploads/${one}/submission`, { ...order({}), key });
    expect((await list('/uploads', key)).map(({ id }) => id)).toEqual([two]);
    const gone = await web.json(`/api/v1/uploads/${one}`, { method: 'DELETE', key });
    expect(gone).toMatchObject({ status: 409, body: { code: 'upload_submitted', state: 'checked' } });
    const foreign = await web.json(`/api/v1/uploads/${two}`, { method: 'DELETE' });
    expect([foreign.status, foreign.body['code']]).toEqual([404, 'upload_unknown']);
    expect((await web.json(`/api/v1/uploads/${two}`, { method: 'DELETE', key })).status).toBe(200);
    expect(await list('/uploads', key)).toEqual([]);
  });

  it('that are being checked end at once when they are removed', async () => {
    const key = await web.key('Grande');
    const lines = Array.from({ length: 30_000 }, (_, at) =>
      lineTo(`g${String(at)}`, `G-${String(at)}`, SMALL),
    );
    const id = await uploaded('large.csv', csv(...lines), key);
    expect(await list('/uploads', key)).toMatchObject([{ id, state: 'checking' }]);
    expect((await web.json(`/api/v1/uploads/${id}`, { method: 'DELETE', key })).status).toBe(200);
    expect((await web.json(`/api/v1/uploads/${id}`, { key })).status).toBe(404);
    // The thread takes the next one.
    const next = await uploaded('next.csv', csv(...lines.slice(0, 5_000)), key);
    for (;;) {
      const { body } = await web.json(`/api/v1/uploads/${next}`, { key });
      if (body['state'] === 'checked') break;
      await web.paydrop.clock.sleep(20);
    }
    expect(await list('/uploads', key)).toMatchObject([{ id: next, rows: 5_000, faulty: 0 }]);
  });
});

describe('jobs', () => {
  it('on a file that is the same are one while their prices hold', async () => {
    const id = await uploaded('cost.csv', csv(lineTo('c', 'COST-1', SMALL), lineTo('d', 'COST-2', SMALL)));
    const cost = async (body: object): Promise<string> =>
      String((await web.json(`/api/v1/uploads/${id}/cost`, order(body))).body['id']);
    const ended = (job: string) => until(web, `/api/v1/jobs/${job}`, ({ state }) => state !== 'running');
    const first = await cost({});
    expect(await ended(first)).toMatchObject({ state: 'done', done: 2 });
    expect(await cost({})).toBe(first);
    const second = await cost({ again: true });
    expect(second).not.toBe(first);
    await ended(second);
    // A document makes it another version, which may cost something else.
    await web.json(`/api/v1/uploads/${id}/documents`, sent('a.pdf', '%PDF-1.4\n%%EOF'));
    const third = await cost({});
    expect([first, second]).not.toContain(third);
    await ended(third);
    const told = await list('/jobs');
    expect(told.map((job) => job['id'])).toEqual([third, second, first]);
    expect(told.map(({ result }) => result)).toEqual([null, null, null]);
  });
});
