// A cell by itself: how it is named for people, how its text is kept from being a formula, and what its digits may have lost.
import { sameWords, type Words } from '../base/language.ts';
import type { NameOrder, SplitRule } from '../contract/words.ts';
import { sentence } from '../messages/messages.ts';
import type { CellKind } from './form.ts';

export type { NameOrder };

// A fault is mended fastest when the cell is named as the spreadsheet program names it.

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
  const column: Words = name === '' ? sameWords(columnLetters(index)) : sentence('quoted', { text: name });
  const cell = cellReference(place, index);
  return sentence('nameCell.rowColumn', { place, column, cell });
}

// Formula injection (CSV injection): a spreadsheet program runs a cell that starts like a formula. One `'` before it makes it text; reading takes that one off again.

/** What a formula may start with: = + - @, tab, CR, LF, and the full-width forms of the first four. */
const FORMULA_START = '=+\\-@\\t\\r\\n＝＋－＠';

/** Text that already starts with `'` before such a character gets one more, so that reading gives back exactly what was written. */
const NEEDS_PROTECTION = new RegExp(`^'*[${FORMULA_START}]`);
const IS_PROTECTED = new RegExp(`^'+[${FORMULA_START}]`);

const [APOSTROPHE = 0, DIGIT_ZERO = 0, LETTER_Z = 0, EQUALS = 0, AT = 0] = Buffer.from("'0z=@");

/** The cell as it is safe to write it. */
export function protectFormula(cell: string): string {
  // The first look is for speed only: nearly every cell starts with a letter or a digit.
  const first = cell.charCodeAt(0);
  if (first >= DIGIT_ZERO && first <= LETTER_Z && first !== EQUALS && first !== AT) return cell;
  return NEEDS_PROTECTION.test(cell) ? `'${cell}` : cell;
}

/** The cell as it was meant: `unprotectFormula(protectFormula(cell))` is `cell`, for every text. */
export function unprotectFormula(cell: string): string {
  // The first look is for speed only: nearly no cell starts with an apostrophe.
  return cell.charCodeAt(0) === APOSTROPHE && IS_PROTECTED.test(cell) ? cell.slice(1) : cell;
}

/** Where several lines are usual; the service takes one. */
const ADDRESS_COLUMN = /^(?:receiver|sender)\.address/;

/** The text of a cell without surrounding spaces, an address in one line. */
export function textOfCell(cell: string, canonical: string): string {
  const text = cell.trim();
  if (!/[\r\n]/.test(text) || !ADDRESS_COLUMN.test(canonical)) return text;
  const lines = text.split(/[\r\n]/).map((line) => line.trim().replace(/,$/, ''));
  return lines.filter((line) => line !== '').join(', ');
}

// Digits that a workbook kept as a number may have lost zeros and ends. Once they stand in a text file nothing tells them from good ones,
// so they must never get there as digits.

/** An account, a card or a telephone, whatever the interface calls it; all that the delivery names is one of them or a name. */
const ACCOUNT_COLUMN = /^delivery\.|\.(?:msisdn|.*(?:account|iban|card|phone|mobile|wallet).*)$/i;

export function isAccountColumn(canonical: string | null): boolean {
  return canonical !== null && ACCOUNT_COLUMN.test(canonical);
}

export const TELEPHONES: readonly string[] = ['receiver.msisdn', 'sender.msisdn', 'delivery.msisdn'];

/**
 * True for a telephone number that a workbook kept as a number and shows whole: it may have lost a zero or its `+`, and nothing else. A workbook to
 * fix holds it as text behind this mark, so that a person compares it and takes the mark away, in the whole column at once.
 */
export function isTelephoneToCompare(canonical: string | null, kind: CellKind, cell: string): boolean {
  return kind === 'number' && TELEPHONES.includes(canonical ?? '') && /^\d{6,15}$/.test(cell);
}
export const COMPARE_MARK = '#';

/** The shortest national numbers have six digits. E.164 ends at fifteen, but the service decides how long the numbers of its networks are. */
const DIGITS_LEAST = 6;

/** Digits as people group them, with a country code or without one. */
function looksLikeTelephone(text: string): boolean {
  if (IS_PLAIN_TELEPHONE.test(text)) return true;
  if (IS_NO_TELEPHONE.test(text)) return false;
  const digits = text
    .normalize('NFKC')
    .replace(/^\+/, '')
    .replace(/[\s().\/-]/gu, '');
  // Digits of any script, as for the comparison of wallet accounts.
  return /^\p{Nd}+$/u.test(digits) && digits.length >= DIGITS_LEAST;
}

/** The form of most numbers, with at least `DIGITS_LEAST` digits. */
const IS_PLAIN_TELEPHONE = /^\+?\d{6,}$/;

/** `8614289754301.0` is a number that a program has written, `(0)` is not dialled behind a country code, and a slash may part two numbers. */
const IS_NO_TELEPHONE = /^\+?\d+\.\d{1,2}$|^\+.*\(0\)|\d{6,}\s*\/\s*\+?\d{6,}/;

