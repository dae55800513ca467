// The delimiter is the one under which a header can be read; counting characters would be misled by decimal commas and by titles.
import type { HeaderAliases } from './columns.ts';
import { DELIMITERS, type Delimiter, type Newline } from './csv-form.ts';
import { findHeader, HEADER_WITHIN_ROWS } from './find-header.ts';
import { parseStart } from './parse-quoted.ts';

export type DetectedDelimiter = {
  readonly delimiter: Delimiter;
  readonly sepLine: boolean;
};

/** Excel's own way of stating the delimiter, in the first line. */
const SEP_LINE = /^"?sep=([,;\t|])"?[\r\n]/i;

/** `start` is the first block of the file. */
export function detectDelimiter(
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
      cells: records.reduce((most, record) => Math.max(most, record.length), 0),
    };
  });
  // Without a header the widest reading serves the message that says so.
  scored.sort((a, b) => b.known - a.known || b.cells - a.cells);
  return scored[0]?.delimiter ?? ',';
}

/** A title block and a header are shorter; a record that is cut here was no header. */
const TITLE_CHARS = 64 * 1024;

const AMOUNT_WEIGHT = 1_000_000;

/** How the lines of the file end; `start` ends with a line end unless it is the whole file. */
export function detectNewline(start: string): Newline {
  const end = /(?:\r\n|\n|\r)$/.exec(start) ?? /\r\n|\n|\r/.exec(start);
  const found = end?.[0];
  return found === '\r\n' || found === '\r' ? found : '\n';
}
