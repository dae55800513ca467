// Which batches there is anything to reconcile in.
import { PAYING, type BatchState } from '../../ledger/batch-states.ts';

/** States in which transfers of a batch may exist, and all its rows are on record. */
export const MAY_HAVE_TRANSFERS: ReadonlySet<BatchState> = new Set<BatchState>([
  'accepted',
  ...PAYING,
  'closed',
  'resolving',
]);
