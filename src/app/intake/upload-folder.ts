// The place of a file that a program has sent and that is no batch yet: `uploads/<id>/` of the workspace, together with its documents, bounded
// in bytes, and removed after a day. An upload exists once its note does; without a note, the remains of a kill count as nothing.
import { createHash, randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { publishFile } from '../../base/atomic-file.ts';
import { isoTime } from '../../base/clock.ts';
import { type Note, readNote, wordsSchema, writeNote } from '../../inbox/batch-note.ts';
import { readBytes } from '../../base/plain-file.ts';
import { documentOf, type DocumentList } from '../../inbox/documents.ts';
import { DOCUMENT_BYTES_MAX, inspectDocument } from '../../inbox/inspect-document.ts';
import { correctedCell } from '../../inbox/manifest.ts';
import { createFolder } from '../../inbox/workspace.ts';
import { sentence } from '../../messages/messages.ts';
import { holdsPayments } from '../../rows/formats.ts';
import { isSafeName } from '../../sftp/remote-files.ts';
import { type Paydrop, TakesInTurn } from '../parts.ts';
import type { SheetPlace } from './upload-sheet.ts';

const checked = z.object({
  rows: z.int(),
  /** Rows to correct. */
  faulty: z.int(),
  documentsMissing: z.int(),
  /** The documents' names as rows write them; of many, only the first. */
  missing: z.array(z.string()).readonly(),
  sums: z.array(z.object({ currency: z.string().nullable(), amount: z.string() })).readonly(),
  /** What it was read with besides its bytes and documents (profile, sender, config), as a digest; null where several profiles fit. */
  readWith: z.string().nullable(),
  /** The reason why the whole file cannot be taken. */
  refused: z.object({ code: z.string(), words: wordsSchema }).nullable(),
});
export type UploadCheck = Readonly<z.output<typeof checked>>;

const schema = z.object({
  id: z.string(),
  name: z.string(),
  sha256: z.string(),
  bytes: z.int(),
  /** The sender: nobody else sees the upload, and the sender may not approve it. */
  by: z.string(),
  createdAt: z.string(),
  /** Grows with every document: a check of an earlier version says nothing about the file any more. */
  version: z.int(),
  checked: checked.nullable(),
  /** The cells that its sender has corrected since the file was first sent. */
  corrected: z.array(correctedCell).readonly().default([]),
  /** The batch that it became. */
  batch: z.string().nullable(),
});
export type Upload = Readonly<z.output<typeof schema>>;

const NOTE: Note<Upload> = { name: '.upload.json', schema, holds: sentence('uploads.holds') };

/** Text that somebody has typed for a cell, by the positions of its row and its column, from 0. */
const draftCells = z.array(z.object({ row: z.int(), column: z.int(), text: z.string() })).readonly();
export type DraftCells = z.output<typeof draftCells>;

/** What was typed and is not checked yet, so that neither the end of a session nor another browser loses it. */
const DRAFT: Note<DraftCells> = { name: '.draft.json', schema: draftCells, holds: sentence('uploads.holds') };

type ReceiveCode =
  | 'upload_name_unsafe'
  | 'upload_kind_unknown'
  | 'upload_too_large'
  | 'uploads_busy'
  | 'uploads_full'
  | 'upload_submitted'
  | 'upload_cut'
  | 'document_unfit'
  | 'correction_unfit';

/** What is on its way in: from whom, and how long it may become. */
type SenderPlace = { readonly by: string; readonly bytes: number };

/** The sent bytes cannot be kept. */
export class NotReceived extends Error {
  override readonly name = 'NotReceived';
  readonly code: ReceiveCode;

  constructor(code: ReceiveCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

export type UploadBody = AsyncIterable<Uint8Array>;

/** How many are received at once, from one sender and from all: whoever drips keeps its own places, and nobody else's. */
const AT_ONCE = { own: 2, all: 16 } as const;

/** How many files of the greatest size may lie there until they are submitted. */
const QUOTA_FILES = { own: 2, all: 8 } as const;

/** How many of one sender may wait to be submitted, however small. */
const WAITING_MOST = 500;

/** The most folders that a row may put before its document's name. */
const DEPTH_MOST = 4;
const KEPT_MS = 24 * 3_600_000;
/** A folder that has no note after this time was left by a kill. */
const UNFINISHED_MS = 3_600_000;

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What was checked before says nothing about it any more. */
export function toCheck(upload: Upload): Upload {
  return { ...upload, version: upload.version + 1, checked: null };
}

type UploadParts = Pick<Paydrop, 'workspace' | 'config' | 'clock'>;

export class UploadFolder {
  readonly #parts: UploadParts;
  readonly #root: string;
  readonly #turns = new TakesInTurn();
  readonly #receiving = new Set<SenderPlace>();

  constructor(parts: UploadParts) {
    this.#parts = parts;
    this.#root = uploadsFolder(parts.workspace);
  }

  folderOf(id: string): string {
    return join(this.#root, id);
  }

  /** Where the results of a check are written: for each version separately. */
  sheetOf({ id, version }: Upload): SheetPlace {
    return { folder: this.folderOf(id), version };
  }

  /** Null where there is none. */
  async find(id: string): Promise<Upload | null> {
    return ID.test(id) ? readNote(this.folderOf(id), NOTE) : null;
  }

  /** Newest first. */
  async all(): Promise<readonly Upload[]> {
    const found = await Promise.all((await namesIn(this.#root)).map((id) => this.find(id).catch(() => null)));
    return found
      .filter((upload) => upload !== null)
      .sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  }

  async write(upload: Upload): Promise<void> {
    await writeNote(this.folderOf(upload.id), NOTE, upload);
  }

  /** Changes its note as it is now: what a caller has read before may be older. Null where there is none, or where `change` gives null. */
  async revise(id: string, change: (now: Upload) => Upload | null): Promise<Upload | null> {
    return this.#turns.run(id, async () => {
      const now = await this.find(id);
      const next = now === null ? null : change(now);
      if (next !== null) await this.write(next);
      return next;
    });
  }

  /**
   * Durable when it resolves. @param from an upload whose documents it has too. @param length what its sender says that it has; null for nothing said.
   * Throws `NotReceived`.
   */
  async receive(
    name: string,
    sent: UploadBody,
    { by, corrected = [] }: Pick<Upload, 'by'> & Partial<Pick<Upload, 'corrected'>>,
    from: Upload | null = null,
    length: number | null = null,
  ): Promise<Upload> {
    if (!isSafeName(name)) throw new NotReceived('upload_name_unsafe');
    if (!holdsPayments(name)) throw new NotReceived('upload_kind_unknown');
    const id = randomUUID();
    const folder = this.folderOf(id);
    const most = Math.min(length ?? Infinity, this.#parts.config.intake.bytesMax);
    return this.#placed({ by, bytes: most }, async () => {
      await createFolder(folder);
      try {
        const { sha256, bytes } = await keep(join(folder, name), sent, most);
        if (from !== null) await this.#copyDocuments(from, folder);
        const createdAt = isoTime(this.#parts.clock.now());
        const file = { id, name, sha256, bytes, by, createdAt, corrected };
        const upload = { ...file, version: 1, checked: null, batch: null };
        await this.write(upload);
        return upload;
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    });
  }

  /** Keeps a document with an upload, in a folder where rows name one; it replaces one of the same name. Throws `NotReceived`. */
  async addDocument(upload: Upload, name: string, sent: UploadBody): Promise<Upload> {
    const parts = name.split('/');
    if (!parts.every(isSafeName) || parts.length > DEPTH_MOST || name === upload.name)
      throw new NotReceived('upload_name_unsafe');
    const folder = this.folderOf(upload.id);
    return this.#placed({ by: upload.by, bytes: DOCUMENT_BYTES_MAX }, async () => {
      await keepBelow(folder, name, sent);
      const document = await inspectDocument(folder, name);
      if ('fault' in document) {
        await rm(join(folder, name), { force: true });
        throw new NotReceived('document_unfit');
      }
      return (await this.revise(upload.id, toCheck)) ?? upload;
    });
  }

  /** Empty where nothing was typed, or what was typed cannot be read any more. */
  async draft({ id }: Upload): Promise<DraftCells> {
    return (await readNote(this.folderOf(id), DRAFT).catch(() => null)) ?? [];
  }

  /** Durable when it resolves. */
  async keepDraft({ id }: Upload, cells: DraftCells): Promise<void> {
    await writeNote(this.folderOf(id), DRAFT, cells);
  }

  async remove({ id }: Upload): Promise<void> {
    await rm(this.folderOf(id), { recursive: true, force: true });
  }

  async #copyDocuments({ id, name: own }: Upload, folder: string): Promise<void> {
    const root = this.folderOf(id);
    for (const name of await readdir(root, { recursive: true })) {
      const path = join(root, name);
      if (name === own || name.startsWith('.') || !(await stat(path)).isFile()) continue;
      await keepBelow(folder, name, readBytes(path));
    }
  }

  /** The bytes of an upload that became a batch belong to the batch; the note stays for later questions. */
  async keepNoteOnly(upload: Upload): Promise<void> {
    const folder = this.folderOf(upload.id);
    for (const name of await readdir(folder))
      if (name !== NOTE.name) await rm(join(folder, name), { recursive: true, force: true });
  }

  /** Removes uploads older than a day, and the remains of kills; gives those that stay. */
  async sweep(): Promise<readonly Upload[]> {
    const now = this.#parts.clock.now();
    const kept: Upload[] = [];
    for (const id of await namesIn(this.#root)) {
      const upload = await this.find(id).catch(() => null);
      const since =
        upload === null
          ? ((await stat(this.folderOf(id)).catch(() => null))?.mtimeMs ?? now) + UNFINISHED_MS
          : Date.parse(upload.createdAt) + KEPT_MS;
      if (since < now) await rm(this.folderOf(id), { recursive: true, force: true });
      else if (upload !== null) kept.push(upload);
    }
    return kept;
  }

  async #placed<T>(place: SenderPlace, receive: () => Promise<T>): Promise<T> {
    const isOwn = ({ by }: Pick<Upload, 'by'>): boolean => by === place.by;
    const own = [...this.#receiving].filter(isOwn);
    if (own.length >= AT_ONCE.own || this.#receiving.size >= AT_ONCE.all)
      throw new NotReceived('uploads_busy');
    this.#receiving.add(place);
    try {
      const kept = await this.sweep();
      const { bytesMax } = this.#parts.config.intake;
      // The others that are on their way now may become as large as they say.
      const coming = [...this.#receiving];
      const ownBytes = (await this.#bytesOf(kept.filter(isOwn))) + bytesIn(coming.filter(isOwn));
      const bytes = (await this.#bytesOf(kept)) + bytesIn(coming);
      const waiting = kept.filter((upload) => isOwn(upload) && upload.batch === null);
      if (waiting.length >= WAITING_MOST || ownBytes > QUOTA_FILES.own * bytesMax)
        throw new NotReceived('uploads_full');
      if (bytes > QUOTA_FILES.all * bytesMax) throw new NotReceived('uploads_full');
      return await receive();
    } finally {
      this.#receiving.delete(place);
    }
  }

  /** As they were sent: what a check writes beside them is no sender's. */
  async #bytesOf(uploads: readonly Upload[]): Promise<number> {
    let bytes = 0;
    for (const { id } of uploads)
      for (const name of await readdir(this.folderOf(id), { recursive: true }).catch(() => [])) {
        const found = name.startsWith('.')
          ? null
          : await stat(join(this.folderOf(id), name)).catch(() => null);
        bytes += found?.isFile() === true ? found.size : 0;
      }
    return bytes;
  }
}

function bytesIn(places: readonly SenderPlace[]): number {
  return places.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Errors for a file where a folder is needed, or the reverse. */
const OTHER_KIND: ReadonlySet<unknown> = new Set(['EEXIST', 'ENOTDIR', 'EISDIR']);

async function keepBelow(folder: string, name: string, sent: UploadBody): Promise<void> {
  try {
    await createFolder(dirname(join(folder, name)));
    await keep(join(folder, name), sent, DOCUMENT_BYTES_MAX);
  } catch (error) {
    if (error instanceof Error && 'code' in error && OTHER_KIND.has(error.code))
      throw new NotReceived('upload_name_unsafe', { cause: error });
    throw error;
  }
}

function uploadsFolder({ root }: Pick<Paydrop['workspace'], 'root'>): string {
  return join(root, 'uploads');
}

/** Durable when it resolves; if the file is too large, or was cut, nothing of it is left. */
async function keep(
  path: string,
  sent: UploadBody,
  most: number,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* bounded(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of sent) {
        bytes += chunk.byteLength;
        if (bytes > most) throw new NotReceived('upload_too_large');
        hash.update(chunk);
        yield chunk;
      }
    } catch (cause) {
      throw cause instanceof NotReceived ? cause : new NotReceived('upload_cut', { cause });
    }
  }
  await publishFile(path, bounded());
  return { sha256: hash.digest('hex'), bytes };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => ID.test(name));
}

// The documents that rows name and that are missing.

export type Missing = Pick<UploadCheck, 'documentsMissing' | 'missing'>;

/** Nobody reads more names than that. */
const MISSING_MOST = 100;

export function missingOf(documents: DocumentList): Missing {
  const missing = [...documents.rows].filter(([place]) => {
    const document = documentOf(documents, place);
    return document !== null && 'fault' in document && document.fault === 'not_found';
  });
  const names = new Set(missing.map(([, name]) => name));
  return { documentsMissing: names.size, missing: [...names].slice(0, MISSING_MOST) };
}
