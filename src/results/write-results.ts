// Publishes the answers of a batch. Each is a projection of the file and the ledger, so writing it again gives the same bytes.
import { type Hash, createHash } from 'node:crypto';
import { join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import type { Language } from '../base/language.ts';
import { readBytes } from '../base/plain-file.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { outcomeOf } from '../payouts/outcome.ts';
import { stageOrHeld } from '../payouts/progress.ts';
import type { ReadFile } from '../rows/format.ts';
import { answersAs } from '../rows/formats.ts';
import type { XlsxSheet } from '../rows/xlsx/xlsx-writer.ts';
import {
  answerMode,
  type AnswerRow,
  type AnswerTable,
  csvAnswer,
  ownCells,
  ownColumns,
  type RejectedRow,
  rejectedTable,
  rowsWithRecords,
  sandboxTable,
} from './answer-table.ts';
import { RESULT_COLUMNS, RESULT_KINDS, payoutCells } from './payout-cells.ts';
import { reconciliationTable } from './reconciliation.ts';
import { type Summary, summarize } from './summary.ts';
import { sandboxSheet, totalsSheet } from './totals-sheet.ts';
import { xlsxAnswer } from './xlsx-answer.ts';

export type AnswerPlace = {
  readonly outbox: string;
  /** The batch's own folder, where every answer is kept whatever becomes of the outbox; null for a file that was not taken. */
  readonly folder: string | null;
  /** In which the answers are written. */
  readonly language: Language;
  /** Whether every table says that its money is play money. */
  readonly sandbox: boolean;
  /** Names an answer: `<stem>.<batch>.<kind>.<ext>`. */
  readonly nameOf: (kind: string, extension: string) => string;
  /** Told the SHA-256 in hex of each answer that the batch's own folder keeps. */
  readonly onKept?: (name: string, sha256: string) => void;
};

type Chunks = Parameters<typeof publishFile>[1];

type Written = {
  /** What was written before. */
  readonly answers: readonly string[];
  readonly supersedes: string | null;
  /** Awaited when all but the summary are published, and all are told by `onKept`. */
  readonly beforeSummary: () => Promise<void>;
};

/** Writes `result`, `reconciliation` and last `summary.json`; gives the summary, which names them all behind `answers`, and the summary that it `supersedes`. */
export async function writeResults(
  place: AnswerPlace,
  batch: BatchRecord,
  file: ReadFile,
  ledger: Ledger,
  { answers, supersedes, beforeSummary }: Written,
): Promise<Summary> {
  const extension = answersAs(batch.fileName);
  const result = place.nameOf('result', extension);
  const reconciliation = place.nameOf('reconciliation', extension);
  const name = place.nameOf('summary', 'json');
  const summarized = await summarize(ledger, batch, [...answers, result, reconciliation, name]);
  const summary = supersedes === null ? summarized : { ...summarized, supersedes };
  await publishTable(
    place,
    result,
    file,
    resultTable(file, batch, ledger, place.language),
    totals(file, summary, place.language),
  );
  await publishTable(
    place,
    reconciliation,
    file,
    reconciliationTable(file, batch, ledger, place.language),
    [],
  );
  place.onKept?.(name, createHash('sha256').update(jsonOf(summary)).digest('hex'));
  await beforeSummary();
  await publishJson(place, name, summary);
  return summary;
}

/** Writes `rejected` in the input's own form; gives its name. */
export async function writeRejected(
  place: AnswerPlace,
  batch: { readonly id: string; readonly fileName: string },
  file: ReadFile,
  rows: AsyncIterable<RejectedRow>,
): Promise<string> {
  const name = place.nameOf('rejected', answersAs(batch.fileName));
  await publishTable(place, name, file, rejectedTable(file.table, rows, batch.id), []);
  return name;
}

/** Publishes a JSON answer. */
export async function publishJson(
  place: Pick<AnswerPlace, 'outbox' | 'folder'>,
  name: string,
  document: unknown,
): Promise<void> {
  await publishAnswer(place, name, [jsonOf(document)]);
}

function jsonOf(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function totals({ table: { form } }: ReadFile, summary: Summary, language: Language): readonly XlsxSheet[] {
  return form.kind === 'xlsx' ? [totalsSheet(summary, form.sheet, language)] : [];
}

/** Publishes a table in the form of its input; `more` are sheets that follow in a workbook. */
export async function publishTable(
  place: AnswerPlace,
  name: string,
  { table: input }: ReadFile,
  table: AnswerTable,
  more: readonly XlsxSheet[],
): Promise<void> {
  const { form } = input;
  const told = place.sandbox ? sandboxTable(table) : table;
  const sheets = place.sandbox ? more.map((sheet) => sandboxSheet(sheet, place.language)) : more;
  const bytes = form.kind === 'csv' ? csvAnswer(form, told) : xlsxAnswer(form, input, told, sheets);
  await publishAnswer(place, name, bytes);
}

/** Publishes an answer that the batch's own folder has kept. */
export async function publishKept({ outbox, folder }: AnswerPlace, name: string): Promise<void> {
  if (folder === null) return;
  await publishFile(join(outbox, name), readBytes(join(folder, name)), await answerMode(outbox));
}

/** The batch's own copy first: whoever collects from the outbox may do so at once. */
async function publishAnswer(
  { outbox, folder, onKept }: Pick<AnswerPlace, 'outbox' | 'folder' | 'onKept'>,
  name: string,
  chunks: Chunks,
): Promise<void> {
  const kept = folder === null ? null : join(folder, name);
  if (kept !== null) {
    const hash = createHash('sha256');
    await publishFile(kept, hashed(chunks, hash));
    onKept?.(name, hash.digest('hex'));
  }
  const published = kept === null ? chunks : readBytes(kept);
  await publishFile(join(outbox, name), published, await answerMode(outbox));
}

async function* hashed(chunks: Chunks, hash: Hash): AsyncGenerator<string | Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

// `result`: every row of the input in its order, its own columns untouched, and what became of it.

function resultTable(file: ReadFile, batch: BatchRecord, ledger: Ledger, language: Language): AnswerTable {
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
      added: payoutCells(record, decimalMark, batch.wait?.words ?? null, language),
      outcome: outcomeOf(stageOrHeld(record.progress)),
    };
  }
}
