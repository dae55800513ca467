// Where a file lies that a program has sent and that is no batch yet: `uploads/<id>/` of the workspace, with its documents beside it, bounded in
// bytes, and gone after a day. An upload stands once its note does; what a kill leaves without one is nothing.
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { publishFile } from '../../base/atomic-file.ts';
import { isoTime } from '../../base/clock.ts';
import { type Note, readNote, wordsSchema, writeNote } from '../../inbox/batch-note.ts';
import { DOCUMENT_BYTES_MAX, inspectDocument } from '../../inbox/inspect-document.ts';
import { createFolder } from '../../inbox/workspace.ts';
import { sentence } from '../../messages/messages.ts';
import { holdsPayments } from '../../rows/formats.ts';
import { isSafeName } from '../../sftp/remote-files.ts';
import type { Paydrop } from '../parts.ts';

const checked = z.object({
  rows: z.int(),
  /** Rows to fix. */
  faulty: z.int(),
  documentsMissing: z.int(),
  sums: z.array(z.object({ currency: z.string().nullable(), amount: z.string() })).readonly(),
  /** Of a file that cannot be taken as a whole. */
  refused: z.object({ code: z.string(), words: wordsSchema }).nullable(),
});
export type UploadCheck = Readonly<z.output<typeof checked>>;

const schema = z.object({
  id: z.string(),
  name: z.string(),
  sha256: z.string(),
  bytes: z.int(),
  /** Who sent it: nobody else sees it, and who may not approve it. */
  by: z.string(),
  createdAt: z.string(),
  /** Rises with every document: what was checked before it says nothing of the file any more. */
  version: z.int(),
  checked: checked.nullable(),
  /** What it became. */
  batch: z.string().nullable(),
});
export type Upload = Readonly<z.output<typeof schema>>;

const NOTE: Note<Upload> = { name: '.upload.json', schema, holds: sentence('uploads.holds') };

/** One JSON document a line: a list of them goes on from a byte. */
const FAULTS = '.faults.jsonl';

export const RECEIVE_CODES = [
  'upload_name_unsafe',
  'upload_kind_unknown',
  'upload_too_large',
  'uploads_busy',
  'uploads_full',
  'upload_submitted',
  'upload_cut',
  'document_unfit',
] as const;
export type ReceiveCode = (typeof RECEIVE_CODES)[number];

/** What was sent cannot be kept. */
export class NotReceived extends Error {
  override readonly name = 'NotReceived';
  readonly code: ReceiveCode;

  constructor(code: ReceiveCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

export type Sent = AsyncIterable<Uint8Array>;

/** Two files of the greatest size at once, and two that wait to be submitted. */
const QUOTA_FILES = 4;
const AT_ONCE = 2;
const KEPT_MS = 24 * 3_600_000;
/** What has no note after this was left by a kill. */
const UNFINISHED_MS = 3_600_000;

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Parts = Pick<Paydrop, 'workspace' | 'config' | 'clock'>;

export class UploadFolder {
  readonly #parts: Parts;
  readonly #root: string;
  #receiving = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#root = uploadsFolder(parts.workspace);
  }

  folderOf(id: string): string {
    return join(this.#root, id);
  }

  /** Null where there is none. */
  async find(id: string): Promise<Upload | null> {
    return ID.test(id) ? readNote(this.folderOf(id), NOTE) : null;
  }

  async write(upload: Upload): Promise<void> {
    await writeNote(this.folderOf(upload.id), NOTE, upload);
  }

  /** Durable when it resolves. Throws `NotReceived`. */
  async receive(name: string, sent: Sent, by: string): Promise<Upload> {
    if (!isSafeName(name)) throw new NotReceived('upload_name_unsafe');
    if (!holdsPayments(name)) throw new NotReceived('upload_kind_unknown');
    const id = randomUUID();
    const folder = this.folderOf(id);
    return this.#bounded(async () => {
      await createFolder(folder);
      try {
        const most = this.#parts.config.intake.bytesMax;
        const { sha256, bytes } = await keep(join(folder, name), sent, most);
        const createdAt = isoTime(this.#parts.clock.now());
        const upload = { id, name, sha256, bytes, by, createdAt, version: 1, checked: null, batch: null };
        await this.write(upload);
        return upload;
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    });
  }

  /** Keeps a document beside an upload; one of the same name is replaced. Throws `NotReceived`. */
  async addDocument(upload: Upload, name: string, sent: Sent): Promise<Upload> {
    if (!isSafeName(name) || name === upload.name) throw new NotReceived('upload_name_unsafe');
    const folder = this.folderOf(upload.id);
    return this.#bounded(async () => {
      await keep(join(folder, name), sent, DOCUMENT_BYTES_MAX);
      const document = await inspectDocument(folder, name);
      if ('fault' in document) {
        await rm(join(folder, name), { force: true });
        throw new NotReceived('document_unfit');
      }
      const changed = { ...upload, version: upload.version + 1, checked: null };
      await this.write(changed);
      return changed;
    });
  }

