// Whether the price of a row has moved (exchange rate drift) since a person saw it, or strays from the median rate of its corridor: then it is not the price
// that anybody agreed to. All comparisons are exact.
import { moneyWords } from '../base/currency.ts';
import {
  addDecimals,
  compareDecimals,
  type DecimalText,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
} from '../base/decimal.ts';
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import type { Payout } from './payout.ts';
import type { Comparison, Progress, QuotedPrice, ShownPrice } from './progress.ts';

type Price = Pick<QuotedPrice, 'sendAmount' | 'feeAmount' | 'receiveAmount'>;
type Currencies = Pick<Payout, 'payoutCorridorId' | 'sourceCurrency' | 'targetCurrency'>;

/** As a person sees it: what leaves the account, and what arrives. */
export function shownOf({ sendAmount, feeAmount, receiveAmount }: Price): ShownPrice {
  return { debit: addDecimals(sendAmount, feeAmount), receiveAmount };
}

/** What the next price is compared with once the present one is given up: what was shown before it, or else this one. */
export function keptComparison({ comparison, price }: Pick<Progress, 'comparison' | 'price'>): Comparison {
  if (comparison.shownPrice !== null || price === null) return comparison;
  return { ...comparison, shownPrice: shownOf(price) };
}

/** The progress of a row whose present price a question shows; the same object where it showed that price before. */
export function withShownPrice(progress: Progress): Progress {
  const { price, comparison } = progress;
  const { shownPrice } = comparison;
  if (price === null || shownPrice === null) return progress;
  const { askedAfter } = shownPrice;
  const seen = shownOf(price);
  if (askedAfter !== undefined && isSame(seen, shownPrice)) return progress;
  // Of a price that needs no note, the price itself is what was shown.
  return withComparison(progress, { shownPrice: askedAfter === undefined ? null : { ...seen, askedAfter } });
}

/**
 * The progress of a row that a person releases at its present price, which the hold has shown.
 * @param round the number of the question that stands (0 where none was asked), where the row was held for its price: only a later one covers it.
 * Null for any other hold.
 */
export function withReleasedPrice(progress: Progress, round: number | null): Progress {
  const { price, comparison } = progress;
  if (price === null) return progress;
  const askedAfter = round ?? comparison.shownPrice?.askedAfter;
  return withComparison(progress, {
    shownPrice: askedAfter === undefined ? null : { ...shownOf(price), askedAfter },
  });
}

export function withComparison(progress: Progress, change: Partial<Comparison>): Progress {
  return { ...progress, comparison: { ...progress.comparison, ...change } };
}

/** Whether a question of this number may cover the row. */
export function isShownIn(
  { comparison: { shownPrice } }: Pick<Progress, 'comparison'>,
  round: number,
): boolean {
  return round > (shownPrice?.askedAfter ?? 0);
}

/** Why the row may not be sent at this price, in plain words; null when it may. @param rates of its batch. */
export function movedWords(
  { shownPrice }: Pick<Comparison, 'shownPrice'>,
  price: Price,
  currencies: Currencies,
  { maxDrift, rates }: { readonly maxDrift: DecimalText; readonly rates: CorridorRates },
): Words | null {
  if (shownPrice !== null && hasMoved(shownPrice, shownOf(price), maxDrift))
    return driftWords(shownPrice, shownOf(price), currencies);
  // A person has accepted about this price, whatever the others are.
  if (shownPrice?.askedAfter !== undefined) return null;
  return rates.strayWords(price, currencies, maxDrift);
}

/** True when either amount differs by more than the drift, in either direction. @param maxDrift `0.01` for one percent. */
export function hasMoved(shown: ShownPrice, now: ShownPrice, maxDrift: DecimalText): boolean {
  return (
    !isAbout(shown.debit, now.debit, maxDrift) || !isAbout(shown.receiveAmount, now.receiveAmount, maxDrift)
  );
}

/** True when an amount differs from another by at most this share of it. */
export function isAbout(amount: DecimalText, other: DecimalText, share: DecimalText): boolean {
  const difference = subtractDecimals(other, amount).replace('-', '');
  return compareDecimals(difference, multiplyDecimals(amount, share)) <= 0;
}

function isSame(one: ShownPrice, other: ShownPrice): boolean {
  return (
    compareDecimals(one.debit, other.debit) === 0 &&
    compareDecimals(one.receiveAmount, other.receiveAmount) === 0
  );
}

function driftWords(
  shown: ShownPrice,
  now: ShownPrice,
  { sourceCurrency, targetCurrency }: Currencies,
): Words {
  return sentence('movedPrice.drift', {
    shownDebit: moneyWords(shown.debit, sourceCurrency),
    shownReceived: moneyWords(shown.receiveAmount, targetCurrency),
    debit: moneyWords(now.debit, sourceCurrency),
    received: moneyWords(now.receiveAmount, targetCurrency),
  });
}

