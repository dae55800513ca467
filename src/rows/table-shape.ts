// Every row must have the header's cells, no fewer and none without a name: a cell that has moved is somebody else's money.
import type { Words } from '../base/language.ts';
import { FileRefused } from './file-refused.ts';
import { columnLetters } from './name-cell.ts';
import type { Column } from './row.ts';
import { sentence } from '../messages/messages.ts';

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** Indexes of the columns without a header inside the table. */
export function unnamedColumns(columns: readonly Column[]): readonly number[] {
  return columns.filter(({ header }) => header.trim() === '').map(({ index }) => index);
}

/** Refuses a row that is shorter than the header, or that has text where the header has none. Empty cells beyond the header are no fault. */
export function checkShape(
  place: string,
  cells: readonly string[],
  width: number,
  unnamed: readonly number[],
): void {
  if (cells.length < width) throw new FileRefused('row_too_short', countsDiffer(place, cells.length, width));
  if (cells.length > width && !isBlank(cells.slice(width))) throw tooWide(place, cells, width);
  const above = unnamed.find((index) => (cells[index] ?? '').trim() !== '');
  if (above !== undefined)
    throw new FileRefused(
      'header_missing_above_cells',
      sentence('tableShape.checkShape', { columnLetters: columnLetters(above), place }),
    );
}

function tooWide(place: string, cells: readonly string[], width: number): FileRefused {
  const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  return new FileRefused('row_too_wide', countsDiffer(place, filled, width));
}

function countsDiffer(place: string, cells: number, width: number): Words {
  const [en, fr] = cells === 1 ? ['1 cell', '1 cellule'] : [`${cells} cells`, `${cells} cellules`];
  return sentence('tableShape.countsDiffer', { place, counted: { en, fr }, width });
}

/**
 * Refuses a record in which quotes have swallowed line ends: each of its lines then has as many separators as a row of its own,
 * or a line in the middle has. In three columns or more no address or remark looks like that by chance.
 */
export function checkSwallowedRows(
  place: number,
  cells: readonly string[],
  delimiter: string,
  width: number,
): void {
  if (!cells.some((cell) => /[\r\n]/.test(cell))) return;
  const lines = cells.join(delimiter).split(/\r\n|\n|\r/);
  const isRow = lines.map((line) => line.split(delimiter).length === width);
  const inMiddle = width >= MIDDLE_WIDTH_LEAST && isRow.slice(1, -1).includes(true);
  if (isRow.every(Boolean) || inMiddle)
    throw new FileRefused(
      'quote_swallows_rows',
      sentence('tableShape.checkSwallowedRows', { place, length: lines.length }),
    );
}

/** With two columns a comma in the middle line of an address would already look like a row. */
const MIDDLE_WIDTH_LEAST = 3;
