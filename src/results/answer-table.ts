// An answer as a table, before it is decided whether it becomes CSV or a workbook.
import { stat } from 'node:fs/promises';

import { FILE_READERS, type Language, sameWords, say } from '../base/language.ts';
import { batchPages } from '../ledger/batch-rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { faultsText } from '../messages/messages.ts';
import type { Outcome } from '../payouts/lifecycle.ts';
import type { Rejection } from '../payouts/rejection.ts';
import { isCancelled } from '../payouts/cancelled.ts';
import { answerCell } from '../rows/cell.ts';
import { writeCsv } from '../rows/csv/csv-file.ts';
import { type CsvForm, sheetOf } from '../rows/form.ts';
import type { ReadFile } from '../rows/format.ts';
import { isAmountColumn, namedHeader } from '../rows/known-columns.ts';
import { showMark } from '../rows/read-amount.ts';
import type { Column, Row, Table } from '../rows/row.ts';

/** The content of one of our columns: amounts and rates, moments in ISO 8601, or text. */
export type AnswerKind = 'text' | 'number' | 'moment';

type AnswerColumn = {
  readonly header: string;
  readonly kind: AnswerKind;
  /** What a person reads first stands beside the first own column of a workbook. */
  readonly isBesideFirst?: true;
  /** The columns behind it are for programs: a workbook does not print them. */
  readonly isLastPrinted?: true;
};

/** `column` is a header of the input, or the canonical name of a column that it lacks. */
export type AnswerFault = {
  readonly column: string;
  /** A missing column is named as people call it; any other by its own header. */
  readonly name: string;
  readonly message: string;
};

export type AnswerRow = {
  /** The input row that this line begins with; null when the table mirrors none. */
  readonly row: Row | null;
  /** The input's cells in `AnswerTable.own`, changed only where the row could not come back otherwise. */
  readonly own: readonly string[];
  /** One for each of `AnswerTable.added`. */
  readonly added: readonly string[];
  /** The faults of the input's cells. */
  readonly faults?: readonly AnswerFault[];
  readonly outcome?: Outcome;
};

export type AnswerTable = {
  /** The input's own columns. */
  readonly own: readonly Column[];
  readonly added: readonly AnswerColumn[];
  /** Pages of rows: a million single rows would be a million promises. */
  readonly pages: AsyncIterable<readonly AnswerRow[]>;
};

// Who may read an answer: its owner alone, unless the outbox lets its group in, as where people fetch answers over the machine's own SFTP.

const OWNER_ALONE = 0o600;
const WITH_GROUP = 0o640;
const GROUP_READS = 0o040;

export async function answerMode(outbox: string): Promise<number> {
  const { mode } = await stat(outbox);
  return (mode & GROUP_READS) === 0 ? OWNER_ALONE : WITH_GROUP;
}

// The columns of an answer that mirrors its input: the input's own, without the `payout.*` ones of an earlier answer, then the new ones.

/** The input's columns that the answer repeats. */
export function ownColumns(table: Table): readonly Column[] {
  return table.columns.filter(({ canonical }) => canonical?.startsWith('payout.') !== true);
}

/** The row's cells in these columns, without account digits that a workbook has spoilt. */
export function ownCells(row: Row, columns: readonly Column[]): readonly string[] {
  // Nearly every CSV row is returned as it is, because all its columns are repeated.
  const isWhole = row.cells.length === columns.length && columns.at(-1)?.index === columns.length - 1;
  if (isWhole && row.kinds === undefined) return row.cells;
  return columns.map(({ index, canonical }) =>
    answerCell(row.cells[index] ?? '', row.kinds?.[index] ?? 'text', canonical),
  );
}

/** A row of the file with its record. */
export type RecordedRow = { readonly row: Row; readonly record: RowRecord };

/** All rows of the file with their records, page by page. A missing record is a bug, because every row that came in goes out. */
export async function* recordedPages(
  file: ReadFile,
  ledger: Ledger,
  batch: string,
): AsyncGenerator<readonly RecordedRow[]> {
  const pages = batchPages(ledger, batch);
  let records: readonly RowRecord[] = [];
  let page: RecordedRow[] = [];
  for await (const row of file.rows()) {
    if (page.length === records.length) {
      if (page.length > 0) yield page;
      page = [];
      const next = await pages.next();
      records = next.done === true ? [] : next.value;
    }
    const record = records[page.length];
    if (record?.row !== row.place) throw new Error(`Row ${row.place} of batch ${batch} has no record.`);
    page.push({ row, record });
  }
  if (page.length > 0) yield page;
}

