// `GET /transfers`: a window of at most 7 days on `createdAt`, both ends included, oldest first, a page at a time. The body is a bare array
// and `limit` goes from 1 to 200 with 100 as default: the interface shows neither.
import { z } from 'zod';

import { isoTime, parseIsoTime } from '../base/clock.ts';
import { exactNumber } from '../base/exact-json.ts';
import { LIST_WINDOW_MAX_MS } from '../service/wire.ts';
import { type SandboxReply, faultsOf, invalid, isAnswer, refusal, success } from './answers.ts';
import { limitWithin } from './field-forms.ts';
import type { QuotationRecord, Sandbox, SandboxRequest, State, TransferRecord } from './state.ts';

const timestamp = z
  .string()
  .refine((text) => parseIsoTime(text) !== null, 'must be an ISO 8601 timestamp in UTC')
  .transform((text) => parseIsoTime(text) ?? 0);

const querySchema = z.object({
  startTime: timestamp.optional(),
  endTime: timestamp.optional(),
  limit: limitWithin({ least: 1, most: 200, usual: 100 }),
});

/** A page: where it begins in the order of creation, and its bounds. A next key encodes the same. */
const pageSchema = z.object({
  from: z.int().min(0),
  endTime: z.iso.datetime(),
  limit: z.int().min(1).max(200),
});
type TransferPage = Readonly<z.infer<typeof pageSchema>>;

const NEXT_KEY = 'x-next-key';

export function listTransfers(sandbox: Sandbox, request: SandboxRequest): SandboxReply {
  const key = request.header(NEXT_KEY);
  // A wrong query is refused with a key as without one.
  const asked = firstPage(sandbox, request);
  if (isAnswer(asked)) return asked;
  const page =
    key === undefined ? asked : nextPage(key, request.query['limit'] === undefined ? null : asked.limit);
  return isAnswer(page) ? page : answerOf(sandbox.state, page);
}

function answerOf(state: State, page: TransferPage): SandboxReply {
  const ids = state.transferOrder.slice(page.from, page.from + page.limit);
  const transfers = ids
    .flatMap((id) => state.transfers.get(id) ?? [])
    .filter(({ createdAt }) => createdAt <= page.endTime);
  // "When a page is full": also when no transfer follows; the next page is then empty.
  const next =
    transfers.length === page.limit ? { [NEXT_KEY]: keyOf({ ...page, from: page.from + page.limit }) } : {};
  return success(
    transfers.map((transfer) => transferView(state, transfer)),
    next,
  );
}

/** The default end is now; the default start is 7 days before the end. */
function firstPage({ state, clock }: Sandbox, { query }: SandboxRequest): TransferPage | SandboxReply {
  const parsed = querySchema.safeParse(query);
  if (!parsed.success) return invalid(faultsOf(parsed.error));
  const { startTime: start, limit } = parsed.data;
  const endMs = parsed.data.endTime ?? Math.max(clock.now(), start ?? 0);
  const startMs = start ?? endMs - LIST_WINDOW_MAX_MS;
  if (endMs < startMs) return invalid(['endTime must not be before startTime']);
  if (endMs - startMs > LIST_WINDOW_MAX_MS) return refusal(10023);
  return { from: firstSince(state, isoTime(startMs)), endTime: isoTime(endMs), limit };
}

/** The position of the first transfer created at `start` or later. Transfers are in the order of `createdAt`, so a binary search finds it. */
function firstSince(state: State, start: string): number {
  let low = 0;
  let high = state.transferOrder.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const createdAt = state.transfers.get(state.transferOrder[middle] ?? '')?.createdAt ?? '';
    if (createdAt < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keyOf(page: TransferPage): string {
  return Buffer.from(JSON.stringify(page)).toString('base64url');
}

/** A key alone is enough: it carries the window and the limit of the first page. A limit in the query wins. */
function nextPage(key: string, limit: number | null): TransferPage | SandboxReply {
  const page = pageOfKey(key);
  return isAnswer(page) || limit === null ? page : { ...page, limit };
}

function pageOfKey(key: string): TransferPage | SandboxReply {
  try {
    return pageSchema.parse(JSON.parse(Buffer.from(key, 'base64url').toString()));
  } catch {
    // The key is not ours, cut or edited: in each case the caller has only one thing to change.
    return invalid([`${NEXT_KEY} must be the value of an earlier page`]);
  }
}

// A transfer as the service shows it: the same object from create, both reads, the list and webhooks.

/** The quotation from which a transfer was created; a missing one is a bug. */
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

// The fields of `deliveryMethodInfo` that the interface names, unset: a transfer shows each of them, null where none was sent.

const DELIVERY_FIELDS = {
  bankAccountHolderFullName: null,
  bankAccountNumber: null,
  bankAccountSwiftCode: null,
  msisdn: null,
  email: null,
  cardNumber: null,
} as const;