  /** The bytes of what became a batch are its own from then on; the note stays for whoever asks again. */
  async keepNoteOnly(upload: Upload): Promise<void> {
    const folder = this.folderOf(upload.id);
    for (const name of await readdir(folder))
      if (name !== NOTE.name && name !== FAULTS)
        await rm(join(folder, name), { recursive: true, force: true });
  }

  /** Removes what is older than a day, and what a kill has left half. */
  async sweep(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const id of await namesIn(this.#root)) {
      const upload = await this.find(id).catch(() => null);
      const since =
        upload === null
          ? ((await stat(this.folderOf(id)).catch(() => null))?.mtimeMs ?? now) + UNFINISHED_MS
          : Date.parse(upload.createdAt) + KEPT_MS;
      if (since < now) await rm(this.folderOf(id), { recursive: true, force: true });
    }
  }

  /** Where faults are written that a check finds, one after the other. */
  async openFaults(id: string): Promise<FileHandle> {
    return open(join(this.folderOf(id), FAULTS), 'w', 0o600);
  }

  /** Up to `limit` lines from a byte on, and the byte behind them, null where no more stand there by now; null where no line begins at that byte. */
  async faults(
    id: string,
    from: number,
    limit: number,
  ): Promise<{ readonly lines: readonly string[]; readonly next: number | null } | null> {
    const file = await open(join(this.folderOf(id), FAULTS)).catch(() => null);
    if (file === null) return { lines: [], next: null };
    try {
      return (await isAtLine(file, from)) ? await linesFrom(file, from, limit) : null;
    } finally {
      await file.close();
    }
  }

  async #bounded<T>(receive: () => Promise<T>): Promise<T> {
    if (this.#receiving >= AT_ONCE) throw new NotReceived('uploads_busy');
    this.#receiving += 1;
    try {
      await this.sweep();
      const { bytesMax } = this.#parts.config.intake;
      if ((await bytesIn(this.#root)) + bytesMax > QUOTA_FILES * bytesMax)
        throw new NotReceived('uploads_full');
      return await receive();
    } finally {
      this.#receiving -= 1;
    }
  }
}

function uploadsFolder({ root }: Pick<Paydrop['workspace'], 'root'>): string {
  return join(root, 'uploads');
}

/** Durable when it resolves; nothing of it is left where it is too large, or was cut. */
async function keep(
  path: string,
  sent: Sent,
  most: number,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* bounded(): AsyncGenerator<Uint8Array> {
    const chunks = sent[Symbol.asyncIterator]();
    for (;;) {
      const chunk = await chunks.next().catch((cause: unknown): never => {
        throw new NotReceived('upload_cut', { cause });
      });
      if (chunk.done === true) return;
      const value: Uint8Array = chunk.value;
      bytes += value.byteLength;
      if (bytes > most) throw new NotReceived('upload_too_large');
      hash.update(value);
      yield value;
    }
  }
  await publishFile(path, bounded());
  return { sha256: hash.digest('hex'), bytes };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => ID.test(name));
}

async function bytesIn(root: string): Promise<number> {
  let bytes = 0;
  for (const id of await namesIn(root))
    for (const name of await readdir(join(root, id)).catch(() => []))
      bytes += (await stat(join(root, id, name)).catch(() => null))?.size ?? 0;
  return bytes;
}

/** More than one fault has; a page of the most takes some hundred kilobytes. */
const READ_BYTES = 64 * 1024;

/** A place that no page has given lies in the middle of a line. */
async function isAtLine(file: FileHandle, at: number): Promise<boolean> {
  if (at === 0) return true;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, at - 1);
  return bytesRead === 1 && buffer[0] === 10;
}

async function linesFrom(file: FileHandle, from: number, limit: number) {
  const lines: string[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for (let position = from; lines.length < limit;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, position);
    position += bytesRead;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    for (let end = rest.indexOf(10); end >= 0 && lines.length < limit; end = rest.indexOf(10)) {
      lines.push(rest.subarray(0, end).toString('utf8'));
      rest = rest.subarray(end + 1);
      at += end + 1;
    }
    if (bytesRead === 0) break;
  }
  const { size } = await file.stat();
  return { lines, next: at < size ? at : null };
}

// The faults of an upload, a line each, in the order of its rows.

/** One fault of one cell; `index` is the column's, from 0, null where the file has no such column. */
export type UploadFault = {
  readonly row: string;
  readonly column: string;
  readonly index: number | null;
  readonly code: string;
  readonly message: string;
};

/** Written some at a time: a file of a million rows may have a fault in each. */
const WRITTEN_CHARACTERS = 64 * 1024;

export class FaultLines {
  readonly #file: FileHandle;
  #text = '';
  #isFirst = true;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** True when faults have become readable. */
  async take(faults: readonly UploadFault[]): Promise<boolean> {
    for (const fault of faults) this.#text += `${JSON.stringify(fault)}\n`;
    // The first are seen at once.
    if (this.#text === '' || (!this.#isFirst && this.#text.length < WRITTEN_CHARACTERS)) return false;
    this.#isFirst = false;
    await this.#flush();
    return true;
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text !== '') await this.#file.appendFile(text);
  }
}
