// How a workbook is written, so that what goes back to its owner looks like what came.

export type XlsxForm = {
  readonly kind: 'xlsx';
  /** The name of the sheet that the rows come from. */
  readonly sheet: string;
  /** The format of each column's first filled cell (`#,##0.00`, `yyyy-mm-dd`, `@`), by the column's index. */
  readonly numberFormats: readonly string[];
  /** Numbers have no mark in a workbook; what we say of them in words has a point. */
  readonly decimalMark: '.';
};
