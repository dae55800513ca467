// What is asked of the index, as work of a thread of its own: its disk may be slow, and whoever pays does not wait for it. A command, which has nothing else to do, does it itself.
import type { FileWork } from '../parts/file-thread.ts';
import { discardSearchFile, SearchFile, type SearchState } from './search-file.ts';

type Method =
  | 'state'
  | 'write'
  | 'leave'
  | 'hasBatch'
  | 'files'
  | 'payments'
  | 'rowsOfTransfer'
  | 'payees'
  | 'payee'
  | 'paymentsTo';
export type SearchCalls = Pick<SearchFile, Method>;

export type SearchCall =
  { readonly method: 'close' | 'discard' } | { readonly method: Method; readonly args: readonly unknown[] };
export type SearchJob = {
  readonly bytes: null;
  /** Whoever asks: each has a connection of its own. */
  readonly keeper: string;
  readonly path: string;
  /** How the file begins that is made where there is none; null to open none. */
  readonly first: SearchState | null;
  readonly call: SearchCall;
};

/** `unopened`: no file is open. `busy`: another process writes it. `damaged`: it was, and is removed. */
export type SearchAnswer =
  | { readonly told: unknown }
  | { readonly fault: 'unopened' | 'busy' | 'damaged' }
  | { readonly fault: 'unusable'; readonly reason: string };

export const SEARCH_WORK: FileWork<SearchJob, SearchAnswer> = {
  module: import.meta.url,
  does: (job) => Promise.resolve(answer(job)),
};
export { SEARCH_WORK as WORK };

const opened = new Map<string, SearchFile>();

function answer(job: SearchJob): SearchAnswer {
  try {
    const { call } = job;
    if (!('args' in call)) {
      close(job.keeper);
      if (call.method === 'discard') discardSearchFile(job.path);
      return { told: null };
    }
    const file = openedFor(job);
    if (file === null) return { fault: 'unopened' };
    const calls = file as unknown as Readonly<Record<Method, (...args: readonly unknown[]) => unknown>>;
    return { told: calls[call.method](...call.args) };
  } catch (error) {
    return faultOf(error, job);
  }
}

function openedFor({ keeper, path, first }: SearchJob): SearchFile | null {
  const known = opened.get(keeper);
  if (known?.isThere() === true) return known;
  close(keeper);
  if (first === null) return null;
  let file = new SearchFile(path, first);
  if (file.state().ledger !== first.ledger) {
    file.close();
    discardSearchFile(path);
    file = new SearchFile(path, first);
  }
  opened.set(keeper, file);
  return file;
}

function close(keeper: string): void {
  opened.get(keeper)?.close();
  opened.delete(keeper);
}

/** Of the file system or of SQLite, whose code has the kind in its lower half. Throws any other error. */
function faultOf(error: unknown, { keeper, path }: SearchJob): SearchAnswer {
  if (!(error instanceof Error)) throw error;
  const kind = 'errcode' in error ? Number(error.errcode) & 0xff : null;
  if (kind === SQLITE_BUSY) return { fault: 'busy' };
  if (kind === SQLITE_CORRUPT || kind === SQLITE_NOTADB) {
    close(keeper);
    discardSearchFile(path);
    return { fault: 'damaged' };
  }
  if ('errstr' in error) return { fault: 'unusable', reason: String(error.errstr) };
  if ('syscall' in error) return { fault: 'unusable', reason: error.message };
  throw error;
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
