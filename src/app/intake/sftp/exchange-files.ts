// All accounts of the config at once, beside the daemon: each works by itself, so that a server that is away holds up no other.
import type { Words } from '../../../base/language.ts';
import type { Paydrop } from '../../parts.ts';
import { watchInbox } from '../watch-inbox.ts';
import { AccountWork } from './account-work.ts';
import { describeAccountFault } from '../../parts/account-faults.ts';

export type FileExchange = { readonly close: () => Promise<void> };

/** Works until it is closed; `onTrouble` is told what a person has to mend. */
export function exchangeFiles(
  paydrop: Paydrop,
  onTrouble: (account: string, words: Words) => void,
): FileExchange {
  const stop = new AbortController();
  const works = (paydrop.config.sftpAccounts ?? []).map((account) => {
    const work = new AccountWork(paydrop, account, { signal: stop.signal, onTrouble });
    const ended = work.run().catch((error: unknown) => {
      // The ledger cannot be written: then nothing else goes on either, and that is told by everybody.
      onTrouble(account.name, describeAccountFault(error).words);
    });
    return { work, ended };
  });
  const wake = (): void => {
    for (const { work } of works) work.wake();
  };
  const unwatch = works.length === 0 ? null : watchInbox(paydrop.workspace.outbox, paydrop.log, wake);
  return {
    close: async () => {
      stop.abort();
      await Promise.all(works.map(({ ended }) => ended));
      await unwatch?.();
    },
  };
}
