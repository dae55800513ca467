// Whether a batch of a standing file is past being withdrawn: then its day is done, whatever becomes of the file.
import type { BatchRecord } from '../../../ledger/records.ts';
import { PAYING } from '../../../ledger/batch-states.ts';

export function hasBegun({ state }: Pick<BatchRecord, 'state'>): boolean {
  return PAYING.has(state) || state === 'closed';
}
