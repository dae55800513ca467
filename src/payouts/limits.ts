// The maximum to pay: for one row, to one payee a day, for one file, for a day. An amount counts as it leaves the account: in the source
// currency, fees included. Days are UTC days.
import { moneyWords } from '../base/currency.ts';
import {
  type DecimalText,
  addDecimals,
  compareDecimals,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
} from '../base/decimal.ts';
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { debitOf } from '../service/wire.ts';
import { type LimitCode, type PriceLimitCode, isLimitCode } from './hold.ts';
import { SETTLED, type StageOrHeld } from './lifecycle.ts';
import type { Payout } from './payout.ts';
import type { Lifted, Progress } from './progress.ts';

export const LIMIT_NAMES = ['perRow', 'perPayeePerDay', 'perFile', 'perDay'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/**
 * The maximum by source currency; null for no limit. A currency that a limit does not name may not be paid at all: a forgotten currency must not
 * evade the limit.
 */
export type Limit = Readonly<Record<string, DecimalText>> | null;
export type Limits = Readonly<Record<LimitName, Limit>>;

/** The first limit that a payment would exceed. */
export type LimitHit = {
  readonly name: LimitName;
  readonly currency: string;
  /** Null when the limit does not name the currency. */
  readonly most: DecimalText | null;
  /** The total, this payment included. */
  readonly total: DecimalText;
};

export function areNone(limits: Limits): boolean {
  return LIMIT_NAMES.every((name) => limits[name] === null);
}

/** Null when the total does not exceed the limit; it may equal it. */
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

/** The excess, in plain words. @param counted what comes to the total. */
export function describeHit({ name, currency, most, total }: LimitHit, counted = WHOSE[name]): Words {
  const show = (amount: DecimalText): Words => moneyWords(amount, currency);
  if (most === null)
    return sentence('limits.describeHit.limitsNamesAmount', {
      counted,
      show: show(total),
      name,
      currency,
    });
  const over = show(subtractDecimals(total, most));
  return sentence('limits.describeHit.feesLimitsAllows', {
    counted,
    show: show(total),
    name,
    show2: show(most),
    over,
  });
}

// The limits of a price: the share of the fee, and the least that a unit sent must bring. If the service has changed its tariff, or a rate has
// slipped, a person must accept that before the money moves.

/** `feeShare` in hundredths of a percent of the amount sent; `leastRates` by `SOURCE/TARGET`: the least that one unit of the source must bring. */
export type PriceLimits = {
  readonly feeShare: number | null;
  readonly leastRates: Readonly<Record<string, DecimalText>> | null;
};

/** In major units, as the quotation gives them. */
type Price = {
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
};

type Currencies = Pick<Payout, 'sourceCurrency' | 'targetCurrency'>;

type PriceHit = {
  readonly code: PriceLimitCode;
  readonly words: Words;
};

const HUNDREDTHS_OF_PERCENT = '10000';

/** Digits of the shown rate; the comparison itself is exact. */
const RATE_DIGITS = 8;

/** Empty when the price may be accepted. A pair that `leastRates` does not name has no least rate. */
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
  const fee = moneyWords(feeAmount, sourceCurrency);
  const sent = moneyWords(sendAmount, sourceCurrency);
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

// What a person let a row cost. The person who lifts a limit has seen the amount: a worse price, or another limit, asks a new question.

/** The limits that are lifted once a person has released the row from its hold. */
export function liftedBy({
  hold,
  transfer,
  price,
  comparison: { lifted },
}: Pick<Progress, 'hold' | 'transfer' | 'price'> & {
  readonly comparison: Pick<Progress['comparison'], 'lifted'>;
}): readonly Lifted[] {
  const seen = transfer ?? price;
  if (hold === null || !isLimitCode(hold.code) || seen === null) return lifted;
  const held = hold.code;
  const { receiveAmount } = seen;
  const others = lifted.filter(({ code }) => code !== held);
  return [...others, { code: held, debit: debitOf(seen), receiveAmount }];
}

/**
 * True when a person has lifted this limit for the row at about this price. Rates change every minute, so the price may differ by `maxDrift`
 * (0.01 for one percent) either way, as for an approval.
 */
function isLifted(
  { comparison: { lifted } }: { readonly comparison: Pick<Progress['comparison'], 'lifted'> },
  code: LimitCode,
  asked: { readonly debit: DecimalText; readonly receiveAmount: DecimalText | null },
  maxDrift: DecimalText,
): boolean {
  const seen = lifted.find((each) => each.code === code);
  if (seen === undefined) return false;
  const worse = addDecimals('1', maxDrift);
  const isDearer = compareDecimals(asked.debit, multiplyDecimals(seen.debit, worse)) > 0;
  const { receiveAmount } = asked;
  const bringsLess =
    receiveAmount !== null && compareDecimals(multiplyDecimals(receiveAmount, worse), seen.receiveAmount) < 0;
  return !isDearer && !bringsLess;
}

/** @param price the price to check, for a limit on the price itself. */
export function isPriceLifted(
  row: { readonly comparison: Pick<Progress['comparison'], 'lifted'> },
  code: LimitCode,
  price: Price,
  maxDrift: DecimalText,
): boolean {
  return isLifted(row, code, { debit: debitOf(price), receiveAmount: price.receiveAmount }, maxDrift);
}

/** The limits that remain for a row of this cost. */
export function limitsLeft(
  limits: Limits,
  progress: Progress,
  debit: DecimalText,
  maxDrift: DecimalText,
): Limits {
  const left = (code: LimitCode) => !isLifted(progress, code, { debit, receiveAmount: null }, maxDrift);
  return {
    ...limits,
    perRow: left('over_row_limit') ? limits.perRow : null,
    perPayeePerDay: left('over_payee_limit') ? limits.perPayeePerDay : null,
  };
}

// The share of a file that the service or the network has refused. Where it is large, the cause probably affects the other rows too, and a
// person should look before they are sent.

/** Rows that the service or the network has decided, and how many of them it refused. An accepted confirm is a decision: waiting for final statuses would take days. */
export type RefusalCounts = { readonly decided: number; readonly refused: number };

/** Hundredths of a percent; null for no limit. */
type Share = number | null;

/** Among fewer rows than this, a single refusal is a large share. */
const DECIDED_LEAST = 10;

export function isOverShare({ decided, refused }: RefusalCounts, share: Share): boolean {
  return share !== null && decided >= DECIDED_LEAST && refused * 10_000 > share * decided;
}

/** What a row adds when it has just left the stages before the confirm. */
export function decisionOf(to: StageOrHeld, errorCode: string | null): RefusalCounts {
  // Rows that paydrop itself rejects or holds say nothing about the service, whose codes are numbers.
  const isRefused = to === 'failed' || (errorCode !== null && /^\d+$/.test(errorCode));
  const isDecided = to === 'confirmed' || to === 'paid' || (isRefused && SETTLED.has(to) && to !== 'held');
  return { decided: isDecided ? 1 : 0, refused: isDecided && isRefused && to !== 'paid' ? 1 : 0 };
}

export function plus(a: RefusalCounts, b: RefusalCounts): RefusalCounts {
  return { decided: a.decided + b.decided, refused: a.refused + b.refused };
}

export function minus(a: RefusalCounts, b: RefusalCounts): RefusalCounts {
  return { decided: Math.max(0, a.decided - b.decided), refused: Math.max(0, a.refused - b.refused) };
}

/** In plain words; `share` is the one that was exceeded. */
export function describeShare({ decided, refused }: RefusalCounts, share: number): Words {
  const percent = String(Math.floor((refused * 100) / decided));
  const allowed = String(share / 100);
  return sentence('refusalShare.describeShare', { refused, decided, percent, allowed });
}
