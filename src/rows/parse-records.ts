// Text of whole records → cells, with the number of each row kept for messages. Whatever csv-parse would let pass or swallow is refused.
import { CsvError } from 'csv-parse/sync';

import type { Words } from '../base/language.ts';
import type { Delimiter } from './csv-form.ts';
import { RECORD_CHARS_MAX } from './cut-blocks.ts';
import { FileRefused, type FileRefusalCode } from './file-refused.ts';
import { columnLetters } from './name-cell.ts';
import { parseQuoted } from './parse-quoted.ts';
import { hasOddQuotes, splitLine, splitLines } from './split-lines.ts';
import { sentence } from '../messages/messages.ts';

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
