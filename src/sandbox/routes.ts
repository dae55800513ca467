// The table of all routes of the sandbox: the endpoints of the interface, and below them its own.
import { z } from 'zod';

import { exactNumber } from '../base/exact-json.ts';
import type { Operation } from '../service/errors.ts';
import { CORRIDORS_LIMIT, DELIVERY_METHODS, TRANSACTION_MODES } from '../service/wire.ts';
import { type SandboxReply, emptySuccess, faultsOf, invalid, refusal, success } from './answers.ts';
import { readBalances } from './balances.ts';
import { moveRate, readBooks, setBalance, switchCorridor, topUp } from './control.ts';
import type { Corridor } from './corridors.ts';
import { limitWithin, oneOf } from './field-forms.ts';
import { listTransfers, quotationOf } from './list-transfers.ts';
import { endingOf, refuseAtConfirm, submit } from './payout-network.ts';
import {
  createQuotation,
  createQuotationByQuery,
  readQuotation,
  readQuotationByExternalId,
} from './quotations.ts';
import type { QuotationRecord, Sandbox, SandboxRequest, TransferRecord } from './state.ts';
import { createTransfer, readTransfer, readTransferByExternalId } from './transfers.ts';

export type SandboxRoute = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** A path as the router has it; the value of `:id` reaches the answer decoded. */
  readonly path: string;
  /** The name under which faults strike it; null for the sandbox's own routes, which no fault strikes. */
  readonly operation: Operation | null;
  /** The part of the path before the caller's reference, which is no part of the reference. */
  readonly idPrefix?: string;
  /** An answer does all its work synchronously, so that of two concurrent requests one comes first. */
  readonly answer: (sandbox: Sandbox, request: SandboxRequest) => SandboxReply;
};

const EXT = 'ext-';
const EXTERNAL_ID = `:id{${EXT}[^/]+}`;

export const ROUTES: readonly SandboxRoute[] = [
  { method: 'GET', path: '/payout-corridors', operation: 'payoutCorridors', answer: listCorridors },
  { method: 'POST', path: '/rates', operation: 'createQuotation', answer: createQuotation },
  { method: 'GET', path: '/rates', operation: 'createQuotation', answer: createQuotationByQuery },
  {
    method: 'GET',
    path: `/rates/${EXTERNAL_ID}`,
    operation: 'quotationByExternalId',
    idPrefix: EXT,
    answer: readQuotationByExternalId,
  },
  { method: 'GET', path: '/rates/:id', operation: 'quotation', answer: readQuotation },
  { method: 'POST', path: '/transfers', operation: 'createTransfer', answer: createTransfer },
  { method: 'GET', path: '/transfers', operation: 'transfers', answer: listTransfers },
  {
    method: 'GET',
    path: `/transfers/${EXTERNAL_ID}`,
    operation: 'transferByExternalId',
    idPrefix: EXT,
    answer: readTransferByExternalId,
  },
  { method: 'GET', path: '/transfers/:id', operation: 'transfer', answer: readTransfer },
  {
    method: 'PUT',
    path: '/transfers/:id/attachment',
    operation: 'uploadAttachment',
    answer: uploadAttachment,
  },
  {
    method: 'POST',
    path: '/transfers/:id/confirm',
    operation: 'confirmTransfer',
    answer: confirmTransfer,
  },
  { method: 'GET', path: '/public/balances', operation: 'balances', answer: readBalances },
  { method: 'POST', path: '/sandbox/top-up', operation: null, answer: topUp },
  { method: 'POST', path: '/sandbox/balances', operation: null, answer: setBalance },
  { method: 'POST', path: '/sandbox/corridors/:id', operation: null, answer: switchCorridor },
  { method: 'POST', path: '/sandbox/rates', operation: null, answer: moveRate },
  { method: 'GET', path: '/sandbox/books', operation: null, answer: readBooks },
];

// `PUT /transfers/{id}/attachment`: the supporting document. Only its presence matters here, so its bytes are not kept.

/** `application/pdf` or any `image/*`; parameters may follow. */
const DOCUMENT_TYPE = /^(application\/pdf|image\/[\w.+-]+)\s*(;.*)?$/i;

