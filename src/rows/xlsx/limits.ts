// How much a workbook may cost. A few kilobytes can ask for terabytes, so every quantity that a file chooses has a bound, and its reason.

/** Entries of the zip: a workbook has a dozen, one with hundreds of sheets and pictures a few thousand. */
export const ENTRIES_MAX = 10_000;

/** The list of the entries, read into memory whole: 10,000 long names need less. */
export const DIRECTORY_BYTES_MAX = 8 * 1024 * 1024;

/** All entries together, inflated: a million rows of twenty columns have under one gigabyte. */
export const INFLATED_BYTES_MAX = 2 * 1024 ** 3;

/** Sheets of real programs shrink to a tenth, sheets of empty formatted cells to a fiftieth; bombs to a thousandth. */
export const RATIO_MAX = 100;

/** Below this size any ratio is harmless, and a white picture in a title block compresses as well as a bomb. */
export const RATIO_FREE_BYTES = 8 * 1024 * 1024;

/** Distinct texts: a million rows of twenty columns, none of which repeats. */
export const SHARED_STRINGS_MAX = 20_000_000;

/** The memory for the distinct texts; those of a million rows of twenty columns fit. */
export const SHARED_TEXT_BYTES_MAX = 256 * 1024 * 1024;

/** Cell formats; spreadsheet programs stop at 65,490. */
export const STYLES_MAX = 65_536;

/** Sheets that are looked at for a header; more is no workbook of payments. */
export const SHEETS_MAX = 255;

/** Columns that may belong to the header: no table of payments has nearly so many. */
export const HEADER_COLUMNS_MAX = 1_000;

/** Names of parts and sheets; programs stop at 31 letters for a sheet. */
export const NAME_CHARS_MAX = 255;

/** Merged areas of one sheet: one for each of a hundred thousand rows. */
export const MERGES_MAX = 100_000;

/** The parts that are read nest ten deep. */
export const XML_DEPTH_MAX = 64;

/** One text, comment or element: thirty times the longest cell. */
export const TOKEN_CHARS_MAX = 1024 * 1024;

/** Twice what the largest cell of any program holds; a shared text may be repeated in millions of cells. */
export const CELL_CHARS_MAX = 65_536;

/** Text of the cells in one piece of a sheet (64 KB, some thousand cells), which by shared texts could be a thousand times as much. */
export const PIECE_CHARS_MAX = 8 * 1024 * 1024;

/** The last row and column of a sheet, in every program. */
export const SHEET_ROWS = 1_048_576;
export const SHEET_COLUMNS = 16_384;

/** Nobody scrolls past so many empty rows: cells below them were left there by accident. */
export const EMPTY_ROWS_MAX = 1_000;

/** The resources of the process that reads a workbook. */
export type ReaderBounds = {
  readonly heapMbMax: number;
  readonly silenceMsMax: number;
  readonly waitMsMax: number;
};

export const READER_BOUNDS: ReaderBounds = {
  /** Rows pass through the heap, distinct texts lie outside of it: fifty are used. */
  heapMbMax: 160,
  /** A sign of life comes every few megabytes, which take a tenth of a second; a slow disk and a busy machine are allowed for. */
  silenceMsMax: 30_000,
  /** All the waiting of one reading: a million rows of twenty columns take less than a minute. */
  waitMsMax: 300_000,
};

// The two spellings of each namespace: the one that all programs write, and the "strict" one that Excel offers.

export const SPREADSHEET = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
] as const;

export const CONTENT_TYPES = ['http://schemas.openxmlformats.org/package/2006/content-types'] as const;

export const RELATIONSHIPS = ['http://schemas.openxmlformats.org/package/2006/relationships'] as const;
