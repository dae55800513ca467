// Closed batches whose payments may have changed since they were answered, looked at one after the other.
import type { Paydrop } from '../parts.ts';
import { resumeBatch } from '../workflow/resume-batches.ts';
import type { RunControl } from '../parts/run-options.ts';
import type { Told } from '../intake/reported-once.ts';

export async function lookBack(
  paydrop: Paydrop,
  control: RunControl,
  told: Pick<Told, 'batch'>,
): Promise<void> {
  const { ledger, clock } = paydrop;
  // What has not ended yet is looked at in the next round: the others would wait for it.
  const once = { ...control, waitMs: 0, isRound: true };
  for (const { id, state } of await ledger.batchesToLookAt(clock.now())) {
    if (control.signal.aborted) return;
    const result = state === 'closed' ? await resumeBatch(paydrop, id, once) : null;
    if (result !== null) told.batch(id, result);
  }
}
