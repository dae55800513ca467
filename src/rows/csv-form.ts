// How a CSV file is written, so that what goes back to its owner opens in the same program by the same double click.
import type { DecimalMark } from './decimal-mark.ts';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type EncodingName = (typeof ENCODINGS)[number];

export type Encoding = {
  readonly name: EncodingName;
  /** Whether the file starts with a byte order mark; never for windows-1252. */
  readonly bom: boolean;
};

export type Newline = '\n' | '\r\n' | '\r';

export type CsvForm = {
  readonly kind: 'csv';
  readonly delimiter: Delimiter;
  readonly encoding: Encoding;
  readonly newline: Newline;
  /** Whether the first line says `sep=;`, as Excel writes and reads it. */
  readonly sepLine: boolean;
  /** The mark of the amount columns; where the file shows none, `,` beside the delimiter `;`, else `.`, the mark that programs expect. */
  readonly decimalMark: DecimalMark;
};
