// The operations on remote files and folders, each with its bounds: the other side is not ours, and may answer anything.
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
import { diskFull, refusedByServer, SftpFault } from './account.ts';

export type SftpSession = ReturnType<typeof sftpSession>;

/** @param hostKey the fingerprint that the server showed. */
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
    /** Writes a whole file, replacing its content, and asks the server to sync it where it can. Returns its bytes. */
    write: (path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> =>
      writeFile(requests, path, chunks),
    /** Fails when the new name is taken. */
    rename: (from: string, to: string): Promise<void> => renameFile(requests, from, to),
    /** Replaces the file that has the new name. */
    replace: (from: string, to: string): Promise<void> => replaceFile(requests, from, to),
    /** A file that is gone counts as removed. */
    remove: (path: string): Promise<void> => removeFile(requests, path),
    /** Creates a folder and those above it. */
    createFolders: (path: string): Promise<void> => createFolders(requests, path),
    /** The free space on the server's disk; null where the server does not say. */
    freeBytes: (path: string): Promise<number | null> => freeBytes(requests, path),
    close: requests.close,
  };
}

// Renames and removes remote files. A rename of this protocol replaces nothing; where the server has the better extension, that is used.

/** Some servers replace all the same, so the new name is checked first. */
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
  // For a moment no file has this name; a kill in that moment leaves the whole new file under its old name, to be renamed again.
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

// Writes a remote file. The caller makes it whole or absent by the name that it chooses; this code reports why a write failed.

/** With less than this, a server counts as full: its file system reserves some blocks. */
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

/** Syncs where the server can: an answer that it loses in a power cut would be lost for good. */
async function syncFile({ sftp, ask }: RemoteRequests, path: string, handle: Buffer): Promise<void> {
  if (!offers(sftp, 'fsync@openssh.com')) return;
  await ask(path, (done) => sftp.ext_openssh_fsync(handle, (error) => done(error, null)));
}

/** A server says "failure" for anything that its disk does not take; asking for its free space tells the reason. */
async function withItsReason(requests: RemoteRequests, path: string, error: unknown): Promise<unknown> {
  if (!(error instanceof SftpFault)) return error;
  const folder = posix.dirname(path);
  // A write creates the file, so "not found" can only mean its folder.
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

/** The library knows which extensions a server has, and does not expose it. */
function offers(sftp: object, extension: string): boolean {
  const { _extensions: extensions } = sftp as { readonly _extensions?: Readonly<Record<string, string>> };
  return extensions !== undefined && Object.hasOwn(extensions, extension);
}
