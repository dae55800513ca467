// The cells of one sheet in the order of the file. A cell or row that stands twice, or out of order, is shown differently by different
// programs, so it is refused.
import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { findHeader, type FoundHeader, HEADER_WITHIN_ROWS, type HeaderKind } from '../header.ts';
import type { HeaderAliases } from '../known-columns.ts';
import {
  type Area,
  type CellContext,
  cellValue,
  type CellValue,
  isStruck,
  placeInWords,
  readArea,
  readCellPlace,
  readRowNumber,
} from './cell-value.ts';
import {
  CELL_CHARS_MAX,
  EMPTY_ROWS_MAX,
  HEADER_COLUMNS_MAX,
  MERGES_MAX,
  PIECE_CHARS_MAX,
  SHEET_COLUMNS,
  SHEET_ROWS,
  SPREADSHEET,
} from './limits.ts';
import type { PackageParts } from './package-parts.ts';
import { type Attributes, richText, type Shape, walkXml } from './walk-xml.ts';
import { isTrue, type Sheet } from './workbook.ts';

/** A cell that holds something, or whose emptiness cannot be believed. */
export type SheetCell = CellValue & {
  readonly column: number;
  readonly style: number;
  readonly isStruck: boolean;
};

export type SheetRow = {
  readonly place: number;
  readonly isHidden: boolean;
  readonly cells: readonly SheetCell[];
};

/** What a sheet says about itself; the columns before its cells, the merged areas behind them. */
export type SheetLayout = {
  readonly hiddenColumns: Area[];
  readonly merges: Area[];
  /** The last row that was read, filled or not. */
  lastRow: number;
};

type SheetScan = {
  readonly layout: SheetLayout;
  /** The rows that hold something, a piece of the file at a time, which may have none. Throws `FileRefused`. */
  readonly rows: AsyncGenerator<readonly SheetRow[]>;
};

export function scanSheet(parts: PackageParts, sheet: string, part: string, context: CellContext): SheetScan {
  const layout: SheetLayout = { hiddenColumns: [], merges: [], lastRow: 0 };
  const rows = scanRows(parts, sheet, part, context, layout);
  return { layout, rows };
}

async function* scanRows(
  parts: PackageParts,
  sheet: string,
  part: string,
  context: CellContext,
  layout: SheetLayout,
): AsyncGenerator<readonly SheetRow[]> {
  let found: SheetRow[] = [];
  const now = startProgress();
  const shape = sheetShape({ sheet, context, layout, now, take: (row) => void found.push(row) });
  const xml = walkXml(sheetInWords(sheet), { name: 'worksheet', namespaces: SPREADSHEET, shape });
  for await (const chunk of parts.open(part)) {
    now.chars = 0;
    xml.write(chunk);
    yield found;
    found = [];
  }
  xml.end();
  yield found;
}

function sheetInWords(sheet: string): Words {
  return sentence('scanSheet.sheetIn', { sheet });
}

/** What is being read: reset at each row and cell, so that a million of them make no objects to throw away. */
type Progress = {
  place: number;
  isHidden: boolean;
  column: number;
  cells: SheetCell[];
  type: string;
  style: number;
  value: string | null;
  inline: string | null;
  hasFormula: boolean;
  isInlineStruck: boolean;
  /** How much text this piece of the file has given so far. */
  chars: number;
};

function startProgress(): Progress {
  return {
    place: 0,
    isHidden: false,
    column: -1,
    cells: [],
    type: '',
    style: 0,
    value: null,
    inline: null,
    hasFormula: false,
    isInlineStruck: false,
    chars: 0,
  };
}

type Scanning = {
  readonly sheet: string;
  readonly context: CellContext;
  readonly layout: SheetLayout;
  readonly now: Progress;
  readonly take: (row: SheetRow) => void;
};

function sheetShape(scanning: Scanning): Shape {
  const { sheet, layout } = scanning;
  let rowsHiddenUnlessShown = false;
  let hasData = false;
  return {
    children: {
      sheetFormatPr: { open: ({ zeroHeight }) => void (rowsHiddenUnlessShown = isTrue(zeroHeight)) },
      cols: { children: { col: { open: (attributes) => takeColumns(layout, attributes) } } },
      sheetData: {
        open: () => {
          if (hasData) throw cellsTwice(sheet);
          hasData = true;
        },
        isStrict: true,
        children: { row: rowShape(scanning, () => rowsHiddenUnlessShown) },
      },
      mergeCells: { children: { mergeCell: { open: ({ ref = '' }) => takeMerge(sheet, layout, ref) } } },
    },
  };
}

function cellsTwice(sheet: string): FileRefused {
  return new FileRefused('workbook_damaged', sentence('scanSheet.cellsTwice', { sheet }));
}

function rowShape(scanning: Scanning, areRowsHidden: () => boolean): Shape {
  const { sheet, layout, now, take } = scanning;
  return {
    open: (attributes) => {
      now.place = nextRow(sheet, now.place, attributes['r']);
      now.isHidden = isHiddenRow(attributes, areRowsHidden());
      now.column = -1;
      now.cells = [];
    },
    close: () => {
      layout.lastRow = now.place;
      if (now.cells.length > 0) take({ place: now.place, isHidden: now.isHidden, cells: now.cells });
    },
    isStrict: true,
    children: { c: cellShape(scanning), extLst: {} },
  };
}

