// A CSV file is read twice: once to its end to know what it is, and once more to give its rows, so that a million rows fit in any memory.
import { stringify } from 'csv-stringify/sync';

import { sentence } from '../../messages/messages.ts';
import { protectFormula, unprotectFormula } from '../cell.ts';
import { detectEncoding, refuseOtherKinds } from './encoding.ts';
import { cutBlocks, parseStart, readRecords, tooLongFault } from './records.ts';
import { encodeText, readText, startOfText, writableIn } from './text.ts';
import { FileRefused } from '../file-refused.ts';
import {
  type CsvForm,
  type DecimalMark,
  type Delimiter,
  DELIMITERS,
  type Encoding,
  type Newline,
} from '../form.ts';
import type { Format, Peek, ReadFile, ReadOptions } from '../format.ts';
import {
  checkSwallowedRows,
  findHeader,
  type FoundHeader,
  HEADER_WITHIN_ROWS,
  isBlank,
  requireHeader,
} from '../header.ts';
import type { HeaderAliases } from '../known-columns.ts';
import type { Row, Table } from '../row.ts';
import { describeCopy, describeFile, type SourceFile } from '../source-file.ts';
import { isGivenOut, startSurvey, type Surveyed } from '../survey.ts';

// The delimiter is the one under which a header can be read; counting characters would be misled by decimal commas and by titles.

type DetectedDelimiter = {
  readonly delimiter: Delimiter;
  readonly sepLine: boolean;
};

/** Excel's own way of stating the delimiter, in the first line. */
const SEP_LINE = /^"?sep=([,;\t|])"?[\r\n]/i;

/** `start` is the first block of the file. */
function detectDelimiter(
  start: string,
  wanted: Delimiter | 'auto',
  aliases: HeaderAliases,
): DetectedDelimiter {
  const stated = DELIMITERS.find((delimiter) => delimiter === SEP_LINE.exec(start)?.[1]);
  if (wanted !== 'auto') return { delimiter: wanted, sepLine: stated !== undefined };
  if (stated !== undefined) return { delimiter: stated, sepLine: true };
  return { delimiter: bestDelimiter(start, aliases), sepLine: false };
}

function bestDelimiter(start: string, aliases: HeaderAliases): Delimiter {
  const scored = DELIMITERS.map((delimiter) => {
    const records = parseStart(start.slice(0, TITLE_CHARS), delimiter, HEADER_WITHIN_ROWS);
    const header = findHeader(records, aliases);
    return {
      delimiter,
      // An amount column outweighs any number of others: a row holds at most some dozens.
      known: header === null ? 0 : header.known + (header.hasAmount ? AMOUNT_WEIGHT : 0),
      even: evenRows(records),
    };
  });
  // Without a header that is known, rows of one width are a table. Where two readings have them, the commas are those of numbers.
  scored.sort(
    (a, b) =>
      b.known - a.known || b.even - a.even || Number(a.delimiter === ',') - Number(b.delimiter === ','),
  );
  return scored[0]?.delimiter ?? ',';
}

/** How many rows are as wide as most of those that have several cells. */
function evenRows(records: readonly (readonly string[])[]): number {
  const widths = Map.groupBy(
    records.filter(({ length }) => length > 1),
    ({ length }) => length,
  );
  return Math.max(0, ...[...widths.values()].map(({ length }) => length));
}

/** A title block and a header are shorter; a record that is cut here was no header. */
const TITLE_CHARS = 64 * 1024;

const AMOUNT_WEIGHT = 1_000_000;

/** How the lines of the file end; `start` ends with a line end unless it is the whole file. */
function detectNewline(start: string): Newline {
  const end = /(?:\r\n|\n|\r)$/.exec(start) ?? /\r\n|\n|\r/.exec(start);
  const found = end?.[0];
  return found === '\r\n' || found === '\r' ? found : '\n';
}

const NO_ALIASES: HeaderAliases = new Map();

