// Each SFTP account has a folder of its own in the inbox: by it a file is known to have come from there. Where the account names a profile, its files are
// read by that one, whatever they are called.
import { join, resolve, sep } from 'node:path';

import type { Workspace } from '../../inbox/workspace.ts';
import type { SftpAccount } from '../../sftp/connect.ts';
import type { Config } from './config.ts';
import type { FileProfile } from './profile-file.ts';

/** The folder of the inbox that an account's files come into. */
export function accountFolder({ inbox }: Pick<Workspace, 'inbox'>, { name }: SftpAccount): string {
  return join(inbox, name);
}

/** The account whose folder of the inbox a file lies in, or below; null when it came another way. */
export function accountOf(
  {
    config,
    workspace,
  }: { readonly config: Pick<Config, 'sftpAccounts'>; readonly workspace: Pick<Workspace, 'inbox'> },
  path: string,
): string | null {
  const found = config.sftpAccounts?.find((account) =>
    path.startsWith(accountFolder(workspace, account) + sep),
  );
  return found?.name ?? null;
}

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
