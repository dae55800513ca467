// The most that may be paid: for one row, to one payee in a day, by one file, in a day. Amounts are what leaves the account: in the source
// currency, fees included. Days are those of UTC.
import { formatAmount } from '../base/currency.ts';
import {
  compareDecimals,
  type DecimalText,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
} from '../base/decimal.ts';
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import type { PriceLimitCode } from './hold.ts';
import type { Payout } from './payout.ts';

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

// What a price may be at most: the share of the fee, and the least that a unit of what leaves the account must bring. A service that has
// changed its tariff, or a rate that has slipped, is for a person to accept before the money moves.

/** `feeShare` in hundredths of a percent of the amount sent; `leastRates` by `SOURCE/TARGET`: what one unit of the source has to bring. */
export type PriceLimits = {
  readonly feeShare: number | null;
  readonly leastRates: Readonly<Record<string, DecimalText>> | null;
};

/** In major units, as the quotation gives them. */
export type Price = {
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
};

type Currencies = Pick<Payout, 'sourceCurrency' | 'targetCurrency'>;

export type PriceHit = {
  readonly code: PriceLimitCode;
  readonly words: Words;
};

const HUNDREDTHS_OF_PERCENT = '10000';

/** Digits of a rate that is shown; the comparison itself is exact. */
const RATE_DIGITS = 8;

/** None when the price may be accepted. A pair that `leastRates` does not name has no least rate. */
export function priceHits(price: Price, currencies: Currencies, limits: PriceLimits): readonly PriceHit[] {
  const hits = [feeHit(price, currencies, limits.feeShare), rateHit(price, currencies, limits.leastRates)];
  return hits.filter((hit) => hit !== null);
}

function feeHit(
  { sendAmount, feeAmount }: Price,
  { sourceCurrency }: Currencies,
  share: number | null,
): PriceHit | null {
  if (share === null) return null;
  const allowed = multiplyDecimals(sendAmount, String(share));
  if (compareDecimals(multiplyDecimals(feeAmount, HUNDREDTHS_OF_PERCENT), allowed) <= 0) return null;
  const fee = `${formatAmount(feeAmount, sourceCurrency)} ${sourceCurrency}`;
  const sent = `${formatAmount(sendAmount, sourceCurrency)} ${sourceCurrency}`;
  const most = `${String(share / 100)}%`;
  return {
    code: 'over_fee_limit',
    words: sentence('priceLimits.feeHit', { fee, sent, most }),
  };
}

function rateHit(
  { sendAmount, receiveAmount }: Price,
  { sourceCurrency, targetCurrency }: Currencies,
  leastRates: PriceLimits['leastRates'],
): PriceHit | null {
  const pair = `${sourceCurrency}/${targetCurrency}`;
  const least = leastRates !== null && Object.hasOwn(leastRates, pair) ? leastRates[pair] : undefined;
  if (least === undefined || compareDecimals(receiveAmount, multiplyDecimals(sendAmount, least)) >= 0)
    return null;
  const rate = divideDecimals(receiveAmount, sendAmount, RATE_DIGITS);
  return {
    code: 'under_rate_limit',
    words: sentence('priceLimits.rateHit', { sourceCurrency, rate, targetCurrency, least }),
  };
}
