// The payout service over HTTP: each endpoint of the interface in a few lines.
import { exactNumber, type ExactNumber } from '../base/exact-json.ts';
import type { Operation } from './errors.ts';
import type {
  Attachment,
  CorridorFilter,
  PayoutService,
  QuotationRequest,
  TransferListQuery,
  TransferRequest,
} from './payout-service.ts';
import { send, type Call, type SendOptions } from './send.ts';
import { balancesSchema, listOf, payoutCorridorSchema, quotationSchema, transferSchema } from './wire.ts';

const CORRIDORS = { json: listOf(payoutCorridorSchema) };
const QUOTATION = { json: quotationSchema };
const TRANSFER = { json: transferSchema };
const TRANSFERS = { json: listOf(transferSchema) };
const BALANCES = { json: balancesSchema };

/** A client of the service at the transport's address, speaking with this key. */
export function httpPayoutService(options: SendOptions): PayoutService {
  const get = <T>(operation: Operation, path: string, expected: Call<T>['expected']) =>
    send(options, { operation, method: 'GET', path, expected });
  const post = <T>(operation: Operation, path: string, body: object, expected: Call<T>['expected']) =>
    send(options, { operation, method: 'POST', path, body: json(body), expected });

  return {
    payoutCorridors: (filter: CorridorFilter = {}) =>
      get('payoutCorridors', `/payout-corridors${query(filter)}`, CORRIDORS),
    createQuotation: (request) => post('createQuotation', '/rates', withExactAmount(request), QUOTATION),
    quotation: (id) => get('quotation', `/rates/${encodeURIComponent(id)}`, QUOTATION),
    quotationByExternalId: (externalId) =>
      get('quotationByExternalId', `/rates/ext-${encodeURIComponent(externalId)}`, QUOTATION),
    createTransfer: (request: TransferRequest) => post('createTransfer', '/transfers', request, TRANSFER),
    transfer: (id) => get('transfer', `/transfers/${encodeURIComponent(id)}`, TRANSFER),
    transferByExternalId: (externalId) =>
      get('transferByExternalId', `/transfers/ext-${encodeURIComponent(externalId)}`, TRANSFER),
    transfers: (list) => listTransfers(options, list),
    uploadAttachment: (transferId, attachment) => uploadAttachment(options, transferId, attachment),
    confirmTransfer: (transferId) =>
      send(options, {
        operation: 'confirmTransfer',
        method: 'POST',
        path: `/transfers/${encodeURIComponent(transferId)}/confirm`,
        // The interface: HTTP 200 with an empty (null) body.
        expected: { empty: 'or-null' },
      }),
    balances: () => get('balances', '/public/balances', BALANCES),
  };
}

async function listTransfers(options: SendOptions, { nextKey, ...filter }: TransferListQuery) {
  const { value, serverTime, headers } = await send(options, {
    operation: 'transfers',
    method: 'GET',
    path: `/transfers${query(filter)}`,
    headers: nextKey === undefined ? {} : { 'x-next-key': nextKey },
    expected: TRANSFERS,
  });
  return { value: { transfers: value, nextKey: headers.get('x-next-key') ?? null }, serverTime };
}

function uploadAttachment(options: SendOptions, transferId: string, { contentType, bytes }: Attachment) {
  return send<null>(options, {
    operation: 'uploadAttachment',
    method: 'PUT',
    path: `/transfers/${encodeURIComponent(transferId)}/attachment`,
    body: { contentType, bytes },
    // The interface does not show the reply to an upload: any 2xx means that it was taken.
    expected: { empty: 'ignored' },
  });
}

function json(body: object): { contentType: string; bytes: Uint8Array } {
  return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body)) };
}

/** The amount as a JSON number with exactly the digits asked for. */
function withExactAmount(request: QuotationRequest): object {
  const amount: Record<string, ExactNumber> =
    request.mode === 'SOURCE_AMOUNT'
      ? { sourceAmount: exactNumber(request.sourceAmount) }
      : { destinationAmount: exactNumber(request.destinationAmount) };
  return { ...request, ...amount };
}

function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}
