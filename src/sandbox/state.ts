// The state of the service: everything that an answer can depend on. It changes only by `applyChange`, so that replaying the journal
// leads to exactly the state that wrote it.
import { z } from 'zod';

import type { Clock } from '../base/clock.ts';
import { CORRIDORS, type Corridor } from './corridors.ts';

export type State = {
  readonly books: Map<string, Book>;
  readonly corridors: Map<string, Corridor>;
  /** By currency; see `MovedRates`. */
  readonly movedRates: Map<string, bigint>;
  readonly quotations: Map<string, QuotationRecord>;
  /** Quotation ids by the caller's reference. */
  readonly quotationIds: Map<string, string>;
  readonly transfers: Map<string, TransferRecord>;
  /** Transfer ids by the caller's reference. */
  readonly transferIds: Map<string, string>;
  /** Transfer ids in the order of their creation, for lists. */
  readonly transferOrder: string[];
};

export function emptyState(): State {
  return {
    books: new Map(),
    corridors: new Map(CORRIDORS.map((corridor) => [corridor.id, corridor])),
    movedRates: new Map(),
    quotations: new Map(),
    quotationIds: new Map(),
    transfers: new Map(),
    transferIds: new Map(),
    transferOrder: [],
  };
}

export function applyChange(state: State, change: Change): void {
  for (const book of change.books ?? []) state.books.set(book.currency, book);
  if (change.corridor !== undefined) switchCorridor(state, change.corridor);
  if (change.rate !== undefined)
    state.movedRates.set(change.rate.currency, BigInt(change.rate.thousandthsPerEur));
  if (change.quotation !== undefined) putQuotation(state, change.quotation);
  if (change.transfer !== undefined) putTransfer(state, change.transfer);
  if (change.transferChange !== undefined) changeTransfer(state, change.transferChange);
}

/** The fewest changes that lead to this state, for a compacted journal. */
export function* changesTo(state: State): Generator<Change> {
  yield { books: [...state.books.values()] };
  for (const { id, isEnabled } of state.corridors.values()) yield { corridor: { id, isEnabled } };
  for (const [currency, rate] of state.movedRates)
    yield { rate: { currency, thousandthsPerEur: String(rate) } };
  for (const quotation of state.quotations.values()) yield { quotation };
  for (const transfer of state.transfers.values()) yield { transfer };
}

function switchCorridor(state: State, { id, isEnabled }: NonNullable<Change['corridor']>): void {
  const corridor = state.corridors.get(id);
  // A state file may name a corridor that this version no longer has.
  if (corridor !== undefined) state.corridors.set(id, { ...corridor, isEnabled });
}

function putQuotation(state: State, quotation: QuotationRecord): void {
  state.quotations.set(quotation.id, quotation);
  state.quotationIds.set(quotation.externalId, quotation.id);
}

function putTransfer(state: State, transfer: TransferRecord): void {
  state.transfers.set(transfer.id, transfer);
  state.transferIds.set(transfer.externalId, transfer.id);
  state.transferOrder.push(transfer.id);
}

function changeTransfer(state: State, change: NonNullable<Change['transferChange']>): void {
  const transfer = state.transfers.get(change.id);
  if (transfer === undefined) throw new Error('a change of a transfer that was never created');
  state.transfers.set(change.id, Object.assign({}, transfer, change));
}

// What the sandbox remembers, as zod schemas, because it comes back from a file after a restart. Amounts are exact decimal text,
// moments ISO text, so that a journal line holds the very digits that were answered.

const decimal = z.string();

/** A party or `deliveryMethodInfo`: any field that was sent is kept as it came. */
const openRecord = z.record(z.string(), z.unknown());
export type OpenRecord = Readonly<z.infer<typeof openRecord>>;

const bookSchema = z.object({
  currency: z.string(),
  availableAmount: decimal,
  pendingAmount: decimal,
  debitedAmount: decimal,
  depositedAmount: decimal,
});
export type Book = Readonly<z.infer<typeof bookSchema>>;

const quotationRecordSchema = z.object({
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

const transferRecordSchema = z.object({
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

// What an operation of the sandbox is given to work with, and what a request looks like once HTTP has been taken off it.

export type Sandbox = {
  /** To be read freely and changed only by `commit`. */
  readonly state: State;
  readonly clock: Clock;
  /** Writes the change down, then makes it. After it throws, nothing has changed. */
  commit(change: Change): void;
  /** Has the payout network, or the staff, act on this transfer at this moment (milliseconds since 1970). */
  schedule(transferId: string, atMs: number): void;
  readonly settings: SandboxSettings;
};

export type SandboxSettings = {
  readonly allowHttpCallbacks: boolean;
  /** Overrides the corridors' own; null leaves them. */
  readonly quoteLifeMs: number | null;
  readonly settleMs: number;
  readonly reversalMs: number;
};

export type SandboxRequest = {
  /** The decoded id of the path, empty when the path has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
};
