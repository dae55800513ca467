// The documents of a batch, taken together with its spreadsheet into a folder of their own. Strangers choose the names of documents, so here each
// gets a name made of its content; a list next to the folder maps the names.
import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

import pLimit from 'p-limit';
import { z } from 'zod';

import { publishFile, syncFolder } from '../base/atomic-file.ts';
import { readBytes, readPlainFile } from '../base/plain-file.ts';
import { BatchFolderFault, readNote, writeNote, type Note } from './batch-note.ts';
import {
  archiveFolder,
  createFolder,
  documentsFolder,
  processingFolder,
  type Workspace,
} from './workspace.ts';
import {
  DOCUMENT_BYTES_MAX,
  DOCUMENT_EXTENSIONS,
  DOCUMENT_FAULTS,
  DOCUMENT_TYPES,
  documentsIn,
  extensionFor,
  type InspectedDocument,
} from './inspect-document.ts';
import { sentence } from '../messages/messages.ts';

/** A document without its bytes. */
type KnownDocument = { readonly name: string; readonly sha256: string; readonly contentType: string };

type ListedDocument = KnownDocument | Extract<InspectedDocument, { fault: unknown }>;

/** The parts of a row that concern documents. */
export type NamingRow = {
  readonly place: string;
  /** The document that the row names; empty for none. */
  readonly name: string;
  /** The row's earlier place, when it comes from an answer. */
  readonly before: { readonly batch: string; readonly place: string } | null;
  /** Names without extension under which its document is looked for if the row names none; the first that exists counts. */
  readonly stems?: readonly string[];
  /** Whether the row cannot be paid without a document. */
  readonly needs?: boolean;
};

/** The documents that the rows of a file name, and which of them were found. */
export type DocumentList = {
  /** The door that the file came through; null for none. Rows that come back find their documents through the same door only. */
  readonly door: string | null;
  /** Documents in the file's folder; under the empty name, the one for every row that names none. */
  readonly beside: ReadonlyMap<string, ListedDocument>;
  /** Documents that rows left in an earlier batch, by the row's place in this file. */
  readonly earlier: ReadonlyMap<string, KnownDocument>;
  /** The document name of each row, by place; rows that name none are left out. */
  readonly rows: ReadonlyMap<string, string>;
};

/** The row's document, or what is wrong with it; null when the row names none and no shared document exists. */
export function documentOf(list: DocumentList, place: string): ListedDocument | null {
  const found = list.beside.get(list.rows.get(place) ?? '') ?? null;
  return found === null || isMissing(found) ? (list.earlier.get(place) ?? found) : found;
}

const known = z.object({
  name: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  contentType: z.enum(DOCUMENT_TYPES),
});
const listed = z.union([known, z.object({ name: z.string(), fault: z.enum(DOCUMENT_FAULTS) })]);

const listSchema = z.object({
  door: z.string().nullable(),
  beside: z.array(z.tuple([z.string(), listed])),
  earlier: z.array(z.tuple([z.string(), known])),
  rows: z.array(z.tuple([z.string(), z.string()])),
});

export const DOCUMENTS_NOTE: Note<z.output<typeof listSchema>> = {
  name: '.documents.json',
  schema: listSchema,
  holds: sentence('documents.holds'),
};

async function writeList(folder: string, { door, beside, earlier, rows }: DocumentList): Promise<void> {
  const list = { door, beside: [...beside], earlier: [...earlier], rows: [...rows] };
  await writeNote(folder, DOCUMENTS_NOTE, list);
}

/** `suppliers` for `suppliers.csv`, and for `suppliers.<batch>.rejected.csv` too. */
export function stemOf(path: string): string {
  return basename(path, extname(path)).replace(/\.\d{8}-[0-9a-f]{8}(?:-\d+){0,2}\.rejected$/, '');
}

/** The possible names of the document that serves every row of a spreadsheet without one of its own. */
export function stemDocuments(stem: string): readonly string[] {
  return DOCUMENT_EXTENSIONS.map((extension) => stem + extension);
}

/** Documents that are in memory at the same time. */
const TAKEN_TOGETHER = 8;

/** Where to look for documents. */
export type DocumentPlaces = {
  /** The spreadsheet's own folder; rows name documents relative to it. */
  readonly folder: string;
  /** The spreadsheet's name without extension: a document of that name serves every row that names none. */
  readonly stem: string;
  /** The batch's folder, for a refused file that its owner corrects in place; null for any other file. */
  readonly ownBatch: string | null;
  /** The door that the file comes through; null when an operator names the file, who may take documents from any. */
  readonly door: string | null;
  /** Where an earlier batch may lie. */
  readonly foldersOf: (batch: string) => readonly string[];
};

/**
 * Inspects the documents that rows name.
 * @param into the batch's folder, to which documents and their list are copied; null only inspects them.
 */
