// Stops a batch before its next call. Whether it has ended is asked in the same commit: a pause that is told of must have something to hold.
import type { BatchState } from '../../../ledger/batch-states.ts';
import type { Records } from '../../parts.ts';
import { keepPause } from './keep-pause.ts';

const ENDS: ReadonlySet<BatchState> = new Set<BatchState>(['closed', 'refused']);

/** False when there is nothing left to pause. */
export async function pauseBatch(
  { ledger, workspace }: Pick<Records, 'ledger' | 'workspace'>,
  id: string,
): Promise<boolean> {
  const event = 'batch paused';
  const batch = await ledger.revise(id, ({ state }) =>
    ENDS.has(state) ? null : { change: { paused: true }, event },
  );
  const isPaused = batch !== null && !ENDS.has(batch.state);
  // Only now: what is under way has to stop first.
  if (isPaused) await keepPause(workspace, id);
  return isPaused;
}
