// What the sandbox remembers, as zod schemas, because it comes back from a file after a restart. Amounts are exact decimal text,
// moments ISO text, so that a journal line holds the very digits that were answered.
import { z } from 'zod';

const decimal = z.string();

/** A party or `deliveryMethodInfo`: any field that was sent is kept as it came. */
const openRecord = z.record(z.string(), z.unknown());
export type OpenRecord = Readonly<z.infer<typeof openRecord>>;

export const bookSchema = z.object({
  currency: z.string(),
  availableAmount: decimal,
  pendingAmount: decimal,
  debitedAmount: decimal,
  depositedAmount: decimal,
});
export type Book = Readonly<z.infer<typeof bookSchema>>;

export const quotationRecordSchema = z.object({
  id: z.string(),
  externalId: z.string(),
  sourceCurrency: z.string(),
  targetCurrency: z.string(),
  payoutCorridorId: z.string(),
  sourceAmount: decimal,
  destinationAmount: decimal,
  feeAmount: decimal,
  variableFeeAmount: decimal,
  fixedFeeAmount: decimal,
  transferType: z.string(),
  mode: z.string(),
  createdAt: z.string(),
  expiredAt: z.string(),
});
export type QuotationRecord = Readonly<z.infer<typeof quotationRecordSchema>>;

export const transferRecordSchema = z.object({
  id: z.string(),
  externalId: z.string(),
  quotationId: z.string(),
  callbackUrl: z.string().nullable(),
  status: z.enum(['created', 'submitted', 'paid', 'failed']),
  statusCode: z.string(),
  createdAt: z.string(),
  purposeOfRemittance: z.string(),
  documentReferenceNumber: z.string().nullable(),
  sender: openRecord.nullable(),
  sendingBusiness: openRecord.nullable(),
  receiver: openRecord.nullable(),
  receivingBusiness: openRecord.nullable(),
  deliveryMethodInfo: openRecord,
  /** A supporting document was uploaded. */
  hasAttachment: z.boolean(),
  /** When the payout network, or the staff, next does something to it; null when nothing is due. */
  dueAt: z.string().nullable(),
});
export type TransferRecord = Readonly<z.infer<typeof transferRecordSchema>>;

const transferChangeSchema = transferRecordSchema
  .pick({ status: true, statusCode: true, hasAttachment: true, dueAt: true })
  .partial()
  .extend({ id: z.string() });

/** One indivisible change of the state: what is new or different in it, with the values that hold afterwards. */
export const changeSchema = z.object({
  books: z.array(bookSchema).optional(),
  corridor: z.object({ id: z.string(), isEnabled: z.boolean() }).optional(),
  /** Thousandths of the currency for one euro, as a whole number. */
  rate: z.object({ currency: z.string(), thousandthsPerEur: z.string() }).optional(),
  quotation: quotationRecordSchema.optional(),
  transfer: transferRecordSchema.optional(),
  transferChange: transferChangeSchema.optional(),
});
export type Change = Readonly<z.infer<typeof changeSchema>>;
