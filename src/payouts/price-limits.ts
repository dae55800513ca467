// What a price may be at most: the share of the fee, and the least that a unit of what leaves the account must bring. A service that has
// changed its tariff, or a rate that has slipped, is for a person to accept before the money moves.
import type { Words } from '../base/language.ts';
import { formatAmount } from '../base/currency.ts';
import { compareDecimals, divideDecimals, multiplyDecimals, type DecimalText } from '../base/decimal.ts';
import type { PriceLimitCode } from './hold.ts';
import type { Payout } from './payout.ts';
import { sentence } from '../messages/messages.ts';

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
