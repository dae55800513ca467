// The records of a CSV file with the numbers that a spreadsheet program shows, with memory for one block of them.
import { CsvError, type Options, parse } from 'csv-parse/sync';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { columnLetters } from '../cell.ts';
import { readText } from './text.ts';
import { type FileRefusalCode, FileRefused } from '../file-refused.ts';
import type { Delimiter, Encoding } from '../form.ts';
import type { SourceFile } from '../source-file.ts';

// Most lines of most exports have no quotes, or quotes around every cell and none within. They can be split exactly without a parser.

/** The lines of a text that ends with a line end or with its last line; `with ends` leaves each its own line end. */
function splitLines(text: string, ends?: 'with ends'): readonly string[] {
  if (ends === 'with ends') return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  const unified = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  return (unified.endsWith('\n') ? unified.slice(0, -1) : unified).split('\n');
}

/** The cells of a line that starts a record, or null when only a parser can tell them. */
function splitLine(line: string, delimiter: string): string[] | null {
  const end = line.endsWith('\r\n') ? 2 : line.endsWith('\n') || line.endsWith('\r') ? 1 : 0;
  const text = end === 0 ? line : line.slice(0, -end);
  if (!text.includes('"')) return text.split(delimiter);
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return null;
  const cells = text.slice(1, -1).split(`"${delimiter}"`);
  return cells.some((cell) => cell.includes('"')) ? null : cells;
}

/** True when a quote that was opened in the text is still open at its end. */
function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

// Text is cut where a record ends, so that each block can be parsed alone and memory stays that of a block, however large the file is.

/** Far above any row of a spreadsheet (its cells hold 32,767 characters each), far below what hurts. */
const RECORD_CHARS_MAX = 1024 * 1024;

/**
 * Blocks of whole records. A line end is taken for the end of a record when an even number of quotes stands before it; where a stray
 * quote makes that wrong, the parser meets the stray quote first. `tooLong` gives the error for a record beyond the limit.
 */
export async function* cutBlocks(
  texts: AsyncIterable<string>,
  tooLong: (start: string) => Error,
): AsyncGenerator<string> {
  let open = '';
  let isQuoted = false;
  let heldCr = '';
  for await (const piece of texts) {
    const arrived = heldCr + piece;
    // Whether a LF belongs to a CR at the very end is known only with the next piece.
    heldCr = arrived.endsWith('\r') ? '\r' : '';
    const text = heldCr === '' ? arrived : arrived.slice(0, -1);
    const endsQuoted: boolean = isQuoted !== hasOddQuotes(text);
    const cut = lastRecordEnd(text, endsQuoted);
    if (cut > 0) yield open + text.slice(0, cut);
    open = cut > 0 ? text.slice(cut) : open + text;
    isQuoted = endsQuoted;
    if (open.length > RECORD_CHARS_MAX) throw tooLong(open);
  }
  if (open + heldCr !== '') yield open + heldCr;
}

/** The index behind the last line end outside quotes, or 0; found from the end, where the state is known, and quotes passed over whole. */
function lastRecordEnd(text: string, endsQuoted: boolean): number {
  let isQuoted = endsQuoted;
  let end = text.length;
  while (end > 0) {
    const quote = text.lastIndexOf('"', end - 1);
    const outside = isQuoted ? '' : text.slice(quote + 1, end);
    const lineEnd = Math.max(outside.lastIndexOf('\n'), outside.lastIndexOf('\r'));
    if (lineEnd >= 0) return quote + 1 + lineEnd + 1;
    isQuoted = !isQuoted;
    end = quote;
  }
  return 0;
}

// csv-parse, configured to hide nothing: it drops, skips or repairs no row, and every kind of line end ends a row.

const STRICT: Options = {
  record_delimiter: ['\r\n', '\n', '\r'],
  // Widths are compared with the header later, where the row can be named; blank lines count as rows.
  relax_column_count: true,
  skip_empty_lines: false,
  max_record_size: RECORD_CHARS_MAX,
};

/** The records of a text. Throws `CsvError` at a quote that does not belong. */
export function parseQuoted(text: string, delimiter: Delimiter): string[][] {
  return parse(text, { ...STRICT, delimiter });
}

