// What can be done with a remote file or folder, each with its bounds: the other side is not ours, and may answer anything.
import { posix } from 'node:path';

import {
  closeQuietly,
  heard,
  listFolder,
  PIECE_BYTES,
  PIECES_AHEAD,
  readFile,
  type RemoteEntry,
  type RemoteFile,
  type RemoteRequests,
  statPath,
} from './remote-requests.ts';
import { SftpFault, diskFull, refusedByServer } from './sftp-fault.ts';

export type SftpSession = ReturnType<typeof sftpSession>;

/** @param hostKey the fingerprint that the server has shown. */
export function sftpSession(requests: RemoteRequests, hostKey: string) {
  return {
    hostKey,
    /** The entries of one folder. Throws `SftpFault` when there are more than `most`. */
    list: (folder: string, most: number): Promise<readonly RemoteEntry[]> =>
      listFolder(requests, folder, most),
    /** Null when nothing is there; links are not followed. */
    stat: (path: string): Promise<RemoteFile | null> => statPath(requests, path),
    /** Exactly the first `bytes` of a file. Throws `file_changed` when there are fewer. */
    read: (path: string, bytes: number): AsyncIterable<Uint8Array> => readFile(requests, path, bytes),
    /** Writes a file anew, whole, and has the server put it on its disk where it can. Gives its bytes. */
    write: (path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> =>
      writeFile(requests, path, chunks),
    /** Fails where something has the new name. */
    rename: (from: string, to: string): Promise<void> => renameFile(requests, from, to),
    /** Takes the place of what has the new name. */
    replace: (from: string, to: string): Promise<void> => replaceFile(requests, from, to),
    /** What has gone is removed already. */
    remove: (path: string): Promise<void> => removeFile(requests, path),
    /** Creates a folder and those above it. */
    createFolders: (path: string): Promise<void> => createFolders(requests, path),
    /** What is left on the server's disk; null where it does not tell. */
    freeBytes: (path: string): Promise<number | null> => freeBytes(requests, path),
    close: requests.close,
  };
}

// Renaming and removing remote files. A rename of this protocol replaces nothing; where a server knows the better one, that one does.

/** Some servers replace all the same, so the new name is looked at first. */
async function renameFile(requests: RemoteRequests, from: string, to: string): Promise<void> {
  if ((await statPath(requests, to)) !== null) throw refusedByServer('server_refused', to);
  await plainRename(requests, from, to);
}

async function replaceFile(requests: RemoteRequests, from: string, to: string): Promise<void> {
  const { sftp, ask } = requests;
  if (offers(sftp, 'posix-rename@openssh.com')) {
    await ask(from, (done) => sftp.ext_openssh_rename(from, to, (error) => done(error, null)));
    return;
  }
  // Between the two there is no file of this name for a moment; a kill in it leaves the whole new one under the old name, to be renamed again.
  await removeFile(requests, to);
  await plainRename(requests, from, to);
}

async function removeFile({ sftp, ask }: RemoteRequests, path: string): Promise<void> {
  try {
    await ask(path, (done) => sftp.unlink(path, (error) => done(error, null)));
  } catch (error) {
    if (!(error instanceof SftpFault && error.code === 'not_found')) throw error;
  }
}

async function createFolders(requests: RemoteRequests, path: string): Promise<void> {
  const standing = await statPath(requests, path);
  if (standing?.kind === 'folder') return;
  if (standing !== null) throw refusedByServer('server_refused', path);
  const above = posix.dirname(path);
  if (above !== path && above !== '.') await createFolders(requests, above);
  const { sftp, ask } = requests;
  await ask(path, (done) => sftp.mkdir(path, (error) => done(error, null)));
}

async function plainRename({ sftp, ask }: RemoteRequests, from: string, to: string): Promise<void> {
  await ask(from, (done) => sftp.rename(from, to, (error) => done(error, null)));
}

// Writing a remote file: whole or not at all is the caller's business, by the name that it chooses; here it is told why it could not be written.

/** Less than this and a server is as good as full: its file system keeps some blocks for itself. */
const ROOM_LEAST_BYTES = 65_536;

async function writeFile(
  requests: RemoteRequests,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { sftp, ask } = requests;
  try {
    const handle = await ask<Buffer>(path, (done) => sftp.open(path, 'w', done));
    try {
      const bytes = await writeChunks(requests, path, handle, chunks);
      await syncFile(requests, path, handle);
      return bytes;
    } finally {
      await closeQuietly(requests, handle);
    }
  } catch (error) {
    throw await withItsReason(requests, path, error);
  }
}

async function writeChunks(
  { sftp, ask }: RemoteRequests,
  path: string,
  handle: Buffer,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  let at = 0;
  const under: Promise<unknown>[] = [];
  try {
    for await (const piece of piecesOf(chunks)) {
      const from = at;
      at += piece.length;
      const written = ask(path, (done) =>
        sftp.write(handle, piece, 0, piece.length, from, (error) => done(error, null)),
      );
      under.push(heard(written));
      if (under.length >= PIECES_AHEAD) await under.shift();
    }
    while (under.length > 0) await under.shift();
    return at;
  } finally {
    await Promise.allSettled(under);
  }
}

async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length; from += PIECE_BYTES)
      yield Buffer.from(chunk.subarray(from, from + PIECE_BYTES));
}

/** Where the server can; an answer that it loses in a power cut would otherwise be lost for good. */
async function syncFile({ sftp, ask }: RemoteRequests, path: string, handle: Buffer): Promise<void> {
  if (!offers(sftp, 'fsync@openssh.com')) return;
  await ask(path, (done) => sftp.ext_openssh_fsync(handle, (error) => done(error, null)));
}

/** A server says "failure" to whatever its disk does not take; how much room it has it tells when asked. */
async function withItsReason(requests: RemoteRequests, path: string, error: unknown): Promise<unknown> {
  if (!(error instanceof SftpFault)) return error;
  const folder = posix.dirname(path);
  // A file that is made anew is missing only where its folder is.
  if (error.code === 'not_found') return refusedByServer('not_found', folder);
  if (error.code !== 'server_refused') return error;
  const free = await freeBytes(requests, folder).catch(() => null);
  return free !== null && free < ROOM_LEAST_BYTES ? diskFull(path, free) : error;
}

async function freeBytes({ sftp, ask }: RemoteRequests, path: string): Promise<number | null> {
  if (!offers(sftp, 'statvfs@openssh.com')) return null;
  const told = await ask<{ readonly f_frsize: number; readonly f_bavail: number }>(path, (done) =>
    sftp.ext_openssh_statvfs(path, (error: Error | undefined, stats: unknown) =>
      done(error, stats as { readonly f_frsize: number; readonly f_bavail: number }),
    ),
  );
  return told.f_frsize * told.f_bavail;
}

/** Which extensions a server has, the library knows and does not say. */
function offers(sftp: object, extension: string): boolean {
  const { _extensions: extensions } = sftp as { readonly _extensions?: Readonly<Record<string, string>> };
  return extensions !== undefined && Object.hasOwn(extensions, extension);
}
