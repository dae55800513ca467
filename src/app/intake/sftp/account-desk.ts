// What the work on one account of one run goes by: the account, the parts it needs, and what it has seen so far.
import type { Settling } from '../../../inbox/inbox-entries.ts';
import type { SftpAccount } from '../../../sftp/connect.ts';
import type { Paydrop } from '../../parts.ts';

export type AccountDesk = {
  readonly paydrop: Paydrop;
  readonly account: SftpAccount;
  readonly settling: Settling;
  /** Pulls whose originals were compared byte for byte by this run: it need not read them again. */
  readonly compared: Set<number>;
  /** Files of a kind that others use too, and that begin as theirs: they stay where they are, each as it was when it was looked into. */
  readonly foreign: Set<string>;
};
