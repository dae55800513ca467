// Quotations: created by `POST /rates` and, with the same effect, by `GET /rates`; read by id and by the caller's reference.
import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { isoTime } from '../base/clock.ts';
import { currencyDecimals } from '../base/currency.ts';
import {
  addDecimals,
  compareDecimals,
  decimalsOf,
  toDecimalText,
  type DecimalText,
  withDecimals,
} from '../base/decimal.ts';
import { ExactNumber, exactNumber } from '../base/exact-json.ts';
import {
  QUOTATION_MODES,
  SOURCE_CURRENCIES,
  TRANSACTION_MODES,
  type DeliveryMethod,
  type QuotationMode,
} from '../service/wire.ts';
import {
  faultsOf,
  invalid,
  isAnswer,
  readJsonObject,
  refusal,
  success,
  type SandboxReply,
  type JsonObject,
} from './answers.ts';
import type { Corridor } from './corridors.ts';
import { oneOf, reference, type SourceCurrency } from './field-forms.ts';
import type { QuotationRecord, Sandbox, SandboxRequest } from './state.ts';

/** `POST /rates`. */
export function createQuotation(sandbox: Sandbox, { body }: SandboxRequest): SandboxReply {
  const read = readJsonObject(body);
  return isAnswer(read) ? read : quote(sandbox, read.json);
}

/** `GET /rates`: the same fields as query parameters, the same effect. */
export function createQuotationByQuery(sandbox: Sandbox, { query }: SandboxRequest): SandboxReply {
  return quote(sandbox, jsonOfQuery(query));
}

/** `GET /rates/{id}`. */
export function readQuotation({ state }: Sandbox, { id }: SandboxRequest): SandboxReply {
  const quotation = state.quotations.get(id);
  return quotation === undefined ? refusal(10007) : success(quotationView(quotation));
}

/** `GET /rates/ext-{externalId}`. */
export function readQuotationByExternalId({ state }: Sandbox, { id }: SandboxRequest): SandboxReply {
  const quotation = state.quotations.get(state.quotationIds.get(id) ?? '');
  return quotation === undefined ? refusal(10008) : success(quotationView(quotation));
}

function quote(sandbox: Sandbox, json: JsonObject): SandboxReply {
  const request = readQuotationRequest(json);
  if (isAnswer(request)) return request;
  if (sandbox.state.quotationIds.has(request.externalId)) return refusal(10002);
  const corridor = sandbox.state.corridors.get(request.payoutCorridorId);
  // The interface has no code for an unknown corridor; an unknown corridor is not enabled for the organization either.
  if (corridor?.isEnabled !== true) return refusal(10003);
  const faults = corridorFaults(request, corridor);
  if (faults.length > 0) return invalid(faults);
  const quotation = newQuotation(sandbox, request, corridor);
  sandbox.commit({ quotation });
  return success(quotationView(quotation));
}

function newQuotation(sandbox: Sandbox, request: QuotationRequest, corridor: Corridor): QuotationRecord {
  const now = sandbox.clock.now();
  return {
    id: randomUUID(),
    externalId: request.externalId,
    sourceCurrency: request.sourceCurrency,
    targetCurrency: corridor.targetCurrency,
    payoutCorridorId: corridor.id,
    ...price(corridor, request.sourceCurrency, request.mode, request.amount, sandbox.state.movedRates),
    transferType: corridor.transactionMode,
    mode: request.mode,
    createdAt: isoTime(now),
    expiredAt: isoTime(now + (sandbox.settings.quoteLifeMs ?? corridor.quoteLifeMs)),
  };
}

function quotationView(quotation: QuotationRecord): object {
  return {
    id: quotation.id,
    externalId: quotation.externalId,
    sourceCurrency: quotation.sourceCurrency,
    targetCurrency: quotation.targetCurrency,
    payoutCorridorId: quotation.payoutCorridorId,
    sourceAmount: exactNumber(quotation.sourceAmount),
    destinationAmount: exactNumber(quotation.destinationAmount),
    feeCurrency: quotation.sourceCurrency,
    feeAmount: exactNumber(quotation.feeAmount),
    variableFeeAmount: exactNumber(quotation.variableFeeAmount),
    fixedFeeAmount: exactNumber(quotation.fixedFeeAmount),
    transferType: quotation.transferType,
    mode: quotation.mode,
    createdAt: quotation.createdAt,
    expiredAt: quotation.expiredAt,
  };
}

