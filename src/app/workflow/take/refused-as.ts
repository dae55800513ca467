// Under which name a file that was refused at the door is answered: that of the batch that it was about to become, and never that of an earlier
// one of the same bytes, whose payments the answer would deny.
import { isDay, occurrenceOf } from '../../../inbox/batch-name.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { atOccurrence, isNothing } from './take-batch.ts';

/** In the turn of its bytes. `isTaken` where the ledger knows the batch already: what was wrong showed while its documents were taken. */
export async function refusedAs(
  paydrop: Paydrop,
  first: BatchRecord,
): Promise<{ readonly batch: BatchRecord; readonly isTaken: boolean }> {
  const same = (await paydrop.ledger.batches()).filter(({ sha256 }) => sha256 === first.sha256);
  const ours = same.find(({ state, takenBy }) => state === 'taking' && takenBy === paydrop.ledger.run);
  if (ours !== undefined) return { batch: ours, isTaken: true };
  const counted = same
    .filter((batch) => !isNothing(paydrop, batch))
    .map(({ fileId }) => occurrenceOf(fileId));
  const last = Math.max(0, ...counted.filter((occurrence) => !isDay(occurrence)).map(Number));
  return { batch: atOccurrence(first, String(last + 1)), isTaken: false };
}
