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

export const TRANSFER_STATUSES = ['created', 'submitted', 'paid', 'failed'] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

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

/** Every error code of the interface and its meaning (interface: Errors). Codes that are not here mean: find out first. */
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
