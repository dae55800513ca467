// What the work on one account of one run goes by: the account, the parts it needs, and what it has seen so far.
import { join, sep } from 'node:path';

import type { Settling } from '../../inbox/settling.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import type { SftpAccount } from '../../sftp/account.ts';
import type { Paydrop } from '../compose.ts';

export type AccountDesk = {
  readonly paydrop: Paydrop;
  readonly account: SftpAccount;
  readonly settling: Settling;
  /** Pulls whose originals were compared byte for byte by this run: it need not read them again. */
  readonly compared: Set<number>;
};

/** The folder of the inbox that an account's files come into. */
export function accountFolder({ inbox }: Pick<Workspace, 'inbox'>, { name }: SftpAccount): string {
  return join(inbox, name);
}

/** The account whose folder of the inbox a file lies in, or below; null when it came another way. */
export function accountOf(
  { config, workspace }: Pick<Paydrop, 'config' | 'workspace'>,
  path: string,
): string | null {
  const found = config.sftpAccounts?.find((account) =>
    path.startsWith(accountFolder(workspace, account) + sep),
  );
  return found?.name ?? null;
}
