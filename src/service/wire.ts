// What the payout service says, as zod schemas: every answer goes through one of these before anybody believes it.
// Unknown fields are ignored, missing ones are a fault. Where the interface says "not shown" the schema is lenient, and says so there.
import { z } from 'zod';

import { addDecimals, type DecimalText } from '../base/decimal.ts';
import { ExactNumber } from '../base/exact-json.ts';

/** A JSON number, kept as exact decimal text. */
const decimal = z.instanceof(ExactNumber).transform((number, context): DecimalText => {
  const text = number.toDecimal();
  if (text !== null) return text;
  context.issues.push({ code: 'custom', message: 'not a number of money', input: number });
  return z.NEVER;
});

/** Timestamps stay text: one that cannot be read must not turn a created transfer into an unknown one (see `parseIsoTime`). */
const timestamp = z.string();

/** Interface: Payout corridor. Amount bounds are in the target currency. */
export const payoutCorridorSchema = z.object({
  id: z.string().min(1),
  sourceCurrencies: z.array(z.string()),
  targetCurrency: z.string(),
  destinationCountryIsoCode: z.string(),
  transactionMode: z.string(),
  deliveryMethod: z.string(),
  bankName: z.string().nullable(),
  isEnabled: z.boolean(),
  minimumTransactionAmount: decimal,
  maximumTransactionAmount: decimal,
  requiredSendingEntityFields: z.array(z.string()),
  requiredReceivingEntityFields: z.array(z.string()),
  requiredDeliveryMethodFields: z.array(z.array(z.string())),
});
export type PayoutCorridor = Readonly<z.infer<typeof payoutCorridorSchema>>;

/** Interface: Quotation. All amounts in major units; fees in the source currency, on top of `sourceAmount`. */
export const quotationSchema = z.object({
  id: z.string().min(1),
  externalId: z.string(),
  sourceCurrency: z.string(),
  targetCurrency: z.string(),
  payoutCorridorId: z.string(),
  sourceAmount: decimal,
  destinationAmount: decimal,
  feeCurrency: z.string(),
  feeAmount: decimal,
  variableFeeAmount: decimal,
  fixedFeeAmount: decimal,
  transferType: z.string(),
  mode: z.string(),
  createdAt: timestamp,
  expiredAt: timestamp,
});
export type Quotation = Readonly<z.infer<typeof quotationSchema>>;

/** A party or `deliveryMethodInfo`: the interface does not show its full field set, so any field is kept as it came. */
const openRecord = z.record(z.string(), z.unknown());

/** Interface: Transfer. `status` and `statusCode` are open text, so that a value we do not know is recorded instead of lost. */
export const transferSchema = z.object({
  id: z.string().min(1),
  externalId: z.string(),
  quotationId: z.string(),
  callbackUrl: z.string().nullable(),
  status: z.string(),
  statusCode: z.string(),
  createdAt: timestamp,
  expiredAt: timestamp,
  sendAmount: decimal,
  sourceCurrency: z.string(),
  receiveAmount: decimal,
  destinationCurrency: z.string(),
  feeCurrency: z.string(),
  feeAmount: decimal,
  variableFeeAmount: decimal,
  fixedFeeAmount: decimal,
  purposeOfRemittance: z.string(),
  documentReferenceNumber: z.string().nullable(),
  sender: openRecord.nullable(),
  sendingBusiness: openRecord.nullable(),
  receiver: openRecord.nullable(),
  receivingBusiness: openRecord.nullable(),
  deliveryMethodInfo: openRecord,
});
export type Transfer = Readonly<z.infer<typeof transferSchema>>;

/** The body of a list: the interface does not show it, so a bare array and an object with exactly one array in it both serve. */
export function listOf<T extends z.ZodType>(item: T): z.ZodType<readonly z.infer<T>[]> {
  return z.preprocess((body) => onlyArray(body) ?? body, z.array(item));
}

export type Balance = {
  readonly currency: string;
  readonly available: DecimalText;
  readonly pending: DecimalText | null;
};

/**
 * The balances: the interface does not show the record, so this reads a list (bare or wrapped) of records that name a currency
 * and an available part, or an object keyed by currency. What it cannot read is left out; balances advise, they decide nothing.
 */
export const balancesSchema = z.unknown().transform((body): readonly Balance[] => {
  const records = onlyArray(body) ?? (isRecord(body) ? keyedByCurrency(body) : []);
  return records.map(readBalance).filter((balance) => balance !== null);
});

/** An error answer (interface: Errors): a whole number `errorCode` and a `message`. A body without them is no error answer. */
export const errorBodySchema = z.object({
  errorCode: z.instanceof(ExactNumber).transform((code, context): number => {
    if (/^\d{1,9}$/.test(code.text)) return Number(code.text);
    context.issues.push({ code: 'custom', message: 'not a whole number', input: code });
    return z.NEVER;
  }),
  /** A string or an array of strings; whatever else it is, the code alone decides. */
  message: z.unknown().optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

type JsonRecord = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is JsonRecord {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

function onlyArray(body: unknown): readonly unknown[] | null {
  if (isArray(body)) return body;
  if (!isRecord(body)) return null;
  const arrays = Object.values(body).filter(isArray);
  return arrays.length === 1 ? (arrays[0] ?? null) : null;
}

function keyedByCurrency(body: JsonRecord): readonly JsonRecord[] {
  if (typeof body['currency'] === 'string') return [body];
  const inner = Object.values(body).find(isRecord);
  const keyed =
    inner !== undefined && !Object.keys(body).some((key) => /^[A-Z]{3}$/.test(key)) ? inner : body;
  return Object.entries(keyed).flatMap(([currency, value]) =>
    isRecord(value) ? [{ currency, ...value }] : [],
  );
}

function readBalance(record: unknown): Balance | null {
  if (!isRecord(record)) return null;
  const currency = textAt(record, ['currency', 'currencyCode', 'sourceCurrency']);
  const available = amountAt(record, [
    'available',
    'availableAmount',
    'availableBalance',
    'balance',
    'amount',
  ]);
  const pending = amountAt(record, ['pending', 'pendingAmount', 'pendingBalance', 'reserved']);
  return currency === null || available === null ? null : { currency, available, pending };
}

function textAt(record: JsonRecord, names: readonly string[]): string | null {
  const found = names.map((name) => record[name]).find((value) => typeof value === 'string');
  return found ?? null;
}

function amountAt(record: JsonRecord, names: readonly string[]): DecimalText | null {
  for (const name of names) {
    const value = record[name];
    const text = value instanceof ExactNumber ? value.text : typeof value === 'string' ? value : null;
    const amount = text === null ? null : new ExactNumber(text).toDecimal();
    if (amount !== null) return amount;
  }
  return null;
}

/** Everything a balance debits for a transfer or quotation: the amount sent and the fee on top of it. */
export function debitOf(amounts: {
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
}): DecimalText {
  return addDecimals(amounts.sendAmount, amounts.feeAmount);
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
