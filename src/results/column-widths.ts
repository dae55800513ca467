// How wide the columns of a workbook are: by the header and the first rows, because the rest has not been read when the widths are written.
import type { XlsxCell } from '../rows/xlsx-writer.ts';
import type { AnswerRow } from './answer-table.ts';

/** Rows that decide. */
const SAMPLE_ROWS = 100;

const WIDTH_LEAST = 8;
/** A reason is read in its cell; a wider column pushes the next ones off the screen. */
const WIDTH_MOST = 60;

/** The first rows, and all of them. */
export async function sampled(
  rows: AsyncIterable<AnswerRow>,
): Promise<{ readonly first: readonly AnswerRow[]; readonly all: AsyncIterable<AnswerRow> }> {
  const iterator = rows[Symbol.asyncIterator]();
  const first: AnswerRow[] = [];
  while (first.length < SAMPLE_ROWS) {
    const next = await iterator.next();
    if (next.done === true) return { first, all: chained(first, null) };
    first.push(next.value);
  }
  return { first, all: chained(first, iterator) };
}

async function* chained(
  first: readonly AnswerRow[],
  rest: AsyncIterator<AnswerRow> | null,
): AsyncGenerator<AnswerRow> {
  yield* first;
  for (let next = await rest?.next(); next !== undefined && next.done !== true; next = await rest?.next())
    yield next.value;
}

/** In characters, some more than the longest text for the button of the filter and the marks between thousands. */
export function widthsOf(header: readonly string[], rows: readonly (readonly string[])[]): readonly number[] {
  return header.map((name, index) => {
    const longest = Math.max(name.length, ...rows.map((cells) => cells[index]?.length ?? 0));
    return Math.min(WIDTH_MOST, Math.max(WIDTH_LEAST, longest + 4));
  });
}

/** What a program shows of a cell, as far as its length goes: a number that does not fit is shown as a row of crosses. */
export function shownText({ value, format = '' }: XlsxCell): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value).toUpperCase();
  if (value instanceof Date) return format;
  const [whole = '', fraction = ''] = value.decimal.split('.');
  const decimals = /\.(0+)/.exec(format)?.[1] ?? fraction;
  const grouped = format.includes('#,##') ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  return decimals === '' ? grouped : `${grouped}.${decimals}`;
}
