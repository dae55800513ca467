// Publishes the answers of a batch. Each is a projection of the file and the ledger, so writing it again gives the same bytes.
import { extname, join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { answerForm } from '../rows/answer-form.ts';
import { writeCsv } from '../rows/csv-writer.ts';
import { isAmountColumn } from '../rows/known-columns.ts';
import type { ReadFile } from '../rows/read-file.ts';
import type { Column } from '../rows/row.ts';
import { batchRows } from './batch-rows.ts';
import { payoutCells, RESULT_COLUMNS, RESULT_NUMBER_COLUMNS } from './payout-cells.ts';
import { RECONCILIATION_COLUMNS, reconciliationLines } from './reconciliation.ts';
import { rejectedLines, REJECTED_COLUMNS, type RejectedRow } from './rejected-rows.ts';
import { summarize, type Summary } from './summary.ts';
import { ownCells, ownColumns, rowsWithRecords } from './table-file.ts';

export type AnswerPlace = {
  readonly outbox: string;
  /** Names an answer: `<stem>.<batch>.<kind>.<ext>`. */
  readonly nameOf: (kind: string, extension: string) => string;
};

type Lines = AsyncIterable<readonly string[]>;

/** Writes `result`, `reconciliation` and last `summary.json`; gives the summary, which names them all and those of `earlier`. */
export async function writeResults(
  place: AnswerPlace,
  batch: BatchRecord,
  file: ReadFile,
  ledger: Ledger,
  earlier: readonly string[],
): Promise<Summary> {
  const extension = extensionOf(batch.fileName, file);
  const columns = ownColumns(file.table);
  const names = [
    place.nameOf('result', extension),
    place.nameOf('reconciliation', extension),
    place.nameOf('summary', 'json'),
  ];
  const [resultName = '', reconciliationName = '', summaryName = ''] = names;
  await writeLines(join(place.outbox, resultName), file, resultLines(file, columns, batch, ledger), [
    ...amountIndexes(columns),
    ...RESULT_NUMBER_COLUMNS.map((column) => columns.length + RESULT_COLUMNS.indexOf(column)),
  ]);
  await writeLines(join(place.outbox, reconciliationName), file, reconciliation(file, batch, ledger), []);
  const summary = await summarize(ledger, batch, [...earlier, ...names]);
  await publishJson(join(place.outbox, summaryName), summary);
  return summary;
}

/** Writes `rejected` in the input's own form; gives its name. */
export async function writeRejected(
  place: AnswerPlace,
  batch: { readonly id: string; readonly fileName: string },
  file: ReadFile,
  rows: AsyncIterable<RejectedRow>,
): Promise<string> {
  const name = place.nameOf('rejected', extensionOf(batch.fileName, file));
  const columns = ownColumns(file.table);
  const header = [...columns.map(({ header: text }) => text), ...REJECTED_COLUMNS];
  await writeLines(
    join(place.outbox, name),
    file,
    withHeader(header, rejectedLines(rows, columns, file.table.decimalMarks, batch.id)),
    amountIndexes(columns),
  );
  return name;
}

/** Publishes a JSON answer. */
export async function publishJson(path: string, document: unknown): Promise<void> {
  await publishFile(path, [`${JSON.stringify(document, null, 2)}\n`]);
}

async function* resultLines(
  file: ReadFile,
  columns: readonly Column[],
  batch: BatchRecord,
  ledger: Ledger,
): Lines {
  yield [...columns.map(({ header }) => header), ...RESULT_COLUMNS];
  for await (const { row, record } of rowsWithRecords(file, ledger, batch.id)) {
    yield [
      ...ownCells(row, columns),
      ...payoutCells(record, file.table.form.decimalMark, batch.waitingWords),
    ];
  }
}

async function* reconciliation(file: ReadFile, batch: BatchRecord, ledger: Ledger): Lines {
  yield RECONCILIATION_COLUMNS;
  for await (const record of batchRows(ledger, batch.id))
    yield* reconciliationLines(record, file.table.form.decimalMark);
}

async function* withHeader(header: readonly string[], lines: Lines): Lines {
  yield header;
  yield* lines;
}

function amountIndexes(columns: readonly Column[]): readonly number[] {
  return columns.flatMap(({ canonical }, index) => (isAmountColumn(canonical) ? [index] : []));
}

async function writeLines(
  path: string,
  file: ReadFile,
  lines: Lines,
  numberColumns: readonly number[],
): Promise<void> {
  await publishFile(path, writeCsv(answerForm(file.table.form), lines, new Set(numberColumns)));
}

/** The input's own, or `csv` for the answers to a workbook. */
function extensionOf(fileName: string, file: ReadFile): string {
  return file.table.form.kind === 'csv' ? extname(fileName).slice(1).toLowerCase() : 'csv';
}
