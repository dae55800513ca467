// `resume` ends the pauses that stand when it begins, and at once: one that comes while it is at other batches is meant to hold. A batch that
// another process carries is let go on too, because that process never lifts a pause by itself.
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { forgetPause, isPauseKept } from './keep-pause.ts';

/** Lets these batches go on; gives the ids of those that were paused. */
export async function liftPauses(
  { ledger, workspace }: Pick<Paydrop, 'ledger' | 'workspace'>,
  batches: readonly BatchRecord[],
): Promise<ReadonlySet<string>> {
  const lifted = new Set<string>();
  for (const { id, paused } of batches) {
    // An older copy of the ledger may know nothing of one that stands beside its file.
    if (!paused && !isPauseKept(workspace, id)) continue;
    await forgetPause(workspace, id);
    const event = 'pause lifted';
    await ledger.revise(id, (batch) => (batch.paused ? { change: { paused: false }, event } : null));
    lifted.add(id);
  }
  return lifted;
}
