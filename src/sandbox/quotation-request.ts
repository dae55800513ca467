// What a request for a quotation asks, whether it came as the body of `POST /rates` or as the query of `GET /rates`.
// Which fields are required is not shown: `targetCurrency` and `transactionMode`, which the corridor already fixes, may be left out.
import { z } from 'zod';

import { currencyDecimals } from '../base/currency.ts';
import { compareDecimals, decimalsOf, toDecimalText, type DecimalText } from '../base/decimal.ts';
import { ExactNumber } from '../base/exact-json.ts';
import { QUOTATION_MODES, SOURCE_CURRENCIES, TRANSACTION_MODES } from '../service/interface-values.ts';
import { invalid, type Answer } from './answers.ts';
import type { Corridor } from './corridors.ts';
import { oneOf, reference } from './field-forms.ts';
import { faultsOf, type JsonObject } from './read-json.ts';

const requestSchema = z.object({
  externalId: reference,
  sourceCurrency: oneOf(SOURCE_CURRENCIES),
  targetCurrency: reference.nullish(),
  transactionMode: oneOf(TRANSACTION_MODES).nullish(),
  payoutCorridorId: reference,
  mode: oneOf(QUOTATION_MODES),
});

export type QuotationRequest = z.infer<typeof requestSchema> & { readonly amount: DecimalText };

/** Each mode uses its own amount; the other one is not looked at. */
const AMOUNT_FIELD = { SOURCE_AMOUNT: 'sourceAmount', DESTINATION_AMOUNT: 'destinationAmount' } as const;

/** The request, or the 400 that lists every offending field. */
export function readQuotationRequest(json: JsonObject): QuotationRequest | Answer {
  const parsed = requestSchema.safeParse(json);
  const mode = requestSchema.shape.mode.safeParse(json['mode']);
  const field = mode.success ? AMOUNT_FIELD[mode.data] : null;
  const amount = field === null ? null : positiveAmount(json[field]);
  const amountFaults = field !== null && amount === null ? [`${field} must be a number above 0`] : [];
  if (!parsed.success) return invalid([...faultsOf(parsed.error), ...amountFaults]);
  return amount === null ? invalid(amountFaults) : { ...parsed.data, amount };
}

/** A query as the JSON that it stands for: its amounts are text that has to be a number. */
export function jsonOfQuery(query: Readonly<Record<string, string>>): JsonObject {
  const json: Record<string, unknown> = { ...query };
  for (const field of Object.values(AMOUNT_FIELD)) {
    const text = query[field];
    if (text !== undefined && toDecimalText(text) !== null) json[field] = new ExactNumber(text);
  }
  return json;
}

/** What in the request does not go with its corridor, a sentence each. */
export function corridorFaults(request: QuotationRequest, corridor: Corridor): readonly string[] {
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
  // "Exactly" this amount cannot be sent when the currency has no coin for its last digits.
  if (decimalsOf(amount) > decimals)
    faults.push(`${AMOUNT_FIELD[mode]} must have at most ${decimals} decimals in ${currency}`);
  return faults;
}

function positiveAmount(value: unknown): DecimalText | null {
  const amount = value instanceof ExactNumber ? value.toDecimal() : null;
  return amount !== null && compareDecimals(amount, '0') > 0 ? amount : null;
}
