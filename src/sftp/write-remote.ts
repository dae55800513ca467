// Writing a remote file: whole or not at all is the caller's business, by the name that it chooses; here it is told why it could not be written.
import { posix } from 'node:path';

import type { RemoteRequests } from './remote-requests.ts';
import { closeQuietly } from './list-remote.ts';
import { heard, PIECE_BYTES, PIECES_AHEAD } from './read-remote.ts';
import { diskFull, refusedByServer, SftpFault } from './sftp-fault.ts';

/** Less than this and a server is as good as full: its file system keeps some blocks for itself. */
const ROOM_LEAST_BYTES = 65_536;

export async function writeFile(
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

export async function freeBytes({ sftp, ask }: RemoteRequests, path: string): Promise<number | null> {
  if (!offers(sftp, 'statvfs@openssh.com')) return null;
  const told = await ask<{ readonly f_frsize: number; readonly f_bavail: number }>(path, (done) =>
    sftp.ext_openssh_statvfs(path, (error: Error | undefined, stats: unknown) =>
      done(error, stats as { readonly f_frsize: number; readonly f_bavail: number }),
    ),
  );
  return told.f_frsize * told.f_bavail;
}

/** Which extensions a server has, the library knows and does not say. */
export function offers(sftp: object, extension: string): boolean {
  const { _extensions: extensions } = sftp as { readonly _extensions?: Readonly<Record<string, string>> };
  return extensions !== undefined && Object.hasOwn(extensions, extension);
}
