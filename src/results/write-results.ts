// Publishes the answers of a batch. Each is a projection of the file and the ledger, so writing it again gives the same bytes.
import { createReadStream } from 'node:fs';
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
  /** The batch's own folder, where every answer is kept whatever becomes of the outbox; null for a file that was not taken. */
  readonly folder: string | null;
  /** Names an answer: `<stem>.<batch>.<kind>.<ext>`. */
  readonly nameOf: (kind: string, extension: string) => string;
};

type Lines = AsyncIterable<readonly string[]>;

/** Writes `result`, `reconciliation` and last `summary.json`; gives the summary, which names them all behind `answers`, and the summary that it `supersedes`. */
export async function writeResults(
  place: AnswerPlace,
  batch: BatchRecord,
  file: ReadFile,
  ledger: Ledger,
  { answers, supersedes }: { readonly answers: readonly string[]; readonly supersedes: string | null },
): Promise<Summary> {
  const extension = extensionOf(batch.fileName, file);
  const columns = ownColumns(file.table);
  const names = [
    place.nameOf('result', extension),
    place.nameOf('reconciliation', extension),
    place.nameOf('summary', 'json'),
  ];
  const [resultName = '', reconciliationName = '', summaryName = ''] = names;
  await writeLines(place, resultName, file, resultLines(file, columns, batch, ledger), [
    ...amountIndexes(columns),
    ...RESULT_NUMBER_COLUMNS.map((column) => columns.length + RESULT_COLUMNS.indexOf(column)),
  ]);
  await writeLines(place, reconciliationName, file, reconciliation(file, batch, ledger), []);
  const summarized = await summarize(ledger, batch, [...answers, ...names]);
  const summary = supersedes === null ? summarized : { ...summarized, supersedes };
  await publishJson(place, summaryName, summary);
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
    place,
    name,
    file,
    withHeader(header, rejectedLines(rows, columns, file.table.decimalMarks, batch.id)),
    amountIndexes(columns),
  );
  return name;
}

/** Publishes a JSON answer. */
export async function publishJson(
  place: Pick<AnswerPlace, 'outbox' | 'folder'>,
  name: string,
  document: unknown,
): Promise<void> {
  await publishAnswer(place, name, [`${JSON.stringify(document, null, 2)}\n`]);
}

/** The batch's own copy first: whoever collects from the outbox may do so at once. */
async function publishAnswer(
  { outbox, folder }: Pick<AnswerPlace, 'outbox' | 'folder'>,
  name: string,
  chunks: Parameters<typeof publishFile>[1],
): Promise<void> {
  const kept = folder === null ? null : join(folder, name);
  if (kept !== null) await publishFile(kept, chunks);
  const published = kept === null ? chunks : (createReadStream(kept) as AsyncIterable<Uint8Array>);
  await publishFile(join(outbox, name), published);
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
  place: AnswerPlace,
  name: string,
  file: ReadFile,
  lines: Lines,
  numberColumns: readonly number[],
): Promise<void> {
  await publishAnswer(place, name, writeCsv(answerForm(file.table.form), lines, new Set(numberColumns)));
}

/** The input's own, or `csv` for the answers to a workbook. */
function extensionOf(fileName: string, file: ReadFile): string {
  return file.table.form.kind === 'csv' ? extname(fileName).slice(1).toLowerCase() : 'csv';
}
