// Comments on a file and its rows: read by everybody who is signed in, made in one's own name as one line of plain text, and kept in the audit.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { HEADER, lineTo } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, order, sent, until, type Web } from './with-web.ts';

let web: Web;
let key: string;
let batch: string;
let marie: Visitor;
let aline: Visitor;

beforeAll(async () => {
  web = await openWeb('policy: { approval: required }');
  key = await web.key('Ledgerly');
  marie = await visitor(web, 'Marie Ngo', 'checker');
  aline = await visitor(web, 'Aline Biya', 'admin', 'auditor');
  const content = `${HEADER}\n${lineTo('chen', 'C-1', '100')}\n`;
  const { body } = await web.json('/api/v1/uploads', { ...sent('salaries.csv', content), key });
  const path = `/api/v1/uploads/${String(body['id'])}/submission`;
  batch = String((await web.json(path, { ...order({}), key })).body['batch']);
  await until(web, `/api/v1/files/${batch}`, ({ state }) => state === 'awaiting-approval');
});
afterAll(() => web.close());

const say = (who: Visitor, body: object) => who.json('POST', `/files/${batch}/comments`, body);

it('are read by everybody, in order, those of a row by themselves too', async () => {
  expect(await say(marie, { text: 'Who is this?', row: '2' })).toMatchObject({
    status: 201,
    body: { number: 1, row: '2', by: 'Marie Ngo', text: 'Who is this?' },
  });
  expect((await say(aline, { text: '=HYPERLINK("x") <b>the new office</b>' })).status).toBe(201);
  const all = dataOf(await aline.json('GET', `/files/${batch}/comments`));
  expect(all.map(({ by, row, text }) => [by, row, text])).toEqual([
    ['Marie Ngo', '2', 'Who is this?'],
    ['Aline Biya', null, expect.stringContaining('<b>the new office</b>') as string],
  ]);
  expect(dataOf(await marie.json('GET', `/files/${batch}/comments?row=2`))).toHaveLength(1);
  const audit = dataOf(await aline.json('GET', '/audit?limit=200'));
  expect(
    audit.filter(({ what }) => what === 'commented').map(({ who, about }) => [who, about]),
  ).toContainEqual(['Marie Ngo', `${batch} 2`]);
});

it('change nothing of the question, and need a text, a file and a row that are there', async () => {
  const digest = async () => (await marie.json('GET', `/files/${batch}/approval`)).body['digest'];
  const before = await digest();
  await say(marie, { text: 'I called him.' });
  expect(await digest()).toBe(before);
  for (const text of [' ', 'bell\u0007', '\u202etxt']) expect((await say(marie, { text })).status).toBe(422);
  expect((await say(marie, { text: 'x'.repeat(301) })).status).toBe(422);
  expect((await say(marie, { text: 'x', by: 'Joe Tchoua' })).status).toBe(422);
  expect((await say(marie, { text: 'x', row: '99' })).body['code']).toBe('row_unknown');
  expect((await marie.json('POST', '/files/20200101-00000000/comments', { text: 'x' })).status).toBe(404);
});

it('are not made by programs', async () => {
  const { status, body } = await web.json(`/api/v1/files/${batch}/comments`, {
    ...order({ text: 'x' }),
    key,
  });
  expect([status, body['code']]).toEqual([403, 'people_only']);
});
