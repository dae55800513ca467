// A document that a row names is uploaded to another party: anything but a plain file in the spreadsheet's folder, of an accepted kind, is not even opened.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  documentOf,
  keepListed,
  readDocumentList,
  readListedDocument,
  takeDocuments,
  type DocumentPlaces,
  type NamingRow,
} from '../../src/inbox/documents.ts';
import { inspectDocument } from '../../src/inbox/inspect-document.ts';

const SAMPLE = 'samples/invoices/APN-2026-1442.pdf';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-documents-'));
  await copyFile(SAMPLE, join(folder, 'invoice.pdf'));
});
afterEach(() => rm(folder, { recursive: true }));

const faultOf = async (name: string) => {
  const found = await inspectDocument(folder, name);
  return 'fault' in found ? found.fault : 'taken';
};

describe('a name', () => {
  it.each([
    '../invoice.pdf',
    '/etc/passwd',
    'a/../invoice.pdf',
    './invoice.pdf',
    '..\\invoice.pdf',
    'a\\..\\invoice.pdf',
    'C:\\factures\\invoice.pdf',
    '\\\\server\\share\\invoice.pdf',
    '\\invoice.pdf',
    'C:invoice.pdf',
    'invoice.pdf\0.png',
    '%2e%2e/invoice.pdf',
    'a%2finvoice.pdf',
    'https://example.com/invoice.pdf',
    '',
    '.',
    '..',
    '~root/invoice.pdf',
    '.invoice.pdf',
    '.march/invoice.pdf',
    `${'x'.repeat(300)}.pdf`,
  ])('that leads elsewhere is refused unopened: %j', async (name) =>
    expect(await faultOf(name)).toBe('path'),
  );

  it.each(['factures\\mars\\invoice.pdf', 'factures/mars\\invoice.pdf', '.\\factures\\mars\\invoice.pdf'])(
    'is found below the folder as Windows writes it: %j',
    async (name) => {
      expect(await faultOf(name)).toBe('not_found');
      await mkdir(join(folder, 'factures', 'mars'), { recursive: true });
      await copyFile(SAMPLE, join(folder, 'factures', 'mars', 'invoice.pdf'));
      // The row's own words stay the name of what it has.
      expect(await inspectDocument(folder, name)).toMatchObject({ name, contentType: 'application/pdf' });
    },
  );

  it('is taken as it is written: another case is another name', async () =>
    expect(await faultOf('Invoice.pdf')).toBe('not_found'));

  it.each(['NFC', 'NFD'] as const)('counts by its letters, however a Mac writes them: %s', async (form) => {
    const other = form === 'NFC' ? 'NFD' : 'NFC';
    await mkdir(join(folder, 'août'.normalize(form)));
    await copyFile(SAMPLE, join(folder, 'août'.normalize(form), 'reçu.pdf'.normalize(form)));
    for (const each of [form, other]) expect(await faultOf('août/reçu.pdf'.normalize(each))).toBe('taken');
    expect(await faultOf('août/recu.pdf'.normalize(form))).toBe('not_found');
  });

  it('that two files bear in other letters is that of the one written so', async () => {
    for (const form of ['NFC', 'NFD'])
      await writeFile(join(folder, 'reçu.pdf'.normalize(form)), `%PDF-1.7 ${form}`);
    const document = await inspectDocument(folder, 'reçu.pdf'.normalize('NFC'));
    expect('bytes' in document ? Buffer.from(document.bytes).toString() : null).toBe('%PDF-1.7 NFC');
  });
});

describe('what is no plain file of its own', () => {
  it.each(['link', 'hard link', 'pipe', 'folder', 'file below a linked folder'])(
    'a %s is not opened',
    async (kind) => {
      const path = join(folder, 'odd.pdf');
      let name = 'odd.pdf';
      if (kind === 'link') await symlink(join(folder, 'invoice.pdf'), path);
      if (kind === 'hard link') await link(join(folder, 'invoice.pdf'), path);
      if (kind === 'pipe') execFileSync('mkfifo', [path]);
      if (kind === 'folder') await mkdir(path);
      if (kind === 'file below a linked folder') {
        await mkdir(join(folder, 'real'));
        await copyFile(SAMPLE, join(folder, 'real', 'invoice.pdf'));
        await symlink(join(folder, 'real'), join(folder, 'march'));
        name = 'march/invoice.pdf';
      }
      expect(await faultOf(name)).toBe('not_a_file');
    },
  );
});

