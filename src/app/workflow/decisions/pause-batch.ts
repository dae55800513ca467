// Stops a batch before its next call. Whether it has ended is asked in the same commit: a pause that is told of must have something to hold. It is
// kept beside the file too: a ledger that is made anew must not let a daemon go on with what a person had stopped.
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { manifestNow } from '../../../inbox/manifest.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import { type BatchState, isBeingRebuilt } from '../../../ledger/batch-states.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { decideInBoth } from '../epoch.ts';

const ENDS: ReadonlySet<BatchState> = new Set<BatchState>(['closed', 'refused']);

/** False when there is nothing left to pause. */
export async function pauseBatch(
  records: Pick<Records, 'ledger' | 'workspace'>,
  id: string,
): Promise<boolean> {
  const batch = await decideInBoth(records, id, { paused: true }, ({ state }) =>
    ENDS.has(state) ? null : { change: { paused: true }, event: 'batch paused' },
  );
  return batch !== null && !ENDS.has(batch.state);
}

// `resume` ends the pauses that stand when it begins, and at once: one that comes while it is at other batches is meant to hold. A batch that
// another process carries is let go on too, because that process never lifts a pause by itself.

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

// A pause that stands beside its file and that the ledger does not know of: an older copy of the ledger was put back since. It holds all the same,
// because whoever was told of it knows nothing of copies.

/** What has ended is paused no more; a batch that is being rebuilt gets its pause at the end of that, for nothing of a paused one is looked at. */
const UNPAUSED: ReadonlySet<BatchState> = new Set<BatchState>(['closed', 'refused']);

/** True where the manifest says so. Throws `BatchFolderFault` where that cannot be read. */
export function isPauseKept(workspace: Workspace, batch: string): boolean {
  return manifestNow(workspace, batch)?.paused === true;
}

/** To be asked before anything of the batch is sent; gives it as it stands then. */
export async function pauseAgain(
  { ledger, workspace }: Pick<Paydrop, 'ledger' | 'workspace'>,
  batch: BatchRecord,
): Promise<BatchRecord> {
  const isMissing = (now: BatchRecord): boolean =>
    !now.paused && !UNPAUSED.has(now.state) && !isBeingRebuilt(now) && isPauseKept(workspace, now.id);
  if (!isMissing(batch)) return batch;
  // Asked once more in the same commit: "resume" removes the mark before the ledger lifts the pause, and what it lifted must not come back.
  const event = 'batch paused';
  await ledger.revise(batch.id, (now) => (isMissing(now) ? { change: { paused: true }, event } : null));
  return (await ledger.batch(batch.id)) ?? batch;
}
