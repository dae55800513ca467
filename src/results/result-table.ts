// `result`: every row of the input in its order, its own columns untouched, and what became of it.
import type { Language } from '../base/language.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { outcomeOf } from '../payouts/outcome.ts';
import { stageOrHeld } from '../payouts/progress.ts';
import type { ReadFile } from '../rows/read-file.ts';
import type { AnswerRow, AnswerTable } from './answer-table.ts';
import { payoutCells, RESULT_COLUMNS, RESULT_KINDS } from './payout-cells.ts';
import { ownCells, ownColumns, rowsWithRecords } from './table-file.ts';

export function resultTable(
  file: ReadFile,
  batch: BatchRecord,
  ledger: Ledger,
  language: Language,
): AnswerTable {
  const own = ownColumns(file.table);
  const added = RESULT_COLUMNS.map((header) => ({ header, kind: RESULT_KINDS[header] ?? 'text' }) as const);
  return { own, added, rows: resultRows(file, own, batch, ledger, language) };
}

async function* resultRows(
  file: ReadFile,
  own: AnswerTable['own'],
  batch: BatchRecord,
  ledger: Ledger,
  language: Language,
): AsyncGenerator<AnswerRow> {
  const { decimalMark } = file.table.form;
  for await (const { row, record } of rowsWithRecords(file, ledger, batch.id)) {
    yield {
      row,
      own: ownCells(row, own),
      added: payoutCells(record, decimalMark, batch.waitingWords, language),
      outcome: outcomeOf(stageOrHeld(record.progress)),
    };
  }
}
