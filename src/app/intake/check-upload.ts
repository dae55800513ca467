// The check of one upload, cell by cell. A large file is read in a thread of its own: what others ask meanwhile must not wait for it.
import { extname } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { type Reader, say, type Words } from '../../base/language.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import type { Profile } from '../../rows/profile.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import type { Paydrop } from '../parts.ts';
import { readEarlierDigits } from '../workflow/check/check-rules.ts';
import { FileExamination } from '../workflow/check/examine-file.ts';
import { validateFile } from '../workflow/check/validate-file.ts';
import { duesOf } from '../workflow/take/decide-pay-at.ts';
import { documentsOf, readBatchFile, type ReadingConfig } from '../workflow/take/read-batch-file.ts';
import { type Missing, missingOf, type Upload, type UploadCheck } from './upload-folder.ts';
import { type SheetPlace, SheetWriter } from './upload-sheet.ts';

/** Nothing in it but values: it may go to another thread. */
type CheckJob = Pick<Paydrop, 'workspace' | 'sender'> & {
  readonly path: string;
  readonly bytes: number;
  /** When it is checked, in ms: a day may be too far off. */
  readonly now: number;
  readonly sheet: SheetPlace;
  readonly profile: Profile | null;
  readonly corridors: readonly PayoutCorridor[];
  readonly config: ReadingConfig;
};

/** What it finds in the file, whatever profile it was told to read by. */
type CheckedFile = Omit<UploadCheck, 'readWith'>;

/** How far it is, and what it has found so far. */
export type CheckProgress = Pick<UploadCheck, 'rows' | 'faulty'> & Missing & { readonly checked: number };

export const UNBEGUN: CheckProgress = { rows: 0, checked: 0, faulty: 0, documentsMissing: 0, missing: [] };

/** `checked`, `faulty` and the lists that follow grow during the check. */
export type UploadView = {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sentAt: string;
  readonly state: 'checking' | 'checked' | 'refused';
  readonly rows: number;
  /** Rows checked so far. */
  readonly checked: number;
  readonly faulty: number;
  readonly documentsMissing: number;
  readonly missing: readonly string[];
  readonly sums: UploadCheck['sums'];
  readonly code: string | null;
  readonly reason: string | null;
  /** Cells that were corrected on the page. */
  readonly corrected: number;
  readonly batch: string | null;
};

/** @param stopped why its check waits; null where it goes on. */
export function viewOf(
  upload: Upload,
  progress: CheckProgress,
  stopped: Words | null,
  reader: Reader,
): UploadView {
  const { id, name, bytes, createdAt: sentAt, checked, batch } = upload;
  const about = { name, bytes, sentAt, corrected: upload.corrected.length, batch };
  if (checked === null) {
    const reason = stopped === null ? null : say(stopped, reader);
    return { id, state: 'checking', ...about, ...progress, sums: [], code: null, reason };
  }
  const { rows, faulty, documentsMissing, missing, sums, refused } = checked;
  const state = refused === null ? 'checked' : 'refused';
  const why = {
    code: refused?.code ?? null,
    reason: refused === null ? null : say(refused.words, reader),
  };
  return { id, state, ...about, rows, checked: rows, faulty, documentsMissing, missing, sums, ...why };
}

/** A smaller one is checked before a thread has started. */
const THREAD_BYTES = 256 * 1024;

type Tell = (progress: CheckProgress) => void;
type Running = { readonly tell: Tell } & Pick<
  PromiseWithResolvers<CheckedFile>,
  'promise' | 'resolve' | 'reject'
>;

/** One thread for all large files, from the first of them on: what has run before runs faster. */
export class UploadChecks {
  readonly #running = new Map<number, Running>();
  readonly #stop = new AbortController();
  #thread: Worker | null = null;
  #count = 0;

