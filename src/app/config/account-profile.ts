// An account may name the profile that its files are read by, whatever they are called: they lie in its own folder of the inbox.
import { join, resolve, sep } from 'node:path';

import type { Config } from './config.ts';
import type { FileProfile } from './profile-file.ts';

/** Null for a file of no account, and of one that names none. */
export function accountProfile(
  path: string,
  { sftpAccounts = [], fileProfiles, folderPaths, workspacePath }: Partial<Config>,
): FileProfile | null {
  const inbox = folderPaths?.inbox ?? join(workspacePath ?? '', 'inbox');
  const account = sftpAccounts.find(({ name }) => resolve(path).startsWith(resolve(inbox, name) + sep));
  const named = account?.profile ?? null;
  return fileProfiles?.find(({ profile }) => profile.name === named) ?? null;
}
