// Numbers as people and programs write them. Each form is either read exactly or not at all; every pattern runs in linear time.
import type { DecimalMark } from './decimal-mark.ts';

/** What stands around the digits of a cell, and the digits with their marks. */
export type CellNumber = {
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
export const NUMBER_CHARS_MAX = 80;

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