/** The same, row by row. */
export async function* rowsWithRecords(
  file: ReadFile,
  ledger: Ledger,
  batch: string,
): AsyncGenerator<RecordedRow> {
  for await (const page of recordedPages(file, ledger, batch)) yield* page;
}

/** Rows that come one by one are written in groups of this size. */
const PAGE_ROWS = 512;

export async function* inPages<T>(rows: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let page: T[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < PAGE_ROWS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/**
 * Gives every page to all readers, which advance together: one reading of a million rows serves several answers in the memory of one. When the
 * source or a reader fails, all end with that error.
 */
export async function readInStep<T>(
  source: AsyncIterable<readonly T[]>,
  readers: readonly ((pages: AsyncIterable<readonly T[]>) => Promise<void>)[],
): Promise<void> {
  const pages = source[Symbol.asyncIterator]();
  const faults: unknown[] = [];
  const waiting: PromiseWithResolvers<IteratorResult<readonly T[]>>[] = [];
  const fail = (error: unknown): void => {
    faults.push(error);
    for (const { reject } of waiting.splice(0)) reject(faults[0]);
  };
  // The last that asks has the next page read for all.
  const next = (): Promise<IteratorResult<readonly T[]>> => {
    const asked = Promise.withResolvers<IteratorResult<readonly T[]>>();
    waiting.push(asked);
    if (faults.length > 0) fail(faults[0]);
    else if (waiting.length === readers.length)
      pages.next().then((page) => waiting.splice(0).forEach(({ resolve }) => resolve(page)), fail);
    return asked.promise;
  };
  await Promise.all(readers.map((take) => take({ [Symbol.asyncIterator]: () => ({ next }) }).catch(fail)));
  if (faults.length === 0) return;
  await pages.return?.();
  throw faults[0];
}

/** Play money must not pass for a payment in the books of a person or program that imports the table. */
export const SANDBOX_COLUMN = { header: 'payout.sandbox', kind: 'text' } as const;
export const SANDBOX_CELL = 'SANDBOX';

/** The table of a sandbox run: the last column of each row says so. */
export function sandboxTable(table: AnswerTable): AnswerTable {
  return { ...table, added: [...table.added, SANDBOX_COLUMN], pages: sandboxPages(table.pages) };
}

async function* sandboxPages(pages: AnswerTable['pages']): AsyncGenerator<readonly AnswerRow[]> {
  for await (const page of pages) yield page.map((row) => ({ ...row, added: [...row.added, SANDBOX_CELL] }));
}

// An answer as CSV, in the form of its input.

export function csvAnswer(form: CsvForm, table: AnswerTable): AsyncIterable<Uint8Array> {
  const { own, added } = table;
  const numbers = [
    ...own.flatMap(({ canonical }, index) => (isAmountColumn(canonical) ? [index] : [])),
    ...added.flatMap(({ kind }, index) => (kind === 'number' ? [own.length + index] : [])),
  ];
  return writeCsv(form, linesOf(table), new Set(numbers));
}

async function* linesOf({ own, added, pages }: AnswerTable): AsyncGenerator<readonly (readonly string[])[]> {
  yield [[...own, ...added].map(({ header }) => header)];
  for await (const page of pages) yield page.map((row) => row.own.concat(row.added));
}

// The rows that go back to their owner, who corrects them and drops them again.

const REJECTED_COLUMNS = ['payout.error', 'payout.batch', 'payout.row'] as const;

/** A row with its faults; without any, for a good row of a file that is refused whole. */
export type RejectedRow = { readonly row: Row; readonly rejections: readonly Rejection[] };

/** `rejected`, as a table. */
export function rejectedTable(
  input: Table,
  rows: AsyncIterable<RejectedRow>,
  batch: string,
  language: Language,
): AnswerTable {
  const own = ownColumns(input);
  const added = REJECTED_COLUMNS.map((header) => ({
    header,
    kind: 'text' as const,
    ...(header === 'payout.error' ? { isBesideFirst: true as const } : {}),
  }));
  return { own, added, pages: inPages(tableRows(rows, own, input, { batch, language })) };
}

async function* tableRows(
  rows: AsyncIterable<RejectedRow>,
  own: readonly Column[],
  input: Table,
  { batch, language }: { readonly batch: string; readonly language: Language },
): AsyncGenerator<AnswerRow> {
  for await (const { row, rejections } of rows) {
    const faults = namedFaults(rejections, own, language);
    yield {
      row,
      own: ownCells(row, own).map((cell, index) => readable(cell, own[index], input.decimalMarks)),
      added: [errorText(faults, input, language), batch, row.place],
      faults,
    };
  }
}

/** A missing column is reported by the name that people use. */
export function namedFaults(
  rejections: readonly Rejection[],
  own: readonly Column[],
  language: Language,
): readonly AnswerFault[] {
  const present = new Set(own.map(({ header }) => header.trim()));
  return rejections.map(({ column, words }) => {
    const isOwn = column === '' || present.has(column);
    return {
      column,
      message: say(words, FILE_READERS[language]),
      name: isOwn ? column : say(namedHeader(column), language),
    };
  });
}

/** In a workbook each fault has a line. The cells that are meant are in colour, in the same row. */
function errorText(faults: readonly AnswerFault[], { form }: Table, language: Language): string {
  return sheetOf(form) === null ? faultsText(faults, language) : faultsText(faults, language, '\n');
}

// A file whose owner has corrected cells of it: all its rows, in its own form.

/** Position of a row → index of a column → the text to write there. */
export type Corrections = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** All columns of the input, so that rows of an earlier answer still say where they come from. */
export function correctedTable(
  input: Table,
  rows: AsyncIterable<Row>,
  corrections: Corrections,
): AnswerTable {
  return { own: input.columns, added: [], pages: inPages(correctedRows(input, rows, corrections)) };
}

async function* correctedRows(
  { columns, decimalMarks }: Table,
  rows: AsyncIterable<Row>,
  corrections: Corrections,
): AsyncGenerator<AnswerRow> {
  for await (const row of rows) {
    const changes = corrections.get(row.position);
    const own = ownCells(row, columns).map(
      (cell, at) => changes?.get(columns[at]?.index ?? -1) ?? readable(cell, columns[at], decimalMarks),
    );
    yield { row: changes === undefined ? row : typed(row, changes), own, added: [] };
  }
}

/** A corrected cell of a workbook is text: what the person has typed is read by the rules for text, and nothing is guessed. */
function typed({ kinds, ...row }: Row, changes: ReadonlyMap<number, string>): Row {
  const cells = row.cells.map((cell, index) => changes.get(index) ?? cell);
  if (kinds === undefined) return { ...row, cells };
  return { ...row, cells, kinds: kinds.map((kind, index) => (changes.has(index) ? 'text' : kind)) };
}

/** A few rows alone may no longer show which decimal mark the file uses; the cells that go back must be readable when they return. */
function readable(cell: string, column: Column | undefined, marks: Table['decimalMarks']): string {
  const mark = marks.get(column?.canonical ?? '');
  return mark === undefined ? cell : showMark(cell, mark);
}

// The rows of a registered batch that go back to their owner.

/** Every row, or only the rejected ones, each with its faults. */
export async function* rejectedRecords(
  file: ReadFile,
  ledger: Ledger,
  batch: BatchRecord,
  which: 'all' | 'rejected',
): AsyncGenerator<RejectedRow> {
  for await (const { row, record } of rowsWithRecords(file, ledger, batch.id)) {
    const rejections = rejectionsOf(record);
    if (which === 'all' || rejections.length > 0) yield { row, rejections };
  }
}

/** A refusal of the service counts like a fault that we found; a row that a person cancelled is not to be corrected. */
function rejectionsOf({ rejections, progress }: RowRecord): readonly Rejection[] {
  if (rejections.length > 0 || progress.stage !== 'rejected' || isCancelled(progress)) return rejections;
  const words = progress.why?.reason ?? sameWords('');
  return [{ code: 'refused_by_service', column: 'payout', words }];
}
