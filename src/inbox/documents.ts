// The documents of a batch, taken together with its spreadsheet, and the list of what was found, kept beside them.
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import { createFolder } from './workspace.ts';
import { inspectDocument, type InspectedDocument } from './inspect-document.ts';

/** What is known of a document without its bytes. */
export type ListedDocument =
  | { readonly name: string; readonly sha256: string; readonly contentType: string }
  | Extract<InspectedDocument, { fault: unknown }>;

/** By the name that the rows use; under the empty name, the one that serves every row that names none. */
export type DocumentList = ReadonlyMap<string, ListedDocument>;

/** The list's own name; a dot file, so that no document can be called so. */
const LIST_NAME = '.documents.json';

/** Kinds that a document with the spreadsheet's own stem may have, in the order in which they are looked for. */
const STEM_EXTENSIONS = ['.pdf', '.png', '.jpg', '.jpeg'];

/** `suppliers` for `suppliers.csv`, and for `suppliers.<batch>.rejected.csv` too. */
export function stemOf(path: string): string {
  return basename(path, extname(path)).replace(/\.\d{8}-[0-9a-f]{8}(?:-\d+)?\.rejected$/, '');
}

/** What the document may be called that serves every row of a spreadsheet that names none. */
export function stemDocuments(stem: string): readonly string[] {
  return STEM_EXTENSIONS.map((extension) => stem + extension);
}

/**
 * Inspects the documents that rows name.
 * @param folders where to look, the spreadsheet's own first; the others are those of the batches that its rows come back from.
 * @param stem the spreadsheet's own name without extension: a document of that name serves every row that names none.
 * @param into the batch's folder to copy them to, and to keep the list in; null only looks.
 */
export async function takeDocuments(
  folders: readonly string[],
  stem: string,
  names: Iterable<string>,
  into: string | null,
): Promise<DocumentList> {
  const list = new Map<string, ListedDocument>();
  for (const name of names) {
    if (name !== '') list.set(name, await takeFirst(folders, [name], into));
  }
  const shared = await takeFirst(folders, stemDocuments(stem), into);
  // No row wrote this name: where it cannot be a document's, there is none.
  if (!isMissing(shared) && !('fault' in shared && shared.fault === 'path')) list.set('', shared);
  if (into !== null) await publishFile(join(into, LIST_NAME), [JSON.stringify([...list])]);
  return list;
}

/** The list of a batch that was taken before; null when it was never finished. */
export async function readDocumentList(folder: string): Promise<DocumentList | null> {
  const text = await readFile(join(folder, LIST_NAME), 'utf8').catch(() => null);
  return text === null ? null : new Map(JSON.parse(text) as [string, ListedDocument][]);
}

/** The bytes of a listed document; null when they are no longer the ones that were listed. */
export async function readListedDocument(
  folder: string,
  name: string,
  sha256: string,
): Promise<Uint8Array | null> {
  const document = await inspectDocument(folder, name);
  return 'bytes' in document && document.sha256 === sha256 ? document.bytes : null;
}

/** The same for a batch whose folder may be archived by another process at any moment: one that is not there is looked for where the folder is now. */
export async function readTakenDocument(
  folderNow: () => Promise<string | null>,
  name: string,
  sha256: string,
): Promise<Uint8Array | null> {
  for (;;) {
    const folder = await folderNow();
    if (folder === null) return null;
    const bytes = await readListedDocument(folder, name, sha256);
    if (bytes !== null || (await folderNow()) === folder) return bytes;
  }
}

async function takeDocument(folder: string, name: string, into: string | null): Promise<ListedDocument> {
  const document = await inspectDocument(folder, name);
  if ('fault' in document) return document;
  const { bytes, ...listed } = document;
  if (into !== null) {
    const target = join(into, name);
    await createFolder(dirname(target));
    await publishFile(target, [bytes]);
  }
  return listed;
}

/** The first of these documents that lies in one of these folders; else what is wrong with the very first. */
async function takeFirst(
  folders: readonly string[],
  names: readonly string[],
  into: string | null,
): Promise<ListedDocument> {
  let first: ListedDocument | null = null;
  for (const name of names) {
    for (const folder of folders) {
      const document = await takeDocument(folder, name, into);
      if (!isMissing(document)) return document;
      first ??= document;
    }
  }
  return first ?? { name: names[0] ?? '', fault: 'not_found' };
}

function isMissing(document: ListedDocument): boolean {
  return 'fault' in document && document.fault === 'not_found';
}
