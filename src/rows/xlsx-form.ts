// How a workbook is written, so that what goes back to its owner looks like what came.
import type { CellKind } from './cell-kind.ts';

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
  /** Numbers have no mark in a workbook; what we say of them in words has a point. */
  readonly decimalMark: '.';
};
