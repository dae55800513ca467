// `resume` ends the pauses that stand when it begins, and at once: one that comes while it is at other batches is meant to hold. A batch that
// another process carries is let go on too, because that process never lifts a pause by itself.
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { decideInBoth } from '../epoch.ts';
import { isPauseKept } from './pause-again.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';

/** Lets these batches go on; gives the ids of those that were paused. */
export async function liftPauses(
  records: Pick<Paydrop, 'ledger' | 'workspace'>,
  batches: readonly BatchRecord[],
): Promise<ReadonlySet<string>> {
  const lifted = new Set<string>();
  for (const { id, paused } of batches) {
    // The manifest may know of one that was cut short.
    if (!paused && !isKept(records.workspace, id)) continue;
    const event = 'pause lifted';
    await decideInBoth(records, id, { paused: false }, () => ({ change: { paused: false }, event }));
    lifted.add(id);
  }
  return lifted;
}

/** A manifest that cannot be read keeps its own batch waiting, and no other. */
function isKept(workspace: Workspace, batch: string): boolean {
  try {
    return isPauseKept(workspace, batch);
  } catch (error) {
    if (error instanceof BatchFolderFault) return false;
    throw error;
  }
}
