// What keeps an account from being worked with, whichever side it lies on, as the ledger keeps it and people read it.
import type { AccountFault } from '../../ledger/exchange.ts';
import { SftpFault } from '../../sftp/sftp-fault.ts';
import { describeError } from './describe-error.ts';

export function describeAccountFault(error: unknown): Pick<AccountFault, 'code' | 'words'> {
  if (error instanceof SftpFault) return { code: error.code, words: error.words };
  // The disk or the ledger of this machine, in the words of every other command.
  return { code: 'here', words: describeError(error).words };
}
