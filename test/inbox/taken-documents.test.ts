// A batch may be closed and archived by another process while a document of it is read: it is then read where it lies now.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, it } from 'vitest';

import { readTakenDocument } from '../../src/inbox/documents.ts';
import { archiveFolder, processingFolder, type Workspace } from '../../src/inbox/workspace.ts';

const CONTENT = Buffer.from('%PDF-1.7 invoice');
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const DOCUMENT = { name: 'invoice.pdf', sha256: SHA256, contentType: 'application/pdf' };

const BATCH = '20261120-3f9a2c11';
const ROOT = mkdtempSync(join(tmpdir(), 'taken-'));
const WORKSPACE = { processing: join(ROOT, 'processing'), archive: join(ROOT, 'archive') } as Workspace;

afterEach(() => {
  for (const folder of [WORKSPACE.processing, WORKSPACE.archive])
    rmSync(folder, { recursive: true, force: true });
});

/** A batch's folder with one document. */
function put(folder: string, name: string, content: string | Uint8Array): void {
  mkdirSync(join(folder, 'documents'), { recursive: true });
  writeFileSync(join(folder, 'documents', name), content);
}

const FOLDERS = [processingFolder(WORKSPACE, BATCH), archiveFolder(WORKSPACE, BATCH)];

it.each(FOLDERS)('a document is read from %s, where it lies now', async (folder) => {
  put(folder, `${SHA256}.pdf`, CONTENT);
  expect(await readTakenDocument(WORKSPACE, BATCH, DOCUMENT)).toEqual(CONTENT);
});

it.each(['invoice.pdf', `${SHA256}.pdf`])(
  '%s, which is not the document that was checked, is none',
  async (name) => {
    for (const folder of FOLDERS) put(folder, name, '%PDF-1.7 another invoice');
    expect(await readTakenDocument(WORKSPACE, BATCH, DOCUMENT)).toBeNull();
  },
);