// The rates of a batch by corridor. A service that errs by a factor does so for some rows: their rate strays from that of the others.

/** How much arrives for one unit that is sent, to more digits than any two prices differ by. */
type Rate = DecimalText;
const RATE_DIGITS = 18;
const SHOWN_DIGITS = 8;

/** Enough for a median, and few enough that it follows the market during a long run. */
const RATES_MOST = 51;

/** Among many rates one more hardly moves the median: it is found again after so many, and before any row is held for it. */
const FOUND_EVERY = 16;

/** Ten times the drift, and at least a tenth. */
const TIMES_DRIFT = '10';
const SHARE_LEAST = '0.1';

export class CorridorRates {
  /** True once those are in it that the ledger knows, and some of every corridor. */
  isLearned = false;
  /** By corridor and source currency. */
  readonly #corridors = new Map<string, RatesOfCorridor>();

  /** The price of a row, by its position, in place of what it had before. */
  add(position: number, price: Price, currencies: Currencies): void {
    this.#of(currencies).add(position, rateOf(price));
  }

  /** How many rows of the corridor have a rate. */
  count(currencies: Currencies): number {
    return this.#of(currencies).count;
  }

  /** Null when the rate is about that of the others, or there are none. */
  strayWords(price: Price, currencies: Currencies, maxDrift: DecimalText): Words | null {
    const own = rateOf(price);
    const usual = this.#of(currencies).medianFarFrom(own, maxDrift);
    if (usual === null) return null;
    const { sourceCurrency, targetCurrency } = currencies;
    const shown = (rate: Rate): string => divideDecimals(rate, '1', SHOWN_DIGITS);
    return sentence('movedPrice.stray', {
      sourceCurrency,
      targetCurrency,
      rate: shown(own),
      usual: shown(usual),
    });
  }

  #of({ payoutCorridorId, sourceCurrency }: Currencies): RatesOfCorridor {
    const key = `${sourceCurrency}/${payoutCorridorId}`;
    const known = this.#corridors.get(key) ?? new RatesOfCorridor();
    this.#corridors.set(key, known);
    return known;
  }
}

/** So many batches may be under way in one process; of another, the rates are learned anew. */
const BATCHES_MOST = 50;

/** Of the batches that this process carries, by their ids. */
export class RatesOfBatches {
  readonly #batches = new Map<string, CorridorRates>();

  of(batch: string): CorridorRates {
    const rates = this.#batches.get(batch) ?? new CorridorRates();
    this.#batches.delete(batch);
    this.#batches.set(batch, rates);
    const [oldest] = this.#batches.keys();
    if (this.#batches.size > BATCHES_MOST && oldest !== undefined) this.#batches.delete(oldest);
    return rates;
  }
}

class RatesOfCorridor {
  /** Each row once, by its position, the latest last. */
  readonly #rates = new Map<number, Rate>();
  #median: Rate | null = null;
  #addedSince = 0;

  get count(): number {
    return this.#rates.size;
  }

  add(position: number, rate: Rate): void {
    this.#rates.delete(position);
    this.#rates.set(position, rate);
    const [oldest] = this.#rates.keys();
    if (this.#rates.size > RATES_MOST && oldest !== undefined) this.#rates.delete(oldest);
    this.#addedSince += 1;
    if (this.#addedSince >= FOUND_EVERY || this.#rates.size < FOUND_EVERY) this.#median = null;
  }

  /** The median, where the rate is farther from it than is allowed; else null. */
  medianFarFrom(rate: Rate, maxDrift: DecimalText): Rate | null {
    if (!isStray(rate, this.#median ?? this.#findMedian(), maxDrift)) return null;
    const median = this.#findMedian();
    return isStray(rate, median, maxDrift) ? median : null;
  }

  /** Of an even number, the mean of the two in the middle. */
  #findMedian(): Rate | null {
    const sorted = [...this.#rates.values()].sort(compareDecimals);
    const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
    this.#median =
      low === undefined || high === undefined ? null : multiplyDecimals(addDecimals(low, high), '0.5');
    this.#addedSince = 0;
    return this.#median;
  }
}

/** Nothing arrives for nothing: such a price strays from every other. */
function rateOf({ sendAmount, receiveAmount }: Price): Rate {
  return compareDecimals(sendAmount, '0') > 0 ? divideDecimals(receiveAmount, sendAmount, RATE_DIGITS) : '0';
}

function isStray(rate: Rate, median: Rate | null, maxDrift: DecimalText): boolean {
  if (median === null) return false;
  const wished = multiplyDecimals(TIMES_DRIFT, maxDrift);
  const share = compareDecimals(wished, SHARE_LEAST) < 0 ? SHARE_LEAST : wished;
  return !isAbout(median, rate, share);
}
