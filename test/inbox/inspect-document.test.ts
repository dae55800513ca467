// A document that a row names is uploaded to somebody else: whatever is not a plain file beside the spreadsheet, of a kind that is taken, is not even opened.
import { execFileSync } from 'node:child_process';
import { copyFile, link, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readListedDocument, takeDocuments } from '../../src/inbox/documents.ts';
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

  it('is not read when there is too much of it', async () => {
    await truncate(join(folder, 'invoice.pdf'), 10 * 1024 * 1024 + 1);
    expect(await faultOf('invoice.pdf')).toBe('too_large');
  });
});

it('what is swapped after it was listed is not uploaded', async () => {
  const into = join(folder, 'taken');
  await mkdir(into);
  const list = await takeDocuments([folder], 'suppliers', ['invoice.pdf'], into);
  const listed = list.get('invoice.pdf');
  const sha256 = listed !== undefined && 'sha256' in listed ? listed.sha256 : '';
  expect(await readListedDocument(into, 'invoice.pdf', sha256)).not.toBeNull();
  // Neither the original nor a later one under its name is what was validated.
  await writeFile(join(folder, 'invoice.pdf'), 'other');
  expect(await readListedDocument(into, 'invoice.pdf', sha256)).not.toBeNull();
  await copyFile('samples/invoices/ANH-26-5521.pdf', join(into, 'invoice.pdf'));
  expect(await readListedDocument(into, 'invoice.pdf', sha256)).toBeNull();
});