/** Surveys a CSV file. Throws `FileRefused`. */
async function readCsv(path: string, options: ReadOptions): Promise<ReadFile> {
  const source = await describeFile(path, options);
  const encoding = await detectEncoding(source, options.encoding ?? 'auto');
  const start = await firstBlock(source, encoding);
  const aliases = options.headerAliases ?? NO_ALIASES;
  const detected = detectDelimiter(start, options.delimiter ?? 'auto', aliases);
  const surveyed = await surveyRecords(source, encoding, detected.delimiter, options);
  const form: CsvForm = {
    kind: 'csv',
    ...detected,
    encoding,
    newline: detectNewline(start),
    decimalMark: shownMark([...surveyed.decimalMarks.values()], detected.delimiter),
  };
  const table = { ...surveyed, form };
  return { table, rows: (copy) => readTableRows(source, form, table, copy) };
}

/** Where no number shows its mark the delimiter does: who divides cells by semicolons has the comma in numbers. */
function shownMark(marks: readonly DecimalMark[], delimiter: Delimiter): DecimalMark {
  return marks.includes(',') || (marks.length === 0 && delimiter === ';') ? ',' : '.';
}

/** The first rows of the file as they stand, whatever they mean. */
async function peekCsv(path: string, options: ReadOptions): Promise<Peek> {
  const source = await describeFile(path, options);
  const encoding = await detectEncoding(source, options.encoding ?? 'auto');
  const start = await firstBlock(source, encoding);
  const { delimiter } = detectDelimiter(
    start,
    options.delimiter ?? 'auto',
    options.headerAliases ?? NO_ALIASES,
  );
  for await (const { records } of readRecords(source, encoding, delimiter))
    return { rows: records.map((cells) => cells.map(unprotectFormula)), delimiter, sheet: null };
  throw noText();
}

async function firstBlock(source: SourceFile, encoding: Encoding): Promise<string> {
  const tooLong = () => new FileRefused('row_too_long', tooLongFault(1));
  for await (const block of cutBlocks(readText(source, encoding), tooLong)) return block;
  throw noText();
}

function noText(): FileRefused {
  return new FileRefused('empty_file', sentence('csvReader.noText'));
}

async function surveyRecords(
  source: SourceFile,
  encoding: Encoding,
  delimiter: Delimiter,
  options: ReadOptions,
): Promise<Surveyed> {
  const header = await headerOf(source, encoding, delimiter, options);
  const survey = startSurvey(header, { ...options, placeOf: String, isProtected: true });
  for await (const { place, records, hasQuotes } of readRecords(source, encoding, delimiter))
    for (const [index, cells] of records.entries()) {
      if (place + index <= header.record + 1) continue;
      if (hasQuotes) checkSwallowedRows(place + index, cells, delimiter, header.columns.length);
      survey.take(place + index, cells);
    }
  return survey.finish();
}

async function headerOf(
  source: SourceFile,
  encoding: Encoding,
  delimiter: Delimiter,
  { headerAliases = NO_ALIASES, header, isList }: ReadOptions,
): Promise<FoundHeader> {
  const first: string[][] = [];
  for await (const { records } of readRecords(source, encoding, delimiter)) {
    first.push(...records.slice(0, HEADER_WITHIN_ROWS).map((cells) => cells.map(unprotectFormula)));
    if (first.length >= HEADER_WITHIN_ROWS) break;
  }
  return requireHeader(first, findHeader(first, headerAliases, header), isList);
}

async function* readTableRows(
  surveyed: SourceFile,
  form: CsvForm,
  table: Table,
  copy: string | undefined,
): AsyncGenerator<Row> {
  const source = await describeCopy(surveyed, copy);
  const width = table.columns.length;
  const below = Number(table.headerPlace);
  let position = 0;
  for await (const { place, records } of readRecords(source, form.encoding, form.delimiter))
    for (const [index, cells] of records.entries()) {
      const at = place + index;
      if (at <= below || isBlank(cells) || !isGivenOut(table, at, String(at), cells)) continue;
      yield { position, place: String(at), cells: rowCells(cells, width) };
      position += 1;
    }
}

