// What lies in a remote folder and below it, within bounds. Links are not followed: where one leads is for nobody here to say.
import { posix } from 'node:path';

import { isSafeName } from './safe-name.ts';
import type { SftpSession } from './sftp-session.ts';

/** Deeper folders than customer, year and month are a mistake, or a loop. */
const DEPTH_MOST = 3;

/** Entries of a folder and of all below it: far more than anybody leaves to be fetched. */
const ENTRIES_MOST = 10_000;

/** Where originals that were taken are kept, below the folder that they lay in. */
export const PROCESSED_FOLDER = 'processed';

export type FoundFile = {
  /** On the server. */
  readonly path: string;
  /** Below the folder that was listed. */
  readonly name: string;
  readonly bytes: number;
  readonly modifiedMs: number;
};

export type FoundTree = {
  readonly files: readonly FoundFile[];
  /** Names that cannot be ours, as the server has them. */
  readonly unsafe: readonly string[];
};

/** Throws `SftpFault`. */
export async function listTree(session: SftpSession, folder: string): Promise<FoundTree> {
  return treeIn(session, folder, '', DEPTH_MOST, ENTRIES_MOST);
}

async function treeIn(
  session: SftpSession,
  folder: string,
  prefix: string,
  depth: number,
  most: number,
): Promise<FoundTree> {
  const files: FoundFile[] = [];
  const unsafe: string[] = [];
  for (const { name, kind, bytes, modifiedMs } of await session.list(folder, most)) {
    if (isPrivate(name)) continue;
    const path = posix.join(folder, name);
    if (!isSafeName(name)) unsafe.push(name);
    else if (kind === 'file') files.push({ path, name: prefix + name, bytes, modifiedMs });
    else if (kind === 'folder' && depth > 0 && name !== PROCESSED_FOLDER) {
      const below = await treeIn(session, path, `${prefix}${name}/`, depth - 1, most - files.length);
      files.push(...below.files);
      unsafe.push(...below.unsafe);
    }
  }
  return { files, unsafe };
}

/** Dot files are private everywhere; the server's own two among them. */
function isPrivate(name: string): boolean {
  return name.startsWith('.');
}
