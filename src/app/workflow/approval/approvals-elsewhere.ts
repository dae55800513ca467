// Approvers may have a folder of their own outside of the inbox, where those who bring files cannot write.
import { resolve, sep } from 'node:path';

import { type InboxEntry, inboxEntries } from '../../../inbox/inbox-entries.ts';
import type { Paydrop, Records } from '../../parts.ts';

/**
 * The files of approvers that lie in no folder of the inbox; one that is not there (yet) holds none.
 * @param troubles what was wrong with each folder at the look before; kept up to date, so that the log has it once and not twice a minute.
 */
export async function approvalsElsewhere(
  { config, workspace, log }: Pick<Paydrop, 'config' | 'workspace' | 'log'>,
  troubles: Map<string, string>,
): Promise<readonly InboxEntry[]> {
  const inbox = resolve(workspace.inbox) + sep;
  const found: InboxEntry[] = [];
  for (const { folder } of config.approvers) {
    const path = resolve(workspace.inbox, folder);
    if (path.startsWith(inbox)) continue;
    const entries = await inboxEntries(path).catch(codeOf);
    if (typeof entries === 'string') {
      if (troubles.get(path) !== entries) log.warn('an approver has no folder', { reason: entries });
      troubles.set(path, entries);
    } else {
      troubles.delete(path);
      found.push(...entries.filter(({ kind }) => kind === 'approval'));
    }
  }
  return found;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

// Whether another process of this machine has a batch at this moment: then that one goes on with it, and nobody else opens a service for it.

export async function isCarriedElsewhere({ ledger }: Pick<Records, 'ledger'>, id: string): Promise<boolean> {
  const batch = await ledger.batch(id);
  return batch !== null && ledger.runs.isElsewhere(batch.takenBy);
}
