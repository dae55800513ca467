// Digits that a workbook kept as a number may have lost zeros and ends. Once they stand in a text file nothing tells them from good ones,
// so they must never get there as digits.
import type { CellKind } from './cell-kind.ts';

/** An account, a card or a telephone, whatever the interface calls it; all that the delivery names is one of them or a name. */
const ACCOUNT_COLUMN = /^delivery\.|\.(?:msisdn|.*(?:account|iban|card|phone|mobile|wallet).*)$/i;

export function isAccountColumn(canonical: string | null): boolean {
  return canonical !== null && ACCOUNT_COLUMN.test(canonical);
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