export async function takeDocuments(
  places: DocumentPlaces,
  asked: readonly NamingRow[],
  into: string | null,
): Promise<DocumentList> {
  const { folder, stem, ownBatch, door } = places;
  const rows = await foundByStems(places, asked);
  const sources = [documentsIn(folder)];
  if (ownBatch !== null) sources.push(keptIn(ownBatch));
  const store = into === null ? null : storeIn(into);
  const names = [...new Set(rows.map(({ name }) => name))].filter((name) => name !== '');
  const beside = await takeEach(sources, names, store);
  const shared = await takeFirst(sources, stemDocuments(stem), store);
  // No row wrote this name, so a name that no document can have is no fault: there is no document.
  if (!isMissing(shared) && !('fault' in shared && shared.fault === 'path')) beside.set('', shared);
  const list = {
    door,
    beside,
    earlier: await takeEarlier(places, rows, beside, store),
    rows: new Map(rows.filter(({ name }) => name !== '').map(({ place, name }) => [place, name])),
  };
  await store?.sync();
  if (into !== null) await writeList(into, list);
  return list;
}

/** Each waits for the disk several times. Where one cannot be taken, the others are waited for: nobody writes into a folder that is about to be removed. */
async function takeEach(
  sources: readonly Source[],
  names: readonly string[],
  store: Store | null,
): Promise<Map<string, ListedDocument>> {
  const limit = pLimit(TAKEN_TOGETHER);
  const taking = names.map((name) =>
    limit(async () => [name, await takeFirst(sources, [name], store)] as const),
  );
  await Promise.allSettled(taking);
  return new Map(await Promise.all(taking));
}

/** Gives each row that names no document the name of the document that its own ids lead to, where one exists. */
async function foundByStems(
  { folder, ownBatch }: DocumentPlaces,
  rows: readonly NamingRow[],
): Promise<readonly NamingRow[]> {
  if (rows.every(({ name, stems = [] }) => name !== '' || stems.length === 0)) return rows;
  const kept = ownBatch === null ? null : await readDocumentList(ownBatch).catch(unreadableOfOther);
  const there = new Set([
    ...(await readdir(folder).catch(() => [])).map((name) => name.normalize('NFC')),
    ...[...(kept?.beside.values() ?? [])].map(({ name }) => name),
  ]);
  const fitting = (stem: string) => stemDocuments(stem.normalize('NFC')).filter((name) => there.has(name));
  return rows.map((row) => {
    const { name, stems = [] } = row;
    const found = name === '' ? stems.map(fitting).find((names) => names.length > 0) : undefined;
    // If two documents fit, nobody knows which is meant; their joined names match no document, so the row is rejected.
    return found === undefined ? row : { ...row, name: found.join(', ') };
  });
}

/** Documents of rows that come back, from where the earlier batch left them. */
async function takeEarlier(
  { foldersOf, door }: DocumentPlaces,
  rows: readonly NamingRow[],
  beside: ReadonlyMap<string, ListedDocument>,
  store: Store | null,
): Promise<DocumentList['earlier']> {
  const batches = new Map<string, Promise<readonly KeptBefore[]>>();
  const earlier = new Map<string, KnownDocument>();
  for (const { place, name, before } of rows) {
    const found = beside.get(name);
    if (before === null || (found !== undefined && !isMissing(found))) continue;
    const kept = batches.get(before.batch) ?? listsOf(foldersOf(before.batch), door);
    batches.set(before.batch, kept);
    const document = await takeOfRow(await kept, { place: before.place, name }, store);
    if (document !== null) earlier.set(place, document);
  }
  return earlier;
}

type KeptBefore = { readonly folder: string; readonly list: DocumentList };

/** The lists of an earlier batch that came through the same door. */
async function listsOf(folders: readonly string[], door: string | null): Promise<readonly KeptBefore[]> {
  const found: KeptBefore[] = [];
  for (const folder of folders) {
    const list = await readDocumentList(folder).catch(unreadableOfOther);
    if (list !== null && isSameDoor(door, list.door)) found.push({ folder, list });
  }
  return found;
}

/** Whether rows that come through door `now` may use what came through door `then`. An operator may use any; the plain inbox may use what an operator brought. */
export function isSameDoor(now: string | null, then: string | null): boolean {
  return now === null || now === (then ?? '');
}

/** Only the document that this very row named there: a name alone may be anybody's. */
async function takeOfRow(
  batches: readonly KeptBefore[],
  { place, name }: Pick<NamingRow, 'place' | 'name'>,
  store: Store | null,
): Promise<KnownDocument | null> {
  for (const { folder, list } of batches) {
    const document = (list.rows.get(place) ?? '') === name ? documentOf(list, place) : null;
    if (document === null || 'fault' in document) continue;
    const bytes = await readListedDocument(folder, document);
    if (bytes === null) continue;
    await store?.keep({ ...document, bytes });
    return document;
  }
  return null;
}

