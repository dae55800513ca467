// Text of whole records → cells. csv-parse reads what has quotes, strictly; text without a quote needs no parser and is split ten times faster.
import { CsvError, parse } from 'csv-parse/sync';

import type { Delimiter } from './csv-form.ts';
import { RECORD_CHARS_MAX } from './cut-blocks.ts';
import { FileRefused, type FileRefusalCode } from './file-refused.ts';
import { columnLetters } from './name-cell.ts';

/** All three end a record in a spreadsheet program, also mixed in one file. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

/** The records of a block whose first record stands at row `place`. Throws `FileRefused` at a quote that does not belong. */
export function parseRecords(text: string, delimiter: Delimiter, place: number): readonly string[][] {
  if (!text.includes('"')) return splitRecords(text, delimiter);
  try {
    return parse(text, {
      delimiter,
      record_delimiter: LINE_ENDS,
      // Widths are compared with the header later, where the row can be named; blank lines count as rows.
      relax_column_count: true,
      skip_empty_lines: false,
      max_record_size: RECORD_CHARS_MAX,
    });
  } catch (error) {
    throw error instanceof CsvError ? quoteFault(error, place) : error;
  }
}

/** The first records, read as well as can be, to see what kind of file it is; faults are reported by the strict reading. */
export function parseLeniently(text: string, delimiter: Delimiter, recordsMax: number): readonly string[][] {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: LINE_ENDS,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: false,
      max_record_size: RECORD_CHARS_MAX,
      to: recordsMax,
    });
  } catch (error) {
    // With the wrong delimiter quotes stand in the wrong places: then this is not the delimiter.
    if (error instanceof CsvError) return [];
    throw error;
  }
}

function splitRecords(text: string, delimiter: Delimiter): readonly string[][] {
  const unified = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  const body = unified.endsWith('\n') ? unified.slice(0, -1) : unified;
  return body.split('\n').map((line) => line.split(delimiter));
}

const CODES: ReadonlyMap<string, FileRefusalCode> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'quote_not_closed'],
  ['CSV_MAX_RECORD_SIZE', 'row_too_long'],
]);

function quoteFault(error: CsvError, place: number): FileRefused {
  const row = place + Number(error['records'] ?? 0);
  const column = Number(error['column'] ?? 0);
  const code = CODES.get(error.code) ?? 'quote_stray';
  const where = `row ${row}, column ${columnLetters(column)}`;
  const fault =
    code === 'quote_not_closed'
      ? `A quote (") is opened in ${where} and never closed.`
      : `A quote (") stands where none belongs, in ${where}.`;
  return new FileRefused(code, code === 'row_too_long' ? tooLongFault(row) : fault, { cause: error });
}

/** The fault of a record that is longer than any row. */
export function tooLongFault(row: number): string {
  return `Row ${row} is longer than ${RECORD_CHARS_MAX} characters.`;
}
