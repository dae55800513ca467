// A payout: our validated wish to pay one recipient, complete enough that the service can be asked for it without looking at the file again.
import type { DecimalText } from '../base/decimal.ts';
import type { PartyFields } from '../service/payout-service.ts';

/** Which side of the exchange the row fixes: what is sent, or what the recipient gets; it decides the quotation's `mode`. */
export type RequestedAmount = {
  readonly side: 'source' | 'destination';
  /** In major units of `sourceCurrency` or `targetCurrency`. */
  readonly amount: DecimalText;
};

/** A supporting document, as it was when the row was validated. */
export type PayoutDocument = {
  /** Its path below the batch's folder, as the row names it. */
  readonly name: string;
  readonly sha256: string;
  readonly contentType: string;
};

export type Payout = {
  /** The payer's own id of this payment. */
  readonly reference: string | null;
  readonly payoutCorridorId: string;
  readonly transactionMode: string;
  readonly deliveryMethod: string;
  readonly sourceCurrency: string;
  readonly targetCurrency: string;
  readonly requested: RequestedAmount;
  /** The corridor's bounds in the target currency, inclusive. */
  readonly bounds: { readonly least: DecimalText; readonly most: DecimalText };
  readonly purposeOfRemittance: string;
  readonly documentReferenceNumber: string | null;
  readonly sendingParty: PartyFields;
  readonly receivingParty: PartyFields;
  readonly deliveryMethodInfo: PartyFields;
  /** Fields of `deliveryMethodInfo` that the interface does not name and the corridor asks for; absent where there are none. */
  readonly corridorFields?: readonly string[];
  readonly document: PayoutDocument | null;
};

/** The currency in which the row states its amount. */
export function requestedCurrency(payout: Payout): string {
  return payout.requested.side === 'source' ? payout.sourceCurrency : payout.targetCurrency;
}

/** True when the sending party is a business (modes B2B and B2C). */
export function sendsAsBusiness(transactionMode: string): boolean {
  return transactionMode.startsWith('B');
}

/** True when the receiving party is a business (modes B2B and C2B). */
export function receivesAsBusiness(transactionMode: string): boolean {
  return transactionMode.endsWith('B');
}
