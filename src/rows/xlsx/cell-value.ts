// What is stored in a cell → what a person sees in it, and what kind of value that is.
import type { CellKind } from '../cell-kind.ts';
import { readWhole } from './cell-place.ts';
import { dateText, isoDateText } from './date-cell.ts';
import { SHARED_STRINGS_MAX } from './limits.ts';
import type { NumberForm } from './number-format.ts';
import { numberText, paddedText, percentText } from './number-cell.ts';
import { unescapeText } from './rich-text.ts';
import type { SharedStrings } from './shared-strings.ts';
import type { Styles } from './styles.ts';
import { isTrue } from './workbook.ts';

/** Why the text of a cell cannot be believed; it matters only where the cell is used. */
export type CellFault = 'formula_without_value' | 'cell_error' | 'cell_unreadable' | 'shown_otherwise';

export type CellValue = { readonly text: string; readonly kind: CellKind; readonly fault: CellFault | null };

/** A cell as the sheet has it. */
export type StoredCell = {
  readonly type: string;
  readonly style: number;
  /** The content of `v`, or null when there is no `v`. */
  readonly value: string | null;
  /** The content of `is`, or null. */
  readonly inline: string | null;
  readonly hasFormula: boolean;
};

export type CellContext = {
  readonly strings: SharedStrings;
  readonly styles: Styles['forms'];
  readonly is1904: boolean;
  readonly isUncomputed: boolean;
};

const EMPTY: CellValue = { text: '', kind: 'empty', fault: null };
const UNCOMPUTED: CellValue = { text: '', kind: 'empty', fault: 'formula_without_value' };

export function cellValue(cell: StoredCell, context: CellContext): CellValue {
  if (cell.hasFormula && isWithoutValue(cell, context)) return UNCOMPUTED;
  if (cell.type === 'inlineStr') return ofText(unescapeText(cell.inline ?? ''));
  if (cell.value === null) return EMPTY;
  switch (cell.type) {
    case 's':
      return ofText(context.strings(readWhole(cell.value.trim(), SHARED_STRINGS_MAX) ?? -1));
    case 'str':
      return ofText(unescapeText(cell.value));
    case 'b':
      return { text: isTrue(cell.value.trim()) ? 'TRUE' : 'FALSE', kind: 'boolean', fault: null };
    case 'e':
      return { text: cell.value, kind: 'text', fault: 'cell_error' };
    case 'd':
      return ofDate(isoDateText(cell.value.trim()), cell.value);
    default:
      return cell.value.trim() === ''
        ? EMPTY
        : ofNumber(cell.value, context.styles[cell.style], context.is1904);
  }
}

/** A formula that gives the empty text has it as a stored value of type `str`. */
function isWithoutValue({ type, value }: StoredCell, { isUncomputed }: CellContext): boolean {
  return isUncomputed || value === null || (type !== 'str' && value.trim() === '');
}

function ofText(text: string | undefined): CellValue {
  if (text === undefined) return unreadable('');
  return text === '' ? EMPTY : { text, kind: 'text', fault: null };
}

function ofDate(date: string | null, stored: string): CellValue {
  return date === null ? unreadable(stored) : { text: date, kind: 'date', fault: null };
}

function ofNumber(stored: string, form: NumberForm | undefined, is1904: boolean): CellValue {
  const number = numberText(stored);
  if (number === null || form === undefined) return unreadable(stored);
  const date = form.isDate ? dateText(number, is1904) : null;
  if (date !== null) return ofDate(date, stored);
  const text = form.isPercent
    ? percentText(number)
    : form.zeros > 0
      ? paddedText(number, form.zeros)
      : number;
  return { text, kind: 'number', fault: form.isMisleading ? 'shown_otherwise' : null };
}

function unreadable(text: string): CellValue {
  return { text, kind: 'text', fault: 'cell_unreadable' };
}
