// Sums of decimal text by currency, in whole minor units: no amount on the page passes through a float.

/** Amounts that are missing or no numbers are left out. */
export function sumsOf(
  amounts: readonly (readonly [currency: string | null, amount: string | null])[],
): readonly (readonly [currency: string, sum: string])[] {
  const sums = new Map<string, ScaledSum>();
  for (const [currency, text] of amounts) {
    const one = text === null ? null : scaledOf(text);
    if (currency === null || one === null) continue;
    sums.set(currency, added(sums.get(currency) ?? NOTHING, one));
  }
  return [...sums].map(([currency, sum]) => [currency, textOf(sum)]);
}

/** For an order of lines, the smallest first; what is no number counts as nothing. */
export function compareAmounts(one: string | null | undefined, other: string | null | undefined): number {
  const [a, b] = [scaledOf(one ?? '') ?? NOTHING, scaledOf(other ?? '') ?? NOTHING];
  const difference = added(a, negated(b)).units;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const NOTHING: ScaledSum = { units: 0n, decimals: 0 };

function negated({ units, decimals }: ScaledSum): ScaledSum {
  return { units: -units, decimals };
}

type ScaledSum = { readonly units: bigint; readonly decimals: number };

function scaledOf(text: string): ScaledSum | null {
  const [, whole, decimals = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return whole === undefined ? null : { units: BigInt(whole + decimals), decimals: decimals.length };
}

function added(a: ScaledSum, b: ScaledSum): ScaledSum {
  const decimals = Math.max(a.decimals, b.decimals);
  const units = ({ units: n, decimals: own }: ScaledSum): bigint => n * 10n ** BigInt(decimals - own);
  return { units: units(a) + units(b), decimals };
}

function textOf({ units, decimals }: ScaledSum): string {
  const sign = units < 0n ? '-' : '';
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
