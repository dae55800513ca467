// Looking at remote files without opening them. A listing comes in pieces, so that a server that never ends one is left in time.
import type { FileEntryWithStats, Stats } from 'ssh2';

import type { RemoteRequests } from './remote-requests.ts';
import { SftpFault } from './sftp-fault.ts';

export type RemoteFile = {
  readonly kind: 'file' | 'folder' | 'other';
  readonly bytes: number;
  /** The protocol knows whole seconds only. */
  readonly modifiedMs: number;
};
export type RemoteEntry = RemoteFile & { readonly name: string };

/** End of a listing or a file (draft-ietf-secsh-filexfer-02, section 7). */
export const END = 1;

export async function listFolder(
  requests: RemoteRequests,
  folder: string,
  most: number,
): Promise<readonly RemoteEntry[]> {
  const { sftp, ask } = requests;
  const handle = await ask<Buffer>(folder, (done) => sftp.opendir(folder, done));
  const found: RemoteEntry[] = [];
  try {
    // Each piece has an entry at least; one that has none would be asked for without end.
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
    // Its types know paths only, and the library takes the handle of an open folder too.
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

/** A handle that cannot be closed ends with the connection, and what was done with it is done. */
export async function closeQuietly({ sftp, ask }: RemoteRequests, handle: Buffer): Promise<void> {
  await Promise.allSettled([ask('', (done) => sftp.close(handle, (error) => done(error, null)))]);
}

export function codeOf(error: Error | null | undefined): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function fileOf(attrs: Stats): RemoteFile {
  const kind = attrs.isFile() ? 'file' : attrs.isDirectory() ? 'folder' : 'other';
  return { kind, bytes: attrs.size, modifiedMs: attrs.mtime * 1_000 };
}

function tooMany(folder: string, most: number): SftpFault {
  return new SftpFault('too_many_files', {
    en: `${folder} has more than ${String(most)} entries, or never ends. Have it cleared on the server.`,
    fr: `${folder} compte plus de ${String(most)} entrées, ou ne finit jamais. Faites-le vider sur le serveur.`,
  });
}
