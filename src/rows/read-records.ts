// The records of a CSV file with the number that a spreadsheet program shows beside each.
import type { Delimiter, Encoding } from './csv-form.ts';
import { cutBlocks } from './cut-blocks.ts';
import { readText } from './decode-text.ts';
import { FileRefused } from './file-refused.ts';
import { parseRecords, tooLongFault } from './parse-records.ts';
import type { SourceFile } from './source-file.ts';

export type RecordBlock = {
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
