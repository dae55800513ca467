// The search of the interface: by whoever may see the files, and nothing more than those; what is looked for stands in no address.
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { FoundPayments } from '../../src/contract/search.ts';
import { ROUTES } from '../../src/web/routes.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import { openWeb, order, sent, type Told, until, type Web } from './with-web.ts';

let web: Web;
let erp: string;
let rent: string;
beforeAll(async () => {
  web = await openWeb('');
  erp = await web.key('Erp', ['files:write', 'files:read']);
  rent = await web.key('Rent', ['files:write', 'files:read']);
  for (const [key, name] of [
    [erp, 'salaries'],
    [rent, 'rents'],
  ] as const) {
    const payment = lineTo(name, `${name}-1`, '100').replace('Li,Wei', 'Célestin,张伟');
    await submitted(name, payment, key, ({ state }) => state === 'closed');
  }
  // The index follows the payments.
  while ((await found('paid 100', erp)).length + (await found('celestin')).length < 2)
    await web.paydrop.clock.sleep(20);
});
afterAll(() => web.close());

async function submitted(
  name: string,
  payment: string,
  key: string,
  is: Parameters<typeof until>[2],
): Promise<void> {
  const { body } = await web.json('/api/v1/uploads', {
    ...sent(`${name}.csv`, `${HEADER}\n${payment}\n`),
    key,
  });
  const path = `/api/v1/uploads/${String(body['id'])}`;
  while ((await web.json(path, { key })).body['state'] === 'checking') await web.paydrop.clock.sleep(20);
  const { body: taken } = await web.json(`${path}/submission`, { ...order({}), key });
  await until(web, `/api/v1/files/${String(taken['batch'])}`, is);
}

const search = (body: object, key?: string): Promise<Told> =>
  web.json('/api/v1/search', { ...order(body), ...(key === undefined ? {} : { key }) });

async function found(words: string, key?: string): Promise<readonly unknown[]> {
  const { files, payments } = (await search({ words }, key)).body as unknown as FoundPayments;
  return [...files.map(({ file }) => file), ...payments.map(({ row }) => row['reference'])];
}

it('finds what everybody brought for a key that reads all, and its own for another', async () => {
  expect(await found('celestin')).toEqual(['rents-1', 'salaries-1']);
  expect(await found('张', erp)).toEqual(['salaries-1']);
  expect(await found('rents.csv', erp)).toEqual([]);
  expect(await found('rents', rent)).toEqual(['rents.csv', 'rents-1']);
});

it('shows a payment as the list of rows shows it, its account by the end alone', async () => {
  const { body } = await search({ words: 'salaries-1' });
  const [payment] = (body as unknown as FoundPayments).payments;
  const rows = await web.json(`/api/v1/files/${payment?.batch ?? ''}/rows`);
  expect([payment?.row]).toEqual(rows.body['data']);
  expect(payment?.row.account).toMatch(/^••• \d{4}$/);
});

it('shows a held payment in the words of the result where a program asks', async () => {
  const isHeld: Parameters<typeof until>[2] = ({ outcomes }) => (outcomes as { held: number }).held === 2;
  const same = lineTo('bonus', '', '40');
  await submitted('bonus', `${same}\n${same}`, erp, isHeld);
  while ((await found('bonus')).length < 3) await web.paydrop.clock.sleep(20);
  const { payments } = (await search({ words: 'bonus' })).body as unknown as FoundPayments;
  const rows = await web.json(`/api/v1/files/${payments[0]?.batch ?? ''}/rows`);
  expect(payments.map(({ row }) => row).reverse()).toEqual(rows.body['data']);
});

it('keeps nothing of what was looked for under the key of an order', async () => {
  const asked = (words: string): Promise<Told> => {
    const headers = new Headers(order({ words }).headers);
    headers.set('idempotency-key', 'once');
    return web.json('/api/v1/search', { ...order({ words }), headers });
  };
  for (const words of ['celestin', 'fotso']) expect((await asked(words)).status).toBe(200);
});

it('finds nothing of another’s payment by the id of its transfer', async () => {
  const { body } = await search({ words: 'rents-1' });
  const id = (body as unknown as FoundPayments).payments[0]?.row.transferId ?? '';
  expect(await found(id)).toEqual(['rents-1']);
  expect(await found(id, erp)).toEqual([]);
});

it.each(['"', '*', '%', 'a" OR "b', 'NEAR(a b)', '\u0000', '\u202e', '(', '-', '{a}: b', "';--", '🤷'])(
  'answers %j like any other words',
  async (words) => expect((await search({ words })).status).toBe(200),
);

it('refuses words without an end, and what is no search', async () => {
  for (const body of [
    { words: 'a'.repeat(10_000) },
    { words: '' },
    {},
    { words: 'a', limit: 1_000 },
    { words: 1 },
  ])
    expect((await search(body)).status).toBe(422);
  expect((await web.ask('/api/v1/search?q=4873')).status).toBe(404);
  expect((await search({ words: 'a' }, await web.key('Money', ['money:read']))).status).toBe(403);
});

it('is no search in an address: an account may be what is looked for', () => {
  expect(ROUTES.filter(({ path }) => path === '/search').map(({ method }) => method)).toEqual(['POST']);
});
