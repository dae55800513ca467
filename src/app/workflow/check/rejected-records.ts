// The rows of a registered batch that go back to their owner.
import { say, type Language } from '../../../base/language.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Rejection } from '../../../payouts/row-reader.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { type RejectedRow, rowsWithRecords } from '../../../results/answer-table.ts';
import { isCancelled } from '../../../payouts/verdict.ts';

/** Every row, or only the rejected ones, each with its faults. */
export async function* rejectedRecords(
  file: ReadFile,
  ledger: Ledger,
  batch: BatchRecord,
  which: 'all' | 'rejected',
  language: Language,
): AsyncGenerator<RejectedRow> {
  for await (const { row, record } of rowsWithRecords(file, ledger, batch.id)) {
    const rejections = rejectionsOf(record, language);
    if (which === 'all' || rejections.length > 0) yield { row, rejections };
  }
}

/** What the service refused counts like what we found ourselves; what a person cancelled is not to be fixed. */
function rejectionsOf({ rejections, progress }: RowRecord, language: Language): readonly Rejection[] {
  if (rejections.length > 0 || progress.stage !== 'rejected' || isCancelled(progress.errorCode))
    return rejections;
  const message = progress.reason === null ? '' : say(progress.reason, language);
  return [{ code: 'refused_by_service', column: 'payout', message }];
}
