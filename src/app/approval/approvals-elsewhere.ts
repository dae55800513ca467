// Approvers may have a folder of their own outside of the inbox, where those who bring files cannot write.
import { resolve, sep } from 'node:path';

import { inboxEntries, type InboxEntry } from '../../inbox/inbox-entries.ts';
import type { Paydrop } from '../compose.ts';

/** The files of approvers that lie in no folder of the inbox; one that is not there (yet) holds none. */
export async function approvalsElsewhere({
  config,
  workspace,
  log,
}: Pick<Paydrop, 'config' | 'workspace' | 'log'>): Promise<readonly InboxEntry[]> {
  const inbox = resolve(workspace.inbox) + sep;
  const found: InboxEntry[] = [];
  for (const { folder } of config.approvers) {
    const path = resolve(workspace.inbox, folder);
    if (path.startsWith(inbox)) continue;
    const entries = await inboxEntries(path).catch((error: unknown) => {
      log.warn('an approver has no folder', { reason: error instanceof Error ? error.name : 'unknown' });
      return [];
    });
    found.push(...entries.filter(({ kind }) => kind === 'approval'));
  }
  return found;
}
