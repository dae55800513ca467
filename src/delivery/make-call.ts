// One call for a row, and what came of it as an event for the row machine. What the service shows is compared here with what the row asks for.
import type { RowCall, RowState } from '../payouts/row-machine/row-state.ts';
import type { CallName, RowEvent } from '../payouts/row-machine/row-event.ts';
import { type KnownTransfer, type QuotedPrice } from '../payouts/progress.ts';
import { attemptOf, PATIENCE } from '../payouts/row-machine/row-state.ts';
import { moneyWords } from '../base/currency.ts';
import { compareDecimals } from '../base/decimal.ts';
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import type { Payout } from '../payouts/payout.ts';
import { type Fault, isFault, Refused, Unavailable } from '../service/errors.ts';
import type { Answer } from '../service/payout-service.ts';
import type { Quotation, Transfer } from '../service/wire.ts';
import { toKnownTransfer } from './known-transfer.ts';
import { keyOf } from './observe.ts';
import {
  type AgreedPrice,
  quotationDifferences,
  quotationExternalId,
  quotationRequestOf,
  transferDifferences,
  transferExternalId,
  transferRequest,
} from './requests.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** A row on its way: its record, and how it stands now. */
type CarriedRow = DueRow & { readonly state: RowState };

/** What came of a call. The fault may concern more than this row. */
export type Heard = { readonly event: RowEvent; readonly fault: Fault | null };

/** Throws only what is no answer of the service: a bug, a full disk. */
export async function makeCall(call: RowCall, row: CarriedRow, tools: DeliveryTools): Promise<Heard> {
  try {
    return { event: await answerOf(call, row, tools), fault: null };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { event: eventOf(error, call), fault: error };
  }
}

function answerOf(call: RowCall, row: CarriedRow, tools: DeliveryTools): Promise<RowEvent> {
  switch (call.do) {
    case 'quote':
      return quote(call.number, row, tools);
    case 'read-quotation':
      return readQuotation(call.number, row, tools);
    case 'create':
      return create(call.attempt, row, tools);
    case 'find':
      return find(call.attempt, row, tools);
    case 'look':
      return look(call, row, tools);
    case 'attach':
      return attach(call.transferId, row, tools);
    case 'confirm':
      return confirm(call.transferId, tools);
  }
}

function eventOf(fault: Fault, call: RowCall): RowEvent {
  const { operation, retryAfterMs, serverTime: at, httpStatus } = fault.context;
  const waitMs = retryAfterMs ?? 0;
  if (fault instanceof Unavailable) {
    const isForAll = fault.reason === 'credentials' || fault.reason === 'redirected';
    return { on: 'unavailable', call: call.do, waitMs, isForAll };
  }
  if (!(fault instanceof Refused)) {
    // A document that is too large for the way to the service will be so every time.
    if (operation === 'uploadAttachment' && httpStatus === 413) return { on: 'document', fault: 'too-large' };
    return { on: 'unanswered', call: call.do, waitMs };
  }
  const { errorCode, words } = fault;
  if (errorCode === 10024) return { on: 'unavailable', call: call.do, waitMs: 0, isForAll: true };
  if (operation === NOTHING[call.do]?.operation && errorCode === NOTHING[call.do]?.errorCode)
    return { on: 'nothing', attempt: 'attempt' in call ? call.attempt : 1, at };
  return { on: 'refused', call: call.do, errorCode, words, at };
}

/** The answers that say that nothing is there. */
const NOTHING: Readonly<
  Partial<Record<CallName, { readonly operation: Fault['context']['operation']; readonly errorCode: number }>>
> = {
  find: { operation: 'transferByExternalId', errorCode: 10013 },
  look: { operation: 'transfer', errorCode: 10014 },
};

// quotation: moves no money, so a new one is always harmless.

async function quote(number: number, row: CarriedRow, { service, serviceClock }: DeliveryTools) {
  const request = quotationRequestOf(row.row.payout, quotationExternalId(row, number));
  return quoted(row, await serviceClock.ask(() => service.createQuotation(request)), false);
}

/** An earlier try of this very id had arrived. */
async function readQuotation(number: number, row: CarriedRow, { service, serviceClock }: DeliveryTools) {
  const id = quotationExternalId(row, number);
  return quoted(row, await serviceClock.ask(() => service.quotationByExternalId(id)), true);
}

function quoted(row: CarriedRow, { value }: Answer<Quotation>, isAdopted: boolean): RowEvent {
  const differs = quotationDifferences(row, value).length > 0;
  return {
    on: 'quoted',
    price: toPrice(value),
    isAdopted,
    differs,
    outside: outsideBounds(row.row.payout, value),
  };
}

function toPrice(quotation: Quotation): QuotedPrice {
  return { ...agreedIn(quotation), createdAt: quotation.createdAt, expiredAt: quotation.expiredAt };
}

