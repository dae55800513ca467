// What the payout service says, as zod schemas: every answer goes through one of these before anybody believes it.
// Unknown fields are ignored, missing ones are a fault. Where the interface says "not shown" the schema is lenient, and says so there.
import { z } from 'zod';

import { type DecimalText, addDecimals } from '../base/decimal.ts';
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

/** A party or `deliveryMethodInfo`: the interface does not show its full field set, so any field is kept as it came, and none is looked at here. */
const openRecord = z.custom<JsonRecord>(isRecord);

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
  /** A string or an array of strings; for any other type, the code alone decides. */
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

// The closed lists of the payout service's interface, spelled as it spells them.

/** Source currencies that can be sent (interface: What the service does). */
export const SOURCE_CURRENCIES = ['USD', 'EUR', 'XAF'] as const;

/** ISO 3166-1 alpha-3 codes of the CEMAC zone, where every sender must be located. */
export const CEMAC_COUNTRIES = ['CMR', 'GAB', 'TCD', 'COG', 'GNQ', 'CAF'] as const;

/** First letter: the sender is a business or an individual (C); second letter: the receiver. */
export const TRANSACTION_MODES = ['B2B', 'B2C', 'C2B', 'C2C'] as const;
export type TransactionMode = (typeof TRANSACTION_MODES)[number];

export const DELIVERY_METHODS = ['bankTransfer', 'alipay', 'wechat', 'unionpayCard'] as const;
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number];

export const QUOTATION_MODES = ['SOURCE_AMOUNT', 'DESTINATION_AMOUNT'] as const;
export type QuotationMode = (typeof QUOTATION_MODES)[number];

/** The purposes that the interface lists; it says that there are more (interface: Transfer). */
export const LISTED_PURPOSES = [
  'EXPORTED_GOODS',
  'SERVICE_CHARGES',
  'SALARY_PAYMENT',
  'FAMILY_SUPPORT',
  'EDUCATION',
  'OTHER',
] as const;

type TransferStatus = 'created' | 'submitted' | 'paid' | 'failed';

/** Each status code, the status that it belongs to, and its meaning in words for a person (interface: States and transitions). */
export const STATUS_CODES = {
  '10000': { status: 'created', meaning: 'created, awaiting confirmation' },
  '10001': { status: 'submitted', meaning: 'submitted to the payout network' },
  '20000': { status: 'paid', meaning: 'paid to the recipient' },
  '100000': { status: 'failed', meaning: 'cancelled' },
  '100001': { status: 'failed', meaning: 'reversed after payout; the funds were returned' },
  '100002': { status: 'failed', meaning: 'rejected by the payout network' },
  '100003': { status: 'failed', meaning: 'invalid or restricted beneficiary details' },
  '100004': { status: 'failed', meaning: 'rejected by compliance checks' },
  '100005': { status: 'failed', meaning: 'limits exceeded' },
  '100006': { status: 'failed', meaning: 'other payout-network issue' },
  '100008': { status: 'failed', meaning: 'insufficient funds at the payout network' },
} as const satisfies Readonly<Record<string, { status: TransferStatus; meaning: string }>>;

/** Every error code of the interface and its meaning (interface: Errors). For any other code, the caller must find out first. */
export const ERROR_CODES = {
  10001: 'Validation error, or unexpected server error',
  10002: 'A quotation with this externalId already exists',
  10003: 'Payout corridor not enabled for the organization',
  10006: 'API key not linked to an organization',
  10007: 'Quotation not found by id',
  10008: 'Quotation not found by external id',
  10009: 'Quotation has expired',
  10011: 'A transfer with this externalId already exists',
  10013: 'Transfer not found by external id',
  10014: 'Transfer not found by id',
  10015: 'Transfer already confirmed',
  10016: 'Transfer has expired (confirmed too late)',
  10018: 'Required receiver field missing for this corridor',
  10019: 'Required delivery-method field missing for this corridor',
  10022: 'Supporting document missing (bank transfers)',
  10023: 'GET /transfers time range exceeds 7 days',
  10024: 'Insufficient balance',
  10027: 'Payout submission failed',
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

/** The widest window of `GET /transfers` (interface: Limits). */
export const LIST_WINDOW_MAX_MS = 7 * 24 * 3_600_000;

/** Bounds and default of `limit` on `GET /payout-corridors` (interface: Limits). */
export const CORRIDORS_LIMIT = { least: 1, most: 200, usual: 100 } as const;

/** True for a code of the interface's table. */
export function isErrorCode(code: number): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
