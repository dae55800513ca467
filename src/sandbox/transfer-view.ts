// A transfer as the service shows it: the same object from create, from both reads, in the list and in webhooks.
import { exactNumber } from '../base/exact-json.ts';
import { DELIVERY_FIELDS } from './delivery-fields.ts';
import type { QuotationRecord, TransferRecord } from './records.ts';
import type { State } from './state.ts';

/** The quotation that a transfer was created from; one that is missing is a bug. */
export function quotationOf(state: State, transfer: TransferRecord): QuotationRecord {
  const quotation = state.quotations.get(transfer.quotationId);
  if (quotation === undefined) throw new Error('a transfer without its quotation');
  return quotation;
}

/** The transfer object of the interface, its fields in the interface's order; those that do not apply are null. */
export function transferView(state: State, transfer: TransferRecord): object {
  const quotation = quotationOf(state, transfer);
  return {
    id: transfer.id,
    externalId: transfer.externalId,
    quotationId: transfer.quotationId,
    callbackUrl: transfer.callbackUrl,
    status: transfer.status,
    statusCode: transfer.statusCode,
    createdAt: transfer.createdAt,
    expiredAt: quotation.expiredAt,
    ...amountsOf(quotation),
    purposeOfRemittance: transfer.purposeOfRemittance,
    documentReferenceNumber: transfer.documentReferenceNumber,
    sender: transfer.sender,
    sendingBusiness: transfer.sendingBusiness,
    receiver: transfer.receiver,
    receivingBusiness: transfer.receivingBusiness,
    deliveryMethodInfo: { ...DELIVERY_FIELDS, ...transfer.deliveryMethodInfo },
  };
}

function amountsOf(quotation: QuotationRecord): object {
  return {
    sendAmount: exactNumber(quotation.sourceAmount),
    sourceCurrency: quotation.sourceCurrency,
    receiveAmount: exactNumber(quotation.destinationAmount),
    destinationCurrency: quotation.targetCurrency,
    feeCurrency: quotation.sourceCurrency,
    feeAmount: exactNumber(quotation.feeAmount),
    variableFeeAmount: exactNumber(quotation.variableFeeAmount),
    fixedFeeAmount: exactNumber(quotation.fixedFeeAmount),
  };
}
