// `AB12` → column and row, and back. Every cell of a sheet says where it stands, and must not stand anywhere twice.
import { columnLetters } from '../name-cell.ts';
import { SHEET_COLUMNS, SHEET_ROWS } from './limits.ts';

/** Column from 0, row from 1. */
export type CellPlace = { readonly column: number; readonly row: number };

/** Codes of characters, because two million cells are read so. */
const [A, Z, ZERO, NINE] = [65, 90, 48, 57];

/** Null where the text names no cell of a sheet. */
export function readCellPlace(text: string): CellPlace | null {
  let at = 0;
  let column = 0;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < A || code > Z) break;
    column = column * 26 + code - A + 1;
    if (column > SHEET_COLUMNS) return null;
  }
  const row = readRowNumber(text, at);
  return column === 0 || row === null ? null : { column: column - 1, row };
}

/** The number from `start` to the end, or null where that is no row of a sheet. */
export function readRowNumber(text: string, start = 0): number | null {
  const row = readWhole(text, SHEET_ROWS, start);
  return row === 0 ? null : row;
}

/** The digits from `start` to the end as a number up to `most`, or null. */
export function readWhole(text: string, most: number, start = 0): number | null {
  if (start >= text.length) return null;
  let whole = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return null;
    whole = whole * 10 + code - ZERO;
    if (whole > most) return null;
  }
  return whole;
}

export type Area = { readonly from: CellPlace; readonly to: CellPlace };

/** `A1:C3`, or one cell; null where the text names no area. */
export function readArea(text: string): Area | null {
  const [first = '', last = first, ...more] = text.split(':');
  const from = readCellPlace(first);
  const to = readCellPlace(last);
  return from === null || to === null || more.length > 0 ? null : { from, to };
}

/** `Paie!C12`, whether the workbook has other sheets or not. */
export function placeInWords(sheet: string, column: number, row: number): string {
  return `${sheet}!${columnLetters(column)}${row}`;
}
