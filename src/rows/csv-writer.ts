// Answers go back in the very form in which the file came, so that its owner's programs open them by the same double click.
import { stringify } from 'csv-stringify/sync';

import type { CsvForm } from './csv-form.ts';
import { encodeText, startOfText, writableIn } from './encode-text.ts';
import { protectFormula } from './formula.ts';

/** So many lines are written at once: enough that calls do not count, few enough that memory does not either. */
const LINES_AT_ONCE = 512;

/**
 * The bytes of a CSV file; the first of `lines` is the header. Cells of `numberColumns` that are numbers are written as they are, every
 * other cell so that no program runs it as a formula. What windows-1252 has no letter for is replaced: see `writableIn`.
 */
export async function* writeCsv(
  form: CsvForm,
  lines: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
  numberColumns: ReadonlySet<number>,
): AsyncGenerator<Uint8Array> {
  const start = form.sepLine ? `sep=${form.delimiter}${form.newline}` : '';
  yield startOfText(form.encoding);
  yield encodeText(start, form.encoding.name);
  let waiting: string[][] = [];
  for await (const line of lines) {
    waiting.push(line.map((cell, index) => writtenCell(cell, form, numberColumns.has(index))));
    if (waiting.length < LINES_AT_ONCE) continue;
    yield encodeLines(waiting, form);
    waiting = [];
  }
  yield encodeLines(waiting, form);
}

/** A number, with its sign and marks but no letter: nothing that a program could run. */
const NUMBER = /^[-+−]?[\d.,'’ \u00a0\u202f]*\d$/;

function writtenCell(cell: string, form: CsvForm, isNumberColumn: boolean): string {
  if (isNumberColumn && NUMBER.test(cell)) return cell;
  return protectFormula(writableIn(cell, form.encoding.name));
}

function encodeLines(lines: string[][], form: CsvForm): Uint8Array {
  const text = stringify(lines, {
    delimiter: form.delimiter,
    record_delimiter: form.newline,
    // csv-stringify quotes only the line end that it writes itself; a spreadsheet program takes all three for one.
    quoted_match: /[\r\n]/,
  });
  return encodeText(text, form.encoding.name);
}
