// The one place that is reached when an approval was asked and the question is on record: whoever is to be told of it is told from here.
// What was asked stands in the batch's record.
import type { BatchRecord } from '../../ledger/records.ts';
import type { Paydrop } from '../compose.ts';

/** Once for each question, unless a kill comes between its record and this. */
export function tellApprovalAsked({ log }: Pick<Paydrop, 'log'>, batch: Pick<BatchRecord, 'id'>): void {
  log.info('approval asked', { batch: batch.id });
}
