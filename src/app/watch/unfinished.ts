// Which batches a daemon takes up: those that nobody here carries, and that have something to do by now.
import { SETTLED, STAGES } from '../../payouts/lifecycle.ts';
import { isOtherRunHere } from '../../ledger/open-ledger.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Paydrop } from '../compose.ts';

/** What has no more work for now is waited for; everything else goes on. */
const UNSETTLED = STAGES.filter((stage) => !SETTLED.has(stage));

type Known = Pick<Paydrop, 'ledger' | 'clock'>;

export async function unfinishedBatches({ ledger, clock }: Known): Promise<readonly BatchRecord[]> {
  return (await ledger.batchesToLookAt(clock.now())).filter(
    ({ state, takenBy, paused }) =>
      state !== 'closed' && state !== 'refused' && !paused && !isOtherRunHere(takenBy, ledger.run),
  );
}

/** A batch that only waits for a person has nothing due. */
export async function hasWork({ ledger, clock }: Known, id: string, withinMs: number): Promise<boolean> {
  const batch = await ledger.batch(id);
  if (batch?.state !== 'paying') return true;
  const dueAt = await ledger.nextDueAt(id, UNSETTLED);
  if (dueAt !== null) return dueAt <= clock.now() + withinMs;
  // Everything is final, and only its answers and its archive were missing when it was left.
  return !(await ledger.stageCounts(id)).has('held');
}