function cellShape({ sheet, context, now }: Scanning): Shape {
  const v: Shape = {
    open: () => void (now.value ??= ''),
    text: (text) => void (now.value = (now.value ?? '') + text),
  };
  const inline: Shape = {
    open: () => void (now.inline ??= ''),
    children: richText((text, isPieceStruck) => {
      now.inline = (now.inline ?? '') + text;
      now.isInlineStruck ||= isPieceStruck;
    }),
  };
  return {
    open: ({ r, t, s }) => {
      now.column = nextColumn(sheet, now, r);
      now.type = t ?? 'n';
      now.style = s === undefined ? 0 : Number(s);
      now.value = null;
      now.inline = null;
      now.hasFormula = false;
      now.isInlineStruck = false;
    },
    close: () => {
      const { text, kind, fault } = cellValue(now, context);
      if (kind === 'empty' && fault === null) return;
      now.chars += text.length;
      if (text.length > CELL_CHARS_MAX || now.chars > PIECE_CHARS_MAX) throw tooLong(sheet, now);
      const { column, style } = now;
      now.cells.push({ column, style, text, kind, fault, isStruck: isStruck(now, context) });
    },
    isStrict: true,
    children: { v, is: inline, f: { open: () => void (now.hasFormula = true) }, extLst: {} },
  };
}

function tooLong(sheet: string, { column, place }: Progress): FileRefused {
  const cell = placeInWords(sheet, column, place);
  return new FileRefused('row_too_long', sentence('scanSheet.tooLong', { cell }));
}

function nextRow(sheet: string, last: number, stated: string | undefined): number {
  // A writer may leave the number out; the row is then the next one.
  const place = stated === undefined ? last + 1 : readRowNumber(stated);
  if (place === null || place > SHEET_ROWS)
    throw new FileRefused('workbook_damaged', sentence('scanSheet.nextRow.sheetRowWithout', { sheet, last }));
  if (place <= last)
    throw new FileRefused(
      'cells_repeated',
      sentence('scanSheet.nextRow.sheetRowStands', { sheet, place, last }),
    );
  return place;
}

function nextColumn(
  sheet: string,
  { column: last, place: row }: Progress,
  stated: string | undefined,
): number {
  if (stated === undefined && last + 1 < SHEET_COLUMNS) return last + 1;
  const place = readCellPlace(stated ?? '');
  if (place === null)
    throw new FileRefused('workbook_damaged', sentence('scanSheet.nextColumn', { sheet, row }));
  if (place.column <= last || place.row !== row)
    throw repeated(placeInWords(sheet, place.column, place.row), row);
  return place.column;
}

function repeated(cell: string, row: number): FileRefused {
  return new FileRefused('cells_repeated', sentence('scanSheet.repeated', { cell, row }));
}

/** Of lower rows and narrower columns, in points and characters, nobody sees what they hold. */
const POINTS_SEEN = 2;
const WIDTH_SEEN = 0.3;

/** A row that is too low to be seen is as hidden as one that says so. */
function isHiddenRow({ hidden, ht }: Attributes, isHiddenUnlessShown: boolean): boolean {
  if (ht !== undefined && Number(ht) < POINTS_SEEN) return true;
  return hidden === undefined ? isHiddenUnlessShown : isTrue(hidden);
}

function takeColumns({ hiddenColumns }: SheetLayout, { min, max, hidden, width }: Attributes): void {
  const isHidden = isTrue(hidden) || (width !== undefined && Number(width) < WIDTH_SEEN);
  if (!isHidden) return;
  const at = (column: string | undefined) => ({ column: Number(column) - 1, row: 1 });
  hiddenColumns.push({ from: at(min), to: at(max) });
}

function takeMerge(sheet: string, { merges }: SheetLayout, ref: string): void {
  const area = readArea(ref);
  if (area === null || merges.length === MERGES_MAX)
    throw new FileRefused('workbook_damaged', sentence('scanSheet.takeMerge', { sheet }));
  merges.push(area);
}

// The first rows of a sheet say whether it is a table of payments.

export type SheetLook = {
  readonly sheet: Sheet;
  /** The first rows, with an empty one for each that holds nothing. */
  readonly first: readonly (readonly string[])[];
  readonly header: FoundHeader | null;
  /** Something stands below the header. */
  readonly hasRows: boolean;
};

/** Reads no further than it must. */
export async function lookAtSheet(
  sheet: Sheet,
  scan: SheetScan,
  aliases: HeaderAliases,
  kind: HeaderKind,
): Promise<SheetLook> {
  const first: string[][] = [];
  let last = 0;
  for await (const rows of scan.rows) {
    for (const row of rows) {
      if (!row.cells.some(({ text }) => text.trim() !== '')) continue;
      last = row.place;
      if (row.place <= HEADER_WITHIN_ROWS) placeRow(first, row);
    }
    // The row below the last possible header is the first that tells no more than that there is one; a sheet may have a million empty ones.
    if (last > HEADER_WITHIN_ROWS || scan.layout.lastRow > HEADER_WITHIN_ROWS + EMPTY_ROWS_MAX) break;
  }
  const header = findHeader(first, aliases, kind);
  return { sheet, first, header, hasRows: header !== null && last > header.record + 1 };
}

function placeRow(first: string[][], { place, cells }: SheetRow): void {
  while (first.length < place) first.push([]);
  const texts = first[place - 1];
  if (texts === undefined) return;
  for (const { column, text } of cells) {
    if (column >= HEADER_COLUMNS_MAX) break;
    while (texts.length < column) texts.push('');
    texts[column] = text;
  }
}
