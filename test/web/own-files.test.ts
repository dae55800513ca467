// A key reads the files that came with keys of its name, in every route, list, search and event; those of everybody only with a scope of its own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { personOf, programCaller } from '../../src/web/callers.ts';
import { ROUTES } from '../../src/web/routes.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import { openWeb, order, sent, until, type Web } from './with-web.ts';

let web: Web;
let keys: Readonly<Record<'erp' | 'rent' | 'books', string>>;
let batches: Readonly<Record<'erp' | 'rent', string>>;
beforeAll(async () => {
  web = await openWeb('');
  keys = {
    erp: await web.key('Erp', ['files:write', 'files:read', 'reconcile']),
    rent: await web.key('Rent', ['files:write', 'files:read', 'reconcile']),
    books: await web.key('Books', ['files:read-all', 'reconcile']),
  };
  batches = { erp: await submit('erp', 'salaries'), rent: await submit('rent', 'rents') };
});
afterAll(() => web.close());

async function submit(who: 'erp' | 'rent', name: string): Promise<string> {
  const key = keys[who];
  const content = `${HEADER}\n${lineTo(name, `${name}-1`, '100')}\n`;
  const { body } = await web.json('/api/v1/uploads', { ...sent(`${name}.csv`, content), key });
  const path = `/api/v1/uploads/${String(body['id'])}`;
  while ((await web.json(path, { key })).body['state'] === 'checking') await web.paydrop.clock.sleep(20);
  const submitted = await web.json(`${path}/submission`, { ...order({}), key });
  const batch = String(submitted.body['batch']);
  await until(web, `/api/v1/files/${batch}`, ({ state }) => state === 'closed');
  return batch;
}

/** Every route that shows something of one batch to a program. */
const OF_A_BATCH = ROUTES.filter(({ path, who }) => path.includes('/:batch') && who === 'files:read').map(
  ({ path }) => path,
);

const at = (path: string, batch: string): string =>
  `/api/v1${path.replace(':batch', batch).replace(':kind', 'summary')}`;

describe('of one batch', () => {
  it('there are routes', () => expect(OF_A_BATCH.length).toBeGreaterThan(4));

  it.each(OF_A_BATCH)(
    '%s shows it to its own key and to one that reads all, and is not there for another',
    async (path) => {
      for (const [key, status] of [
        [keys.erp, 200],
        [keys.books, 200],
        [keys.rent, 404],
      ] as const) {
        const response = await web.ask(at(path, batches.erp), { key });
        expect([path, response.status]).toEqual([path, status]);
        await response.arrayBuffer();
      }
    },
  );

  it('another batch is told like one that never was', async () => {
    const { body } = await web.json(at('/files/:batch', batches.erp), { key: keys.rent });
    const never = await web.json(at('/files/:batch', '20260101-00000000'), { key: keys.rent });
    expect({ ...body, instance: '' }).toEqual({ ...never.body, instance: '' });
  });
});

async function listed(key: string, query = ''): Promise<readonly unknown[]> {
  const { body } = await web.json(`/api/v1/files${query}`, { key });
  return (body['data'] as readonly { readonly batch: string }[]).map(({ batch }) => batch);
}

/** A stream that is open; gives what it has told once that is in it. */
async function follow(key: string): Promise<(last: string) => Promise<string>> {
  const stop = new AbortController();
  const response = await web.ask('/api/v1/events', { key, signal: stop.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return async (last) => {
    while (!text.includes(last)) text += (await reader?.read())?.value ?? '';
    stop.abort();
    return text;
  };
}

describe('of all files', () => {
  it.each(['', '?find=salaries', '?state=closed', '?limit=1'])(
    'the list %s has the own ones alone',
    async (query) => {
      const own = query.includes('salaries') ? [] : [batches.rent];
      expect(await listed(keys.rent, query)).toEqual(own);
    },
  );

  it('the list has those of everybody for a key that reads all', async () => {
    expect(await listed(keys.books)).toEqual([batches.rent, batches.erp]);
  });

  it('the stream tells of the own ones alone', async () => {
    const [rent, books] = await Promise.all([follow(keys.rent), follow(keys.books)]);
    const theirs = await submit('erp', 'more');
    const own = await submit('rent', 'others');
    expect(await rent(own)).not.toContain(theirs);
    expect(await books(own)).toContain(theirs);
  });

  it('a reconciliation is of an own batch, and of everything only for a key that reads all', async () => {
    const ask = async (key: string, body: object) =>
      (await web.ask('/api/v1/reconciliations', { ...order(body), key })).status;
    expect(await ask(keys.rent, { batch: batches.rent })).toBe(202);
    expect(await ask(keys.rent, { batch: batches.erp })).toBe(404);
    expect(await ask(keys.rent, {})).toBe(403);
    expect(await ask(keys.books, {})).toBe(202);
  });
});

it('a key with the id of a person as its name is another caller: jobs and kept responses are by that id', () => {
  const person = { id: '00000000-0000-4000-8000-000000000000', name: 'Marie', roles: [] };
  const { id } = personOf({ person } as never);
  for (const name of [id, person.id, `person ${id}`])
    expect(programCaller({ name, scopes: [], prefix: 'pd_test_x' }).id).not.toBe(id);
});