function rowCells(cells: readonly string[], width: number): readonly string[] {
  const within = cells.length === width ? cells : cells.slice(0, width);
  return within.map(unprotectFormula);
}

// Answers go back in the very form in which the file came, so that its owner's programs open them by the same double click.

/**
 * The bytes of a CSV file; the first line of the first page is the header. Cells of `numberColumns` that are numbers are written as they are, every
 * other cell so that no program runs it as a formula. What windows-1252 has no letter for is replaced: see `writableIn`.
 */
export async function* writeCsv(
  form: CsvForm,
  pages: AsyncIterable<readonly (readonly string[])[]> | Iterable<readonly (readonly string[])[]>,
  numberColumns: ReadonlySet<number>,
): AsyncGenerator<Uint8Array> {
  const { delimiter, newline, encoding, sepLine } = form;
  const written = cellWriter(form, numberColumns);
  yield startOfText(encoding);
  yield encodeText(sepLine ? `sep=${delimiter}${newline}` : '', encoding.name);
  for await (const page of pages) {
    const lines = page.map((line) => line.map(written));
    yield encodeText(textOf(lines, form), encoding.name);
  }
}

/** A number, with its sign and marks but no letter: nothing that a program could run. */
const NUMBER = /^[-+−]?[\d.,'’ \u00a0\u202f]*\d$/;

function cellWriter({ encoding }: CsvForm, numberColumns: ReadonlySet<number>) {
  const isNumber = Array.from({ length: Math.max(0, ...numberColumns) + 1 }, (_, index) =>
    numberColumns.has(index),
  );
  return (cell: string, index: number): string => {
    if (isNumber[index] === true && NUMBER.test(cell)) return cell;
    return protectFormula(writableIn(cell, encoding.name));
  };
}

/** What stands in a cell between quotes otherwise than without them. */
const QUOTE_OR_LINE_END = /["\r\n]/;

/** Lines that hold neither quotes nor line ends are joined, which is ten times faster; runs of the others go through csv-stringify. */
function textOf(lines: string[][], form: CsvForm): string {
  let text = '';
  let run: string[][] = [];
  for (const line of lines) {
    // All cells at once: to ask each of them takes as long as to write it.
    const cells = line.join('');
    if (QUOTE_OR_LINE_END.test(cells)) {
      run.push(line);
      continue;
    }
    const plain = cells.includes(form.delimiter) ? between(line, form.delimiter) : line;
    text += `${quoted(run, form)}${plain.join(form.delimiter)}${form.newline}`;
    run = [];
  }
  return text + quoted(run, form);
}

/** Cells that hold the delimiter stand between quotes. */
function between(line: readonly string[], delimiter: string): readonly string[] {
  return line.map((cell) => (cell.includes(delimiter) ? `"${cell}"` : cell));
}

function quoted(lines: string[][], { delimiter, newline }: CsvForm): string {
  if (lines.length === 0) return '';
  // csv-stringify quotes only the line end that it writes itself; a spreadsheet program takes all three for one.
  return stringify(lines, { delimiter, record_delimiter: newline, quoted_match: /[\r\n]/ });
}

export const CSV: Format = {
  readers: new Map([
    ['.csv', readCsv],
    ['.txt', readCsv],
    ['.tsv', readCsv],
  ]),
  peek: peekCsv,
  answersAs: null,
  writtenAs: (form) => ({
    delimiter: form.kind === 'csv' ? form.delimiter : 'auto',
    encoding: form.kind === 'csv' ? form.encoding.name : 'auto',
    sheet: null,
    hasMarks: true,
  }),
  whenCut: ['quote_not_closed', 'row_too_short'],
  refuseByStart: refuseOtherKinds,
};
