// Cells that are corrected on the page: the file is written again in its own form, and whoever approves it sees what was changed.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { UploadFolder } from '../../src/app/intake/upload-folder.ts';
import { Uploads } from '../../src/app/intake/uploads.ts';
import { FileThread } from '../../src/app/parts/file-thread.ts';
import { readManifest } from '../../src/inbox/manifest.ts';
import { standingFolder } from '../../src/inbox/workspace.ts';
import { readRows } from '../../src/rows/formats.ts';
import { writeXlsx, type XlsxCell } from '../../src/rows/xlsx/xlsx-writer.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, order, sent, until, type Web } from './with-web.ts';

const COLUMNS = HEADER.split(',');
const AMOUNT = COLUMNS.indexOf('destinationAmount');
const PURPOSE = COLUMNS.indexOf('purposeOfRemittance');

let web: Web;
let armand: Visitor;
let marie: Visitor;

beforeAll(async () => {
  web = await openWeb('policy: { approval: required }');
  [armand, marie] = await Promise.all([
    visitor(web, 'Armand Mbarga', 'maker'),
    visitor(web, 'Marie Ngo', 'maker', 'checker'),
  ]);
});
afterAll(() => web.close());

type Cell = { readonly row: number; readonly column: number; readonly text: string };

async function uploaded(name: string, content: string | Uint8Array): Promise<string> {
  const { body } = sent(name, content);
  const headers = { 'x-file-name': name, cookie: armand.cookie, 'sec-fetch-site': 'same-origin' };
  const response = await fetch(`${web.url}/api/v1/uploads`, { method: 'POST', headers, body: body ?? null });
  const { id } = (await response.json()) as { id: string };
  return id;
}

async function checked(id: string): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { body } = await armand.json('GET', `/uploads/${id}`);
    if (body['state'] !== 'checking') return body;
    await web.paydrop.clock.sleep(20);
  }
}

/** The id of the upload that has these cells. */
async function corrected(id: string, ...cells: readonly Cell[]): Promise<string> {
  await checked(id);
  const { status, body, headers } = await armand.json('POST', `/uploads/${id}/corrections`, { cells });
  expect([status, headers.get('location')]).toEqual([201, `/api/v1/uploads/${String(body['id'])}`]);
  return String(body['id']);
}

async function refused(who: Visitor, id: string, ...cells: readonly Cell[]) {
  const { status, body } = await who.json('POST', `/uploads/${id}/corrections`, { cells });
  return [status, body['code']];
}

/** As a file that spreadsheet programs open keeps a telephone number: no program runs it as a formula. */
function written(...lines: readonly string[]): string {
  return `${lines.join('\n').replaceAll('+86', "'+86")}\n`;
}

function contentOf(id: string, name: string): Promise<Buffer> {
  return readFile(join(web.desk.workspace, 'uploads', id, name));
}

