// csv-parse, set so that it hides nothing: no row is dropped, skipped or mended, and every kind of line end ends a row.
import { CsvError, parse, type Options } from 'csv-parse/sync';

import type { Delimiter } from './csv-form.ts';
import { RECORD_CHARS_MAX } from './cut-blocks.ts';

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

/** The first records, read as far as can be, to see what kind of file it is; faults are reported by the strict reading. */
export function parseStart(text: string, delimiter: Delimiter, recordsMax: number): readonly string[][] {
  const records: string[][] = [];
  const keep = (record: string[]) => void records.push(record);
  try {
    parse(text, { ...STRICT, relax_quotes: true, delimiter, to: recordsMax, on_record: keep });
  } catch (error) {
    // With the wrong delimiter quotes stand in the wrong places: what came before them is enough to tell.
    if (!(error instanceof CsvError)) throw error;
  }
  return records;
}
