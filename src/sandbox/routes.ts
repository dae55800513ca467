// The table of everything that the sandbox answers: the endpoints of the interface, and below them its own.
import type { Operation } from '../service/errors.ts';
import type { Answer } from './answers.ts';
import { uploadAttachment } from './attachments.ts';
import { readBalances } from './balances.ts';
import { confirmTransfer } from './confirm.ts';
import { moveRate, readBooks, setBalance, switchCorridor, topUp } from './control.ts';
import { listCorridors } from './list-corridors.ts';
import { listTransfers } from './list-transfers.ts';
import {
  createQuotation,
  createQuotationByQuery,
  readQuotation,
  readQuotationByExternalId,
} from './quotations.ts';
import type { Sandbox, SandboxRequest } from './sandbox.ts';
import { createTransfer, readTransfer, readTransferByExternalId } from './transfers.ts';

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** A path as the router has it; what stands for `:id` reaches the answer decoded. */
  readonly path: string;
  /** The name that faults go by; null for the sandbox's own, which nothing befalls. */
  readonly operation: Operation | null;
  /** What stands before the caller's reference in the path, and is no part of it. */
  readonly idPrefix?: string;
  /** All work of an answer is done in one go, so that of two requests at once one comes first. */
  readonly answer: (sandbox: Sandbox, request: SandboxRequest) => Answer;
};

const EXT = 'ext-';
const EXTERNAL_ID = `:id{${EXT}[^/]+}`;

export const ROUTES: readonly Route[] = [
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
