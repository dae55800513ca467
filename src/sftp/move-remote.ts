// Renaming and removing remote files. A rename of this protocol replaces nothing; where a server knows the better one, that one does.
import { posix } from 'node:path';

import { statPath } from './list-remote.ts';
import type { RemoteRequests } from './remote-requests.ts';
import { refusedByServer, SftpFault } from './sftp-fault.ts';
import { offers } from './write-remote.ts';

/** Some servers replace all the same, so the new name is looked at first. */
export async function renameFile(requests: RemoteRequests, from: string, to: string): Promise<void> {
  if ((await statPath(requests, to)) !== null) throw refusedByServer('server_refused', to);
  await plainRename(requests, from, to);
}

export async function replaceFile(requests: RemoteRequests, from: string, to: string): Promise<void> {
  const { sftp, ask } = requests;
  if (offers(sftp, 'posix-rename@openssh.com')) {
    await ask(from, (done) => sftp.ext_openssh_rename(from, to, (error) => done(error, null)));
    return;
  }
  // Between the two there is no file of this name for a moment; a kill in it leaves the whole new one under the old name, to be renamed again.
  await removeFile(requests, to);
  await plainRename(requests, from, to);
}

export async function removeFile({ sftp, ask }: RemoteRequests, path: string): Promise<void> {
  try {
    await ask(path, (done) => sftp.unlink(path, (error) => done(error, null)));
  } catch (error) {
    if (!(error instanceof SftpFault && error.code === 'not_found')) throw error;
  }
}

export async function createFolders(requests: RemoteRequests, path: string): Promise<void> {
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
