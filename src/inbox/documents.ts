// The documents of a batch, taken together with its spreadsheet into a folder of their own. Strangers choose the names of documents: here each has a
// name of ours, made of its content, and the list beside the folder says which is which.
import { basename, extname, join } from 'node:path';

import { z } from 'zod';

import { publishFile } from '../base/atomic-file.ts';
import { BatchFolderFault, readNote, writeNote, type Note } from './batch-note.ts';
import { createFolder, documentsFolder } from './workspace.ts';
import {
  DOCUMENT_EXTENSIONS,
  DOCUMENT_FAULTS,
  DOCUMENT_TYPES,
  extensionFor,
  inspectDocument,
  type InspectedDocument,
} from './inspect-document.ts';

/** A document without its bytes. */
export type KnownDocument = { readonly name: string; readonly sha256: string; readonly contentType: string };

export type ListedDocument = KnownDocument | Extract<InspectedDocument, { fault: unknown }>;

/** By the name that the rows use; under the empty name, the one that serves every row that names none. */
export type DocumentList = ReadonlyMap<string, ListedDocument>;

const name = z.string();

const listed = z.union([
  z.object({ name, sha256: z.string().regex(/^[0-9a-f]{64}$/), contentType: z.enum(DOCUMENT_TYPES) }),
  z.object({ name, fault: z.enum(DOCUMENT_FAULTS) }),
]);

export const DOCUMENTS_NOTE: Note<readonly (readonly [string, ListedDocument])[]> = {
  name: '.documents.json',
  schema: z.array(z.tuple([z.string(), listed])),
  holds: { en: 'which documents its rows name', fr: 'quels documents ses lignes nomment' },
};

/** `suppliers` for `suppliers.csv`, and for `suppliers.<batch>.rejected.csv` too. */
export function stemOf(path: string): string {
  return basename(path, extname(path)).replace(/\.\d{8}-[0-9a-f]{8}(?:-\d+)?\.rejected$/, '');
}

/** What the document may be called that serves every row of a spreadsheet that names none. */
export function stemDocuments(stem: string): readonly string[] {
  return DOCUMENT_EXTENSIONS.map((extension) => stem + extension);
}

/** Where documents are looked for. */
export type DocumentPlaces = {
  /** The spreadsheet's own folder: below it documents have the names that rows give them. */
  readonly folder: string;
  /** Folders of batches that its rows come back from, whose lists know the names. */
  readonly batches: readonly string[];
  /** The spreadsheet's own name without extension: a document of that name serves every row that names none. */
  readonly stem: string;
};

/**
 * Inspects the documents that rows name.
 * @param into the batch's folder to copy them to, and to keep the list in; null only looks.
 */
export async function takeDocuments(
  { folder, batches, stem }: DocumentPlaces,
  names: Iterable<string>,
  into: string | null,
): Promise<DocumentList> {
  const sources = [(name: string) => inspectDocument(folder, name), ...batches.map(keptBefore)];
  const list = new Map<string, ListedDocument>();
  for (const name of names) {
    if (name !== '') list.set(name, await takeFirst(sources, [name], into));
  }
  const shared = await takeFirst(sources, stemDocuments(stem), into);
  // No row wrote this name: where it cannot be a document's, there is none.
  if (!isMissing(shared) && !('fault' in shared && shared.fault === 'path')) list.set('', shared);
  if (into !== null) await writeNote(into, DOCUMENTS_NOTE, [...list]);
  return list;
}

/** The list of a batch that was taken before; null when it was never finished. */
export async function readDocumentList(folder: string): Promise<DocumentList | null> {
  const list = await readNote(folder, DOCUMENTS_NOTE);
  return list === null ? null : new Map(list);
}

/** Lets the list of a folder, which is about to lie over an earlier one of the same batch, know the documents that only that one knows. */
export async function keepListed(folder: string, earlierFolder: string): Promise<void> {
  const list = await readDocumentList(folder).catch(unreadableOfOther);
  const earlier = await readDocumentList(earlierFolder).catch(unreadableOfOther);
  if (list === null || earlier === null) return;
  const all = new Map(list);
  for (const [name, document] of earlier)
    if (!('fault' in document) && !('sha256' in (list.get(name) ?? {}))) all.set(name, document);
  await writeNote(folder, DOCUMENTS_NOTE, [...all]);
}

/** The bytes of a document that the batch of this folder took; null when they are no longer the ones that were listed. */
export async function readListedDocument(
  folder: string,
  { sha256, contentType }: Pick<KnownDocument, 'sha256' | 'contentType'>,
): Promise<Uint8Array | null> {
  const document = await inspectDocument(documentsFolder(folder), storedName({ sha256, contentType }));
  return 'bytes' in document && document.sha256 === sha256 ? document.bytes : null;
}

/** The same for a batch whose folder may be archived by another process at any moment: one that is not there is looked for where the folder is now. */
export async function readTakenDocument(
  folderNow: () => Promise<string | null>,
  document: KnownDocument,
): Promise<Uint8Array | null> {
  for (;;) {
    const folder = await folderNow();
    if (folder === null) return null;
    const bytes = await readListedDocument(folder, document);
    if (bytes !== null || (await folderNow()) === folder) return bytes;
  }
}

/** Equal documents are one file, whatever rows call them. */
function storedName({ sha256, contentType }: Pick<KnownDocument, 'sha256' | 'contentType'>): string {
  return sha256 + extensionFor(contentType);
}

/** What a document of this name is, in one of the places where it may lie. */
type Source = (name: string) => Promise<InspectedDocument>;

/** The documents that an earlier batch took, by the names that its rows gave them. */
function keptBefore(batchFolder: string): Source {
  let list: Promise<DocumentList | null> | null = null;
  return async (name) => {
    list ??= readDocumentList(batchFolder).catch(unreadableOfOther);
    const known = [...((await list) ?? new Map<string, ListedDocument>()).values()].find(
      (document) => document.name === name && 'sha256' in document,
    );
    if (known === undefined || 'fault' in known) return { name, fault: 'not_found' };
    const bytes = await readListedDocument(batchFolder, known);
    return bytes === null ? { name, fault: 'not_found' } : { ...known, bytes };
  };
}

/** What is wrong with the folder of another batch is told of that one. */
function unreadableOfOther(error: unknown): null {
  if (error instanceof BatchFolderFault) return null;
  throw error;
}

async function keep({ bytes, ...document }: KnownDocument & { readonly bytes: Uint8Array }, into: string) {
  const folder = documentsFolder(into);
  await createFolder(folder);
  await publishFile(join(folder, storedName(document)), [bytes]);
}

/** The first of these documents that lies in one of these places; else what is wrong with the very first. */
async function takeFirst(
  sources: readonly Source[],
  names: readonly string[],
  into: string | null,
): Promise<ListedDocument> {
  let first: ListedDocument | null = null;
  for (const name of names) {
    for (const source of sources) {
      const document = await source(name);
      if (isMissing(document)) {
        first ??= { name, fault: 'not_found' };
        continue;
      }
      if ('fault' in document) return document;
      if (into !== null) await keep(document, into);
      const { sha256, contentType } = document;
      return { name, sha256, contentType };
    }
  }
  return first ?? { name: names[0] ?? '', fault: 'not_found' };
}

function isMissing(document: ListedDocument | InspectedDocument): boolean {
  return 'fault' in document && document.fault === 'not_found';
}