// The fields of a request for a quotation, whether it came as the body of `POST /rates` or as the query of `GET /rates`. The interface does not
// show which are required: `targetCurrency` and `transactionMode`, which the corridor already fixes, may be left out.

const requestSchema = z.object({
  externalId: reference,
  sourceCurrency: oneOf(SOURCE_CURRENCIES),
  targetCurrency: reference.nullish(),
  transactionMode: oneOf(TRANSACTION_MODES).nullish(),
  payoutCorridorId: reference,
  mode: oneOf(QUOTATION_MODES),
});

type QuotationRequest = z.infer<typeof requestSchema> & { readonly amount: DecimalText };

/** Each mode uses its own amount and ignores the other. */
const AMOUNT_FIELD = { SOURCE_AMOUNT: 'sourceAmount', DESTINATION_AMOUNT: 'destinationAmount' } as const;

/** The request, or the 400 that lists every offending field. */
function readQuotationRequest(json: JsonObject): QuotationRequest | SandboxReply {
  const parsed = requestSchema.safeParse(json);
  const mode = requestSchema.shape.mode.safeParse(json['mode']);
  const field = mode.success ? AMOUNT_FIELD[mode.data] : null;
  const amount = field === null ? null : positiveAmount(json[field]);
  const amountFaults = field !== null && amount === null ? [`${field} must be a number above 0`] : [];
  if (!parsed.success) return invalid([...faultsOf(parsed.error), ...amountFaults]);
  return amount === null ? invalid(amountFaults) : { ...parsed.data, amount };
}

/** The JSON that a query stands for: its amounts are text that must be a number. */
function jsonOfQuery(query: Readonly<Record<string, string>>): JsonObject {
  const json: Record<string, unknown> = { ...query };
  for (const field of Object.values(AMOUNT_FIELD)) {
    const text = query[field];
    if (text !== undefined && toDecimalText(text) !== null) json[field] = new ExactNumber(text);
  }
  return json;
}

/** The faults of the request against its corridor, a sentence each. */
function corridorFaults(request: QuotationRequest, corridor: Corridor): readonly string[] {
  const { sourceCurrency, targetCurrency, transactionMode, mode, amount } = request;
  const faults: string[] = [];
  if (!corridor.sourceCurrencies.includes(sourceCurrency))
    faults.push(`sourceCurrency must be one of ${corridor.sourceCurrencies.join(', ')} for this corridor`);
  if ((targetCurrency ?? corridor.targetCurrency) !== corridor.targetCurrency)
    faults.push(`targetCurrency must be ${corridor.targetCurrency} for this corridor`);
  if ((transactionMode ?? corridor.transactionMode) !== corridor.transactionMode)
    faults.push(`transactionMode must be ${corridor.transactionMode} for this corridor`);
  const currency = mode === 'SOURCE_AMOUNT' ? sourceCurrency : corridor.targetCurrency;
  const decimals = currencyDecimals(currency) ?? 0;
  // Exactly this amount cannot be sent when the currency has no coin for its last digits.
  if (decimalsOf(amount) > decimals)
    faults.push(`${AMOUNT_FIELD[mode]} must have at most ${decimals} decimals in ${currency}`);
  return faults;
}

function positiveAmount(value: unknown): DecimalText | null {
  const amount = value instanceof ExactNumber ? value.toDecimal() : null;
  return amount !== null && compareDecimals(amount, '0') > 0 ? amount : null;
}

// The price of a quotation: fixed mid-market rates, a spread and fees, in exact whole-number arithmetic. Rates change only when somebody moves
// them, so the same request always has the same price, and a test can pin a demo's totals.

type SandboxPrice = {
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

/** Moved rates, as thousandths of the currency for one euro. */
type MovedRates = ReadonlyMap<string, bigint>;

const NONE_MOVED: MovedRates = new Map();

/** Prices `amount`, which is a source or a destination amount by `mode` and has no more decimals than its currency. */
export function price(
  corridor: Corridor,
  sourceCurrency: SourceCurrency,
  mode: QuotationMode,
  amount: DecimalText,
  moved: MovedRates = NONE_MOVED,
): SandboxPrice {
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
  // Rounded down: no recipient is promised a fraction that was not bought.
  return fromMinor((toMinor(source, sourceCurrency) * numerator) / denominator, targetCurrency);
}

function sourceFor(
  destination: DecimalText,
  sourceCurrency: string,
  targetCurrency: string,
  { numerator, denominator }: Rate,
): DecimalText {
  // Rounded up: the recipient gets exactly the destination amount, so the sender pays the last fraction.
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
