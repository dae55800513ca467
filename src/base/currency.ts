// How many decimals a currency has, from ISO 4217. Intl is not used: its digits follow display habits (it says 0 for IDR), not the standard.
import currencyCodes from 'currency-codes';

import { decimalsOf, grouped, withDecimals, type DecimalText } from './decimal.ts';
import { mapWords, type Words } from './language.ts';

/** Currencies that the data package does not have yet: the Caribbean guilder replaced ANG in 2025. */
const NEWER: ReadonlyMap<string, number> = new Map([['XCG', 2]]);

/** A map, because the package searches its whole list for every question. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...currencyCodes.data.map(({ code, digits }) => [code, digits] as const),
  ...NEWER,
]);

/** The number of decimals of an ISO 4217 currency, or null when the code is unknown. XAF has none. */
export function currencyDecimals(currency: string): number | null {
  return DIGITS.get(currency) ?? DIGITS.get(currency.toUpperCase()) ?? null;
}

/** True when the amount has no more decimals than its currency; an unknown currency fits nothing. */
export function fitsCurrency(amount: DecimalText, currency: string): boolean {
  const decimals = currencyDecimals(currency);
  return decimals !== null && decimalsOf(amount) <= decimals;
}

/** The amount as its currency writes it: `14250` CNY is `14250.00`, XAF stays whole. */
export function formatAmount(amount: DecimalText, currency: string): DecimalText {
  return withDecimals(amount, currencyDecimals(currency) ?? 0);
}

/** The same for people: `5,025,000 XAF`. */
export function moneyWords(amount: DecimalText, currency: string): Words {
  return mapWords(grouped(formatAmount(amount, currency)), (text) => `${text} ${currency}`);
}
