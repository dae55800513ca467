// The signs and names that people write beside an amount, and which ISO 4217 currencies each may mean.
import { currencyDecimals } from '../base/currency.ts';

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
export function readCurrency(text: string): WrittenCurrency | null {
  const written = text.trim();
  const sign = written.toUpperCase().replace(/[\s.]/g, '');
  const codes = SIGNS.get(sign);
  if (codes !== undefined) return { written, codes };
  return /^[A-Z]{3}$/.test(sign) && currencyDecimals(sign) !== null ? { written, codes: [sign] } : null;
}
