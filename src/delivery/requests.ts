// What we ask the service for a payout: the two bodies, made from the payout and its attempt numbers alone.
import { externalId } from '../payouts/external-id.ts';
import { receivesAsBusiness, sendsAsBusiness, type Payout } from '../payouts/payout.ts';
import type { QuotationRequest, TransferRequest } from '../service/payout-service.ts';
import type { Place } from './observe.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** A row whose quotations keep running out unused has a cause that one more does not cure. A lost ledger may have forgotten as many. High, because a batch that waits for funds for weeks is quoted anew at each resume. */
export const QUOTATIONS_MOST = 1_000;

/** The externalId of the quotation that this row uses or asks for next. */
export function quotationExternalId(
  { fileId, row }: DueRow,
  attempt = row.progress.quotationAttempt,
): string {
  return externalId(fileId, row.row, 'quotation', attempt);
}

/** The externalId of a row's current transfer attempt. */
export function transferExternalId({ fileId, row }: Place): string {
  return externalId(fileId, row.row, 'transfer', row.progress.transferAttempt);
}

/** The id by which a notification will name the transfer: on record before the create, and where the callback URL was set only after the quotation, with it. */
export function notifiedAs(
  due: DueRow,
  { callbackUrl }: DeliveryTools,
): { readonly transferExternalId?: string } {
  const { stage } = due.row.progress;
  const isNews = callbackUrl !== null && (stage === 'ready' || stage === 'quoted');
  return isNews ? { transferExternalId: transferExternalId(due) } : {};
}

export function quotationRequest(due: DueRow): QuotationRequest {
  return quotationRequestOf(due.row.payout, quotationExternalId(due));
}

/** What is asked for a payout under any id. */
export function quotationRequestOf(payout: Payout, externalId: string): QuotationRequest {
  const common = {
    externalId,
    sourceCurrency: payout.sourceCurrency,
    targetCurrency: payout.targetCurrency,
    transactionMode: payout.transactionMode,
    payoutCorridorId: payout.payoutCorridorId,
  };
  const { side, amount } = payout.requested;
  return side === 'source'
    ? { ...common, mode: 'SOURCE_AMOUNT', sourceAmount: amount }
    : { ...common, mode: 'DESTINATION_AMOUNT', destinationAmount: amount };
}

export function transferRequest(
  due: DueRow,
  quotationId: string,
  callbackUrl: DeliveryTools['callbackUrl'],
): TransferRequest {
  const { payout } = due.row;
  const id = transferExternalId(due);
  return {
    quotationId,
    externalId: id,
    ...(callbackUrl === null ? {} : { callbackUrl: callbackUrl(id) }),
    purposeOfRemittance: payout.purposeOfRemittance,
    ...(payout.documentReferenceNumber === null
      ? {}
      : { documentReferenceNumber: payout.documentReferenceNumber }),
    ...parties(payout),
    deliveryMethodInfo: payout.deliveryMethodInfo,
  };
}

/** The two parties under the names that the transaction mode gives them (interface: POST /transfers). */
export function parties(
  payout: Payout,
): Pick<TransferRequest, 'sendingBusiness' | 'sender' | 'receivingBusiness' | 'receiver'> {
  const { transactionMode, sendingParty, receivingParty } = payout;
  return {
    ...(sendsAsBusiness(transactionMode) ? { sendingBusiness: sendingParty } : { sender: sendingParty }),
    ...(receivesAsBusiness(transactionMode)
      ? { receivingBusiness: receivingParty }
      : { receiver: receivingParty }),
  };
}
