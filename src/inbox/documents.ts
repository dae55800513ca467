// The documents of a batch, taken together with its spreadsheet, and the list of what was found, kept beside them.
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, basename } from 'node:path';

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

/**
 * Inspects the documents that rows name, below the folder of the spreadsheet at `path`.
 * @param into the batch's folder to copy them to, and to keep the list in; null only looks.
 */
export async function takeDocuments(
  path: string,
  names: Iterable<string>,
  into: string | null,
): Promise<DocumentList> {
  const folder = dirname(path);
  const list = new Map<string, ListedDocument>();
  for (const name of names) {
    if (name !== '') list.set(name, await takeDocument(folder, name, into));
  }
  const shared = await stemDocument(path, into);
  if (shared !== null) list.set('', shared);
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

async function stemDocument(path: string, into: string | null): Promise<ListedDocument | null> {
  const stem = basename(path, extname(path));
  for (const extension of STEM_EXTENSIONS) {
    const document = await takeDocument(dirname(path), stem + extension, into);
    if (!('fault' in document) || document.fault !== 'not_found') return document;
  }
  return null;
}
