// Money as the checker counts it: digits as they were written, turned into whole minor units. Written apart from the program, so that one
// mistake cannot hide in both.

/** ISO 4217 decimals of the currencies that the tests pay from and to. */
const DECIMALS: Readonly<Record<string, number>> = { XAF: 0, XOF: 0, VND: 0, EUR: 2, USD: 2, CNY: 2, AED: 2 };

/** `1234.5` EUR → 123450n. Throws on anything that is no plain number, or has more decimals than its currency. */
export function minorUnits(text: string, currency: string): bigint {
  const decimals = DECIMALS[currency];
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (decimals === undefined || whole === '') throw new Error(`no amount in ${currency}: ${text}`);
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > decimals) throw new Error(`more decimals than ${currency} has: ${text}`);
  return BigInt(whole + digits.padEnd(decimals, '0'));
}

/** Sums by currency. */
export type Sums = Map<string, bigint>;

export function addTo(sums: Sums, currency: string, amount: bigint): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + amount);
}

/** JSON with every number as the text that stands there, because a float has already lost what is to be checked. */
export function parseJsonExactly(text: string): unknown {
  return JSON.parse(text, keepDigits);
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
