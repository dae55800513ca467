// A cell becomes an exact amount under a decimal mark, or says why not.
import { currencyDecimals } from '../base/currency.ts';
import { type DecimalText, toDecimalText } from '../base/decimal.ts';
import { remembering } from '../base/plain-text.ts';
import type { DecimalMark } from './form.ts';

// Numbers as people and programs write them. Each form is either read exactly or not at all; every pattern runs in linear time.

/** The text around the digits of a cell, and the digits with their marks. */
type CellNumber = {
  readonly isNegative: boolean;
  /** The text before and after the number, without sign and parentheses. */
  readonly before: string;
  readonly after: string;
  /** From the first digit to the last, a decimal mark before the first digit included. */
  readonly body: string;
};

/** Digits without any mark, and how many of them are decimals. */
export type ScaledDigits = { readonly digits: string; readonly scale: number };

/** Longer cells hold no amount; a limit before any pattern runs. */
const NUMBER_CHARS_MAX = 80;

/** Space, NBSP, narrow NBSP, thin space, figure space, apostrophe and its curly form. */
const GROUPED_BY_SPACE = String.raw`\d{1,3}(?:[ \u00a0\u202f\u2009\u2007'’]\d{3})+`;

/** Under a mark the other one groups thousands; a group never starts with zero, so `0,123` is a fraction. */
const PATTERNS: Readonly<Record<DecimalMark, RegExp>> = {
  '.': new RegExp(String.raw`^(\d+|${GROUPED_BY_SPACE}|[1-9]\d{0,2}(?:,\d{3})+|)(?:\.(\d+))?$`),
  ',': new RegExp(String.raw`^(\d+|${GROUPED_BY_SPACE}|[1-9]\d{0,2}(?:\.\d{3})+|)(?:,(\d+))?$`),
};