function agreedIn(quotation: Quotation): AgreedPrice {
  return {
    quotationId: quotation.id,
    sendAmount: quotation.sourceAmount,
    feeAmount: quotation.feeAmount,
    receiveAmount: quotation.destinationAmount,
  };
}

/** Plain words when the recipient would get less or more than the corridor allows; the bounds themselves are allowed. */
export function outsideBounds(
  { bounds, targetCurrency }: Payout,
  { destinationAmount }: Quotation,
): Words | null {
  const isInside =
    compareDecimals(destinationAmount, bounds.least) >= 0 &&
    compareDecimals(destinationAmount, bounds.most) <= 0;
  if (isInside) return null;
  const show = (amount: string) => moneyWords(amount, targetCurrency);
  const [amount, least, most] = [show(destinationAmount), show(bounds.least), show(bounds.most)];
  return sentence('quote.outsideBounds', { amount, least, most });
}

// create: reserves the funds under an id that never changes for this attempt. Nothing is paid by it.

async function create(attempt: number, row: CarriedRow, tools: DeliveryTools): Promise<RowEvent> {
  const { price } = row.state;
  if (price === null) throw new Error('Nothing is created without a price.');
  const id = transferExternalId(row, attempt);
  const request = transferRequest(row, { id, quotationId: price.quotationId }, tools.callbackUrl);
  const { value, serverTime } = await tools.serviceClock.ask(() => tools.service.createTransfer(request));
  const differs = transferDifferences(row, value, price, id).length > 0;
  return { on: 'transfer', by: 'create', attempt, transfer: toKnownTransfer(value), differs, at: serverTime };
}

// look: by the service's id, where the transfer is known; by ours, where it is not.

async function look(
  { attempt, transferId }: RowCall & { do: 'look' },
  { state }: CarriedRow,
  { service, serviceClock }: DeliveryTools,
): Promise<RowEvent> {
  const { value, serverTime } = await serviceClock.ask(() => service.transfer(transferId));
  const known = knownAs(state, attempt);
  const differs = known === null || value.id !== known.transferId || keyOf(value) !== keyOf(known);
  return { on: 'transfer', by: 'look', attempt, transfer: toKnownTransfer(value), differs, at: serverTime };
}

function knownAs(state: RowState, attempt: number): KnownTransfer | null {
  if (attempt === attemptOf(state)) return state.transfer;
  return state.deadAttempts.find((dead) => dead.attempt === attempt)?.transfer ?? null;
}

async function find(attempt: number, row: CarriedRow, tools: DeliveryTools): Promise<RowEvent> {
  const id = transferExternalId(row, attempt);
  const { value, serverTime } = await tools.serviceClock.ask(() => tools.service.transferByExternalId(id));
  const price = await priceOf(row, value, tools);
  const differs = price === null || transferDifferences(row, value, price, id).length > 0;
  return { on: 'transfer', by: 'look', attempt, transfer: toKnownTransfer(value), differs, at: serverTime };
}

/** The amounts that a transfer must have: those of its quotation, which must be one of this row's. Null when it is somebody else's. */
async function priceOf(
  row: CarriedRow,
  { quotationId }: Transfer,
  { service, serviceClock }: DeliveryTools,
): Promise<AgreedPrice | null> {
  const { price } = row.state;
  if (price?.quotationId === quotationId) return price;
  const { value } = await serviceClock.ask(() => service.quotation(quotationId));
  return isOwn(row, value) && quotationDifferences(row, value).length === 0 ? agreedIn(value) : null;
}

function isOwn(row: CarriedRow, quotation: Quotation): boolean {
  // Nearly always one of the first; one more than the most is asked for before a row is held.
  for (let number = 1; number <= PATIENCE.quotations + 1; number++)
    if (quotationExternalId(row, number) === keyOf(quotation)) return true;
  return false;
}

// attach and confirm. The same bytes may be sent again as long as the transfer is `created`; a confirm pays.

async function attach(
  transferId: string,
  { row: { payout } }: CarriedRow,
  { service, serviceClock, readDocument }: DeliveryTools,
): Promise<RowEvent> {
  const { document } = payout;
  if (document === null) throw new Error('A row without a document attaches none.');
  const bytes = await readDocument(document);
  if (bytes === null) return { on: 'document', fault: 'changed' };
  const { contentType } = document;
  await serviceClock.ask(() => service.uploadAttachment(transferId, { contentType, bytes }));
  return { on: 'attached' };
}

/** Irreversible, and therefore the only call that needs a durable intent before it. */
async function confirm(transferId: string, { service, serviceClock }: DeliveryTools): Promise<RowEvent> {
  await serviceClock.ask(() => service.confirmTransfer(transferId));
  return { on: 'confirmed' };
}
