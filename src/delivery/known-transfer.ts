// The part of a transfer that is kept on record.
import type { KnownTransfer } from '../payouts/progress.ts';
import type { Transfer } from '../service/wire.ts';

/** The kept fields of a transfer. */
export function toKnownTransfer(transfer: Transfer): KnownTransfer {
  return {
    transferId: transfer.id,
    externalId: transfer.externalId,
    quotationId: transfer.quotationId,
    status: transfer.status,
    statusCode: transfer.statusCode,
    sendAmount: transfer.sendAmount,
    feeAmount: transfer.feeAmount,
    receiveAmount: transfer.receiveAmount,
    createdAt: transfer.createdAt,
    expiredAt: transfer.expiredAt,
  };
}

/** The kept fields of a transfer whose row does not tell its currencies. */
export function toTransferOfUnread(transfer: Transfer): KnownTransfer {
  const { sourceCurrency, destinationCurrency } = transfer;
  return { ...toKnownTransfer(transfer), sourceCurrency, destinationCurrency };
}