/** Takes a cell apart, or gives null when it holds no digit or two signs. */
export function takeApart(cell: string): CellNumber | null {
  if (cell.length > NUMBER_CHARS_MAX) return null;
  const first = cell.search(/\d/);
  if (first < 0) return null;
  // `.50` may start with its mark; in `Fr.50` the point belongs to the currency.
  const start = /^[-−+(\s]*[.,]$/.test(cell.slice(0, first)) ? first - 1 : first;
  const end = cell.search(/\d\D*$/) + 1;
  const before = takeSign(cell.slice(0, start));
  const after = takeSign(cell.slice(end));
  const parentheses = before.opens + after.closes;
  if (before.closes + after.opens > 0 || parentheses === 1) return null;
  const signs = before.signs + after.signs + (parentheses === 2 ? 1 : 0);
  if (signs > 1) return null;
  const isNegative = before.minus || after.minus || parentheses === 2;
  return { isNegative, before: before.rest, after: after.rest, body: cell.slice(start, end) };
}

/** The digits of a body under a mark, or null when it is not written so. */
export function readDigits(body: string, mark: DecimalMark): ScaledDigits | null {
  const match = PATTERNS[mark].exec(body);
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  return { digits: whole.replace(/\D/g, '') + fraction, scale: fraction.length };
}

/** `12.500` under a point: three digits behind the only mark are thousands to most readers, whatever mark the other cells have. */
export function mayBeThousands(cell: string, mark: DecimalMark): boolean {
  const body = takeApart(cell)?.body ?? '';
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(body) && readDigits(body, mark)?.scale === 3;
}

/** True when the body reads the same under both marks. */
export function isWithoutMark(body: string): boolean {
  return !body.includes('.') && !body.includes(',');
}

type Signs = {
  readonly rest: string;
  readonly signs: number;
  readonly minus: boolean;
  readonly opens: number;
  readonly closes: number;
};

function takeSign(text: string): Signs {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return {
    rest: text.replace(/[-−+()]/g, '').trim(),
    signs: count(/[-−+]/g),
    minus: /[-−]/.test(text),
    opens: count(/\(/g),
    closes: count(/\)/g),
  };
}

// The signs and names that people write with an amount, and the ISO 4217 currencies that each may mean.

/** A currency as it stands in a cell. */
export type WrittenCurrency = {
  readonly written: string;
  /** Every currency that it may mean; `FCFA` is the franc of Central and of West Africa. */
  readonly codes: readonly string[];
};

/** Upper case, without spaces and points. */
const SIGNS: ReadonlyMap<string, readonly string[]> = new Map([
  ['€', ['EUR']],
  ['EURO', ['EUR']],
  ['EUROS', ['EUR']],
  ['$', ['USD', 'CAD', 'AUD', 'HKD', 'SGD', 'NZD', 'MXN', 'ARS', 'CLP', 'COP']],
  ['US$', ['USD']],
  ['$US', ['USD']],
  ['£', ['GBP', 'EGP']],
  ['¥', ['CNY', 'JPY']],
  ['￥', ['CNY', 'JPY']],
  ['CN¥', ['CNY']],
  ['元', ['CNY']],
  ['RMB', ['CNY']],
  ['F', ['XAF', 'XOF']],
  ['FR', ['XAF', 'XOF', 'CHF']],
  ['CFA', ['XAF', 'XOF']],
  ['FCFA', ['XAF', 'XOF']],
  ['FRANCSCFA', ['XAF', 'XOF']],
  ['FRCFA', ['XAF', 'XOF']],
  ['₦', ['NGN']],
  ['₵', ['GHS']],
  ['GH₵', ['GHS']],
  ['KSH', ['KES']],
  ['₹', ['INR']],
  ['₫', ['VND']],
  ['฿', ['THB']],
  ['₱', ['PHP']],
  ['₺', ['TRY']],
  ['R$', ['BRL']],
]);

/** The currency that a text names, or null when it names none. */
export const readCurrency = remembering((text: string): WrittenCurrency | null => {
  const written = text.trim();
  const sign = written.toUpperCase().replace(/[\s.]/g, '');
  const codes = SIGNS.get(sign);
  if (codes !== undefined) return { written, codes };
  return /^[A-Z]{3}$/.test(sign) && currencyDecimals(sign) !== null ? { written, codes: [sign] } : null;
});

// A cell of an amount column → an exact amount, or the reason why it is none. Nothing is rounded and nothing is repaired.

type AmountFault =
  'empty' | 'not_a_number' | 'exponent_notation' | 'negative' | 'too_many_digits' | 'two_currencies';

export type ReadAmount =
  | { readonly amount: DecimalText; readonly currency: WrittenCurrency | null }
  | { readonly fault: AmountFault };

/** `6.2E+18`: digits that a spreadsheet program has already thrown away. */
const EXPONENT = /^\s*[-+]?[\d.,]+[eE][+-]?\d+\s*$/;

/** A number of ten million or more as Java writes it, with every digit that it has: `4.0E7` of OpenRefine. Spreadsheet programs, which round, write `E+`. */
const OF_JAVA = /^[1-9]\.\d{1,14}E(?:[7-9]|1\d)$/;

/** The amount of a cell that Java wrote in its own notation, in plain digits; null for any other cell. */
export function readJavaNumber(cell: string): DecimalText | null {
  const text = cell.trim();
  return OF_JAVA.test(text) ? toDecimalText(text) : null;
}

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
  const whole = readJavaNumber(cell);
  if (whole !== null) return { amount: whole, currency: null };
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

/** The form of most cells; the first digit is not zero, so the text is already canonical. */
export function isPlainWhole(cell: string): boolean {
  return /^[1-9]\d{0,14}$/.test(cell);
}

function plainNotation(digits: string, scale: number, isNegative: boolean): string {
  const padded = digits.padStart(scale + 1, '0');
  const whole = padded.slice(0, padded.length - scale);
  const fraction = scale === 0 ? '' : `.${padded.slice(-scale)}`;
  return `${isNegative ? '-' : ''}${whole}${fraction}`;
}

/** The currency with a number, or why the text there is none. */
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

// A few rows of a file may no longer prove which mark is the decimal one. Before they go back to be fixed, their amounts are made to.

/** The cell as it is, unless it alone would be ambiguous: then `1.234` becomes `1.234,00` under a comma. Under a point it stays: nobody knows what it means. */
export function showMark(cell: string, mark: DecimalMark): string {
  const body = takeApart(cell)?.body;
  if (body === undefined || isWithoutMark(body) || mayBeThousands(cell, mark)) return cell;
  if (readDigits(body, '.') === null || readDigits(body, ',') === null) return cell;
  return cell.replace(body, `${body}${mark}00`);
}
