// A batch may be closed and archived by another process while a document of it is read: it is then read where it lies now.
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readTakenDocument } from '../../src/inbox/documents.ts';

const DOCUMENT = Buffer.from('%PDF-1.7 invoice');
const SHA256 = createHash('sha256').update(DOCUMENT).digest('hex');

it('a document whose folder has moved is read where it is now', async () => {
  const archive = mkdtempSync(join(tmpdir(), 'taken-'));
  writeFileSync(join(archive, 'invoice.pdf'), DOCUMENT);
  const places = [join(archive, 'processing'), archive];
  const folderNow = () => Promise.resolve(places.shift() ?? archive);
  expect(await readTakenDocument(folderNow, 'invoice.pdf', SHA256)).toEqual(DOCUMENT);
});

it.each(['missing.pdf', 'other.pdf'])(
  '%s, which is not the document that was checked, is none',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'taken-'));
    writeFileSync(join(folder, 'other.pdf'), '%PDF-1.7 another invoice');
    expect(await readTakenDocument(() => Promise.resolve(folder), name, SHA256)).toBeNull();
  },
);
