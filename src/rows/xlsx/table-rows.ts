// The rows below the header, and every reason why a sheet may show its owner something else than what would be paid.
import type { Words } from '../../base/language.ts';
import type { CellKind } from '../cell-kind.ts';
import { FileRefused, type FileRefusalCode } from '../file-refused.ts';
import type { FoundHeader } from '../find-header.ts';
import { columnLetters } from '../name-cell.ts';
import type { Column } from '../row.ts';
import { placeInWords, type Area } from './cell-place.ts';
import type { CellFault } from './cell-value.ts';
import { EMPTY_ROWS_MAX } from './limits.ts';
import type { MergedArea } from './messages.ts';
import type { SheetCell, SheetLayout, SheetRow } from './scan-sheet.ts';
import { sentence } from '../../messages/messages.ts';

/** A row as wide as the header. */
export type TableRow = {
  readonly place: number;
  readonly cells: readonly string[];
  readonly kinds: readonly CellKind[];
};

export type TableRows = {
  /** The row, or null for one that is not below the header or holds nothing. Throws `FileRefused`. */
  readonly take: (row: SheetRow) => TableRow | null;
  /** The style of the first filled cell of each column. */
  readonly styles: readonly (number | undefined)[];
  /** After the last row: the highest merged area below the header, which matters unless it lies below the payments. */
  readonly firstMerge: (layout: SheetLayout) => MergedArea | null;
};

export function startTableRows(sheet: string, header: FoundHeader): TableRows {
  const headerPlace = header.record + 1;
  const { columns } = header;
  const isUsed = columns.map(isUsedColumn);
  const styles: (number | undefined)[] = columns.map(() => undefined);
  let last = headerPlace;
  const take = (row: SheetRow): TableRow | null => {
    if (row.place <= headerPlace) return null;
    for (const cell of row.cells) checkCell(sheet, row.place, cell, isUsed);
    const filled = row.cells.filter(({ text }) => text.trim() !== '');
    const [first] = filled;
    if (first === undefined) return null;
    if (row.place - last > EMPTY_ROWS_MAX)
      throw outside(sheet, first.column, row.place, below(row.place - last - 1));
    if (row.isHidden)
      throw new FileRefused('hidden_rows', sentence('tableRows.take', { place: row.place, sheet }));
    last = row.place;
    for (const { column, style } of filled) styles[column] ??= style;
    return fill(row, columns.length);
  };
  return {
    take,
    styles,
    firstMerge: ({ merges }) => firstMerge(sheet, merges, headerPlace, columns.length),
  };
}

/** The columns that a payment is made of; what stands in the others is not even looked at. */
function isUsedColumn({ canonical }: Column): boolean {
  return canonical !== null && !canonical.startsWith('payout.');
}

/** Throws `FileRefused` when a column that is used cannot be seen. */
export function checkHiddenColumns(
  sheet: string,
  { columns }: FoundHeader,
  { hiddenColumns }: SheetLayout,
): void {
  const hidden = columns
    .filter(isUsedColumn)
    .find(({ index }) => hiddenColumns.some(({ from, to }) => from.column <= index && index <= to.column));
  if (hidden === undefined) return;
  const [letters, name] = [columnLetters(hidden.index), hidden.header.trim()];
  throw new FileRefused('hidden_column', sentence('tableRows.checkHiddenColumns', { letters, name, sheet }));
}

type Told = { readonly code: FileRefusalCode; readonly says: (cell: SheetCell) => Words };

/** The longest, `#GETTING_DATA`, is shorter. */
const ERROR_CHARS = 20;

const FAULTS: Readonly<Record<CellFault, Told>> = {
  formula_without_value: {
    code: 'formula_without_value',
    says: () => sentence('tableRows.faults.holdsFormulaWhose'),
  },
  cell_error: {
    code: 'cell_error',
    says: ({ text }) => sentence('tableRows.faults.showsError', { slice: text.slice(0, ERROR_CHARS) }),
  },
  shown_otherwise: {
    code: 'number_shown_otherwise',
    says: ({ text }) => sentence('tableRows.faults.holdsButNumber', { text }),
  },
  cell_unreadable: {
    code: 'workbook_damaged',
    says: () => sentence('tableRows.faults.holdsValueCannot'),
  },
};

function checkCell(sheet: string, row: number, cell: SheetCell, isUsed: readonly boolean[]): void {
  if (cell.fault !== null && isUsed[cell.column] === true) {
    const { code, says } = FAULTS[cell.fault];
    const place = placeInWords(sheet, cell.column, row);
    throw new FileRefused(code, sentence('tableRows.checkCell', { place, says: says(cell) }));
  }
  if (cell.column >= isUsed.length && cell.text.trim() !== '') throw outside(sheet, cell.column, row, BESIDE);
}

const BESIDE: Words = sentence('tableRows.beside');

function below(emptyRows: number): Words {
  return sentence('tableRows.below', { emptyRows });
}

function outside(sheet: string, column: number, row: number, where: Words): FileRefused {
  const place = placeInWords(sheet, column, row);
  return new FileRefused('cell_outside_table', sentence('tableRows.outside', { place, where }));
}

function fill({ place, cells: found }: SheetRow, width: number): TableRow {
  const cells = new Array<string>(width).fill('');
  const kinds = new Array<CellKind>(width).fill('empty');
  for (const { column, text, kind } of found) {
    if (column >= width) continue;
    cells[column] = text;
    kinds[column] = kind;
  }
  return { place, cells, kinds };
}

function firstMerge(
  sheet: string,
  merges: readonly Area[],
  header: number,
  width: number,
): MergedArea | null {
  const inside = merges.filter(({ from, to }) => to.row > header && from.column < width);
  if (inside.length === 0) return null;
  const first = inside.reduce((high, area) => (area.from.row < high.from.row ? area : high));
  return { row: first.from.row, area: areaInWords(sheet, first) };
}

export function merged(area: string): FileRefused {
  return new FileRefused('merged_cells', sentence('tableRows.merged', { area }));
}

function areaInWords(sheet: string, { from, to }: Area): string {
  return `${placeInWords(sheet, from.column, from.row)}:${columnLetters(to.column)}${to.row}`;
}
