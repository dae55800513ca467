// The library's requests as promises, each of which ends: with the response, with the server's refusal, or at the time limit.
import type { Client, FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';

import { startDeadline } from '../base/clock.ts';
import { sentence } from '../messages/messages.ts';
import { connectionLost, noAnswer, refusedByServer, SftpFault } from './account.ts';

type Done<T> = (error: Error | null | undefined, value: T) => void;

export type RemoteRequests = {
  readonly sftp: SFTPWrapper;
  /** One request about `place`. Throws `SftpFault`. */
  readonly ask: <T>(place: string, start: (done: Done<T>) => void) => Promise<T>;
  readonly close: () => Promise<void>;
};

/** Status codes of the protocol (draft-ietf-secsh-filexfer-02, section 7). */
const NO_SUCH_FILE = 2;
const PERMISSION_DENIED = 3;

/** Each request in progress listens for the end of the connection; far more than are ever in progress would be a leak. */
const LISTENERS_MOST = 64;

/** The requests of a client that is logged in. Throws the server's refusal. */
export async function remoteRequests(client: Client, timeoutMs: number): Promise<RemoteRequests> {
  client.setMaxListeners(LISTENERS_MOST);
  // Requests are small and wait for their responses: gathering them costs 40 ms each.
  client.setNoDelay(true);
  let isOpen = true;
  const closed = new Promise<void>((resolve) =>
    client.once('close', () => {
      isOpen = false;
      resolve();
    }),
  );
  const sftp = await within<SFTPWrapper>(client, timeoutMs, (done) => client.sftp(done));
  // A fault that breaks the channel ends its requests, and those report it.
  sftp.on('error', () => client.destroy());
  return {
    sftp,
    ask: async (place, start) => {
      // The library keeps requests on a closed connection pending for ever.
      if (!isOpen) throw connectionLost();
      try {
        return await within(client, timeoutMs, start);
      } catch (error) {
        throw faultOf(error, place);
      }
    },
    close: async () => {
      client.end();
      const deadline = startDeadline(timeoutMs);
      // A server that does not close the connection is cut off.
      deadline.signal.addEventListener('abort', () => client.destroy());
      await closed;
      deadline.clear();
    },
  };
}

/** The library does not pass every end of the connection to its callback, so this ends the request too. */
function within<T>(client: Client, timeoutMs: number, start: (done: Done<T>) => void): Promise<T> {
  const deadline = startDeadline(timeoutMs);
  return new Promise<T>((resolve, reject) => {
    const onClose = (): void => reject(connectionLost());
    const finish = (): void => {
      deadline.clear();
      client.off('close', onClose);
    };
    client.once('close', onClose);
    deadline.signal.addEventListener('abort', () => {
      finish();
      reject(noAnswer(timeoutMs / 1_000));
      client.destroy();
    });
    try {
      start((error, value) => {
        finish();
        if (error === null || error === undefined) resolve(value);
        else reject(error);
      });
    } catch (error) {
      finish();
      // A client that is already closed throws.
      reject(connectionLost(error));
    }
  });
}

function faultOf(error: unknown, place: string): SftpFault {
  if (!(error instanceof Error)) return connectionLost(error);
  if (error instanceof SftpFault) return error;
  const code = 'code' in error ? error.code : null;
  // An error that is no response of the server means that none will come.
  if (typeof code !== 'number') return connectionLost(error);
  if (code === NO_SUCH_FILE) return refusedByServer('not_found', place);
  return refusedByServer(code === PERMISSION_DENIED ? 'forbidden' : 'server_refused', place);
}

// Reads attributes of remote files without opening them. A listing comes in pieces, so that an endless one can be stopped in time.

export type RemoteFile = {
  readonly kind: 'file' | 'folder' | 'other';
  readonly bytes: number;
  /** The protocol has whole seconds only. */
  readonly modifiedMs: number;
};
export type RemoteEntry = RemoteFile & { readonly name: string };

/** End of a listing or a file (draft-ietf-secsh-filexfer-02, section 7). */
const END = 1;

export async function listFolder(
  requests: RemoteRequests,
  folder: string,
  most: number,
): Promise<readonly RemoteEntry[]> {
  const { sftp, ask } = requests;
  const handle = await ask<Buffer>(folder, (done) => sftp.opendir(folder, done));
  const found: RemoteEntry[] = [];
  try {
    // Each piece must have at least one entry; a server that sends empty ones would be asked without end.
    for (let pieces = 0; pieces <= most; pieces += 1) {
      const piece = await nextPiece(requests, folder, handle);
      if (piece === null) return found;
      found.push(...piece.map(({ filename, attrs }) => ({ name: filename, ...fileOf(attrs) })));
      if (found.length > most) break;
    }
    throw tooMany(folder, most);
  } finally {
    await closeQuietly(requests, handle);
  }
}

/** Null at the end. */
function nextPiece(
  { sftp, ask }: RemoteRequests,
  folder: string,
  handle: Buffer,
): Promise<readonly FileEntryWithStats[] | null> {
  return ask(folder, (done) =>
    // The type allows paths only, but the library takes the handle of an open folder too.
    sftp.readdir(handle as unknown as string, (error, list) => {
      if (codeOf(error) === END) done(null, null);
      else done(error, list);
    }),
  );
}

export async function statPath({ sftp, ask }: RemoteRequests, path: string): Promise<RemoteFile | null> {
  try {
    return fileOf(await ask<Stats>(path, (done) => sftp.lstat(path, done)));
  } catch (error) {
    if (error instanceof SftpFault && error.code === 'not_found') return null;
    throw error;
  }
}

/** A handle that cannot be closed ends with the connection; the work done with it stays done. */
export async function closeQuietly({ sftp, ask }: RemoteRequests, handle: Buffer): Promise<void> {
  await Promise.allSettled([ask('', (done) => sftp.close(handle, (error) => done(error, null)))]);
}

function codeOf(error: Error | null | undefined): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

/** A server may leave out a size or a time. Such a file can be shown neither whole nor unchanged, so it does not count as a file. */
function fileOf(attrs: Stats): RemoteFile {
  const isTold = Number.isSafeInteger(attrs.size) && Number.isSafeInteger(attrs.mtime);
  const kind = attrs.isDirectory() ? 'folder' : attrs.isFile() && isTold ? 'file' : 'other';
  return isTold
    ? { kind, bytes: attrs.size, modifiedMs: attrs.mtime * 1_000 }
    : { kind, bytes: 0, modifiedMs: 0 };
}

function tooMany(folder: string, most: number): SftpFault {
  return new SftpFault('too_many_files', sentence('sftp.tooMany', { folder, most }));
}

// Reads a remote file in order, with several pieces requested ahead: over a long line each response takes a while.

/** The size that every server returns in one response (draft-ietf-secsh-filexfer-02, section 3). */
export const PIECE_BYTES = 32_768;

/** Half a megabyte in transit: enough for a line of 10 MB/s and 50 ms. */
export const PIECES_AHEAD = 16;

export async function* readFile(
  requests: RemoteRequests,
  path: string,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  const { sftp, ask } = requests;
  const handle = await ask<Buffer>(path, (done) => sftp.open(path, 'r', done));
  const ahead: Promise<Uint8Array>[] = [];
  try {
    for (let from = 0; from < bytes || ahead.length > 0; from += PIECE_BYTES) {
      if (from < bytes)
        ahead.push(heard(readPiece(requests, path, handle, from, Math.min(PIECE_BYTES, bytes - from))));
      if (from + PIECE_BYTES < bytes && ahead.length < PIECES_AHEAD) continue;
      const piece = await ahead.shift();
      if (piece !== undefined) yield piece;
    }
  } finally {
    // A caller that stopped reading wants none of these.
    await Promise.allSettled(ahead);
    await closeQuietly(requests, handle);
  }
}

/** Marks the promise as handled: a request that fails while earlier ones are awaited is reported in its turn, and is no unhandled rejection until then. */
export function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => null);
  return promise;
}

/** A server may return less than was asked for; only an empty response means the end. */
async function readPiece(
  { sftp, ask }: RemoteRequests,
  path: string,
  handle: Buffer,
  from: number,
  bytes: number,
): Promise<Uint8Array> {
  const piece = Buffer.alloc(bytes);
  for (let have = 0; have < bytes;) {
    const got = await ask<number>(path, (done) =>
      sftp.read(handle, piece, have, bytes - have, from + have, (error, count) => done(error, count)),
    );
    if (got <= 0) throw fileChanged(path);
    have += got;
  }
  return piece;
}

export function fileChanged(path: string): SftpFault {
  return new SftpFault('file_changed', sentence('sftp.fileChanged', { path }));
}
