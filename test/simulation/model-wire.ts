// How the model service writes its records: JSON with the field names of the interface and exact numbers, in the forms that a seed chose.
import type { Minor, QuotationFacts, TransferFacts } from '../invariants/journal.ts';
import type { Holes } from './plan.ts';

/** Decimals of the currencies of the model. */
const DECIMALS: Readonly<Record<string, number>> = { XAF: 0, USD: 2, EUR: 2, CNY: 2 };

export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

export function toText(amount: Minor, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = amount.toString().padStart(decimals + 1, '0');
  if (decimals === 0) return digits;
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Null when the text is no amount of that currency. */
export function toMinor(text: string, currency: string): Minor | null {
  const decimals = decimalsOf(currency);
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (parts === null) return null;
  const fraction = (parts[2] ?? '').replace(/0+$/, '');
  return fraction.length > decimals ? null : BigInt((parts[1] ?? '') + fraction.padEnd(decimals, '0'));
}

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

export function numberOf(amount: Minor, currency: string, holes: Holes): unknown {
  const text = toText(amount, currency);
  return rawJSON(
    holes.numbersAreWritten === 'plain' ? text.replace(/\.0+$/, '').replace(/(\.\d*?)0+$/, '$1') : text,
  );
}

export function timeOf(ms: number, holes: Holes): string {
  const text = new Date(ms).toISOString();
  return holes.timesHaveFractions ? text : text.replace(/\.\d+Z$/, 'Z');
}

export function quotationView(
  quotation: QuotationFacts & { readonly createdAt: number; readonly transferType: string },
  holes: Holes,
): object {
  const source = (amount: Minor) => numberOf(amount, quotation.sourceCurrency, holes);
  return {
    id: quotation.id,
    externalId: quotation.externalId,
    sourceCurrency: quotation.sourceCurrency,
    targetCurrency: quotation.targetCurrency,
    payoutCorridorId: quotation.payoutCorridorId,
    sourceAmount: source(quotation.sourceAmount),
    destinationAmount: numberOf(quotation.destinationAmount, quotation.targetCurrency, holes),
    feeCurrency: quotation.sourceCurrency,
    feeAmount: source(quotation.feeAmount),
    variableFeeAmount: source(quotation.feeAmount),
    fixedFeeAmount: source(0n),
    transferType: quotation.transferType,
    mode: quotation.mode,
    createdAt: timeOf(quotation.createdAt, holes),
    expiredAt: timeOf(quotation.expiredAt, holes),
  };
}

export type TransferState = { readonly status: string; readonly statusCode: string };

export function transferView(
  transfer: TransferFacts & { readonly createdAt: number },
  { status, statusCode }: TransferState,
  holes: Holes,
): object {
  const source = (amount: Minor) => numberOf(amount, transfer.sourceCurrency, holes);
  const none = { sender: null, sendingBusiness: null, receiver: null, receivingBusiness: null };
  return {
    id: transfer.id,
    externalId: transfer.externalId,
    quotationId: transfer.quotationId,
    callbackUrl: null,
    status,
    statusCode,
    createdAt: timeOf(transfer.createdAt, holes),
    expiredAt: timeOf(transfer.expiredAt, holes),
    sendAmount: source(transfer.sendAmount),
    sourceCurrency: transfer.sourceCurrency,
    receiveAmount: numberOf(transfer.receiveAmount, transfer.destinationCurrency, holes),
    destinationCurrency: transfer.destinationCurrency,
    feeCurrency: transfer.sourceCurrency,
    feeAmount: source(transfer.feeAmount),
    variableFeeAmount: source(transfer.feeAmount),
    fixedFeeAmount: source(0n),
    purposeOfRemittance: transfer.purposeOfRemittance,
    documentReferenceNumber: transfer.documentReferenceNumber,
    ...none,
    ...transfer.parties,
    deliveryMethodInfo: { email: null, cardNumber: null, ...transfer.deliveryMethodInfo },
  };
}
