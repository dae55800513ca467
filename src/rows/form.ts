// How a file is written, so that what goes back to its owner opens in the same program and looks like what came.

// Which of the two marks divides whole from fraction is the one question about numbers that money hangs on.

/** Thousands are then divided by the other mark, a space of any kind or an apostrophe. */
export type DecimalMark = '.' | ',';

// How a spreadsheet program stores a cell, which its text alone does not show: digits typed as text are an account, digits stored as a number
// have already lost their zeros.

export const CELL_KINDS = ['text', 'number', 'date', 'boolean', 'empty'] as const;
export type CellKind = (typeof CELL_KINDS)[number];

// How a CSV file is written, so that what goes back to its owner opens in the same program by the same double click.

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** One byte a letter: nearly any bytes can be read as one of these, so all but the first are taken only where a profile says so. */
export const BYTE_ENCODINGS = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1256',
  'iso-8859-15',
  'mac-roman',
] as const;
export type ByteEncoding = (typeof BYTE_ENCODINGS)[number];

/** Two bytes a sign, as Chinese programs write: taken only where a profile says so. */
const PAIR_ENCODINGS = ['gbk', 'big5'] as const;
type PairEncoding = (typeof PAIR_ENCODINGS)[number];

/** Those that have signs for some scripts only, and no mark that tells them. */
export type LegacyEncoding = ByteEncoding | PairEncoding;

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', ...BYTE_ENCODINGS, ...PAIR_ENCODINGS] as const;
export type EncodingName = (typeof ENCODINGS)[number];

export function isByteEncoding(name: EncodingName): name is ByteEncoding {
  return BYTE_ENCODINGS.some((each) => each === name);
}

export function isPairEncoding(name: EncodingName): name is PairEncoding {
  return PAIR_ENCODINGS.some((each) => each === name);
}

export function isLegacyEncoding(name: EncodingName): name is LegacyEncoding {
  return isByteEncoding(name) || isPairEncoding(name);
}

export type Encoding = {
  readonly name: EncodingName;
  /** Whether the file starts with a byte order mark; never where a byte is a letter. */
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
  /** The mark of the amount columns; where the file shows none, `,` with the delimiter `;`, else `.`, the mark that programs expect. */
  readonly decimalMark: DecimalMark;
};

/** That which every program reads, for a table that mirrors no file. */
export const PLAIN_FORM: CsvForm = {
  kind: 'csv',
  delimiter: ',',
  encoding: { name: 'utf-8', bom: false },
  newline: '\n',
  sepLine: false,
  decimalMark: '.',
};

// How a workbook is written, so that what goes back to its owner looks like what came.

/** Colours as ARGB; absent where the cell has none of its own. */
export type CellLook = { readonly fill?: string; readonly color?: string; readonly isBold?: boolean };

/** A cell of the rows down to the header, as it was. */
export type HeadCell = {
  readonly text: string;
  readonly kind: CellKind;
  readonly format: string;
  readonly look: CellLook;
};

export type XlsxForm = {
  readonly kind: 'xlsx';
  /** The name of the sheet that the rows come from. */
  readonly sheet: string;
  /** The format of each column's first filled cell (`#,##0.00`, `yyyy-mm-dd`, `@`), by the column's index. */
  readonly numberFormats: readonly string[];
  /** The rows from the first of the sheet to the header, which is the last. */
  readonly head: readonly (readonly HeadCell[])[];
  /** Numbers have no mark in a workbook; our words about them use a point. */
  readonly decimalMark: '.';
};

/** How a file is written, and so how its answers are. */
export type Form = CsvForm | XlsxForm;

/** The sheet of the rows, which others may follow in an answer; null for a form of one table alone. */
export function sheetOf(form: Form): string | null {
  return form.kind === 'xlsx' ? form.sheet : null;
}