/** `name@host.domain`, one of them. */
export function isEmail(text: string): boolean {
  return /^[^\s@;,<>]+@[^\s@;,<>]+\.[^\s@;,<>]+$/.test(text);
}

/** What is wrong with the text of a telephone, a card or an address of e-mail; null for others. A card has digits alone, perhaps in groups. */
export function malformed(canonical: string, text: string) {
  if (TELEPHONES.includes(canonical) && !looksLikeTelephone(text))
    return { code: 'telephone_malformed', words: sentence('checkText.noTelephone', { text }) } as const;
  if (canonical === 'delivery.email' && !isEmail(text))
    return { code: 'account_malformed', words: sentence('checkText.noEmail', { text }) } as const;
  const isCard = canonical === 'delivery.cardNumber';
  return isCard && !/^\d+$/.test(text.replace(/[\s-]/g, ''))
    ? ({ code: 'account_malformed', words: sentence('checkText.noCard', { text }) } as const)
    : null;
}

/** UTF-8 that was read as Windows-1252 and saved so: `NguÃ©ma`. */
export function isDecodedTwice(name: string): boolean {
  return DECODED_TWICE.test(name);
}

const DECODED_TWICE = /[ÃÂ][\u0080-\u00bf\u2018-\u2022\u20ac\u2122\u0152-\u017e\u0192]/u;

/** Whether a name was saved in one encoding and read in another: it has signs then that no name has. */
export function isDamaged(name: string): boolean {
  return DAMAGED.test(name);
}

const DAMAGED =
  /[¤§¨½¼¾¬¶±×÷¿¡¢£¥µ¹²³‚„…†‡‰]|[ÃÂ][\u0080-\u00bf\u2018-\u2022\u20ac\u2122\u0152-\u017e\u0192]|“(?!.*”)|\?\p{L}|\?.*\?/u;

/** ISO 7064, mod 97-10; spaces between groups do not count. */
export function isIban(text: string): boolean {
  const iban = text.replace(/\s/g, '');
  const digits = (iban.slice(4) + iban.slice(0, 4))
    .toUpperCase()
    .replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return /^\d{5,70}$/.test(digits) && BigInt(digits) % 97n === 1n;
}

const RIB_WIDTHS = [5, 5, 11, 2];
/** That of eight countries of West Africa, whose key nobody publishes. */
const RIB_WIDTHS_WEST = [5, 5, 12, 2];

/** A whole RIB from bank, branch, account and key, the zeros put back that a workbook took; null where the key does not fit them. */
export function ribOf(parts: readonly string[]): string | null {
  const [bank = '', branch = '', account = '', key = ''] = parts.map((part) => part.replace(/\s/g, ''));
  const bare = [bank, branch, account, key];
  // The column of the account may hold it whole.
  if (account.length > 16) return account;
  if (bare.every((part, index) => part.length === RIB_WIDTHS_WEST[index])) return bare.join('');
  if (bare.some((part, index) => !/^[\dA-Z]+$/i.test(part) || part.length > (RIB_WIDTHS[index] ?? 0)))
    return null;
  const whole = bare.map((part, index) => part.padStart(RIB_WIDTHS[index] ?? 0, '0')).join('');
  // A to I are 1 to 9, and so are J to R; S to Z are 2 to 9.
  const digits = whole.toUpperCase().replace(/[A-Z]/g, (letter) => {
    const place = letter.charCodeAt(0) - 65;
    return String(place < 18 ? (place % 9) + 1 : place - 16);
  });
  return BigInt(digits) % 97n === 0n ? whole : null;
}

/** Characters of an IBAN by its country, from the registry of ISO 13616. */
const IBAN_LENGTHS: Readonly<Record<string, string>> = {
  15: 'NO',
  16: 'BE',
  18: 'DK FO FI GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ ES MD PK RO SA SE SK TN VG',
  25: 'LY PT ST',
  26: 'IS TR',
  27: 'BI DJ FR GR IT MC MR SM',
  28: 'AL AZ BY CY DO GT HU LB NI PL SV',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
};
const IBAN_COUNTRIES: ReadonlyMap<string, number> = new Map(
  Object.entries(IBAN_LENGTHS).flatMap(([length, codes]) =>
    codes.split(' ').map((code) => [code, Number(length)] as const),
  ),
);

/** Whether a text has the form and the length of an IBAN of its country: no account number of another kind does. */
export function hasFormOfIban(text: string): boolean {
  if (!STARTS_AS_IBAN.test(text)) return false;
  const iban = text.replace(/\s/g, '').toUpperCase();
  return IBAN_COUNTRIES.get(iban.slice(0, 2)) === iban.length && /^[A-Z0-9]+$/.test(iban);
}

/** What most accounts do not: they are digits. */
const STARTS_AS_IBAN = /^[A-Z]{2}\d{2}/i;

/** What `6221230000000000000` becomes when a spreadsheet program takes it for a number. */
const EXPONENT = /^-?\d+([.,]\d+)?[eE][+-]?\d+$/;

/** Whether a spreadsheet program has thrown digits away. */
export function isShortened(text: string): boolean {
  return EXPONENT.test(text);
}

