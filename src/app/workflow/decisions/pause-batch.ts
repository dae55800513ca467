// Stops a batch before its next call. Whether it has ended is asked in the same commit: a pause that is told of must have something to hold. It is
// kept beside the file too: a ledger that is made anew must not let a daemon go on with what a person had stopped.
import type { BatchState } from '../../../ledger/batch-states.ts';
import type { Records } from '../../parts.ts';
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
