// One list of who did what: what was done at the page, and what people decided about files by any other door; with filters, and as a table.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { approve, pause, release } from '../../src/app/desk/commands.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, order, sent, until, type Web } from './with-web.ts';

let web: Web;
let aline: Visitor;
let joe: Visitor;
/** The one is approved at a terminal, the other paused and let go on at the page. */
let salaries: string;
let suppliers: string;

beforeAll(async () => {
  web = await openWeb('policy: { approval: required, approvalBy: name }');
  aline = await visitor(web, 'Aline Biya', 'admin', 'auditor');
  joe = await visitor(web, 'Joe Tchoua', 'treasurer');
  [salaries, suppliers] = [await waiting('salaries.csv'), await waiting('suppliers.csv')];
  await pause(web.paydrop, salaries, { by: '=HYPERLINK("http://evil")', reason: 'a look at "row 3", first' });
  await approve(web.paydrop, salaries, { by: 'Marie Ngo', via: 'test' });
  await joe.json('POST', `/files/${suppliers}/pause`, { reason: 'wrong month' });
  await joe.json('POST', `/files/${suppliers}/resume`, {});
});
afterAll(() => web.close());

async function waiting(name: string): Promise<string> {
  const content = `${HEADER}\n${lineTo(name, `${name}-1`, '100')}\n`;
  const { body } = await web.json('/api/v1/uploads', sent(name, content));
  const { body: taken } = await web.json(`/api/v1/uploads/${String(body['id'])}/submission`, order({}));
  const batch = String(taken['batch']);
  await until(web, `/api/v1/files/${batch}`, ({ state }) => state === 'awaiting-approval');
  return batch;
}

type Line = readonly [who: unknown, what: unknown, file: unknown, about: unknown];

async function lines(query: string): Promise<readonly Line[]> {
  const { data } = (await aline.json('GET', `/audit?${query}`)).body;
  return (data as Readonly<Record<string, unknown>>[]).map(({ who, what, file, about }) => [
    who,
    what,
    file,
    about,
  ]);
}

const ofFiles = async (query: string) => (await lines(query)).filter(([, , file]) => file !== null);

it('has each decision once, by whatever door it came, newest first', async () => {
  expect(await ofFiles('limit=200')).toEqual([
    ['Joe Tchoua', 'resumed', suppliers, suppliers],
    ['Joe Tchoua', 'paused', suppliers, suppliers],
    ['Marie Ngo', 'approved', salaries, null],
    ['=HYPERLINK("http://evil")', 'paused', salaries, 'a look at "row 3", first'],
  ]);
  const all = (await aline.json('GET', '/audit?limit=200')).body;
  expect(dataOf({ body: all }).map(({ what }) => what)).toContain('enrolled');
  expect(all['chain']).toMatchObject({ isWhole: true });
});

it('is the same in pages of any size', async () => {
  const whole = dataOf(await aline.json('GET', '/audit?limit=200')).map(({ id }) => id);
  const paged: unknown[] = [];
  for (let after = ''; ;) {
    const { body } = await aline.json('GET', `/audit?limit=1${after}`);
    paged.push(...dataOf({ body }).map(({ id }) => id));
    if (body['next'] === null) break;
    after = `&after=${body['next'] as string}`;
  }
  expect(paged).toEqual(whole);
  expect(new Set(whole).size).toBe(whole.length);
});

it('is filtered by person, kind, file and time', async () => {
  expect(await ofFiles('person=Marie%20Ngo')).toHaveLength(1);
  expect((await ofFiles('person=Joe%20Tchoua')).map(([, what]) => what)).toEqual(['resumed', 'paused']);
  expect((await lines('what=paused')).map(([who]) => who)).toEqual([
    'Joe Tchoua',
    '=HYPERLINK("http://evil")',
  ]);
  expect((await lines(`file=${salaries}`)).map(([who]) => who)).toEqual([
    'Marie Ngo',
    '=HYPERLINK("http://evil")',
  ]);
  expect(new Set((await ofFiles('file=SUPPLIERS')).map(([, , file]) => file))).toEqual(new Set([suppliers]));
  expect(await lines('file=nothing-of-that-name')).toEqual([]);
  const soon = new Date(web.paydrop.clock.now() + 60_000).toISOString();
  expect(await lines(`from=${soon}`)).toEqual([]);
  expect(await lines(`to=${soon}&limit=200`)).toEqual(await lines('limit=200'));
  expect((await aline.json('GET', '/audit?from=yesterday')).status).toBe(422);
  expect((await aline.json('GET', '/audit?what=nothing')).status).toBe(422);
});

it('has what was decided at a terminal about held rows: those that go on, and those that are cancelled', async () => {
  // Equal rows are held; the first approval is given before they are decided about.
  const content = [
    HEADER,
    lineTo('Twins', '', '100'),
    lineTo('Twins', '', '100'),
    lineTo('Twins', '', '100'),
  ];
  const { body } = await web.json('/api/v1/uploads', sent('twins.csv', `${content.join('\n')}\n`));
  const { body: taken } = await web.json(`/api/v1/uploads/${String(body['id'])}/submission`, order({}));
  const batch = String(taken['batch']);
  const heldRows = `/api/v1/files/${batch}/rows?outcome=held`;
  const { data } = await until(web, heldRows, (found) => dataOf({ body: found }).length > 1);
  const [first = '', ...others] = (data as readonly { readonly row: string }[]).map(({ row }) => row);
  expect(others.length).toBeGreaterThan(0);
  const by = { by: 'Marie Ngo', via: 'test' };
  await release(web.paydrop, batch, { ...by, reason: 'paid twice', rows: new Set([first]), skip: true });
  await release(web.paydrop, batch, { ...by, reason: 'two of them', rows: new Set(others), skip: false });
  // Where a go has the batch, it carries the orders out when it comes to them.
  while ((await lines(`file=${batch}`)).length < 2) await web.paydrop.clock.sleep(20);
  expect(await lines(`file=${batch}`)).toEqual([
    ['Marie Ngo', 'released', batch, 'two of them'],
    ['Marie Ngo', 'closed_unpaid', batch, 'paid twice'],
  ]);
});

it('has a file that is cancelled whole as cancelled, and not as released too', async () => {
  const at = web.paydrop.clock.now() + 3 * 86_400_000;
  const name = `rent@${new Date(at).toISOString().slice(0, 10)}.csv`;
  const batch = await waiting(name);
  await release(web.paydrop, batch, { by: 'Marie Ngo', via: 'test', reason: 'no', rows: null, skip: true });
  const all = await lines(`file=${batch}`);
  expect(all.map(([who, what]) => [who, what])).toContainEqual(['Marie Ngo', 'closed_unpaid']);
  expect(all.map(([, what]) => what)).not.toContain('released');
});

it('is a table of what is filtered, in which no cell is a formula', async () => {
  const response = await aline.ask('GET', '/audit/table?what=paused');
  expect(response.headers.get('content-disposition')).toContain('audit.csv');
  const [head, ...rest] = (await response.text())
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n');
  expect(head).toBe('at,who,what,file,about,seq');
  expect(rest.map((line) => line.slice(line.indexOf(',') + 1).replace(/,\d*$/, ''))).toEqual([
    `Joe Tchoua,paused,${suppliers},${suppliers}`,
    `"'=HYPERLINK(""http://evil"")",paused,${salaries},"a look at ""row 3"", first"`,
  ]);
  expect((await joe.ask('GET', '/audit/table')).status).toBe(403);
});
