// Fetches a remote file to a temporary name here. It counts as fetched only when the original is the same after it as before.
import { createHash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import { syncFolder } from '../base/atomic-file.ts';
import { fileChanged } from './read-remote.ts';
import type { FoundFile } from './list-tree.ts';
import type { SftpSession } from './sftp-session.ts';

/** Files hold account numbers and names: only their owner may read them. */
const FILE_MODE = 0o600;

/**
 * Writes the file to `temporary`, on the disk when it resolves, and gives the SHA-256 of its bytes. On any fault nothing is left there.
 * Throws `SftpFault`: `file_changed` when the original moved meanwhile.
 */
export async function fetchFile(session: SftpSession, found: FoundFile, temporary: string): Promise<string> {
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    const sha256 = await copyTo(file, session.read(found.path, found.bytes));
    await file.sync();
    await file.close();
    if (!(await isStill(session, found))) throw fileChanged(found.path);
    await syncFolder(dirname(temporary));
    return sha256;
  } catch (error) {
    // The first error is the one worth telling.
    await Promise.allSettled([file.close(), rm(temporary, { force: true })]);
    throw error;
  }
}

/** True while the file stands there as it was found. */
export async function isStill(
  session: SftpSession,
  { path, bytes, modifiedMs }: Pick<FoundFile, 'path' | 'bytes' | 'modifiedMs'>,
): Promise<boolean> {
  const now = await session.stat(path);
  return now?.kind === 'file' && now.bytes === bytes && now.modifiedMs === modifiedMs;
}

/** The SHA-256 of a remote file's bytes. */
export async function hashRemote(
  session: SftpSession,
  { path, bytes }: Pick<FoundFile, 'path' | 'bytes'>,
): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of session.read(path, bytes)) hash.update(chunk);
  return hash.digest('hex');
}

async function copyTo(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    await file.writeFile(chunk);
  }
  return hash.digest('hex');
}
