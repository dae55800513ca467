// What payments to the same name and account have for the empty cells of an upload: who is told, and what comes of it once it is taken.
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { PayeeCell } from '../../src/contract/uploads.ts';
import type { Call } from '../../src/web/call.ts';
import { ROUTES } from '../../src/web/routes.ts';
import { HEADER, line } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { openWeb, sent, until, type Web } from './with-web.ts';

const COUNTRY = HEADER.split(',').indexOf('receiver.countryIsoCode');

let web: Web;
let armand: Visitor;
let marie: Visitor;
beforeAll(async () => {
  web = await openWeb();
  [armand, marie] = await Promise.all([
    visitor(web, 'Armand Mbarga', 'maker'),
    visitor(web, 'Marie Ngo', 'maker', 'checker'),
  ]);
  const batch = await paid();
  await until(web, `/api/v1/files/${batch}`, ({ state }) => state === 'closed');
  await until(web, '/api/v1/payees', ({ data }) => (data as readonly unknown[]).length === 1);
});
afterAll(() => web.close());

const lacking = (reference: string, amount: string): string =>
  line(reference, amount).replace('Wei,CHN', 'Wei,');

async function uploaded(by: Visitor, name: string, lines: readonly string[]): Promise<string> {
  const headers = { 'x-file-name': name, cookie: by.cookie, 'sec-fetch-site': 'same-origin' };
  const body = `${[HEADER, ...lines].join('\n')}\n`;
  const response = await fetch(`${web.url}/api/v1/uploads`, { method: 'POST', headers, body });
  const { id } = (await response.json()) as { id: string };
  while ((await by.json('GET', `/uploads/${id}`)).body['state'] === 'checking')
    await web.paydrop.clock.sleep(20);
  return id;
}

async function paid(): Promise<string> {
  const id = await uploaded(armand, 'november.csv', [line('N-1', '100')]);
  return String((await armand.json('POST', `/uploads/${id}/submission`, {})).body['batch']);
}

const cellsOf = async (by: Visitor, id: string) => {
  const { status, body } = await by.json('GET', `/uploads/${id}/payees`);
  return [status, body['code'] ?? body['data']] as const;
};

it('is told to the maker of the upload, and taken as corrections of the maker’s own', async () => {
  const id = await uploaded(armand, 'december.csv', [lacking('D-1', '110'), line('D-2', '120')]);
  const [status, cells] = await cellsOf(armand, id);
  expect([status, cells]).toMatchObject([
    200,
    [{ row: '2', position: 0, index: COUNTRY, text: 'CHN', from: { file: 'november.csv', row: '2' } }],
  ]);
  const typed = (cells as readonly PayeeCell[]).map(({ position, index, text }) => ({
    ...{ row: position, column: index, text },
  }));
  const { body } = await armand.json('POST', `/uploads/${id}/corrections`, { cells: typed });
  const next = `/uploads/${String(body['id'])}`;
  while ((await armand.json('GET', next)).body['state'] === 'checking') await web.paydrop.clock.sleep(20);
  expect((await armand.json('GET', next)).body).toMatchObject({ faulty: 0, corrected: 1 });
  expect(await cellsOf(armand, String(body['id']))).toEqual([200, []]);
  // Once it is a batch there is nothing to fix in it.
  await armand.json('POST', `${next}/submission`, {});
  expect(await cellsOf(armand, String(body['id']))).toEqual([200, []]);
});

it('stands in the access log once for each upload and person, with no payee', async () => {
  const id = await uploaded(armand, 'logged.csv', [lacking('L-1', '160')]);
  const bare = await uploaded(armand, 'bare.csv', [line('L-2', '170')]);
  for (const asked of [id, id, bare]) await cellsOf(armand, asked);
  const aline = await visitor(web, 'Paul Essomba', 'auditor');
  const { body } = await aline.json('GET', '/audit?what=payees_told');
  const entries = (body['data'] as readonly { who: string; about: string }[]).filter(({ about }) =>
    [id, bare].some((upload) => about.includes(upload)),
  );
  expect(entries.map(({ who, about }) => [who, about])).toEqual([['Armand Mbarga', `logged.csv ${id}`]]);
});

it('is no more than may still be corrected', async () => {
  const lines = Array.from({ length: 502 }, (_, at) => lacking(`C-${String(at)}`, String(1_000 + at)));
  const id = await uploaded(armand, 'many.csv', lines);
  const typed = lines.slice(2).map((_, row) => ({ row, column: COUNTRY, text: 'CHN' }));
  const { body } = await armand.json('POST', `/uploads/${id}/corrections`, { cells: typed.slice(1) });
  const next = String(body['id']);
  while ((await armand.json('GET', `/uploads/${next}`)).body['state'] === 'checking')
    await web.paydrop.clock.sleep(20);
  expect((await armand.json('GET', `/uploads/${next}`)).body).toMatchObject({ faulty: 3, corrected: 499 });
  expect((await cellsOf(armand, next))[1]).toMatchObject([{ position: 0 }]);
});

it('is told to nobody else, to no program, and to no person who may not read the files of everybody', async () => {
  const id = await uploaded(armand, 'other.csv', [lacking('O-1', '130')]);
  expect(await cellsOf(marie, id)).toEqual([404, 'upload_unknown']);
  expect(await cellsOf(await visitor(web, 'Aline Biya', 'checker', 'auditor'), id)).toEqual([
    403,
    'role_missing',
  ]);
  const { body } = await web.json(
    '/api/v1/uploads',
    sent('own.csv', `${HEADER}\n${lacking('O-2', '140')}\n`),
  );
  for (const upload of [id, String(body['id'])])
    expect((await web.json(`/api/v1/uploads/${upload}/payees`)).body['code']).toBe('people_only');
  const route = ROUTES.find(({ method, path }) => `${method} ${path}` === 'GET /uploads/:id/payees');
  const call = { by: { scopes: ['files:read', 'files:write'] }, room: {} } as unknown as Call;
  await expect(route?.does(call)).rejects.toMatchObject({ code: 'role_missing' });
});

it('names no account', async () => {
  const id = await uploaded(armand, 'masked.csv', [lacking('M-1', '150')]);
  const response = await armand.ask('GET', `/uploads/${id}/payees`);
  expect(await response.text()).not.toMatch(/138000|13800138000/);
});
