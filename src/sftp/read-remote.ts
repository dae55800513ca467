// A remote file, piece by piece and in order, with several pieces asked for ahead: over a long line each answer is a while on its way.
import type { RemoteRequests } from './remote-requests.ts';
import { closeQuietly } from './list-remote.ts';
import { SftpFault } from './sftp-fault.ts';

/** What every server gives in one answer (draft-ietf-secsh-filexfer-02, section 3). */
export const PIECE_BYTES = 32_768;

/** Half a megabyte under way: enough for a line of 10 MB/s and 50 ms. */
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
    // Whoever stopped reading wants none of these.
    await Promise.allSettled(ahead);
    await closeQuietly(requests, handle);
  }
}

/** What fails while earlier ones are waited for is told in its turn, and is no stray fault until then. */
export function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => null);
  return promise;
}

/** A server may give less than it was asked for; only nothing means that there is no more. */
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
  return new SftpFault('file_changed', {
    en: `${path} changed while it was fetched. It is fetched again once it is still.`,
    fr: `${path} a changé pendant son transfert. Il est repris dès qu'il ne change plus.`,
  });
}
