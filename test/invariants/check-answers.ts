// The judge of a run that has ended: the input files, their answers and the service's books must tell one story, to the minor unit. It
// imports nothing of the program, so that a mistake in the program cannot excuse itself.
import { checkBooks } from './check-books.ts';
import { checkPaidOnce } from './check-paid-once.ts';
import { checkRows } from './check-rows.ts';
import { checkTotals } from './check-totals.ts';
import type { BatchEvidence, ServiceEvidence, Violation } from './evidence.ts';
import { readBatch } from './read-batch.ts';

/** Everything that does not agree; nothing when all is well. `batches` must be all that the service was ever asked to pay. */
export function checkAnswers(
  batches: readonly BatchEvidence[],
  service: ServiceEvidence,
): readonly Violation[] {
  const read = batches.map(readBatch);
  return [
    ...checkPaidOnce(read, service),
    ...read.flatMap((batch) => checkRows(batch, service)),
    ...read.flatMap(checkTotals),
    ...checkBooks(read, service),
  ];
}
