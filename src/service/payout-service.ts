// The payout service as its interface has it: one method an endpoint. Creating a quotation with `GET /rates` is left out on
// purpose, because a read that creates something is repeated by every proxy and retry on the way.
import type { DecimalText } from '../base/decimal.ts';
import type { Balance, PayoutCorridor, Quotation, Transfer } from './wire.ts';

/** A value and the service's own time when it gave it, from the `Date` header in milliseconds since 1970; null when it sent none. */
export type Answer<T> = { readonly value: T; readonly serverTime: number | null };

/** A party or `deliveryMethodInfo` as we send it: field names of the interface, values as text. */
export type PartyFields = Readonly<Record<string, string>>;

/** Filters of `GET /payout-corridors`; `currency` is the target currency, `limit` 1 to 200 (100 when left out). */
export type CorridorFilter = {
  readonly currency?: string;
  readonly destinationCountryIsoCode?: string;
  readonly transactionMode?: string;
  readonly deliveryMethod?: string;
  readonly limit?: number;
};

/** Body of `POST /rates`. Exactly one amount, in major units: `sourceAmount` with `SOURCE_AMOUNT`, else `destinationAmount`. */
export type QuotationRequest = {
  readonly externalId: string;
  readonly sourceCurrency: string;
  readonly targetCurrency: string;
  readonly transactionMode: string;
  readonly payoutCorridorId: string;
} & (
  | { readonly mode: 'SOURCE_AMOUNT'; readonly sourceAmount: DecimalText }
  | { readonly mode: 'DESTINATION_AMOUNT'; readonly destinationAmount: DecimalText }
);

/** Body of `POST /transfers`: one sending and one receiving party, by the transaction mode. */
export type TransferRequest = {
  readonly quotationId: string;
  readonly externalId: string;
  readonly callbackUrl?: string;
  readonly purposeOfRemittance: string;
  readonly documentReferenceNumber?: string;
  readonly sendingBusiness?: PartyFields;
  readonly sender?: PartyFields;
  readonly receivingBusiness?: PartyFields;
  readonly receiver?: PartyFields;
  readonly deliveryMethodInfo: PartyFields;
};

/** Query of `GET /transfers`: ISO times at most 7 days apart; `nextKey` is the `x-next-key` of the page before. */
export type TransferListQuery = {
  readonly startTime?: string;
  readonly endTime?: string;
  readonly limit?: number;
  readonly nextKey?: string;
};

export type TransferPage = { readonly transfers: readonly Transfer[]; readonly nextKey: string | null };

/** The raw file of `PUT /transfers/{id}/attachment`; `application/pdf` or `image/*`. */
export type Attachment = { readonly contentType: string; readonly bytes: Uint8Array };

/**
 * Each method makes one call (for reads, a few tries of it) and returns the answer or throws a `ServiceFault`: `Refused` (the service's final no),
 * `Unavailable` (not executed: send the same request later) or `Unanswered` (it may have been executed: find out first).
 */
export interface PayoutService {
  /** `GET /payout-corridors`: the corridors enabled for the organization. */
  payoutCorridors(filter?: CorridorFilter): Promise<Answer<readonly PayoutCorridor[]>>;
  /** `POST /rates`; 10002 when the externalId was used before. */
  createQuotation(request: QuotationRequest): Promise<Answer<Quotation>>;
  /** `GET /rates/{id}`; 10007 when there is none. */
  quotation(id: string): Promise<Answer<Quotation>>;
  /** `GET /rates/ext-{externalId}`; 10008 when there is none. */
  quotationByExternalId(externalId: string): Promise<Answer<Quotation>>;
  /** `POST /transfers`: reserves `sendAmount + feeAmount`; 10011 when the externalId was used before. Nothing is paid yet. */
  createTransfer(request: TransferRequest): Promise<Answer<Transfer>>;
  /** `GET /transfers/{id}`; 10014 when there is none. */
  transfer(id: string): Promise<Answer<Transfer>>;
  /** `GET /transfers/ext-{externalId}`; 10013 when there is none, which does not prove that none will appear. */
  transferByExternalId(externalId: string): Promise<Answer<Transfer>>;
  /** `GET /transfers`; 10023 when the window is wider than 7 days. */
  transfers(query: TransferListQuery): Promise<Answer<TransferPage>>;
  /** `PUT /transfers/{id}/attachment`, only while the transfer is `created`. */
  uploadAttachment(transferId: string, attachment: Attachment): Promise<Answer<null>>;
  /** `POST /transfers/{id}/confirm`: pays. Irreversible. */
  confirmTransfer(transferId: string): Promise<Answer<null>>;
  /** `GET /public/balances`. */
  balances(): Promise<Answer<readonly Balance[]>>;
}
