// Where a row stands in a batch that is paid whole or not at all: what lets the others be confirmed, and what forbids it. Pure.
import { isCancelled } from '../payouts/cancelled.ts';
import { isAttached, stageOrHeld, type Progress } from '../payouts/progress.ts';
import type { InvalidRowsPolicy, RowRecord } from '../ledger/records.ts';

type Row = Pick<RowRecord, 'payout' | 'progress'>;

/**
 * `stands`: nothing but its confirm is missing, or somebody has confirmed it; `excused`: known before anything was sent that it is not paid,
 * or a person closed it; `refused`: it can no longer be paid with the others; `held`: a person decides; `open`: there is still something to do.
 */
export type Standing = 'stands' | 'excused' | 'refused' | 'held' | 'open';

export function standingOf({ payout, progress }: Row, onInvalidRows: InvalidRowsPolicy): Standing {
  switch (stageOrHeld(progress)) {
    case 'ready':
    case 'quoted':
    case 'confirming':
      return 'open';
    case 'created':
      return isReserved({ payout, progress }) ? 'stands' : 'open';
    case 'confirmed':
    case 'paid':
      return 'stands';
    case 'duplicate':
      return 'excused';
    case 'rejected':
      return isExcused(payout, progress, onInvalidRows) ? 'excused' : 'refused';
    case 'failed':
      return 'refused';
    case 'held':
      return 'held';
  }
}

/** True for a transfer that is certainly there, with its document where it needs one. */
export function isReserved({ payout, progress }: Row): boolean {
  const { transfer, lookedBy } = progress;
  if (stageOrHeld(progress) !== 'created' || transfer === null || lookedBy === null || payout === null)
    return false;
  return payout.document === null || isAttached(progress);
}

/** A row to fix is known as such by its own content, or by a price; skipping those is what `skip-rows` asks for. Where it is not, a file with such a row is not accepted: only a later price can still show one. */
function isExcused(payout: Row['payout'], progress: Progress, onInvalidRows: InvalidRowsPolicy): boolean {
  if (payout === null || isCancelled(progress)) return true;
  return progress.why?.errorCode === 'amount_outside_bounds' && onInvalidRows === 'skip-rows';
}
