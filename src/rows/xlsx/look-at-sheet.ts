// The first rows of a sheet say whether it is a table of payments.
import { findHeader, HEADER_WITHIN_ROWS, type FoundHeader } from '../find-header.ts';
import type { HeaderAliases } from '../columns.ts';
import { EMPTY_ROWS_MAX, HEADER_COLUMNS_MAX } from './limits.ts';
import type { SheetRow, SheetScan } from './scan-sheet.ts';
import type { Sheet } from './workbook.ts';

export type SheetLook = {
  readonly sheet: Sheet;
  /** The first rows, with an empty one for each that holds nothing. */
  readonly first: readonly (readonly string[])[];
  readonly header: FoundHeader | null;
  /** Something stands below the header. */
  readonly hasRows: boolean;
};

/** Reads no further than it must. */
export async function lookAtSheet(sheet: Sheet, scan: SheetScan, aliases: HeaderAliases): Promise<SheetLook> {
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
  const header = findHeader(first, aliases);
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
