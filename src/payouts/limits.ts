// The most that may be paid: for one row, to one payee in a day, by one file, in a day. Amounts are what leaves the account: in the source
// currency, fees included. Days are those of UTC.
import type { Words } from '../base/language.ts';
import { formatAmount } from '../base/currency.ts';
import { compareDecimals, subtractDecimals, type DecimalText } from '../base/decimal.ts';
import { sentence } from '../messages/messages.ts';

export const LIMIT_NAMES = ['perRow', 'perPayeePerDay', 'perFile', 'perDay'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** The most by source currency; null for no limit. Of a currency that a limit does not name, nothing may be paid: a forgotten one must not be a way round. */
export type Limit = Readonly<Record<string, DecimalText>> | null;
export type Limits = Readonly<Record<LimitName, Limit>>;

/** The first limit that a payment would exceed. */
export type LimitHit = {
  readonly name: LimitName;
  readonly currency: string;
  /** Null when the limit does not name the currency. */
  readonly most: DecimalText | null;
  /** What it would come to, this payment included. */
  readonly total: DecimalText;
};

export function areNone(limits: Limits): boolean {
  return LIMIT_NAMES.every((name) => limits[name] === null);
}

/** Null when the total is within the limit, which it may reach. */
export function hitOf(
  name: LimitName,
  limits: Limits,
  currency: string,
  total: DecimalText,
): LimitHit | null {
  const limit = limits[name];
  if (limit === null) return null;
  const most = Object.hasOwn(limit, currency) ? (limit[currency] ?? null) : null;
  return most !== null && compareDecimals(total, most) <= 0 ? null : { name, currency, most, total };
}

const WHOSE: Readonly<Record<LimitName, Words>> = {
  perRow: sentence('limits.perRow'),
  perPayeePerDay: sentence('limits.perPayeePerDay'),
  perFile: sentence('limits.perFile'),
  perDay: sentence('limits.perDay'),
};

/** By how much, in plain words. */
export function describeHit({ name, currency, most, total }: LimitHit): Words {
  const show = (amount: DecimalText): string => `${formatAmount(amount, currency)} ${currency}`;
  const { en, fr } = WHOSE[name];
  if (most === null)
    return sentence('limits.describeHit.limitsNamesAmount', {
      counted: { en, fr },
      show: show(total),
      name,
      currency,
    });
  const over = show(subtractDecimals(total, most));
  return sentence('limits.describeHit.feesLimitsAllows', {
    counted: { en, fr },
    show: show(total),
    name,
    show2: show(most),
    over,
  });
}