/** The document list of an earlier batch; null when that batch was never fully taken. */
export async function readDocumentList(folder: string): Promise<DocumentList | null> {
  const list = await readNote(folder, DOCUMENTS_NOTE);
  if (list === null) return null;
  const { door, beside, earlier, rows } = list;
  return { door, beside: new Map(beside), earlier: new Map(earlier), rows: new Map(rows) };
}

/** Copies the documents of a batch, and their list, to the folder of another batch with the same bytes. */
export async function copyDocuments(from: string, into: string): Promise<void> {
  const list = await readDocumentList(from);
  if (list === null) return;
  const names = await readdir(documentsFolder(from)).catch(() => []);
  if (names.length > 0) await createFolder(documentsFolder(into));
  for (const name of names)
    await publishFile(join(documentsFolder(into), name), readBytes(join(documentsFolder(from), name)), {
      syncsFolder: false,
    });
  if (names.length > 0) await syncFolder(documentsFolder(into));
  await writeList(into, list);
}

/** Adds to a folder's list the documents that only an earlier folder of the same bytes knows, before this folder is moved over that one. */
export async function keepListed(folder: string, earlierFolder: string): Promise<void> {
  const list = await readDocumentList(folder).catch(unreadableOfOther);
  const before = await readDocumentList(earlierFolder).catch(unreadableOfOther);
  if (list === null || before === null) return;
  const beside = new Map(list.beside);
  for (const [name, document] of before.beside)
    if (!('fault' in document) && !('sha256' in (beside.get(name) ?? {}))) beside.set(name, document);
  await writeList(folder, { ...list, beside, earlier: new Map([...before.earlier, ...list.earlier]) });
}

/** The bytes of a document that this batch took; null when they are no longer the listed ones. */
export async function readListedDocument(
  folder: string,
  { sha256, contentType }: Pick<KnownDocument, 'sha256' | 'contentType'>,
): Promise<Uint8Array | null> {
  const path = join(documentsFolder(folder), storedName({ sha256, contentType }));
  const bytes = await readPlainFile(path, { bytesMax: DOCUMENT_BYTES_MAX });
  return typeof bytes !== 'string' && hash('sha256', bytes) === sha256 ? bytes : null;
}

/** The same for a batch that another process may archive at any moment: what is no longer where it is processed lies in its new place by then. */
export async function readTakenDocument(
  workspace: Workspace,
  batch: string,
  document: KnownDocument,
): Promise<Uint8Array | null> {
  return (
    (await readListedDocument(processingFolder(workspace, batch), document)) ??
    readListedDocument(archiveFolder(workspace, batch), document)
  );
}

/** Equal documents are stored as one file, whatever names the rows use. */
function storedName({ sha256, contentType }: Pick<KnownDocument, 'sha256' | 'contentType'>): string {
  return sha256 + extensionFor(contentType);
}

/** Inspects the document of this name in one of the places where it may lie. */
type Source = (name: string) => Promise<InspectedDocument>;

/** The documents of a batch, by the names that its rows gave them. */
function keptIn(batchFolder: string): Source {
  let list: Promise<DocumentList | null> | null = null;
  return async (name) => {
    list ??= readDocumentList(batchFolder).catch(unreadableOfOther);
    const all = (await list)?.beside.values() ?? [];
    const document = [...all].find((each) => each.name === name && 'sha256' in each);
    if (document === undefined || 'fault' in document) return { name, fault: 'not_found' };
    const bytes = await readListedDocument(batchFolder, document);
    return bytes === null ? { name, fault: 'not_found' } : { ...document, bytes };
  };
}

/** A fault in another batch's folder is reported for that batch, not here. */
function unreadableOfOther(error: unknown): null {
  if (error instanceof BatchFolderFault) return null;
  throw error;
}

/** Takes documents into the folder of a batch; they are durable once it is synced. */
type Store = {
  readonly keep: (document: KnownDocument & { readonly bytes: Uint8Array }) => Promise<void>;
  readonly sync: () => Promise<void>;
};

function storeIn(into: string): Store {
  const folder = documentsFolder(into);
  let created: Promise<void> | null = null;
  return {
    keep: async ({ bytes, ...document }) => {
      await (created ??= createFolder(folder));
      await publishFile(join(folder, storedName(document)), [bytes], { syncsFolder: false });
    },
    sync: async () => {
      if (created !== null) await syncFolder(folder);
    },
  };
}

/** The first of these documents that lies in one of these places; else the fault of the first. */
async function takeFirst(
  sources: readonly Source[],
  names: readonly string[],
  store: Store | null,
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
      await store?.keep(document);
      const { sha256, contentType } = document;
      return { name, sha256, contentType };
    }
  }
  return first ?? { name: names[0] ?? '', fault: 'not_found' };
}

function isMissing(document: ListedDocument | InspectedDocument): boolean {
  return 'fault' in document && document.fault === 'not_found';
}
