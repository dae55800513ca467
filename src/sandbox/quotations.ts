// Quotations: created by `POST /rates` and, with the same effect, by `GET /rates`; read by id and by the caller's reference.
import { randomUUID } from 'node:crypto';

import { isoTime } from '../base/clock.ts';
import { exactNumber } from '../base/exact-json.ts';
import { invalid, isAnswer, refusal, success, type Answer } from './answers.ts';
import type { Corridor } from './corridors.ts';
import {
  corridorFaults,
  jsonOfQuery,
  readQuotationRequest,
  type QuotationRequest,
} from './quotation-request.ts';
import { price } from './rates.ts';
import { readJsonObject, type JsonObject } from './read-json.ts';
import type { QuotationRecord } from './records.ts';
import type { Sandbox, SandboxRequest } from './sandbox.ts';

/** `POST /rates`. */
export function createQuotation(sandbox: Sandbox, { body }: SandboxRequest): Answer {
  const read = readJsonObject(body);
  return isAnswer(read) ? read : quote(sandbox, read.json);
}

/** `GET /rates`: the same fields as query parameters, the same effect. */
export function createQuotationByQuery(sandbox: Sandbox, { query }: SandboxRequest): Answer {
  return quote(sandbox, jsonOfQuery(query));
}

/** `GET /rates/{id}`. */
export function readQuotation({ state }: Sandbox, { id }: SandboxRequest): Answer {
  const quotation = state.quotations.get(id);
  return quotation === undefined ? refusal(10007) : success(quotationView(quotation));
}

/** `GET /rates/ext-{externalId}`. */
export function readQuotationByExternalId({ state }: Sandbox, { id }: SandboxRequest): Answer {
  const quotation = state.quotations.get(state.quotationIds.get(id) ?? '');
  return quotation === undefined ? refusal(10008) : success(quotationView(quotation));
}

function quote(sandbox: Sandbox, json: JsonObject): Answer {
  const request = readQuotationRequest(json);
  if (isAnswer(request)) return request;
  if (sandbox.state.quotationIds.has(request.externalId)) return refusal(10002);
  const corridor = sandbox.state.corridors.get(request.payoutCorridorId);
  // The interface has no code for an unknown corridor; one that nobody has is not enabled for the organization either.
  if (corridor?.isEnabled !== true) return refusal(10003);
  const faults = corridorFaults(request, corridor);
  if (faults.length > 0) return invalid(faults);
  const quotation = newQuotation(sandbox, request, corridor);
  sandbox.commit({ quotation });
  return success(quotationView(quotation));
}

function newQuotation(sandbox: Sandbox, request: QuotationRequest, corridor: Corridor): QuotationRecord {
  const now = sandbox.clock.now();
  return {
    id: randomUUID(),
    externalId: request.externalId,
    sourceCurrency: request.sourceCurrency,
    targetCurrency: corridor.targetCurrency,
    payoutCorridorId: corridor.id,
    ...price(corridor, request.sourceCurrency, request.mode, request.amount, sandbox.state.movedRates),
    transferType: corridor.transactionMode,
    mode: request.mode,
    createdAt: isoTime(now),
    expiredAt: isoTime(now + (sandbox.settings.quoteLifeMs ?? corridor.quoteLifeMs)),
  };
}

function quotationView(quotation: QuotationRecord): object {
  return {
    id: quotation.id,
    externalId: quotation.externalId,
    sourceCurrency: quotation.sourceCurrency,
    targetCurrency: quotation.targetCurrency,
    payoutCorridorId: quotation.payoutCorridorId,
    sourceAmount: exactNumber(quotation.sourceAmount),
    destinationAmount: exactNumber(quotation.destinationAmount),
    feeCurrency: quotation.sourceCurrency,
    feeAmount: exactNumber(quotation.feeAmount),
    variableFeeAmount: exactNumber(quotation.variableFeeAmount),
    fixedFeeAmount: exactNumber(quotation.fixedFeeAmount),
    transferType: quotation.transferType,
    mode: quotation.mode,
    createdAt: quotation.createdAt,
    expiredAt: quotation.expiredAt,
  };
}