describe('what is inside', () => {
  it.each([
    ['a program', 'MZ\u0090\u0000'],
    ['a drawing with scripts', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ['a page', '<!doctype html><html></html>'],
    ['text', 'invoice'],
    ['nothing', ''],
  ])('decides, not the name: %s called .pdf is refused', async (_what, content) => {
    await writeFile(join(folder, 'odd.pdf'), content);
    expect(await faultOf('odd.pdf')).toBe('kind');
  });

  it.each(['invoice', 'invoice.yaml', 'invoice.pdf.json'])(
    'counts under the name of a document only: %s',
    async (name) => {
      await copyFile(SAMPLE, join(folder, name));
      expect(await faultOf(name)).toBe('kind');
    },
  );

  it('is not read when there is too much of it', async () => {
    await truncate(join(folder, 'invoice.pdf'), 10 * 1024 * 1024 + 1);
    expect(await faultOf('invoice.pdf')).toBe('too_large');
  });
});

/** Rows of a file in this folder that name these documents, one each from row 2 on. */
const naming = (...names: string[]): readonly NamingRow[] =>
  names.map((name, index) => ({ place: String(index + 2), name, before: null }));

/** Where a file in `place` looks for its documents; rows may come back from the batch whose folder is `folder`. */
const placesOf = (place: string, door: string | null = null): DocumentPlaces => ({
  folder: place,
  stem: 'suppliers',
  ownBatch: null,
  door,
  foldersOf: () => [folder],
});

it('what is swapped after it was listed is not uploaded', async () => {
  const into = join(folder, 'taken');
  await mkdir(into);
  const list = await takeDocuments(placesOf(folder), naming('invoice.pdf'), into);
  const listed = documentOf(list, '2');
  const document = listed !== null && 'sha256' in listed ? listed : null;
  expect(document).toMatchObject({ name: 'invoice.pdf', contentType: 'application/pdf' });
  const { sha256, contentType } = document ?? { sha256: '', contentType: '' };
  const read = () => readListedDocument(into, { sha256, contentType });
  expect(await read()).not.toBeNull();
  // Neither the original nor a later one under its name is what was validated.
  await writeFile(join(folder, 'invoice.pdf'), 'other');
  expect(await read()).not.toBeNull();
  await copyFile('samples/invoices/ANH-26-5521.pdf', join(into, 'documents', `${sha256}.pdf`));
  expect(await read()).toBeNull();
});

describe('a document of a refused file', () => {
  let elsewhere: string;
  beforeEach(async () => {
    elsewhere = await mkdtemp(join(tmpdir(), 'paydrop-mended-'));
    await mkdir(join(folder, 'march'));
    await copyFile(SAMPLE, join(folder, 'march', 'invoice.pdf'));
  });
  afterEach(() => rm(elsewhere, { recursive: true }));

  const NAME = 'march/invoice.pdf';
  const back = (place: string, name = NAME): readonly NamingRow[] => [
    { place: '2', name, before: { batch: '20261122-00000000', place } },
  ];
  const found = async (rows: readonly NamingRow[], door: string | null = null) =>
    documentOf(await takeDocuments(placesOf(elsewhere, door), rows, elsewhere), '2');

  it('is found by the row that named it, whatever it is called there', async () => {
    await takeDocuments(placesOf(folder), naming('invoice.pdf', NAME), folder);
    expect(await found(back('3'))).toMatchObject({ name: NAME, contentType: 'application/pdf' });
    expect(await readdir(join(elsewhere, 'documents'))).toHaveLength(1);
  });

  it.each([
    ['another row than named it', back('2')],
    ['a row that does not stand there', back('9')],
    ['a row under another name', back('3', 'invoice.pdf')],
    ['a row that comes from nowhere', naming(NAME)],
  ])('is not found by %s', async (_who, rows) => {
    await takeDocuments(placesOf(folder), naming('invoice.pdf', NAME), folder);
    expect(await found(rows)).toMatchObject({ fault: 'not_found' });
  });

  it.each([
    ['a tenant', 'north', 'south', 'not_found'],
    ['a tenant', 'north', 'north', undefined],
    ['the plain inbox', 'north', '', 'not_found'],
    ['an operator', 'north', null, undefined],
    ['the plain inbox', null, '', undefined],
    ['a tenant', null, 'south', 'not_found'],
  ])('%s: what came through %j is asked for through %j', async (_who, then, now, fault) => {
    await takeDocuments(placesOf(folder, then), naming('invoice.pdf', NAME), folder);
    const document = await found(back('3'), now);
    expect(document !== null && 'fault' in document ? document.fault : undefined).toBe(fault);
  });

  it('outlives a second refusal of the same bytes, beside which it was missing', async () => {
    await takeDocuments(placesOf(folder), naming(NAME), folder);
    const missing = await takeDocuments(placesOf(elsewhere), naming(NAME), elsewhere);
    expect(documentOf(missing, '2')).toMatchObject({ fault: 'not_found' });
    await keepListed(elsewhere, folder);
    const list = await readDocumentList(elsewhere);
    expect(list === null ? null : documentOf(list, '2')).toHaveProperty('sha256');
  });
});

it('a document outside the folder is never read, while a folder on the way becomes a link and a folder again', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'paydrop-outside-'));
  await copyFile('samples/invoices/ANH-26-5521.pdf', join(outside, 'invoice.pdf'));
  await mkdir(join(folder, 'march'));
  await copyFile(SAMPLE, join(folder, 'march', 'invoice.pdf'));
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SWAPPING, { eval: true, workerData: { folder, outside, stop } });
  await once(worker, 'message');
  const own = createHash('sha256')
    .update(await readFile(SAMPLE))
    .digest('hex');
  const seen = new Set<string>();
  for (let tries = 0; tries < 4_000; tries += 1) {
    const document = await inspectDocument(folder, 'march/invoice.pdf');
    seen.add('fault' in document ? document.fault : document.sha256);
  }
  Atomics.store(stop, 0, 1);
  await once(worker, 'exit');
  await rm(outside, { recursive: true });
  // Otherwise nothing was swapped, or nothing read.
  expect(seen.size).toBeGreaterThan(1);
  expect([...seen].filter((each) => /^[0-9a-f]{64}$/.test(each))).toEqual([own]);
});

const SWAPPING = `
  const { renameSync, symlinkSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  const { folder, outside, stop } = workerData;
  symlinkSync(outside, folder + '/link');
  parentPort.postMessage('begun');
  while (Atomics.load(stop, 0) === 0) {
    renameSync(folder + '/march', folder + '/real');
    renameSync(folder + '/link', folder + '/march');
    renameSync(folder + '/march', folder + '/link');
    renameSync(folder + '/real', folder + '/march');
  }`;
