// Publishes the answers of a batch. Each is a projection of the file and the ledger, so writing it again gives the same bytes.
import { join } from 'node:path';

import { publishFile, type WhileOwned } from '../base/atomic-file.ts';
import { FILE_READERS, say, type Language, type Words } from '../base/language.ts';
import { readBytes } from '../base/plain-file.ts';
import { waitOf } from '../ledger/batch-rules.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import { outcomeOf } from '../payouts/lifecycle.ts';
import { stageOrHeld } from '../payouts/progress.ts';
import type { ReadFile } from '../rows/format.ts';
import { sheetOf } from '../rows/form.ts';
import { answersAs } from '../rows/formats.ts';
import type { Table } from '../rows/row.ts';
import type { XlsxSheet } from '../rows/xlsx/xlsx-writer.ts';
import {
  answerMode,
  correctedTable,
  csvAnswer,
  ownCells,
  ownColumns,
  readInStep,
  recordedPages,
  rejectedTable,
  sandboxTable,
  type AnswerRow,
  type AnswerTable,
  type Corrections,
  type RecordedRow,
  type RejectedRow,
} from './answer-table.ts';
import { LAST_PRINTED, OUTCOME_COLUMNS, RESULT_COLUMNS, RESULT_KINDS, payoutCells } from './payout-cells.ts';
import { reconciliationTable, type LineStyle } from './reconciliation.ts';
import { RowsDigest, Tally, type Summary } from './summary.ts';
import { sandboxSheet, totalsSheet } from './totals-sheet.ts';
import { xlsxAnswer } from './xlsx-answer.ts';

export type AnswerPlace = {
  readonly outbox: string;
  /** The batch's own folder, which keeps every answer even if the outbox loses it; null for a file that was not taken. */
  readonly folder: string | null;
  /** The language of the answers. */
  readonly language: Language;
  /** Whether every table says that its money is play money. */
  readonly sandbox: boolean;
  /** Names an answer: `<stem>.<batch>.<kind>.<ext>`. */
  readonly nameOf: (kind: string, extension: string) => string;
  /** Each answer takes its place within this call, so that a carrier that has lost the batch overwrites none; absent for a file that is no batch. */
  readonly whileOwned?: WhileOwned;
};

type Chunks = Parameters<typeof publishFile>[1];

type Written = {
  /** The answers that were written before. */
  readonly answers: readonly string[];
  readonly supersedes: string | null;
  /** Awaited when all but the summary are published; `digest` is over the rows that they report. */
  readonly beforeSummary: (digest: string) => Promise<void>;
};

/**
 * Writes `result`, `reconciliation` and last `summary.json` in one reading of the rows. Returns the summary, which names them all after `answers`,
 * and the summary that it `supersedes`.
 */
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
  const tally = new Tally();
  const digest = new RowsDigest();
  const summary = (): Summary => {
    const summed = tally.summary(batch, [...answers, result, reconciliation, name]);
    return supersedes === null ? summed : { ...summed, supersedes };
  };
  const { language } = place;
  const style = { mark: file.table.form.decimalMark, language };
  await readInStep(counted(recordedPages(file, ledger, batch.id), tally, digest), [
    (pages) =>
      keepTable(place, result, file, resultTable(file, batch, pages, style), totals(file, summary, language)),
    (pages) => keepTable(place, reconciliation, file, reconciliationTable(pages, style), []),
  ]);
  const published = [result, reconciliation].map((kept) => publishKept(place, kept));
  for (const ended of await Promise.allSettled(published))
    if (ended.status === 'rejected') throw ended.reason;
  const written = summary();
  await beforeSummary(digest.hex());
  await publishJson(place, name, written);
  return written;
}

async function* counted(
  pages: AsyncIterable<readonly RecordedRow[]>,
  tally: Tally,
  digest: RowsDigest,
): AsyncGenerator<readonly RecordedRow[]> {
  for await (const page of pages) {
    const records = page.map(({ record }) => record);
    for (const record of records) tally.add(record);
    digest.add(records);
    yield page;
  }
}

/** Writes `rejected` in the input's own form; returns its name. */
export async function writeRejected(
  place: AnswerPlace,
  batch: { readonly id: string; readonly fileName: string },
  file: ReadFile,
  rows: AsyncIterable<RejectedRow>,
): Promise<string> {
  const name = place.nameOf('rejected', answersAs(batch.fileName));
  await publishTable(place, name, file, rejectedTable(file.table, rows, batch.id, place.language), []);
  return name;
}

/** The bytes of the file with these cells corrected, in its own form. */
export function correctedBytes(file: ReadFile, corrections: Corrections): AsyncIterable<Uint8Array> {
  return bytesOf(file.table, correctedTable(file.table, file.rows(), corrections));
}

