// A cell of an amount column → an exact amount, or the reason why it is none. Nothing is rounded and nothing is repaired.
import { toDecimalText, type DecimalText } from '../base/decimal.ts';
import { readCurrency, type WrittenCurrency } from './currency-signs.ts';
import type { DecimalMark } from './decimal-mark.ts';
import { readDigits, takeApart, type CellNumber } from './number-text.ts';

export const AMOUNT_FAULTS = [
  'empty',
  'not_a_number',
  'exponent_notation',
  'negative',
  'too_many_digits',
  'two_currencies',
] as const;
export type AmountFault = (typeof AMOUNT_FAULTS)[number];

export type ReadAmount =
  | { readonly amount: DecimalText; readonly currency: WrittenCurrency | null }
  | { readonly fault: AmountFault };

/** `6.2E+18`: digits that a spreadsheet program has already thrown away. */
const EXPONENT = /^\s*[-+]?[\d.,]+[eE][+-]?\d+\s*$/;

/** The amount of a cell under its column's mark. Zero is an amount; whether it can be paid is for validation to say. */
export function readAmount(cell: string, mark: DecimalMark): ReadAmount {
  if (cell.trim() === '') return { fault: 'empty' };
  const read = readSigned(cell, mark);
  if ('amount' in read && read.amount.startsWith('-')) return { fault: 'negative' };
  return read;
}

/** Like `readAmount`, but a negative number is read, as a sum needs it. */
export function readSigned(cell: string, mark: DecimalMark): ReadAmount {
  if (isPlainWhole(cell)) return { amount: cell, currency: null };
  const apart = takeApart(cell);
  const digits = apart === null ? null : readDigits(apart.body, mark);
  if (apart === null || digits === null) return { fault: faultOf(cell) };
  const currency = currencyBeside(apart);
  if ('fault' in currency) return currency;
  const amount = toDecimalText(plainNotation(digits.digits, digits.scale, apart.isNegative));
  return amount === null ? { fault: 'too_many_digits' } : { amount, ...currency };
}

/** True when the row's currency cannot be the one that stands in the cell. */
export function contradicts(written: WrittenCurrency | null, currency: string): boolean {
  return written !== null && !written.codes.includes(currency);
}

/** What most cells are; the first digit is not zero, so the text is canonical as it stands. */
export function isPlainWhole(cell: string): boolean {
  return /^[1-9]\d{0,14}$/.test(cell);
}

function plainNotation(digits: string, scale: number, isNegative: boolean): string {
  const padded = digits.padStart(scale + 1, '0');
  const whole = padded.slice(0, padded.length - scale);
  const fraction = scale === 0 ? '' : `.${padded.slice(-scale)}`;
  return `${isNegative ? '-' : ''}${whole}${fraction}`;
}

/** The currency beside a number, or why what stands there is none. */
export function currencyBeside(
  apart: CellNumber,
): { readonly currency: WrittenCurrency | null } | { readonly fault: AmountFault } {
  const texts = [apart.before, apart.after].filter((text) => text !== '');
  const [text] = texts;
  if (text === undefined) return { currency: null };
  if (texts.some((each) => readCurrency(each) === null)) return { fault: 'not_a_number' };
  return texts.length > 1 ? { fault: 'two_currencies' } : { currency: readCurrency(text) };
}

function faultOf(cell: string): AmountFault {
  return EXPONENT.test(cell) ? 'exponent_notation' : 'not_a_number';
}