describe('a cell that is corrected on the page', () => {
  it('makes a new file in the place of the old, and is shown to whoever approves it', async () => {
    const lines = [lineTo('a', 'K-1', '12x'), lineTo('b', 'K-2', '250')];
    const first = await uploaded('faulty.csv', `${[HEADER, ...lines].join('\n')}\n`);
    expect(await checked(first)).toMatchObject({ faulty: 1, corrected: 0 });
    const half = await corrected(first, { row: 0, column: AMOUNT, text: '12y' });
    expect(await checked(half)).toMatchObject({ faulty: 1, corrected: 1 });
    const last = await corrected(
      half,
      { row: 0, column: AMOUNT, text: '120' },
      { row: 1, column: PURPOSE, text: 'SERVICE_FEES' },
    );
    expect(await checked(last)).toMatchObject({ name: 'faulty.csv', faulty: 0, corrected: 2 });
    for (const old of [first, half]) expect((await armand.json('GET', `/uploads/${old}`)).status).toBe(404);
    const [one = '', other = ''] = lines;
    const now = written(HEADER, one.replace('12x', '120'), other.replace('SALARY_PAYMENT', 'SERVICE_FEES'));
    expect((await contentOf(last, 'faulty.csv')).toString()).toBe(now);
    const { body } = await armand.json('POST', `/uploads/${last}/submission`, {});
    const batch = String(body['batch']);
    await until(web, `/api/v1/files/${batch}`, ({ state }) => state === 'awaiting-approval');
    const { body: shown } = await marie.json('GET', `/files/${batch}/comparison`);
    expect(shown['corrected']).toEqual([
      { row: '2', column: 'destinationAmount', before: '12x', after: '120' },
      { row: '3', column: 'purposeOfRemittance', before: 'SALARY_PAYMENT', after: 'SERVICE_FEES' },
    ]);
    // A ledger that is lost takes nothing of it along.
    const folder = await standingFolder(web.paydrop.workspace, batch);
    expect((await readManifest(folder ?? ''))?.corrected).toHaveLength(2);
    expect(await refused(armand, last, { row: 0, column: AMOUNT, text: '1' })).toEqual([
      409,
      'upload_submitted',
    ]);
  });

  it('leaves every other cell as it was written, with its decimal marks, quotes and letters', async () => {
    const head = HEADER.replaceAll(',', ';');
    const row = (reference: string, amount: string) =>
      lineTo(reference, reference, '@').replaceAll(',', ';').replace('@', amount).replace('Wei', '"W;é""i"');
    const latin = Buffer.from(
      `${[head, row('L-1', '1.250,50'), row('L-2', 'x'), row('L-3', '107,5')].join('\r\n')}\r\n`,
      'latin1',
    );
    const id = await corrected(await uploaded('latin.csv', latin), { row: 1, column: AMOUNT, text: '99,25' });
    expect(await checked(id)).toMatchObject({ faulty: 0, sums: [{ currency: 'CNY', amount: '1457.25' }] });
    const wanted = latin.toString('latin1').replace(';x;', ';99,25;').replaceAll('+86', "'+86");
    expect((await contentOf(id, 'latin.csv')).toString('latin1')).toBe(wanted);
  });

  it('is no correction where it says again what was sent', async () => {
    const content = `${[HEADER, lineTo('d', 'D-1', '100'), lineTo('e', 'D-2', 'z')].join('\n')}\n`;
    const once = await corrected(await uploaded('back.csv', content), { row: 0, column: AMOUNT, text: '10' });
    const back = await corrected(once, { row: 0, column: AMOUNT, text: '100' });
    expect(await checked(back)).toMatchObject({ corrected: 0 });
    const now = written(HEADER, lineTo('d', 'D-1', '100'), lineTo('e', 'D-2', 'z'));
    expect((await contentOf(back, 'back.csv')).toString()).toBe(now);
  });

  it('is text in a workbook, whose other cells, title and digits stay', async () => {
    const values = (reference: string, amount: XlsxCell): readonly XlsxCell[] =>
      lineTo(reference, reference, '0')
        .split(',')
        .map((value, at) => (at === AMOUNT ? amount : { value, format: '@' }));
    const sheet = {
      name: 'Paie',
      title: [[{ value: 'Salaires de novembre' }]],
      header: COLUMNS,
      widths: COLUMNS.map(() => 12),
      rows: Readable.from([
        values('X-1', { value: { decimal: '1250.5' }, format: '#,##0.00' }),
        values('X-2', { value: 'n/a' }),
      ]),
    };
    const bytes = Buffer.concat(await Array.fromAsync(writeXlsx([sheet])));
    const id = await corrected(await uploaded('paie.xlsx', bytes), { row: 1, column: AMOUNT, text: '99.25' });
    expect(await checked(id)).toMatchObject({ name: 'paie.xlsx', faulty: 0, rows: 2 });
    const path = join(web.desk.workspace, 'uploads', id, 'paie.xlsx');
    const { table, rows } = await readRows(path, { rowsMax: 10, bytesMax: 1e6, decimalMark: 'auto' });
    expect(table.form.kind === 'xlsx' && table.form.head[0]?.[0]?.text).toBe('Salaires de novembre');
    const read = await Array.fromAsync(rows());
    expect(read.map(({ cells, kinds }) => [cells[AMOUNT], kinds?.[AMOUNT]])).toEqual([
      ['1250.5', 'number'],
      ['99.25', 'text'],
    ]);
    expect(read[0]?.cells.at(-1)).toBe(lineTo('X-1', '', '').split(',').at(-1));
  });

  it('cannot run as a formula', async () => {
    const content = `${[HEADER, lineTo('f', 'G-1', '100')].join('\n')}\n`;
    const id = await corrected(await uploaded('formula.csv', content), { row: 0, column: 0, text: '=cmd|x' });
    expect((await contentOf(id, 'formula.csv')).toString()).toContain("\n'=cmd|x,");
    await checked(id);
    const { body } = await armand.json('GET', `/uploads/${id}/rows`);
    expect((dataOf({ body })[0]?.['cells'] as readonly string[])[0]).toBe('=cmd|x');
  });

  it('keeps the documents of the file', async () => {
    const content = `${[`${HEADER},attachment`, `${lineTo('h', 'H-1', 'y')},bill.pdf`].join('\n')}\n`;
    const id = await uploaded('bill.csv', content);
    const headers = { 'x-file-name': 'bill.pdf', cookie: armand.cookie, 'sec-fetch-site': 'same-origin' };
    const pdf = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';
    await fetch(`${web.url}/api/v1/uploads/${id}/documents`, { method: 'POST', headers, body: pdf });
    expect(await checked(id)).toMatchObject({ documentsMissing: 0 });
    const next = await corrected(id, { row: 0, column: AMOUNT, text: '150' });
    expect(await checked(next)).toMatchObject({ documentsMissing: 0, faulty: 0 });
    expect((await contentOf(next, 'bill.pdf')).toString()).toBe(pdf);
  });

  it('must be in the sheet, of one’s own file, and sent by a person', async () => {
    const id = await uploaded('mine.csv', `${[HEADER, lineTo('m', 'M-1', 'q')].join('\n')}\n`);
    await checked(id);
    const cell = { row: 0, column: AMOUNT, text: '5' };
    expect(await refused(armand, id, { ...cell, row: 1 })).toEqual([422, 'correction_unfit']);
    expect(await refused(armand, id, { ...cell, column: COLUMNS.length })).toEqual([422, 'correction_unfit']);
    // A row that is emptied would be none, and the next one would stand in its place.
    const blank = COLUMNS.map((_, column) => ({ row: 0, column, text: '' }));
    expect((await armand.json('POST', `/uploads/${id}/corrections`, { cells: blank })).body['code']).toBe(
      'correction_unfit',
    );
    expect(await refused(armand, id, { ...cell, text: 'a\u0000b' })).toEqual([422, 'body_wrong']);
    expect(await refused(armand, id)).toEqual([422, 'body_wrong']);
    expect(await refused(marie, id, cell)).toEqual([404, 'upload_unknown']);
    const { status, body } = await web.json(`/api/v1/uploads/${id}/corrections`, order({ cells: [cell] }));
    expect([status, body['code']]).toEqual([403, 'people_only']);
  });
});