/** Publishes a JSON answer. */
export async function publishJson(place: KeepingPlace, name: string, document: unknown): Promise<void> {
  await keep(place, name, [`${JSON.stringify(document, null, 2)}\n`]);
  await publishKept(place, name);
}

function totals({ table }: ReadFile, summary: () => Summary, language: Language): readonly XlsxSheet[] {
  const sheet = sheetOf(table.form);
  return sheet === null ? [] : [totalsSheet(summary, sheet, language)];
}

/** Publishes a table in the form of its input; `more` are further sheets of a workbook. */
export async function publishTable(...table: Parameters<typeof keepTable>): Promise<void> {
  await keepTable(...table);
  const [place, name] = table;
  await publishKept(place, name);
}

/** The first half of publishing it. */
async function keepTable(
  place: AnswerPlace,
  name: string,
  { table: input }: ReadFile,
  table: AnswerTable,
  more: readonly XlsxSheet[],
): Promise<void> {
  const told = place.sandbox ? sandboxTable(table) : table;
  const sheets = place.sandbox ? more.map((sheet) => sandboxSheet(sheet, place.language)) : more;
  await keep(place, name, bytesOf(input, told, sheets, place.language));
}

/** In the form of the input: each form in `Form` needs a writer here. */
function bytesOf(
  input: Table,
  table: AnswerTable,
  sheets: readonly XlsxSheet[] = [],
  language: Language = 'en',
): AsyncIterable<Uint8Array> {
  const { form } = input;
  switch (form.kind) {
    case 'csv':
      return csvAnswer(form, table);
    case 'xlsx':
      return xlsxAnswer(form, input, table, sheets, language);
  }
}

/** Publishes an answer that the batch's own folder already keeps. */
export async function publishKept({ outbox, folder, whileOwned }: KeepingPlace, name: string): Promise<void> {
  if (folder === null) return;
  // The mark in the folder shows what is on its way to the outbox, so that the remains of a kill are found.
  const publishing = { mode: await answerMode(outbox), markIn: folder, whileOwned };
  await publishFile(join(outbox, name), readBytes(join(folder, name)), publishing);
}

type KeepingPlace = Pick<AnswerPlace, 'outbox' | 'folder' | 'whileOwned'>;

/** The batch's own copy comes first, because a reader may collect from the outbox at once. If the batch has no folder, the answer goes straight to the outbox. */
async function keep(
  { outbox, folder, whileOwned }: KeepingPlace,
  name: string,
  chunks: Chunks,
): Promise<void> {
  if (folder === null)
    await publishFile(join(outbox, name), chunks, { mode: await answerMode(outbox), whileOwned });
  else await publishFile(join(folder, name), chunks, { whileOwned });
}

// `result`: every row of the input in its order, its own columns untouched, and its outcome.

function resultTable(
  file: ReadFile,
  batch: BatchRecord,
  pages: AsyncIterable<readonly RecordedRow[]>,
  style: LineStyle,
): AnswerTable {
  const own = ownColumns(file.table);
  const words = waitOf(batch)?.words ?? null;
  const said = sheetOf(file.table.form) === null ? null : OUTCOME_COLUMNS[style.language];
  const added = RESULT_COLUMNS.map((header) => ({
    header,
    kind: RESULT_KINDS[header] ?? 'text',
    ...(header === LAST_PRINTED ? { isLastPrinted: true as const } : {}),
  }));
  if (said === null) return { own, added, pages: resultPages(pages, own, words, style) };
  const outcome = { header: said, kind: 'text' } as const;
  return {
    own,
    added: [outcome, ...added],
    pages: saidInWords(resultPages(pages, own, words, style), style),
  };
}

/** Each row with its outcome in the reader's language before its other cells. */
async function* saidInWords(
  pages: AnswerTable['pages'],
  { language }: LineStyle,
): AsyncGenerator<readonly AnswerRow[]> {
  for await (const page of pages)
    yield page.map((row) => {
      const said = row.outcome === undefined ? '' : say(sentence(`standing.${row.outcome}`), language);
      return { ...row, added: [said, ...row.added] };
    });
}

async function* resultPages(
  pages: AsyncIterable<readonly RecordedRow[]>,
  own: AnswerTable['own'],
  waitingWords: Words | null,
  { mark, language }: LineStyle,
): AsyncGenerator<readonly AnswerRow[]> {
  for await (const page of pages)
    yield page.map(({ row, record }) => ({
      row,
      own: ownCells(row, own),
      added: payoutCells(record, mark, waitingWords, FILE_READERS[language]),
      outcome: outcomeOf(stageOrHeld(record.progress)),
    }));
}
