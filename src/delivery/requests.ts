// The two request bodies of a payout, made from the payout and its attempt numbers alone.
import { type DecimalText, compareDecimals } from '../base/decimal.ts';
import { type Payout, externalId, receivesAsBusiness, sendsAsBusiness } from '../payouts/payout.ts';
import type { PartyFields, QuotationRequest, TransferRequest } from '../service/payout-service.ts';
import type { Quotation, Transfer } from '../service/wire.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** A row as its ids name it. */
type Named = { readonly fileId: string; readonly row: { readonly row: string } };

/** The externalId of a quotation of a row. @param number from 1. */
export function quotationExternalId({ fileId, row }: Named, number: number): string {
  return externalId(fileId, row.row, 'quotation', number);
}

/** The externalId of a transfer of a row. @param attempt from 1. */
export function transferExternalId({ fileId, row }: Named, attempt: number): string {
  return externalId(fileId, row.row, 'transfer', attempt);
}

/** The part of a request that is the same under any id. */
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
  { row: { payout } }: DueRow,
  { id, quotationId }: { readonly id: string; readonly quotationId: string },
  callbackUrl: DeliveryTools['callbackUrl'],
): TransferRequest {
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
function parties(
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

// The free last check of a two-step interface: what the service says it created is compared with what was asked, before anything is confirmed.

/** Names of the fields in which a quotation differs from what was asked; none when it may be used. */
export function quotationDifferences({ row }: DueRow, quotation: Quotation): readonly string[] {
  return priceDifferences(row.payout, quotation);
}

/** The same for a price that is asked before there is a row on its way. */
export function priceDifferences(payout: Payout, quotation: Quotation): readonly string[] {
  const asked = quotationRequestOf(payout, quotation.externalId);
  const { side, amount } = payout.requested;
  return differing({
    sourceCurrency: quotation.sourceCurrency === asked.sourceCurrency,
    targetCurrency: quotation.targetCurrency === asked.targetCurrency,
    payoutCorridorId: quotation.payoutCorridorId === asked.payoutCorridorId,
    transferType: quotation.transferType === asked.transactionMode,
    mode: quotation.mode === asked.mode,
    feeCurrency: quotation.feeCurrency === asked.sourceCurrency,
    amount: same(side === 'source' ? quotation.sourceAmount : quotation.destinationAmount, amount),
  });
}

/** The amounts of the quotation that the transfer was made from; it must agree with them and with the payout. */
export type AgreedPrice = {
  readonly quotationId: string;
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
};

/**
 * Names of the fields in which a transfer differs from the row that it is to pay; none when it may be confirmed. `callbackUrl` is not compared:
 * it decides nothing about money, and after a new address or a lost key the transfers of before would wait for a person for ever.
 * @param id the `externalId` that was asked for.
 */
export function transferDifferences(
  due: DueRow,
  transfer: Transfer,
  price: AgreedPrice,
  id: string,
): readonly string[] {
  const { payout } = due.row;
  const amounts = differing({
    externalId: transfer.externalId.toLowerCase() === id,
    quotationId: transfer.quotationId === price.quotationId,
    sourceCurrency: transfer.sourceCurrency === payout.sourceCurrency,
    destinationCurrency: transfer.destinationCurrency === payout.targetCurrency,
    feeCurrency: transfer.feeCurrency === payout.sourceCurrency,
    sendAmount: same(transfer.sendAmount, price.sendAmount),
    receiveAmount: same(transfer.receiveAmount, price.receiveAmount),
    feeAmount: same(transfer.feeAmount, price.feeAmount),
    purposeOfRemittance: transfer.purposeOfRemittance === payout.purposeOfRemittance,
    documentReferenceNumber: transfer.documentReferenceNumber === payout.documentReferenceNumber,
  });
  return [...amounts, ...partyDifferences(payout, transfer), ...deliveryDifferences(payout, transfer)];
}

function partyDifferences(payout: Payout, transfer: Transfer): readonly string[] {
  const asked = parties(payout);
  const differences: string[] = [];
  for (const party of Object.keys(asked) as (keyof typeof asked)[]) {
    const echoed = transfer[party];
    const fields = asked[party] ?? {};
    if (echoed === null) differences.push(party);
    // The interface does not show every field of a party, so one that is not echoed at all says nothing; another value does.
    else
      for (const field of Object.keys(fields))
        if (field in echoed && echoed[field] !== fields[field]) differences.push(`${party}.${field}`);
  }
  return differences;
}

/** Where the money goes must come back whole. A field that neither the interface nor the corridor names may be left out of the echo. */
function deliveryDifferences(
  { deliveryMethodInfo: asked, corridorFields = [] }: Payout,
  transfer: Transfer,
): readonly string[] {
  const echoed = transfer.deliveryMethodInfo;
  const isNamed = (field: string): boolean =>
    ACCOUNT_FIELDS.some((named) => named === field) || corridorFields.includes(field);
  const differing = Object.keys(asked).filter(
    (field) => echoed[field] !== asked[field] && (field in echoed || isNamed(field)),
  );
  return [...differing, ...addedFields(asked, echoed)].map((field) => `deliveryMethodInfo.${field}`);
}

/** The fields that say who is paid (interface: deliveryMethodInfo fields). */
const ACCOUNT_FIELDS = [
  'bankAccountHolderFullName',
  'bankAccountNumber',
  'bankAccountSwiftCode',
  'msisdn',
  'email',
  'cardNumber',
] as const;

/** Unset fields are null in an echo; an account that nobody asked for may be another recipient's. */
function addedFields(asked: PartyFields, echoed: Transfer['deliveryMethodInfo']): readonly string[] {
  return ACCOUNT_FIELDS.filter(
    (field) => !(field in asked) && typeof echoed[field] === 'string' && echoed[field] !== '',
  );
}

function same(a: DecimalText, b: DecimalText): boolean {
  return a === b || compareDecimals(a, b) === 0;
}

function differing(checks: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.keys(checks).filter((name) => checks[name] !== true);
}
