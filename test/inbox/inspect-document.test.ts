// A document that a row names is uploaded to somebody else: whatever is not a plain file beside the spreadsheet, of a kind that is taken, is not even opened.
import { execFileSync } from 'node:child_process';
import { copyFile, link, mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  keepListed,
  readDocumentList,
  readListedDocument,
  takeDocuments,
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
    'a\\invoice.pdf',
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

  it('is taken as it is written: another case or another form of its letters is another name', async () => {
    expect(await faultOf('Invoice.pdf')).toBe('not_found');
    await copyFile(SAMPLE, join(folder, 'reçu.pdf'.normalize('NFC')));
    expect(await faultOf('reçu.pdf'.normalize('NFD'))).toBe('not_found');
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

it('what is swapped after it was listed is not uploaded', async () => {
  const into = join(folder, 'taken');
  await mkdir(into);
  const list = await takeDocuments({ folder, batches: [], stem: 'suppliers' }, ['invoice.pdf'], into);
  const listed = list.get('invoice.pdf');
  const document = listed !== undefined && 'sha256' in listed ? listed : null;
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
  const at = (place: string) => ({ folder: place, batches: [folder], stem: 'suppliers' });

  it('is found by the name that its row gave it, whatever it is called there', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'paydrop-mended-'));
    await mkdir(join(folder, 'march'));
    await copyFile(SAMPLE, join(folder, 'march', 'invoice.pdf'));
    await takeDocuments({ folder, batches: [], stem: 'suppliers' }, ['march/invoice.pdf'], folder);
    const list = await takeDocuments(at(elsewhere), ['march/invoice.pdf', 'invoice.pdf'], elsewhere);
    expect(list.get('march/invoice.pdf')).toHaveProperty('sha256');
    expect(list.get('invoice.pdf')).toMatchObject({ fault: 'not_found' });
    expect(await readdir(join(elsewhere, 'documents'))).toHaveLength(1);
    await rm(elsewhere, { recursive: true });
  });

  it('outlives a second refusal of the same bytes, beside which it was missing', async () => {
    const again = await mkdtemp(join(tmpdir(), 'paydrop-again-'));
    await takeDocuments({ folder, batches: [], stem: 'suppliers' }, ['invoice.pdf'], folder);
    const missing = await takeDocuments({ ...at(again), batches: [] }, ['invoice.pdf'], again);
    expect(missing.get('invoice.pdf')).toMatchObject({ fault: 'not_found' });
    await keepListed(again, folder);
    expect((await readDocumentList(again))?.get('invoice.pdf')).toHaveProperty('sha256');
    await rm(again, { recursive: true });
  });
});