describe('an upload that changes while it is checked', () => {
  it('is checked as it is now: a document that comes meanwhile is not forgotten', async () => {
    const uploads = new Uploads(web.paydrop, () => expect.unreachable(), new FileThread());
    const folder = new UploadFolder(web.paydrop);
    const from = { by: 'sender' } as const;
    const content = `${[`${HEADER},attachment`, `${lineTo('w', 'W-1', '10')},late.pdf`].join('\n')}\n`;
    const upload = await folder.receive('late.csv', Readable.from([Buffer.from(content)]), from);
    const { service } = web.paydrop;
    const corridors = service.payoutCorridors.bind(service);
    const gate = Promise.withResolvers<null>();
    const begun = Promise.withResolvers<null>();
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n');
    // The check has read the upload's note, and stands still before it reads the documents.
    vi.spyOn(service, 'payoutCorridors').mockImplementationOnce(async (filter) => {
      begun.resolve(null);
      await gate.promise;
      return corridors(filter);
    });
    await uploads.view(upload.id, from.by, 'en');
    await begun.promise;
    await folder.addDocument(upload, 'late.pdf', Readable.from([pdf]));
    gate.resolve(null);
    await vi.waitUntil(async () => (await folder.find(upload.id))?.checked !== null, { timeout: 20_000 });
    expect(await folder.find(upload.id)).toMatchObject({ version: 2, checked: { documentsMissing: 0 } });
    vi.restoreAllMocks();
    await uploads.close();
  });
});

