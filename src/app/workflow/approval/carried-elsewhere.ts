// Whether another process of this machine has a batch at this moment: then that one goes on with it, and nobody else opens a service for it.
import { isOtherRunHere } from '../../../ledger/open-ledger.ts';
import type { Records } from '../../parts.ts';

export async function isCarriedElsewhere({ ledger }: Pick<Records, 'ledger'>, id: string): Promise<boolean> {
  const batch = await ledger.batch(id);
  return batch !== null && isOtherRunHere(batch.takenBy, ledger.run);
}