  /** Rejects once it is closed, or when the signal fires. */
  check(job: CheckJob, tell: Tell, signal: AbortSignal): Promise<CheckedFile> {
    const ended = AbortSignal.any([this.#stop.signal, signal]);
    return job.bytes < THREAD_BYTES ? checkHere(job, tell, ended) : this.#checkThere(job, tell, ended);
  }

  /** Passes on what is being sent; once it is a large file, the thread starts while the rest is on its way. */
  async *whileSent(sent: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of sent) {
      bytes += chunk.byteLength;
      if (bytes >= THREAD_BYTES && !this.#stop.signal.aborted) this.#thread ??= this.#start();
      yield chunk;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#thread?.terminate();
  }

  #checkThere({ config, ...job }: CheckJob, tell: Tell, signal: AbortSignal): Promise<CheckedFile> {
    signal.throwIfAborted();
    const running = { tell, ...Promise.withResolvers<CheckedFile>() };
    const number = this.#count++;
    this.#running.set(number, running);
    this.#thread ??= this.#start();
    const sent: Sent = { number, ...job, config: { ...config, baseUrl: config.baseUrl?.href ?? null } };
    this.#thread.postMessage(sent);
    const stop = (): void => {
      this.#thread?.postMessage({ number, isStopped: true } satisfies Stopped);
      running.reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    return running.promise.finally(() => {
      signal.removeEventListener('abort', stop);
      this.#running.delete(number);
    });
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM, { workerData: { checksUploads: true }, execArgv: [] });
    thread.on('message', (said: Said) => {
      const running = this.#running.get(said.number);
      if ('progress' in said) running?.tell(said.progress);
      else if ('check' in said) running?.resolve(said.check);
      else running?.reject(new Error(said.fault));
    });
    const end = (error: unknown): void => {
      this.#thread = null;
      for (const { reject } of this.#running.values()) reject(error);
    };
    thread.on('error', end);
    thread.on('exit', () => end(new Error('The thread has ended.')));
    return thread;
  }
}

async function checkHere(
  { path, now, sheet: place, profile, corridors, ...parts }: CheckJob,
  tell: Tell,
  signal: AbortSignal,
): Promise<CheckedFile> {
  let progress = UNBEGUN;
  try {
    const read = await readBatchFile(path, parts.config, profile);
    // A day that nobody can pay on refuses the file now, not only once it is submitted.
    await duesOf(parts.config, path, read, () => now);
    const documents = await documentsOf(parts, path, read, null);
    progress = { ...progress, rows: read.table.rowCount, ...missingOf(documents) };
    const earlier = await readEarlierDigits(parts, read, documents.door);
    const rules = { corridors, sender: parts.sender, documents, earlier };
    const examination = new FileExamination(read.table, read.table.fileName ?? '');
    const sheet = await SheetWriter.open(place, read.table);
    try {
      tell(progress);
      for await (const row of validateFile(read, rules)) {
        signal.throwIfAborted();
        examination.take(row);
        if (await sheet.take(row)) tell({ ...progress, checked: sheet.rows, faulty: sheet.faulty });
      }
    } finally {
      await sheet.close();
    }
    const { sums, rejected } = examination.found();
    const { rows, documentsMissing, missing } = progress;
    const said = sums.map(({ currency, amount }) => ({ currency, amount }));
    return { rows, faulty: rejected, documentsMissing, missing, sums: said, refused: null };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return refusedCheck(error, progress.rows);
  }
}

/** What a check says of a file that cannot be taken as a whole. */
export function refusedCheck({ code, words }: FileRefused, rows: number): CheckedFile {
  return { rows, faulty: 0, documentsMissing: 0, missing: [], sums: [], refused: { code, words } };
}

type Said = { readonly number: number } & (
  { readonly progress: CheckProgress } | { readonly check: CheckedFile } | { readonly fault: string }
);

type Stopped = { readonly number: number; readonly isStopped: true };

/** An address is no value that goes to another thread. */
type Sent = Omit<CheckJob, 'config'> & {
  readonly number: number;
  readonly config: Omit<ReadingConfig, 'baseUrl'> & { readonly baseUrl: string | null };
};

/** The same file, as it is run: TypeScript from a clone, JavaScript from a package. */
const PROGRAM = new URL(`./check-upload${extname(import.meta.url)}`, import.meta.url);

// In the thread.
if (!isMainThread && (workerData as { readonly checksUploads?: true } | null)?.checksUploads === true) {
  const running = new Map<number, AbortController>();
  parentPort?.on('message', (sent: Sent | Stopped) => {
    if ('isStopped' in sent) running.get(sent.number)?.abort();
    else void checkThere(sent, running);
  });
}

async function checkThere(
  { number, config, ...job }: Sent,
  running: Map<number, AbortController>,
): Promise<void> {
  const say = (said: object): void => parentPort?.postMessage({ number, ...said });
  const baseUrl = config.baseUrl === null ? null : new URL(config.baseUrl);
  const stop = new AbortController();
  running.set(number, stop);
  try {
    const tell: Tell = (progress) => say({ progress });
    say({ check: await checkHere({ ...job, config: { ...config, baseUrl } }, tell, stop.signal) });
  } catch (error) {
    say({ fault: error instanceof Error ? error.name : 'unknown' });
  } finally {
    running.delete(number);
  }
}
