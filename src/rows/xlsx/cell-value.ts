// Turns the stored content of a cell into what a person sees, with the kind of its value.
import { columnLetters } from '../cell.ts';
import type { CellKind } from '../form.ts';
import { SHARED_STRINGS_MAX, SHEET_COLUMNS, SHEET_ROWS } from './limits.ts';
import type { NumberForm, Styles } from './styles.ts';
import { unescapeText } from './walk-xml.ts';
import { isTrue, type SharedStrings } from './workbook.ts';

// `AB12` → column and row, and back. Every cell of a sheet says where it stands, and must not stand anywhere twice.

/** Column from 0, row from 1. */
type CellPlace = { readonly column: number; readonly row: number };

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
function readWhole(text: string, most: number, start = 0): number | null {
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

// A date is a count of days since 1900 or 1904. It is given as ISO 8601, which reads the same everywhere.

const DAY_SECONDS = 86_400;
const DAY_MS = 86_400_000;

/** Day 1 is 1900-01-01, and day 60 the 29th of February that 1900 did not have; from day 61 on this is the day before day 1. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const LEAP_BUG_DAY = 60;

/** 9999-12-31, the last day that spreadsheet programs know. */
const DAY_LAST = 2_958_465;

/** The date of a stored count of days, or null when it is none. */
export function dateText(stored: string, is1904: boolean): string | null {
  const days = Number(stored);
  if (!(days >= 0) || days >= DAY_LAST + 1) return null;
  const seconds = Math.round(days * DAY_SECONDS);
  const day = Math.floor(seconds / DAY_SECONDS);
  const time = timeText(seconds % DAY_SECONDS);
  if (day === 0 && !is1904) return time;
  const date = is1904 ? isoDay(EPOCH_1904, day) : day1900(day);
  return time === MIDNIGHT ? date : `${date}T${time}`;
}

const MIDNIGHT = '00:00:00';

function day1900(day: number): string {
  if (day === LEAP_BUG_DAY) return '1900-02-29';
  return isoDay(EPOCH_1900, day < LEAP_BUG_DAY ? day + 1 : day);
}

function isoDay(epoch: number, day: number): string {
  return new Date(epoch + day * DAY_MS).toISOString().slice(0, 10);
}

/** Of the seconds of a day. */
function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(11, 19);
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?Z?)?$/;

/** A date that is stored as ISO 8601 already (`t="d"`), or null when it is none. */
export function isoDateText(stored: string): string | null {
  const [, date, time = MIDNIGHT] = ISO.exec(stored) ?? [];
  if (date === undefined) return null;
  return time === MIDNIGHT ? date : `${date}T${time}`;
}

// A number is stored with up to seventeen digits, of which a spreadsheet program shows fifteen: 0.1 + 0.2 is 0.3 to everybody who looks at it.
// The digits are text from end to end; no arithmetic of floats takes part.

/** Significant digits that a spreadsheet program keeps and shows. */
const DIGITS_SHOWN = 15;

/** Beyond so many digits or decimals a number stays in exponent notation, which no amount is. */
const PLAIN_DIGITS_MAX = 21;

const NUMBER = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,3}))?$/;
const PLAIN = /^-?(?:[1-9]\d{0,14}|0)$/;

/** The number in plain notation, or null when the text is no number. */
export function numberText(stored: string): string | null {
  // Most cells: nothing to do.
  if (PLAIN.test(stored) && stored !== '-0') return stored;
  const match = NUMBER.exec(stored.trim());
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (whole + fraction === '') return null;
  if (digits === '') return '0';
  const scale = fraction.length - Number(exponent);
  const shown = fifteenDigits(digits, scale);
  return (sign === '-' ? '-' : '') + notation(shown.digits, shown.scale);
}

type ScaledNumber = { readonly digits: string; readonly scale: number };

/** Rounded half up at the fifteenth digit, as it is shown; the digits behind it are the dust of binary fractions. */
function fifteenDigits(digits: string, scale: number): ScaledNumber {
  const surplus = digits.length - DIGITS_SHOWN;
  if (surplus <= 0) return trimmed(digits, scale);
  const kept = BigInt(digits.slice(0, DIGITS_SHOWN));
  const isUp = digits.charAt(DIGITS_SHOWN) >= '5';
  return trimmed((isUp ? kept + 1n : kept).toString(), scale - surplus);
}

function trimmed(digits: string, scale: number): ScaledNumber {
  const bare = digits.replace(/0+$/, '');
  return { digits: bare, scale: scale - (digits.length - bare.length) };
}

function notation(digits: string, scale: number): string {
  if (digits.length - scale > PLAIN_DIGITS_MAX || scale > PLAIN_DIGITS_MAX) return exponential(digits, scale);
  if (scale <= 0) return digits + '0'.repeat(-scale);
  const padded = digits.padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

function exponential(digits: string, scale: number): string {
  const fraction = digits.slice(1);
  const exponent = digits.length - 1 - scale;
  return `${digits.charAt(0)}${fraction === '' ? '' : `.${fraction}`}E${exponent < 0 ? '' : '+'}${exponent}`;
}

/** `0.125` → `12.5%`, as its format shows it: an amount in percent is then no amount. */
export function percentText(number: string): string {
  return `${numberText(`${number}e2`) ?? number}%`;
}

/** The zeros in front that a format of nothing but zeros shows. */
function paddedText(number: string, zeros: number): string {
  return /^\d+$/.test(number) ? number.padStart(zeros, '0') : number;
}

// The stored content of a cell → what a person sees, and the kind of its value.

/** Why the text of a cell cannot be believed; it matters only where the cell is used. */
export type CellFault =
  | 'formula_without_value'
  | 'cell_error'
  | 'cell_unreadable'
  | 'shown_otherwise'
  /** Only an amount is another one for what its format writes around it. */
  | 'amount_shown_otherwise';

export type CellValue = { readonly text: string; readonly kind: CellKind; readonly fault: CellFault | null };

/** A cell as the sheet has it. */
type StoredCell = {
  readonly type: string;
  readonly style: number;
  /** The content of `v`, or null when there is no `v`. */
  readonly value: string | null;
  /** The content of `is`, or null. */
  readonly inline: string | null;
  readonly hasFormula: boolean;
  /** A part of `is` is struck through. */
  readonly isInlineStruck: boolean;
};

export type CellContext = {
  readonly strings: SharedStrings;
  readonly styles: Styles['forms'];
  readonly struckStyles: Styles['struck'];
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
      return ofText(context.strings.text(sharedIndex(cell.value)));
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

/** Whether a line goes through all of what a cell shows, or through a part: whoever drew it takes that back. */
export function isStruck(cell: StoredCell, { strings, struckStyles }: CellContext): boolean {
  if (struckStyles.has(cell.style)) return true;
  return cell.type === 's' ? strings.isStruck(sharedIndex(cell.value ?? '')) : cell.isInlineStruck;
}

function sharedIndex(value: string): number {
  return readWhole(value.trim(), SHARED_STRINGS_MAX) ?? -1;
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
  return { text, kind: 'number', fault: numberFault(form) };
}

function numberFault({ isMisleading, asAmount }: NumberForm): CellFault | null {
  if (isMisleading) return 'shown_otherwise';
  return asAmount === null ? 'amount_shown_otherwise' : null;
}

function unreadable(text: string): CellValue {
  return { text, kind: 'text', fault: 'cell_unreadable' };
}