/** The interface does not show the reply to an upload: it is empty. A second document replaces the first. */
function uploadAttachment(sandbox: Sandbox, request: SandboxRequest): SandboxReply {
  const transfer = sandbox.state.transfers.get(request.id);
  if (transfer === undefined) return refusal(10014);
  if (!DOCUMENT_TYPE.test(request.header('content-type') ?? ''))
    return invalid(['content-type must be application/pdf or image/*']);
  if (request.body.byteLength === 0) return invalid(['body must be the document']);
  // The interface does not show the code for a late upload; "already confirmed" describes it. Expiry alone does not change the status, so an
  // expired transfer that is still `created` takes a document like any other.
  if (transfer.status !== 'created') return refusal(10015);
  if (!transfer.hasAttachment) sandbox.commit({ transferChange: { id: transfer.id, hasAttachment: true } });
  return emptySuccess;
}

// `POST /transfers/{id}/confirm`: the one call that pays. A caller that lost the first answer must learn the truth, which decides the order of
// the checks: confirmed before, then too late, then the document.

function confirmTransfer(sandbox: Sandbox, { id }: SandboxRequest): SandboxReply {
  const transfer = sandbox.state.transfers.get(id);
  if (transfer === undefined) return refusal(10014);
  if (transfer.status !== 'created') return refusal(10015);
  const quotation = quotationOf(sandbox.state, transfer);
  // The interface does not show what happens to a transfer that is confirmed too late: it stays `created`, and its funds stay reserved.
  if (sandbox.clock.now() >= Date.parse(quotation.expiredAt)) return refusal(10016);
  if (lacksDocument(sandbox, transfer, quotation)) return refusal(10022);
  if (endingOf(transfer).kind === 'refusedAtConfirm') {
    refuseAtConfirm(sandbox, transfer);
    return refusal(10027);
  }
  submit(sandbox, transfer);
  return emptySuccess;
}

function lacksDocument({ state }: Sandbox, transfer: TransferRecord, quotation: QuotationRecord): boolean {
  const method = state.corridors.get(quotation.payoutCorridorId)?.deliveryMethod;
  return method === 'bankTransfer' && !transfer.hasAttachment;
}

// `GET /payout-corridors`: the corridors enabled for the organization, filtered and cut at the limit.

const querySchema = z.object({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency code of three capitals')
    .optional(),
  destinationCountryIsoCode: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 3166-1 alpha-3 code')
    .optional(),
  transactionMode: oneOf(TRANSACTION_MODES).optional(),
  deliveryMethod: oneOf(DELIVERY_METHODS).optional(),
  limit: limitWithin(CORRIDORS_LIMIT),
});
type Filter = z.infer<typeof querySchema>;

function listCorridors({ state }: Sandbox, { query }: SandboxRequest): SandboxReply {
  const filter = querySchema.safeParse(query);
  if (!filter.success) return invalid(faultsOf(filter.error));
  const matching = [...state.corridors.values()].filter((corridor) => matches(corridor, filter.data));
  return success(matching.slice(0, filter.data.limit).map(corridorView));
}

function matches(corridor: Corridor, filter: Filter): boolean {
  return (
    corridor.isEnabled &&
    (filter.currency ?? corridor.targetCurrency) === corridor.targetCurrency &&
    (filter.destinationCountryIsoCode ?? corridor.destinationCountryIsoCode) ===
      corridor.destinationCountryIsoCode &&
    (filter.transactionMode ?? corridor.transactionMode) === corridor.transactionMode &&
    (filter.deliveryMethod ?? corridor.deliveryMethod) === corridor.deliveryMethod
  );
}

function corridorView(corridor: Corridor): object {
  return {
    id: corridor.id,
    sourceCurrencies: corridor.sourceCurrencies,
    targetCurrency: corridor.targetCurrency,
    destinationCountryIsoCode: corridor.destinationCountryIsoCode,
    transactionMode: corridor.transactionMode,
    deliveryMethod: corridor.deliveryMethod,
    bankName: corridor.bankName,
    isEnabled: corridor.isEnabled,
    minimumTransactionAmount: exactNumber(corridor.minimumTransactionAmount),
    maximumTransactionAmount: exactNumber(corridor.maximumTransactionAmount),
    requiredSendingEntityFields: corridor.requiredSendingEntityFields,
    requiredReceivingEntityFields: corridor.requiredReceivingEntityFields,
    requiredDeliveryMethodFields: corridor.requiredDeliveryMethodFields,
  };
}