/** True for a cell of a workbook that should have been text, but holds another kind of value. */
export function mustBeText(isAccount: boolean, kind: CellKind, text: string): boolean {
  if (kind === 'text' || kind === 'empty') return false;
  // A spreadsheet program keeps fifteen digits of a number; in a number with that many, nobody can tell whether there were more.
  return isAccount || (kind === 'number' && (EXPONENT.test(text) || /^-?\d{15}/.test(text)));
}

/** An error of a spreadsheet program, in any of its languages: `#N/A`, `#REF!`, `#VALEUR!`. Saved as text, it stands where a value is missing. */
export function isSheetError(text: string): boolean {
  return /^#(?:N\/[AD]|DIV\/0!|¡?[\p{L}/]+[!?])$/u.test(text);
}

/** Whether a text can be one account: letters and digits, perhaps in groups. Words, signs and several accounts are none. */
export function looksLikeAccount(text: string): boolean {
  if (hasFormOfIban(text)) return true;
  const bare = text.replace(/[\s._/-]/g, '');
  // `1208020109.0` is a number that a program has written; before or behind an account stands the name of its bank, or a second one.
  const isOther = /\.\d{1,2}$|\d\s+[a-z]{2,}|^-|^[a-z]{3,}\s|\w{6,}\s*\/\s*\w{6,}/i.test(text);
  return /^[a-z\d]{1,40}$/i.test(bare) && /[1-9]/.test(bare) && !isOther;
}

/** Eight letters and digits or more: whether there is such a bank, the service knows. */
export function looksLikeSwiftCode(text: string): boolean {
  return /^[a-z\d]{8,12}$/i.test(text.replace(/\s/g, ''));
}

/**
 * The cell as it goes into an answer. A number in an account column goes as `6.22123E+18`, which is refused again when it comes back,
 * and a date or a truth value there not at all.
 */
export function answerCell(cell: string, kind: CellKind, canonical: string | null): string {
  if (kind === 'text' || kind === 'empty' || !isAccountColumn(canonical)) return cell;
  return kind === 'number' && /^\d+$/.test(cell) ? inExponent(cell) : '';
}

function inExponent(whole: string): string {
  const digits = whole.replace(/^0+(?=\d)/, '');
  const fraction = digits.slice(1).replace(/0+$/, '');
  return `${digits.charAt(0)}${fraction === '' ? '' : `.${fraction}`}E+${digits.length - 1}`;
}

// One column that holds two names, as French pay programs write it: taken apart by the rule that a person has confirmed, or not at all.

/** What a profile says of a header: the columns that its two parts are, in this order. */
export type Split = { readonly into: readonly [string, string]; readonly by: SplitRule };

/** A part of the cells of a column. */
export type NamePart = { readonly index: number; readonly by: SplitRule; readonly part: 0 | 1 };

/** Two capitals at least: an initial may belong to either name. */
const CAPITALS = /^\p{Lu}[\p{Lu}'’.-]+$/u;

/**
 * The two parts: what is written in capitals and the rest, what stands before a comma and behind it, or one word and the others.
 * Null for a text that the rule does not take apart without doubt.
 */
export function splitName(text: string, by: SplitRule): readonly [string, string] | null {
  if (by === 'comma') {
    const comma = text.indexOf(',');
    const [before, behind] = [text.slice(0, Math.max(comma, 0)).trim(), text.slice(comma + 1).trim()];
    return before === '' || behind === '' || behind.includes(',') ? null : [before, behind];
  }
  const words = text.trim().split(/\s+/u);
  switch (by) {
    case 'capitals':
      return byCapitals(words);
    case 'first-word':
      return words.length < 2 ? null : [words.slice(0, 1).join(), words.slice(1).join(' ')];
    case 'last-word':
      return words.length < 2 ? null : [words.slice(0, -1).join(' '), words.slice(-1).join()];
  }
}

/**
 * The family name and the given name of a person of whom a message has one name: what stands before a comma and behind it, else as the order says.
 * Null where neither tells: Chen Wenjie and Jean Mballa go opposite ways.
 */
export function personNames(name: string, order: NameOrder | null): readonly [string, string] | null {
  if (name.includes(',')) return splitName(name, 'comma');
  if (order === 'family-given') return splitName(name, 'first-word');
  const parts = order === null ? null : splitName(name, 'last-word');
  return parts === null ? null : [parts[1], parts[0]];
}

/** `NGO BIKOÏ Clarisse`, `Jean-Paul MBARGA`: the capitals stand together, before the other words or behind them. */
function byCapitals(words: readonly string[]): readonly [string, string] | null {
  const isCapital = words.map((word) => CAPITALS.test(word));
  const changes = isCapital.filter((is, index) => index > 0 && is !== isCapital[index - 1]).length;
  // A lone letter in the place of a name is in doubt.
  if (changes !== 1 || words.some((word) => /^\p{Lu}\.?$/u.test(word))) return null;
  const pick = (wanted: boolean) => words.filter((_, index) => isCapital[index] === wanted).join(' ');
  return [pick(true), pick(false)];
}
