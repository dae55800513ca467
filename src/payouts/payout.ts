// A payout: our validated wish to pay one recipient, complete enough to ask the service for it without looking at the file again.
import { hash } from 'node:crypto';

import type { DecimalText } from '../base/decimal.ts';
import type { PartyFields } from '../service/payout-service.ts';

/** The side of the exchange that the row fixes, the amount sent or the amount received; it decides the quotation's `mode`. */
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
  /** Fields of `deliveryMethodInfo` that the corridor asks for and the interface does not name; absent where there are none. */
  readonly corridorFields?: readonly string[];
  readonly document: PayoutDocument | null;
  /** The day on which it is paid, `yyyy-mm-dd`, where its file is a message that names several. */
  readonly payOn?: string;
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

// The caller references that make a repeated request harmless: pure functions of the file's bytes, the row and the attempt. So the same file
// gives the same ids on any machine, with or without a ledger.

/** Our own namespace. It must never change: a new one would make every old payment look unpaid. */
const NAMESPACE = Buffer.from('5b7c2a1e94d34f0a8e612f9d3c7b6a10', 'hex');

/**
 * The `externalId` of a quotation or a transfer.
 * @param fileId SHA-256 of the file in hex, followed by `#<occurrence>` when the same bytes are paid again on purpose.
 * @param row the row identity: the number that a spreadsheet program shows, `Sheet!12` when there are several sheets.
 * @param attempt from 1; quotations and transfers count separately.
 */
export function externalId(
  fileId: string,
  row: string,
  kind: 'quotation' | 'transfer',
  attempt: number,
): string {
  return uuidV5(`${fileId}/${row}/${kind}/${String(attempt)}`);
}

/** RFC 9562, 5.5. Three are made for every row. */
function uuidV5(name: string): string {
  const hex = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(name)]), 'hex');
  const variant = ((parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}
