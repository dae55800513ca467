// A fault is mended fastest when the cell is named as the spreadsheet program names it.
import { sameWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

/** The letters over a column: 0 is `A`, 25 `Z`, 26 `AA`. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

/** `C12` for the third column of row `12`; `Sheet!C12` for a place that names its sheet. */
export function cellReference(place: string, index: number): string {
  const mark = place.lastIndexOf('!') + 1;
  return place.slice(0, mark) + columnLetters(index) + place.slice(mark);
}

/** `row 12, column «Montant» (C12)`, for a person. */
export function nameCell(place: string, index: number, header: string): Words {
  const name = header.trim();
  const column: Words = name === '' ? sameWords(columnLetters(index)) : sentence('nameCell.text', { name });
  const cell = cellReference(place, index);
  return sentence('nameCell.rowColumn', { place, column, cell });
}
