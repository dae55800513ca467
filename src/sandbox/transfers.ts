// Transfers: created with a reservation of the funds, read by id and by the caller's reference.
import { randomUUID } from 'node:crypto';

import { isoTime } from '../base/clock.ts';
import { addDecimals, type DecimalText } from '../base/decimal.ts';
import { isAnswer, refusal, success, type Answer } from './answers.ts';
import { bookOf, covers, move } from './balances.ts';
import { readJsonObject } from './read-json.ts';
import type { QuotationRecord, TransferRecord } from './records.ts';
import type { Sandbox, SandboxRequest } from './sandbox.ts';
import type { State } from './state.ts';
import { readTransferRequest, type TransferRequest } from './transfer-request.ts';
import { ruleBroken } from './transfer-rules.ts';
import { transferView } from './transfer-view.ts';

/** `POST /transfers`. A refused create leaves nothing behind: no transfer, no reservation, and its externalId is still free. */
export function createTransfer(sandbox: Sandbox, { body }: SandboxRequest): Answer {
  const read = readJsonObject(body);
  if (isAnswer(read)) return read;
  const request = readTransferRequest(read.json, sandbox.settings.allowHttpCallbacks);
  if (isAnswer(request)) return request;
  // Before the quotation is looked at, so that a create that is repeated after its expiry still learns that the first one was made.
  if (sandbox.state.transferIds.has(request.externalId)) return refusal(10011);
  const quotation = usableQuotation(sandbox, request.quotationId);
  return isAnswer(quotation) ? quotation : createFrom(sandbox, request, quotation);
}

/** `GET /transfers/{id}`. */
export function readTransfer({ state }: Sandbox, { id }: SandboxRequest): Answer {
  const transfer = state.transfers.get(id);
  return transfer === undefined ? refusal(10014) : success(transferView(state, transfer));
}

/** `GET /transfers/ext-{externalId}`. */
export function readTransferByExternalId({ state }: Sandbox, { id }: SandboxRequest): Answer {
  const transfer = state.transfers.get(state.transferIds.get(id) ?? '');
  return transfer === undefined ? refusal(10013) : success(transferView(state, transfer));
}

/** What a transfer of this quotation takes from the balance. */
export function debitOf(quotation: QuotationRecord): DecimalText {
  return addDecimals(quotation.sourceAmount, quotation.feeAmount);
}

/** The interface does not say that a quotation serves only once, so it serves as often as it is valid. */
function usableQuotation({ state, clock }: Sandbox, id: string): QuotationRecord | Answer {
  const quotation = state.quotations.get(id);
  if (quotation === undefined) return refusal(10007);
  return clock.now() >= Date.parse(quotation.expiredAt) ? refusal(10009) : quotation;
}

function createFrom(sandbox: Sandbox, request: TransferRequest, quotation: QuotationRecord): Answer {
  const { state } = sandbox;
  const corridor = state.corridors.get(quotation.payoutCorridorId);
  if (corridor?.isEnabled !== true) return refusal(10003);
  const broken = ruleBroken(request, corridor, quotation);
  if (broken !== null) return broken;
  const book = bookOf(state, quotation.sourceCurrency);
  const debit = debitOf(quotation);
  if (!covers(book, debit)) return refusal(10024);
  const transfer = newTransfer(sandbox, request);
  sandbox.commit({ books: [move(book, 'reserve', debit)], transfer });
  return success(transferView(state, transfer));
}

function newTransfer({ state, clock }: Sandbox, request: TransferRequest): TransferRecord {
  return {
    id: randomUUID(),
    externalId: request.externalId,
    quotationId: request.quotationId,
    callbackUrl: request.callbackUrl,
    status: 'created',
    statusCode: '10000',
    createdAt: nextCreatedAt(state, clock.now()),
    purposeOfRemittance: request.purposeOfRemittance,
    documentReferenceNumber: request.documentReferenceNumber,
    sender: request.sender,
    sendingBusiness: request.sendingBusiness,
    receiver: request.receiver,
    receivingBusiness: request.receivingBusiness,
    deliveryMethodInfo: request.deliveryMethodInfo,
    hasAttachment: false,
    dueAt: null,
  };
}

/** Never before the transfer created last, even when the machine's clock is set back: lists rely on that order. */
function nextCreatedAt(state: State, now: number): string {
  const last = state.transfers.get(state.transferOrder.at(-1) ?? '')?.createdAt ?? '';
  const createdAt = isoTime(now);
  return createdAt < last ? last : createdAt;
}
