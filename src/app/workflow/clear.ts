// The gates before the first payment of a batch, in their order: it is still wanted, it is approved, and its time has come.
import { beforePaying } from './send/before-paying.ts';
import { unfinished } from './unfinished-batch.ts';
import { told, type Step, type Work } from './work.ts';
import { payingState } from '../../ledger/batch-states.ts';

export async function clear(work: Work): Promise<Step> {
  const { paydrop, batch, pace } = work;
  const before = await beforePaying(work);
  if (before !== null) return told(before);
  // Declined, or asked anew, at this very moment: the next go finds it so.
  if (!(await paydrop.ledger.moveOn(batch.id, 'accepted', payingState(batch))))
    return told(await unfinished(paydrop, batch));
  return { kind: 'moved', pace };
}
