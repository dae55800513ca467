// The remote original of a file that was taken: moved to `processed/`, or deleted, as the account says. Nothing there is ever replaced.
import { posix } from 'node:path';

import type { PullRecord } from '../../../ledger/exchange.ts';
import type { SftpAccount } from '../../../sftp/connect.ts';
import { PROCESSED_FOLDER } from '../../../sftp/remote-files.ts';
import type { SftpSession } from '../../../sftp/sftp-session.ts';

export async function takeAway(
  { processed, pull: folders, readyMarker }: SftpAccount,
  session: SftpSession,
  { path, remoteSha256, id }: PullRecord,
): Promise<void> {
  if (processed === 'delete') await session.remove(path);
  else {
    const folder = folders.find((each) => path.startsWith(`${each}/`)) ?? posix.dirname(path);
    const name = posix.relative(folder, path);
    const target = await freeName(session, posix.join(folder, PROCESSED_FOLDER, name), [
      remoteSha256.slice(0, 8),
      `${remoteSha256.slice(0, 8)}-${String(id)}`,
    ]);
    await session.createFolders(posix.dirname(target));
    await session.rename(path, target);
  }
  if (readyMarker !== null) await session.remove(path + readyMarker);
}

/** The name itself, or with the first of these before its extension that nobody has. */
async function freeName(session: SftpSession, path: string, marks: readonly string[]): Promise<string> {
  const { dir, name, ext } = posix.parse(path);
  const names = [path, ...marks.map((mark) => posix.join(dir, `${name}.${mark}${ext}`))];
  for (const free of names) if ((await session.stat(free)) === null) return free;
  return names.at(-1) ?? path;
}
