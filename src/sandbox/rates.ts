// What a quotation costs: fixed mid-market rates, a spread and fees, in exact whole-number arithmetic. Nothing drifts unless somebody moves a
// rate, so that the same request is always priced the same and a demo's totals can be pinned by a test.
import { currencyDecimals } from '../base/currency.ts';
import { addDecimals, toDecimalText, withDecimals, type DecimalText } from '../base/decimal.ts';
import type { DeliveryMethod, QuotationMode } from '../service/interface-values.ts';
import type { Corridor } from './corridors.ts';
import type { SourceCurrency } from './source-currency.ts';

export type Price = {
  readonly sourceAmount: DecimalText;
  readonly destinationAmount: DecimalText;
  readonly variableFeeAmount: DecimalText;
  readonly fixedFeeAmount: DecimalText;
  readonly feeAmount: DecimalText;
};

/** Thousandths of the currency for one euro. XAF and XOF are pegged at 655.957; the others are what a rate page showed in 2026. */
const THOUSANDTHS_PER_EUR: Readonly<Record<string, bigint>> = {
  EUR: 1_000n,
  USD: 1_085n,
  XAF: 655_957n,
  XOF: 655_957n,
  CNY: 7_812n,
  NGN: 1_652_400n,
  INR: 91_240n,
  TRY: 37_460n,
  AED: 3_985n,
  VND: 27_435_000n,
  GBP: 846n,
};

/** The service keeps 0.8 % of the mid-market rate when currencies are exchanged. */
const SPREAD_PER_MILLE = 8n;

/** Wallets and cards cost more in percent and less in fixed money than banks; hundredths of a percent. */
const VARIABLE_FEE_BASIS_POINTS: Readonly<Record<DeliveryMethod, bigint>> = {
  bankTransfer: 120n,
  alipay: 150n,
  wechat: 150n,
  unionpayCard: 180n,
};

const FIXED_FEE: Readonly<Record<'bankTransfer' | 'other', Readonly<Record<SourceCurrency, DecimalText>>>> = {
  bankTransfer: { XAF: '5000', EUR: '7.5', USD: '8.25' },
  other: { XAF: '250', EUR: '0.4', USD: '0.45' },
};

/** Rates that were moved, as thousandths of the currency for one euro. */
export type MovedRates = ReadonlyMap<string, bigint>;

const NONE_MOVED: MovedRates = new Map();

/** Prices `amount`, which is a source or a destination amount by `mode` and has no more decimals than its currency. */
export function price(
  corridor: Corridor,
  sourceCurrency: SourceCurrency,
  mode: QuotationMode,
  amount: DecimalText,
  moved: MovedRates = NONE_MOVED,
): Price {
  const rate = rateOf(sourceCurrency, corridor.targetCurrency, moved);
  const sourceAmount =
    mode === 'SOURCE_AMOUNT' ? amount : sourceFor(amount, sourceCurrency, corridor.targetCurrency, rate);
  const destinationAmount =
    mode === 'DESTINATION_AMOUNT'
      ? amount
      : destinationFor(amount, sourceCurrency, corridor.targetCurrency, rate);
  return { sourceAmount, destinationAmount, ...feesOf(corridor, sourceCurrency, sourceAmount) };
}

function destinationFor(
  source: DecimalText,
  sourceCurrency: string,
  targetCurrency: string,
  { numerator, denominator }: Rate,
): DecimalText {
  // Rounded down: nobody is promised a fraction that was not bought.
  return fromMinor((toMinor(source, sourceCurrency) * numerator) / denominator, targetCurrency);
}

function sourceFor(
  destination: DecimalText,
  sourceCurrency: string,
  targetCurrency: string,
  { numerator, denominator }: Rate,
): DecimalText {
  // Rounded up: the recipient gets exactly the destination amount, so the last fraction is the sender's.
  const minor = (toMinor(destination, targetCurrency) * denominator + numerator - 1n) / numerator;
  return fromMinor(minor, sourceCurrency);
}

/** Minor units of the target currency for one minor unit of the source currency, as a fraction. */
type Rate = { readonly numerator: bigint; readonly denominator: bigint };

function rateOf(source: string, target: string, moved: MovedRates): Rate {
  const keptPerMille = source === target ? 0n : SPREAD_PER_MILLE;
  return {
    numerator: perEur(target, moved) * (1_000n - keptPerMille) * 10n ** BigInt(decimals(target)),
    denominator: perEur(source, moved) * 1_000n * 10n ** BigInt(decimals(source)),
  };
}

function feesOf(corridor: Corridor, sourceCurrency: SourceCurrency, sourceAmount: DecimalText) {
  const basisPoints = VARIABLE_FEE_BASIS_POINTS[corridor.deliveryMethod];
  // Half up, to the source currency's decimals.
  const variableMinor = (toMinor(sourceAmount, sourceCurrency) * basisPoints + 5_000n) / 10_000n;
  const variableFeeAmount = fromMinor(variableMinor, sourceCurrency);
  const fixedFeeAmount =
    FIXED_FEE[corridor.deliveryMethod === 'bankTransfer' ? 'bankTransfer' : 'other'][sourceCurrency];
  return { variableFeeAmount, fixedFeeAmount, feeAmount: addDecimals(variableFeeAmount, fixedFeeAmount) };
}

function perEur(currency: string, moved: MovedRates): bigint {
  const rate = moved.get(currency) ?? THOUSANDTHS_PER_EUR[currency];
  if (rate === undefined) throw new Error(`no rate for ${currency}`);
  return rate;
}

function decimals(currency: string): number {
  return currencyDecimals(currency) ?? 0;
}

function toMinor(amount: DecimalText, currency: string): bigint {
  return BigInt(withDecimals(amount, decimals(currency)).replace('.', ''));
}

function fromMinor(minor: bigint, currency: string): DecimalText {
  return toDecimalText(`${minor.toString()}e-${String(decimals(currency))}`) ?? minor.toString();
}
