// The interface for programs, as the contract has it: a file is sent, checked cell by cell, submitted once, followed, and its answers are fetched.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { UploadFolder } from '../../src/app/intake/upload-folder.ts';
import { Uploads } from '../../src/app/intake/uploads.ts';
import { FileThread } from '../../src/app/parts/file-thread.ts';
import { Unavailable } from '../../src/service/errors.ts';
import { verify } from '../../src/app/desk/commands.ts';
import { openDoor } from '../../src/app/desk/open-door.ts';
import { FROM_END } from '../../src/ledger/history.ts';
import { HEADER, line, lineTo, magic } from '../app/desk.ts';
import { visitor } from './with-people.ts';
import { dataOf, openWeb, order, sent, until, type Web } from './with-web.ts';

const csv = (...lines: readonly string[]): string => `${[HEADER, ...lines].join('\n')}\n`;

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

/** The id of an upload that was checked. */
async function uploaded(name: string, content: string): Promise<string> {
  const { status, body, headers } = await web.json('/api/v1/uploads', sent(name, content));
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/api/v1/uploads/${String(body['id'])}`);
  expect(body).toEqual({ id: expect.any(String) as string, state: 'checking' });
  await until(web, `/api/v1/uploads/${String(body['id'])}`, ({ state }) => state !== 'checking');
  return String(body['id']);
}

async function paid(name: string, content: string): Promise<string> {
  const id = await uploaded(name, content);
  const { status, body } = await web.json(`/api/v1/uploads/${id}/submission`, order({}));
  expect(status).toBe(202);
  await until(web, `/api/v1/files/${String(body['batch'])}`, ({ state }) => state === 'closed');
  return String(body['batch']);
}

describe('an upload', () => {
  it('is checked at once and registers nothing', async () => {
    const before = (await web.paydrop.ledger.batches()).length;
    const id = await uploaded('clean.csv', csv(lineTo('a', 'C-1', '100'), lineTo('b', 'C-2', '250.50')));
    expect((await web.json(`/api/v1/uploads/${id}`)).body).toEqual({
      ...{
        id,
        name: 'clean.csv',
        bytes: expect.any(Number) as number,
        sentAt: expect.any(String) as string,
        state: 'checked',
        rows: 2,
        checked: 2,
      },
      ...{ faulty: 0, documentsMissing: 0, missing: [], code: null, reason: null, corrected: 0, batch: null },
      sums: [{ currency: 'CNY', amount: '350.50' }],
    });
    expect(await web.paydrop.ledger.batches()).toHaveLength(before);
    expect(await readdir(join(web.desk.workspace, 'uploads', id))).toContain('clean.csv');
  });

  it.each([
    [
      'execution_date_unreadable',
      'unread.csv',
      '05/04/2026',
      '05/04/2026 is either 2026-04-05 or 2026-05-04',
    ],
    ['execution_dates_differ', 'named@2026-11-28.csv', '2026-12-01', 'its rows ask for 2026-12-01'],
    ['execution_date_too_far', 'far.csv', '2999-12-01', 'more than a year away'],
  ])('is refused by its check where no run would take its day: %s', async (code, name, day, told) => {
    const rows = [`${HEADER},executionDate`, `${lineTo('day', 'D-1', '100')},${day}`];
    const id = await uploaded(name, `${rows.join('\n')}\n`);
    const { body } = await web.json(`/api/v1/uploads/${id}`);
    expect(body).toMatchObject({ state: 'refused', code });
    expect(body['reason']).toContain(told);
  });

  it('tells its faults cell by cell, in pages that go on where the last one ended', async () => {
    const wrong = [line('F-1', 'x1'), line('F-2', 'x2'), line('F-3', '100').replace('CHN,B2C', 'CHN,B3C')];
    const id = await uploaded('faulty.csv', csv(...wrong));
    expect((await web.json(`/api/v1/uploads/${id}`)).body).toMatchObject({
      state: 'checked',
      rows: 3,
      faulty: 3,
    });
    const amount = HEADER.split(',').indexOf('destinationAmount');
    const first = await web.json(`/api/v1/uploads/${id}/faults?limit=2`);
    expect(dataOf(first)).toEqual([
      expect.objectContaining({
        row: '2',
        column: 'destinationAmount',
        index: amount,
        code: 'amount_not_a_number',
      }),
      expect.objectContaining({
        row: '3',
        column: 'destinationAmount',
        index: amount,
        code: 'amount_not_a_number',
      }),
    ]);
    expect(String(dataOf(first)[0]?.['message'])).toContain('"x1"');
    const rest = await web.json(`/api/v1/uploads/${id}/faults?limit=200&after=${String(first.body['next'])}`);
    expect(dataOf(rest)[0]).toMatchObject({ row: '4', column: 'transactionMode', index: 2 });
    expect(rest.body['next']).toBeNull();
    const forged = Buffer.from('1').toString('base64url');
    const half = await web.json(`/api/v1/uploads/${id}/faults?after=${forged}`);
    expect([half.status, half.body['code']]).toEqual([422, 'cursor_unknown']);
    const { status, body } = await web.json(`/api/v1/uploads/${id}/submission`, order({}));
    expect([status, body['code']]).toEqual([422, 'rows_to_fix']);
  });

  it('is checked when it is listed, if an earlier process left it unchecked', async () => {
    const from = { by: 'lister' } as const;
    const folder = new UploadFolder(web.paydrop);
    const content = Buffer.from(csv(lineTo('listed', 'L-1', '100')));
    const { id } = await folder.receive('listed.csv', Readable.from([content]), from);
    const uploads = new Uploads(web.paydrop, () => expect.unreachable(), new FileThread());
    expect(await uploads.views(from.by, 'en')).toMatchObject([{ id, state: 'checking' }]);
    await vi.waitUntil(async () => ((await folder.find(id))?.checked ?? null) !== null, { timeout: 20_000 });
    await uploads.close();
  });

  it('says why its check waits where the service refuses the key, in the reader’s language', async () => {
    const { service } = web.paydrop;
    const context = { operation: 'payoutCorridors' } as ConstructorParameters<typeof Unavailable>[1];
    const payoutCorridors = () => Promise.reject(new Unavailable('credentials', context));
    const uploads = new Uploads(
      { ...web.paydrop, service: { ...service, payoutCorridors } },
      () => expect.unreachable(),
      new FileThread(),
    );
    const content = Buffer.from(csv(lineTo('away', 'W-1', '100')));
    const { id } = await uploads.receive('away.csv', Readable.from([content]), { by: 'waiter' });
    const told = async (language: 'en' | 'fr') => (await uploads.view(id, 'waiter', language))?.reason ?? '';
    await vi.waitUntil(async () => (await told('en')) !== '', { timeout: 20_000 });
    expect(await told('en')).toContain('key');
    expect(await told('fr')).toContain('clé');
    expect(await uploads.view(id, 'waiter', 'en')).toMatchObject({ state: 'checking', code: null });
    await uploads.close();
  });

  it('is not checked a second time by a question that was asked before its check ended', async () => {
    const uploads = new Uploads(web.paydrop, () => expect.unreachable(), new FileThread());
    const written = vi.spyOn(UploadFolder.prototype, 'write');
    const from = { by: 'asker' } as const;
    let changes = 0;
    uploads.onChange(() => (changes += 1));
    const content = Buffer.from(csv(lineTo('once', 'O-1', '100')));
    const { id } = await uploads.receive('once.csv', Readable.from([content]), from);
    const gate = Promise.withResolvers<null>();
    const find = vi.spyOn(UploadFolder.prototype, 'find');
    find.mockImplementationOnce(async function (this: UploadFolder, asked) {
      const early = await this.find(asked);
      await gate.promise;
      return early;
    });
    const late = uploads.view(id, from.by, 'en');
    // It is told when it begins to read the rows, and when it has ended.
    await vi.waitUntil(() => changes === 2, { timeout: 20_000 });
    gate.resolve(null);
    await late;
    await vi.waitUntil(() => changes > 2, { timeout: 20_000 });
    expect(written.mock.calls.map(([{ checked }]) => checked?.rows)).toEqual([undefined, 1]);
    vi.restoreAllMocks();
    await uploads.close();
  });

  it('shows its rows from any of them on, all or those to fix, and the fault behind a cell or before it', async () => {
    const lines = Array.from({ length: 5 }, (_, at) => lineTo(`s${String(at)}`, `S-${String(at)}`, '100'));
    lines[1] = line('S-1', 'x').replace('+8613800138000', '');
    lines[3] = line('S-3', 'y');
    const id = await uploaded('sheet.csv', csv(...lines));
    const rows = async (query: string) => (await web.json(`/api/v1/uploads/${id}/rows?${query}`)).body;
    const two = await rows('at=3&limit=200');
    expect(two['header']).toEqual(HEADER.split(','));
    expect(dataOf({ body: two })).toMatchObject([
      {
        row: '5',
        position: 3,
        cells: lines[3].split(','),
        faults: [{ code: 'amount_not_a_number', index: 5 }],
      },
      { row: '6', position: 4, faults: [] },
    ]);
    const faulty = dataOf({ body: await rows('faulty=true&at=1') });
    expect(faulty).toMatchObject([{ row: '5', position: 3 }]);
    expect(dataOf({ body: await rows('at=9000000') })).toEqual([]);
    expect(await rows('at=10000001')).toMatchObject({ code: 'query_wrong' });
    // What is wrong is named, so that nobody has to guess which of them it is.
    expect(await rows('at=0&foo=1')).toMatchObject({
      code: 'query_wrong',
      detail: expect.stringMatching(/\bfoo\b/) as string,
    });
    const next = async (row: number, column: number, step: number) => {
      const where = `row=${String(row)}&column=${String(column)}&step=${String(step)}`;
      const { fault } = (await web.json(`/api/v1/uploads/${id}/faults/next?${where}`)).body;
      const found = fault as { readonly position: number; readonly index: number } | null;
      return found === null ? null : [found.position, found.index];
    };
    expect([await next(0, -1, 1), await next(1, 5, 1), await next(1, 10, 1), await next(3, 5, 1)]).toEqual([
      [1, 5],
      [1, 10],
      [3, 5],
      null,
    ]);
    expect([await next(4, 0, -1), await next(3, 5, -1), await next(1, 10, -1), await next(1, 5, -1)]).toEqual(
      [[3, 5], [1, 10], [1, 5], null],
    );
  });

  it('takes a document below the folder that a row names, and below none that leads out', async () => {
    const head = `${HEADER},attachment`;
    const id = await uploaded('below.csv', `${head}\n${lineTo('below', 'B-1', '100')},invoices/a.pdf\n`);
    expect((await web.json(`/api/v1/uploads/${id}`)).body['missing']).toEqual(['invoices/a.pdf']);
    const path = `/api/v1/uploads/${id}/documents`;
    const pdf = '%PDF-1.7\n1 0 obj\n%%EOF\n';
    for (const name of ['../a.pdf', 'invoices/../../a.pdf', '/a.pdf', 'a//b.pdf', '.x/a.pdf'])
      expect((await web.json(path, sent(name, pdf))).body['code']).toBe('upload_name_unsafe');
    expect((await web.json(path, sent('invoices/a.pdf', pdf))).status).toBe(201);
    for (const name of ['below.csv/a.pdf', 'invoices/a.pdf/b.pdf', 'invoices']) {
      const { status, body } = await web.json(path, sent(name, pdf));
      expect([name, status, body['code']]).toEqual([name, 422, 'upload_name_unsafe']);
    }
    const checked = await until(web, `/api/v1/uploads/${id}`, ({ state }) => state === 'checked');
    expect(checked).toMatchObject({ faulty: 0, missing: [] });
  });

  it('pays the other rows where that is asked for', async () => {
    const id = await uploaded('half.csv', csv(lineTo('half', 'H-1', '100'), line('H-2', 'x')));
    const { status, body } = await web.json(`/api/v1/uploads/${id}/submission`, order({ skipRows: true }));
    expect(status).toBe(202);
    const done = await until(
      web,
      `/api/v1/files/${String(body['batch'])}`,
      ({ state }) => state === 'closed',
    );
    expect(done['outcomes']).toMatchObject({ paid: 1, rejected: 1 });
  });

  it('that is large is checked in a thread of its own, and as a small one is', async () => {
    const threads: Worker[] = [];
    const onThread = (thread: Worker): void => void threads.push(thread);
    process.on('worker', onThread);
    const rows = Array.from({ length: 4_000 }, (_, at) => lineTo(`l${String(at)}`, `L-${String(at)}`, '100'));
    rows[1_200] = line('L-1200', '1x');
    const checked = async (name: string, content: string) => {
      const { body } = await web.json('/api/v1/uploads', sent(name, content));
      const path = `/api/v1/uploads/${String(body['id'])}`;
      const view = await until(web, path, ({ state }) => state !== 'checking');
      const faults = dataOf(await web.json(`${path}/faults`)).map(({ row, column, code }) => [
        row,
        column,
        code,
      ]);
      return { ...view, faults };
    };
    expect(await checked('large.csv', csv(...rows))).toMatchObject({
      ...{ state: 'checked', rows: 4_000, checked: 4_000, faulty: 1, documentsMissing: 0 },
      ...{
        sums: [{ currency: 'CNY', amount: '399900.00' }],
        faults: [['1202', 'destinationAmount', 'amount_not_a_number']],
      },
    });
    expect(threads).toHaveLength(1);
    expect(await checked('nothing.csv', 'a,b\n'.repeat(100_000))).toMatchObject({
      ...{ state: 'refused', code: 'header_not_found' },
    });
    await checked('small.csv', csv(line('L-1', '1x')));
    expect(threads).toHaveLength(1);
    // The thread may end for any reason: the next file has another one.
    await threads[0]?.terminate();
    expect(await checked('later.csv', csv(...rows))).toMatchObject({ state: 'checked', faulty: 1 });
    expect(threads).toHaveLength(2);
    process.off('worker', onThread);
  });

  it.each([
    ['header_not_found', 'Who;Much\nChen;100\n', 'say under «Match columns» what they mean'],
    [
      'amount_column_missing',
      'reference;receiver.lastName\nA-1;Chen\n',
      'choose which one it is under «Match columns»',
    ],
  ])(
    'tells a person and a program what to do at the page about %s, and no command',
    async (code, text, remedy) => {
      const path = `/api/v1/uploads/${await uploaded('nothing.csv', text)}`;
      const known = await until(web, path, ({ state }) => state !== 'checking');
      const listed = dataOf(await web.json('/api/v1/uploads')).find(({ id }) => id === known['id']);
      expect(known).toMatchObject({ state: 'refused', code });
      for (const reason of [known['reason'], listed?.['reason']]) {
        expect(reason).toContain(remedy);
        expect(reason).not.toContain('paydrop profile');
      }
    },
  );

  it('tells faults and reasons in the reader’s language, whoever sent it in which', async () => {
    const french = { 'accept-language': 'fr-FR, en;q=0.5' };
    const wrong = await uploaded('fautes.csv', csv(line('F-1', '1x')));
    const path = `/api/v1/uploads/${wrong}`;
    for (const [headers, words] of [
      [french, 'Écrivez'],
      [{}, 'Write'],
    ] as const) {
      const [fault] = dataOf(await web.json(`${path}/faults`, { headers }));
      expect(String(fault?.['message'])).toContain(words);
      const { body: next } = await web.json(`${path}/faults/next?row=0&column=-1&step=1`, { headers });
      expect(next['fault']).toEqual(fault);
      const [row] = dataOf(await web.json(`${path}/rows?at=0`, { headers }));
      expect(row?.['faults']).toEqual([fault]);
    }
    const taken = await web.json(`${path}/submission`, order({ skipRows: true }));
    const rows = `/api/v1/files/${String(taken.body['batch'])}/rows`;
    await until(web, rows, ({ data }) => (data as unknown[]).length === 1);
    const reasonIn = async (headers: object): Promise<unknown> =>
      dataOf(await web.json(rows, { headers: { ...headers } }))[0]?.['reason'];
    expect([await reasonIn(french), await reasonIn({})]).toEqual([
      expect.stringContaining('Écrivez'),
      expect.stringContaining('Write'),
    ]);
    const inFrench = (name: string, content: string) => {
      const init = sent(name, content);
      return { ...init, headers: { ...(init.headers as object), ...french } };
    };
    const other = await web.json('/api/v1/uploads', inFrench('autre.csv', 'a,b\n1,2\n'));
    const refused = `/api/v1/uploads/${String(other.body['id'])}`;
    expect((await until(web, refused, ({ state }) => state === 'refused'))['reason']).toContain('header');
    expect((await web.json(refused, { headers: french })).body['reason']).toContain('en-tête');
  });

  it('says why a file cannot be taken', async () => {
    const id = await uploaded('empty.csv', 'reference,destinationAmount\n');
    const { body } = await web.json(`/api/v1/uploads/${id}`);
    expect(body).toMatchObject({ state: 'refused', code: 'no_rows', rows: 0 });
    const refused = await web.json(`/api/v1/uploads/${id}/submission`, order({}));
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: 'no_rows', detail: body['reason'] });
  });

  it('waits for the documents that its rows name, and is checked again with each', async () => {
    const head = `${HEADER},attachment`;
    const id = await uploaded('docs.csv', `${head}\n${lineTo('doc', 'D-1', '100')},invoice.pdf\n`);
    expect((await web.json(`/api/v1/uploads/${id}`)).body).toMatchObject({ faulty: 1, documentsMissing: 1 });
    const path = `/api/v1/uploads/${id}/documents`;
    expect(await web.json(path, sent('invoice.pdf', 'no pdf'))).toMatchObject({
      status: 415,
      body: { code: 'document_unfit' },
    });
    expect((await web.json(path, sent('invoice.pdf', '%PDF-1.7\n1 0 obj\n%%EOF\n'))).status).toBe(201);
    const checked = await until(web, `/api/v1/uploads/${id}`, ({ state }) => state === 'checked');
    expect(checked).toMatchObject({ faulty: 0, documentsMissing: 0 });
  });

  it('is one batch, however often it is submitted', async () => {
    const id = await uploaded('once.csv', csv(lineTo('once', 'O-1', '100')));
    const path = `/api/v1/uploads/${id}/submission`;
    const all = await Promise.all([
      web.json(path, order({})),
      web.json(path, order({})),
      web.json(path, order({ again: true })),
    ]);
    expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
    expect(new Set(all.map(({ body }) => body['batch'])).size).toBe(1);
    const later = await web.json(path, order({ again: true }));
    expect([later.status, later.body]).toEqual([200, all[0].body]);
  });

  it('of bytes that were paid is the batch that they are, unless they are to be paid again', async () => {
    const content = csv(lineTo('twice', 'T-1', '100'));
    const batch = await paid('first.csv', content);
    const same = await web.json(
      `/api/v1/uploads/${await uploaded('second.csv', content)}/submission`,
      order({}),
    );
    expect([same.status, same.body]).toEqual([200, { batch }]);
    const again = await web.json(
      `/api/v1/uploads/${await uploaded('third.csv', content)}/submission`,
      order({ again: true }),
    );
    expect([again.status, again.body]).toEqual([202, { batch: `${batch}-2` }]);
    // A client that always says so would pay twice after each lost answer: a person has to agree.
    const told = await until(
      web,
      `/api/v1/files/${batch}-2`,
      ({ outcomes }) => (outcomes as { held: number }).held + (outcomes as { paid: number }).paid > 0,
    );
    expect(told['outcomes']).toMatchObject({ held: 1, paid: 0 });
    const [row] = dataOf(await web.json(`/api/v1/files/${batch}-2/rows`));
    expect(row?.['errorCode']).toBe('same_bytes_again');
  });

  it('is brought by the program, which so may not approve it', async () => {
    const batch = await paid('brought.csv', csv(lineTo('brought', 'B-1', '100')));
    expect((await web.paydrop.ledger.batch(batch))?.submittedBy).toEqual(['Ledgerly']);
  });

  it('is nobody else’s', async () => {
    const id = await uploaded('mine.csv', csv(lineTo('mine', 'M-1', '100')));
    const key = await web.key('Somebody else');
    for (const [path, init] of [
      [`/api/v1/uploads/${id}`, {}],
      [`/api/v1/uploads/${id}/faults`, {}],
      [`/api/v1/uploads/${id}/submission`, order({})],
      [`/api/v1/uploads/${id}/documents`, sent('a.pdf', '%PDF-1.7')],
    ] as const)
      expect(await web.json(path, { ...init, key })).toMatchObject({
        status: 404,
        body: { code: 'upload_unknown' },
      });
    const paul = await visitor(web, 'Paul Biko', 'maker', 'treasurer');
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/faults'],
      ['GET', '/rows'],
      ['GET', '/faults/next?row=0&column=-1&step=1'],
      ['POST', '/cost'],
      ['POST', '/submission'],
    ] as const)
      expect(
        await paul.json(method, `/uploads/${id}${path}`, method === 'POST' ? {} : undefined),
      ).toMatchObject({ status: 404, body: { code: 'upload_unknown' } });
    // Nor of somebody who is given the program's name.
    const door = await openDoor(web.paydrop.config);
    expect(() => door.people.invite('ledgerly', ['maker'], null)).toThrow('person_exists');
    door.close();
  });

  it.each([
    '../../etc/x.csv',
    'a/b.csv',
    '.hidden.csv',
    'nul\0.csv',
    'turned\u202Evsc.csv',
    `${'x'.repeat(300)}.csv`,
    'dot.csv.',
    '',
  ])('never lies where its name would lead: %j', async (name) => {
    const before = await readdir(join(web.desk.workspace, 'uploads'));
    expect(await web.json('/api/v1/uploads', sent(name, csv(line('N-1', '1'))))).toMatchObject({
      status: 422,
      body: { code: 'upload_name_unsafe' },
    });
    expect(await readdir(join(web.desk.workspace, 'uploads'))).toEqual(before);
  });

  it.each(['CON.csv', 'com1.csv', 'désordre ünïcode.csv', '-rf.csv'])(
    'lies below its own id: %j',
    async (name) => {
      const { status, body } = await web.json('/api/v1/uploads', sent(name, csv(line('N-1', '1'))));
      expect(status).toBe(201);
      expect(await readdir(join(web.desk.workspace, 'uploads', String(body['id'])))).toContain(name);
    },
  );

  it('of a kind that holds no payments is not kept', async () => {
    expect(await web.json('/api/v1/uploads', sent('image.png', 'x'))).toMatchObject({
      status: 415,
      body: { code: 'upload_kind_unknown' },
    });
  });
});

describe('a file', () => {
  it('is told by its summary, newest first, in pages', async () => {
    const one = await paid('page-1.csv', csv(lineTo('page1', 'P-1', '100')));
    const two = await paid('page-2.csv', csv(lineTo('page2', 'P-2', '100')));
    const first = await web.json('/api/v1/files?limit=1');
    expect(dataOf(first).map(({ batch }) => batch)).toEqual([two]);
    const second = await web.json(`/api/v1/files?limit=1&after=${String(first.body['next'])}`);
    expect(dataOf(second).map(({ batch }) => batch)).toEqual([one]);
    const { body } = await web.json(`/api/v1/files/${two}`);
    expect(body).toEqual(dataOf(first)[0]);
    const names = await readdir(web.paydrop.workspace.outbox);
    const name = names.find((each) => each.includes(`${two}.summary.json`)) ?? '';
    const summary: unknown = JSON.parse(await readFile(join(web.paydrop.workspace.outbox, name), 'utf8'));
    const steps = ['checked', 'priced', 'paid'].map((step) => ({ step, state: 'done' }));
    const now = { wait: null, steps, submittedBy: ['Ledgerly'], asked: [], sentBack: null };
    expect(body).toEqual({ ...(summary as object), ...now });
  });

  it('shows its rows by outcome, by code and by words', async () => {
    const batch = await paid('rows.csv', csv(lineTo('r1', 'R-1', '100'), magic('R-2', '0100003')));
    const rows = async (query: string) =>
      dataOf(await web.json(`/api/v1/files/${batch}/rows?${query}`)).map(({ row }) => row);
    expect(await rows('')).toEqual(['2', '3']);
    expect(await rows('outcome=failed')).toEqual(['3']);
    expect(await rows('code=100003')).toEqual(['3']);
    expect(await rows('find=r-1')).toEqual(['2']);
    expect(await rows('find=r-1&outcome=failed')).toEqual([]);
    const [row] = dataOf(await web.json(`/api/v1/files/${batch}/rows?limit=1`));
    expect(row).toMatchObject({
      row: '2',
      outcome: 'paid',
      destinationCurrency: 'CNY',
      receiveAmount: '100.00',
      attempts: '1',
      batch,
      receiver: 'Li Wei',
    });
    // The end of the telephone number alone.
    expect(row?.['account']).toMatch(/^••• \d{4}$/);
    const next = (await web.json(`/api/v1/files/${batch}/rows?limit=1`)).body['next'];
    expect(
      dataOf(await web.json(`/api/v1/files/${batch}/rows?limit=1&after=${String(next)}`))[0],
    ).toMatchObject({ row: '3' });
  });

  it('has a story, and so has each row', async () => {
    const batch = await paid('story.csv', csv(lineTo('s', 'S-1', '100')));
    const own = dataOf(await web.json(`/api/v1/files/${batch}/timeline?limit=200`));
    expect(own[0]).toMatchObject({ code: 'batch_announced', row: null, by: 'Ledgerly' });
    expect(own.filter(({ code }) => code === 'batch_state').map(({ state }) => state)).toEqual(
      expect.arrayContaining(['checking', 'accepted', 'sending', 'closed']),
    );
    for (const limit of [2, 3, 7]) {
      const walked: unknown[] = [];
      for (let next: string | null = ''; next !== null;) {
        const after = next === '' ? '' : `&after=${next}`;
        const page = await web.json(`/api/v1/files/${batch}/timeline?limit=${String(limit)}${after}`);
        expect(dataOf(page).length).toBeLessThanOrEqual(limit);
        walked.push(...dataOf(page));
        next = page.body['next'] as string | null;
      }
      expect(walked).toEqual(own);
    }
    const story = dataOf(await web.json(`/api/v1/files/${batch}/timeline?row=2`));
    expect(story[0]).toMatchObject({ code: 'row_registered', row: '2' });
    expect(story.at(-1)).toMatchObject({ code: 'row_stage', stage: 'paid', row: '2' });
    expect((await web.json(`/api/v1/files/${batch}/timeline?row=99`)).body['code']).toBe('row_unknown');
  });

  it('gives the very bytes of the outbox, by the kind of the answer', async () => {
    const batch = await paid('answers.csv', csv(lineTo('ans', 'A-9', '100')));
    const answers = dataOf(await web.json(`/api/v1/files/${batch}/answers`));
    expect(answers.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['ack', 'result', 'reconciliation', 'summary']),
    );
    for (const { kind, name, bytes, sha256 } of answers) {
      const response = await web.ask(`/api/v1/files/${batch}/answers/${String(kind)}`);
      const got = Buffer.from(await response.arrayBuffer());
      expect(got).toEqual(await readFile(join(web.paydrop.workspace.outbox, String(name))));
      expect([got.length, createHash('sha256').update(got).digest('hex')]).toEqual([bytes, sha256]);
      expect(response.headers.get('content-disposition')).toContain('attachment');
    }
    for (const kind of ['preview', '..', '%2e%2e%2fsummary', 'result-2'])
      expect((await web.ask(`/api/v1/files/${batch}/answers/${kind}`)).status).toBe(404);
  });

  it('gives a proof of payment of a file or of one of its rows, which the ledger vouches for', async () => {
    const batch = await paid('proof.csv', csv(lineTo('prf', 'A-10', '100')));
    for (const asked of ['', '?row=2', '?row=2&language=fr']) {
      const response = await web.ask(`/api/v1/files/${batch}/proof${asked}`);
      expect(response.headers.get('content-type')).toBe('application/pdf');
      expect(response.headers.get('content-disposition')).toContain('.proof.pdf');
      const path = join(web.paydrop.workspace.root, 'downloaded.pdf');
      await writeFile(path, Buffer.from(await response.arrayBuffer()));
      expect(await verify(web.paydrop, path)).toMatchObject({ verdict: 'genuine' });
    }
    expect((await web.json(`/api/v1/files/${batch}/proof?row=99`)).body['code']).toBe('row_unknown');
    expect((await web.json(`/api/v1/files/${batch}/proof?language=de`)).status).toBe(422);
  });

  it('gives the entries for the books of a closed batch, in each format', async () => {
    const batch = await paid('journal.csv', csv(lineTo('jrn', 'A-11', '100')));
    for (const [asked, begins] of [
      ['', 'date,journal,piece'],
      ['?format=odoo', 'id,date,ref'],
      ['?format=sage', 'BQ;'],
    ] as const) {
      const response = await web.ask(`/api/v1/files/${batch}/journal${asked}`);
      expect(response.headers.get('content-disposition')).toContain('journal.');
      expect((await response.text()).startsWith(begins)).toBe(true);
    }
    expect((await web.json(`/api/v1/files/${batch}/journal?format=xls`)).status).toBe(422);
  });

  it('that nobody knows is not found', async () => {
    for (const path of ['', '/rows', '/timeline', '/answers'])
      expect(await web.json(`/api/v1/files/20260101-00000000${path}`)).toMatchObject({
        status: 404,
        body: { code: 'batch_unknown', type: '/problems/batch_unknown', status: 404 },
      });
  });
});

describe('what can be asked besides', () => {
  it('balances are what the service says, less what is promised', async () => {
    const [balance] = (await web.paydrop.service.balances()).value.filter(
      ({ currency }) => currency === 'XAF',
    );
    const told = dataOf(await web.json('/api/v1/balances')).find(({ currency }) => currency === 'XAF');
    expect(told).toMatchObject({ available: balance?.available, promised: '0', free: balance?.available });
  });

  it('corridors, and the template of one', async () => {
    const [corridor] = dataOf(await web.json('/api/v1/corridors'));
    const response = await web.ask(`/api/v1/templates/${String(corridor?.['id'])}.xlsx`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(/\.template\.xlsx$/);
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    expect((await web.json('/api/v1/templates/NOWHERE.xlsx')).body['code']).toBe('corridor_unknown');
  });

  it('schedules, of which this desk has none', async () => {
    expect((await web.json('/api/v1/schedules')).body).toEqual({ data: [], next: null });
  });
});

describe('what holds of every address', () => {
  it.each(['corridors', 'balances', 'schedules', 'files', 'files/BATCH/answers', 'files/BATCH/rows'])(
    '%s is a list of pages',
    async (path) => {
      const batch = await paid(`${path.replaceAll('/', '-')}.csv`, csv(lineTo(path, `${path}-1`, '100')));
      const address = `/api/v1/${path.replace('BATCH', batch)}?limit=1`;
      const { status, body } = await web.json(address);
      expect([status, dataOf({ body }).length <= 1]).toEqual([200, true]);
      const found: unknown[] = [...dataOf({ body })];
      for (let next = body['next']; typeof next === 'string';) {
        const more = await web.json(`${address}&after=${next}`);
        expect([more.status, dataOf(more).length <= 1]).toEqual([200, true]);
        found.push(...dataOf(more));
        next = more.body['next'];
      }
      expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(found.length);
    },
  );

  it.each(['rows_to_fix', 'header_not_found', 'approval_question_differs'])(
    'the type of the problem %s leads to what it means',
    async (code) => {
      const { status, body } = await web.json(`/problems/${code}`, { key: null });
      expect([status, body['code'], body['type']]).toEqual([200, code, `/problems/${code}`]);
    },
  );

  it('the page is there for a program that takes anything, at its own address alone', async () => {
    const page = await web.ask('/', { key: null, headers: { accept: '*/*' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await web.ask('/nowhere', { key: null, headers: { accept: '*/*' } })).status).toBe(404);
  });
});

describe('the stream of events', () => {
  it('goes on from where a reader was, and misses nothing that was committed meanwhile', async () => {
    const place = (await web.paydrop.ledger.history.events(null, FROM_END, 1)).next;
    const batch = await paid('followed.csv', csv(lineTo('fol', 'E-1', '100')));
    const response = await web.ask('/api/v1/events', { headers: { 'last-event-id': place } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!/^id: /m.test(text) || !text.includes('event: balance'))
      text += Buffer.from((await reader.read()).value ?? []).toString('utf8');
    await reader.cancel();
    const events = [...text.matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(([, event, data = '']) => [
      event,
      JSON.parse(data) as object,
    ]);
    expect(events).toContainEqual(['rows', { batch, count: 1, rows: ['2'] }]);
    const told = events.filter(([event]) => event === 'batch').map(([, data]) => data);
    expect(told[0]).toMatchObject({ batch });
    expect(JSON.stringify(told)).toContain('"state":"closed"');
  });

  it('tells how far a check has come', async () => {
    const response = await web.ask('/api/v1/events');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const id = await uploaded('job.csv', csv(lineTo('job', 'J-1', '100')));
    let text = '';
    while (!text.includes(`"id":"${id}","state":"checked"`))
      text += Buffer.from((await reader.read()).value ?? []).toString('utf8');
    await reader.cancel();
    expect(text).toContain('event: job\n');
  });
});
