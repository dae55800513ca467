// A batch may be closed and archived by another process while a document of it is read: it is then read where it lies now.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readTakenDocument } from '../../src/inbox/documents.ts';

const CONTENT = Buffer.from('%PDF-1.7 invoice');
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const DOCUMENT = { name: 'invoice.pdf', sha256: SHA256, contentType: 'application/pdf' };

/** A batch's folder with one document. */
function folderWith(name: string, content: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'taken-'));
  mkdirSync(join(folder, 'documents'));
  writeFileSync(join(folder, 'documents', name), content);
  return folder;
}

it('a document whose folder has moved is read where it is now', async () => {
  const archive = folderWith(`${SHA256}.pdf`, CONTENT);
  const places = [join(archive, 'processing'), archive];
  const folderNow = () => Promise.resolve(places.shift() ?? archive);
  expect(await readTakenDocument(folderNow, DOCUMENT)).toEqual(CONTENT);
});

it.each(['invoice.pdf', `${SHA256}.pdf`])(
  '%s, which is not the document that was checked, is none',
  async (name) => {
    const folder = folderWith(name, '%PDF-1.7 another invoice');
    expect(await readTakenDocument(() => Promise.resolve(folder), DOCUMENT)).toBeNull();
  },
);