describe('what was typed and is not checked yet', () => {
  const cells = [{ row: 0, column: AMOUNT, text: '120' }];

  it('is kept for its sender alone, and ends with the upload', async () => {
    const id = await uploaded('typed.csv', `${HEADER}\n${lineTo('typed', 'D-1', '12x')}\n`);
    await checked(id);
    expect((await armand.json('GET', `/uploads/${id}/draft`)).body).toEqual({ cells: [] });
    const other = [{ row: 0, column: AMOUNT, text: '99' }];
    for (const each of [other, cells])
      expect((await armand.json('PUT', `/uploads/${id}/draft`, { cells: each })).status).toBe(200);
    expect((await armand.json('GET', `/uploads/${id}/draft`)).body).toEqual({ cells });
    expect((await marie.json('GET', `/uploads/${id}/draft`)).status).toBe(404);
    expect((await marie.json('PUT', `/uploads/${id}/draft`, { cells })).status).toBe(404);
    expect((await web.json(`/api/v1/uploads/${id}/draft`)).body['code']).toBe('people_only');
    const made = await corrected(id, ...cells);
    expect((await armand.json('GET', `/uploads/${id}/draft`)).status).toBe(404);
    await checked(made);
    expect((await armand.json('POST', `/uploads/${made}/submission`, {})).status).toBe(202);
    expect((await armand.json('PUT', `/uploads/${made}/draft`, { cells })).body['code']).toBe(
      'upload_submitted',
    );
  });

  it.each([
    ['with a sign that no cell has', [{ row: 0, column: 0, text: 'a\u0000b' }]],
    ['of too many cells', Array.from({ length: 501 }, (_, row) => ({ row, column: 0, text: 'a' }))],
    ['of a place that is none', [{ row: -1, column: 0, text: 'a' }]],
  ])('%s is refused', async (_, wrong) => {
    const id = await uploaded('unfit.csv', `${HEADER}\n${lineTo('unfit', 'D-2', '12x')}\n`);
    expect((await armand.json('PUT', `/uploads/${id}/draft`, { cells: wrong })).body['code']).toBe(
      'body_wrong',
    );
  });
});

it('a file that was sent back is opened again by who brought it, corrected, and brought without another question', async () => {
  const text = `${[HEADER, lineTo('Bo', 'B-1', '100'), lineTo('Bi', 'B-2', '200')].join('\n')}\n`;
  const brought = async (id: string): Promise<string> => {
    const { status, body } = await armand.json('POST', `/uploads/${id}/submission`, {});
    expect(status).toBe(202);
    const batch = String(body['batch']);
    while ((await armand.json('GET', `/files/${batch}/approval`)).status !== 200)
      await web.paydrop.clock.sleep(20);
    return batch;
  };
  const upload = await uploaded('back.csv', text);
  await checked(upload);
  const batch = await brought(upload);
  expect((await armand.json('POST', `/files/${batch}/correction`, {})).body['code']).toBe(
    'file_not_sent_back',
  );
  const refusal = { reason: 'B-2 is twice what it was', sendBack: true };
  expect((await marie.json('POST', `/files/${batch}/decline`, refusal)).body).toMatchObject({
    state: 'declined',
    declined: { by: 'Marie Ngo', sendsBack: true },
  });
  while ((await armand.json('GET', `/files/${batch}`)).body['state'] !== 'closed')
    await web.paydrop.clock.sleep(20);
  expect((await armand.json('GET', `/files/${batch}`)).body['sentBack']).toMatchObject({
    by: 'Marie Ngo',
    reason: 'B-2 is twice what it was',
  });
  expect((await marie.json('POST', `/files/${batch}/correction`, {})).status).toBe(404);
  const opened = await armand.json('POST', `/files/${batch}/correction`, {});
  expect(opened.status).toBe(201);
  const id = await corrected(String(opened.body['id']), { row: 1, column: AMOUNT, text: '100' });
  await checked(id);
  const next = await brought(id);
  expect((await marie.json('GET', `/files/${next}/comparison`)).body['corrected']).toMatchObject([
    { before: '200', after: '100' },
  ]);
});
