// A pause that stands beside its file and that the ledger does not know of: an older copy of the ledger was put back since. It holds all the same,
// because whoever was told of it knows nothing of copies.
import { isBeingRebuilt, type BatchState } from '../../../ledger/batch-states.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { manifestNow } from '../../../inbox/manifest.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import type { Paydrop } from '../../parts.ts';

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
