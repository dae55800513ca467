// A CSV file is read twice: once to its end to know what it is, and once more to give its rows, so that a million rows fit in any memory.
import type { HeaderAliases } from './columns.ts';
import type { CsvForm, Delimiter, Encoding } from './csv-form.ts';
import { cutBlocks } from './cut-blocks.ts';
import type { DecimalMark } from './decimal-mark.ts';
import { readText } from './decode-text.ts';
import { detectDelimiter, detectNewline } from './detect-delimiter.ts';
import { detectEncoding } from './detect-encoding.ts';
import { FileRefused } from './file-refused.ts';
import { findHeader, HEADER_WITHIN_ROWS, type FoundHeader } from './find-header.ts';
import { unprotectFormula } from './formula.ts';
import { tooLongFault } from './parse-records.ts';
import type { Peek } from './peek.ts';
import type { ReadFile, ReadOptions } from './read-file.ts';
import { readRecords } from './read-records.ts';
import { requireHeader } from './require-header.ts';
import type { Row, Table } from './row.ts';
import { describeFile, type SourceFile } from './source-file.ts';
import { isGivenOut, startSurvey, type Surveyed } from './survey.ts';
import { checkSwallowedRows, isBlank } from './table-shape.ts';
import { sentence } from '../messages/messages.ts';

const NO_ALIASES: HeaderAliases = new Map();

/** Surveys a `.csv`, `.txt` or `.tsv` file. Throws `FileRefused`. */
export async function readCsv(path: string, options: ReadOptions): Promise<ReadFile> {
  const source = await describeFile(path, options.bytesMax);
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
  return { table, rows: () => readTableRows(source, form, table) };
}

/** Where no number shows its mark the delimiter does: who divides cells by semicolons has the comma in numbers. */
function shownMark(marks: readonly DecimalMark[], delimiter: Delimiter): DecimalMark {
  return marks.includes(',') || (marks.length === 0 && delimiter === ';') ? ',' : '.';
}

/** The first rows of the file as they stand, whatever they mean. */
export async function peekCsv(path: string, options: ReadOptions): Promise<Peek> {
  const source = await describeFile(path, options.bytesMax);
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
  const header = await headerOf(source, encoding, delimiter, options.headerAliases ?? NO_ALIASES);
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
  aliases: HeaderAliases,
): Promise<FoundHeader> {
  const first: string[][] = [];
  for await (const { records } of readRecords(source, encoding, delimiter)) {
    first.push(...records.slice(0, HEADER_WITHIN_ROWS).map((cells) => cells.map(unprotectFormula)));
    if (first.length >= HEADER_WITHIN_ROWS) break;
  }
  return requireHeader(first, findHeader(first, aliases));
}

async function* readTableRows(source: SourceFile, form: CsvForm, table: Table): AsyncGenerator<Row> {
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
