// The lease of a batch for tests about something else: every caller gets it.
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { BATCH } from './records.ts';

/** The batch as this run has it now, taken over where another one had it; one that is not there is had by nobody. */
export async function own(
  ledger: Pick<Ledger, 'run' | 'batch' | 'takeOver'>,
  id: string,
): Promise<BatchRecord> {
  const found = await ledger.batch(id);
  if (found === null) return { ...BATCH, id };
  return found.owner === ledger.run ? found : ((await ledger.takeOver(found)) ?? found);
}