/** The first records, as far as they can be read, to see what kind of file it is; the strict reading reports faults. */
export function parseStart(text: string, delimiter: Delimiter, recordsMax: number): readonly string[][] {
  const records: string[][] = [];
  const keep = (record: string[]) => void records.push(record);
  try {
    parse(text, { ...STRICT, relax_quotes: true, delimiter, to: recordsMax, on_record: keep });
  } catch (error) {
    // With the wrong delimiter, quotes are in the wrong places: the part before them is enough to decide.
    if (!(error instanceof CsvError)) throw error;
  }
  return records;
}

// Text of whole records → cells, with the number of each row kept for messages. Everything that csv-parse would tolerate or swallow is refused.

/** The records of a block whose first record stands at row `place`. Throws `FileRefused` at a quote that does not belong. */
export function parseRecords(text: string, delimiter: Delimiter, place: number): readonly string[][] {
  if (!text.includes('"')) return splitLines(text).map((line) => line.split(delimiter));
  return parseMixed(text, delimiter, place);
}

/** Lines that need no parser are split, which is ten times faster; runs of the others go through csv-parse. */
function parseMixed(text: string, delimiter: Delimiter, place: number): readonly string[][] {
  const records: string[][] = [];
  let run = '';
  let isQuoted = false;
  const flush = () => {
    // One by one: a run may hold more records than a call takes arguments.
    if (run !== '') for (const cells of parseRun(run, delimiter, place + records.length)) records.push(cells);
    run = '';
  };
  for (const line of splitLines(text, 'with ends')) {
    const cells = isQuoted ? null : splitLine(line, delimiter);
    if (cells === null) {
      run += line;
      isQuoted = isQuoted !== hasOddQuotes(line);
    } else {
      flush();
      records.push(cells);
    }
  }
  flush();
  return records;
}

function parseRun(run: string, delimiter: Delimiter, place: number): readonly string[][] {
  try {
    return parseQuoted(run, delimiter);
  } catch (error) {
    throw error instanceof CsvError ? quoteFault(error, place) : error;
  }
}

type QuoteFault = Extract<FileRefusalCode, 'quote_not_closed' | 'quote_stray'>;

const CODES: ReadonlyMap<string, QuoteFault | 'row_too_long'> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'quote_not_closed'],
  ['CSV_MAX_RECORD_SIZE', 'row_too_long'],
]);

const QUOTE_FAULTS: Readonly<Record<QuoteFault, (row: number, column: string) => Words>> = {
  quote_not_closed: (row, column) => sentence('parseRecords.quoteFaults.quoteOpenedRow', { row, column }),
  quote_stray: (row, column) => sentence('parseRecords.quoteFaults.quoteStandsWhere', { row, column }),
};

function quoteFault(error: CsvError, place: number): FileRefused {
  const row = place + Number(error['records'] ?? 0);
  const column = Number(error['column'] ?? 0);
  const code = CODES.get(error.code) ?? 'quote_stray';
  const fault = code === 'row_too_long' ? tooLongFault(row) : QUOTE_FAULTS[code](row, columnLetters(column));
  return new FileRefused(code, fault, { cause: error });
}

/** The fault of a record that is longer than any row. */
export function tooLongFault(row: number): Words {
  return sentence('parseRecords.tooLongFault', { row, recordCharsMax: RECORD_CHARS_MAX });
}

// The records of a CSV file with the numbers that a spreadsheet program shows.

type RecordBlock = {
  /** The row number of the first record, from 1. A line end inside quotes starts no new row. */
  readonly place: number;
  readonly records: readonly string[][];
  /** Whether a cell of this block may hold a line end. */
  readonly hasQuotes: boolean;
};

export async function* readRecords(
  source: SourceFile,
  encoding: Encoding,
  delimiter: Delimiter,
): AsyncGenerator<RecordBlock> {
  let place = 1;
  const tooLong = (start: string) => recordTooLong(start, delimiter, place);
  for await (const text of cutBlocks(readText(source, encoding), tooLong)) {
    const records = parseRecords(text, delimiter, place);
    yield { place, records, hasQuotes: text.includes('"') };
    place += records.length;
  }
}

/** Enough of an endless row to meet its stray quote; csv-parse takes seconds to build an error about a megabyte. */
const ROW_START_CHARS = 64 * 1024;

function recordTooLong(start: string, delimiter: Delimiter, place: number): Error {
  try {
    // A stray quote is the usual reason why a row does not end; naming it helps more than the length does.
    parseRecords(start.slice(0, ROW_START_CHARS), delimiter, place);
  } catch (error) {
    if (error instanceof FileRefused && error.code === 'quote_stray') return error;
  }
  return new FileRefused('row_too_long', tooLongFault(place));
}
