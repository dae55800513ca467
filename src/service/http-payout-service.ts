// The payout service over HTTP: each endpoint of the interface in a few lines.
import { backoffMs, type Clock } from '../base/clock.ts';
import { exactNumber, type ExactNumber } from '../base/exact-json.ts';
import {
  OPERATIONS,
  Refused,
  Unanswered,
  Unavailable,
  isFault,
  type Fault,
  type FaultContext,
  type Operation,
} from './errors.ts';
import type {
  Answer,
  Attachment,
  CorridorFilter,
  PayoutService,
  QuotationRequest,
  TransferListQuery,
  TransferRequest,
} from './payout-service.ts';
import { readAnswer, type Expected } from './read-answer.ts';
import { Cut, NotSent, type ServiceRequest, type Transport } from './transport.ts';
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
  // An empty one leads nowhere either.
  const nextPage = headers.get('x-next-key') ?? '';
  return { value: { transfers: value, nextKey: nextPage === '' ? null : nextPage }, serverTime };
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

// One request of the interface, from its parts to an answer or a fault: headers, deadline, the tries of a read.

type SendOptions = {
  readonly transport: Transport;
  /** The key of the organization; sent in `x-api-key` to the service's own origin and nowhere else. */
  readonly apiKey: string;
  /** The deadline of one try. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Hears how each try ended: with a fault, or with an answer (null). */
  readonly onEnd?: (fault: Fault | null) => void;
};

type Call<T> = {
  readonly operation: Operation;
  readonly method: ServiceRequest['method'];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly contentType: string; readonly bytes: Uint8Array };
  readonly expected: Expected<T>;
};

/** The value together with the response headers, for the one endpoint whose answer is partly there (`x-next-key`). */
type SentRequest<T> = Answer<T> & { readonly headers: ReadonlyMap<string, string> };

/** Makes the call. Throws `Refused`, `Unavailable` or `Unanswered`. */
async function send<T>(options: SendOptions, call: Call<T>): Promise<SentRequest<T>> {
  const request = requestOf(options, call);
  for (let tries = 1; ; tries++) {
    let fault: Fault;
    try {
      const response = await options.transport(request);
      const answer = readAnswer(call.operation, response, call.expected, options.clock.now());
      if (!isFault(answer)) {
        options.onEnd?.(null);
        return { value: answer.value, serverTime: answer.serverTime, headers: response.headers };
      }
      fault = answer;
    } catch (error) {
      fault = transportFault(error, call.operation);
    }
    options.onEnd?.(fault);
    const decision = retryDecision(fault, tries, options.clock.random());
    if (!decision.again) throw fault;
    await options.clock.sleep(decision.afterMs);
  }
}

function requestOf<T>({ apiKey, timeoutMs }: SendOptions, call: Call<T>): ServiceRequest {
  const { operation, method, path, body } = call;
  const headers: Record<string, string> = { accept: 'application/json', 'x-api-key': apiKey };
  if (body !== undefined) headers['content-type'] = body.contentType;
  if (call.headers !== undefined) Object.assign(headers, call.headers);
  return { operation, method, path, headers, body: body?.bytes ?? null, timeoutMs };
}

function transportFault(error: unknown, operation: Operation): Fault {
  const base: FaultContext = { operation, httpStatus: null, serverTime: null, retryAfterMs: null };
  if (error instanceof NotSent)
    return new Unavailable('unreachable', { ...base, networkCause: error.networkCause });
  if (!(error instanceof Cut)) throw error;
  const context: FaultContext = { ...base, networkCause: error.reason === 'timeout' ? 'late' : 'broken' };
  // A read that got no response has done nothing. The same cut on a mutation leaves its outcome open.
  if (OPERATIONS[operation] === 'read' && error.reason !== 'timeout')
    return new Unavailable('unreachable', context);
  return new Unanswered(error.reason === 'too-large' ? 'malformed' : error.reason, context);
}

// Decides, as one pure function, whether a call is repeated at once. Only reads are: after a mutation without a response, delivery first finds
// out what happened.

type RetryDecision = { readonly again: false } | { readonly again: true; readonly afterMs: number };

/** Three tries survive a dropped keep-alive socket or one bad moment; for longer outages the caller waits. */
const TRIES_MOST = 3;

/** A read that must wait longer than this returns to its caller, which has other rows to carry meanwhile. */
const WAIT_MOST_MS = 250;

/** Many rows wait for one page of a list, and nothing can be done without corridors or balances. */
const WAIT_MOST_FOR_MANY_MS = 2_000;
const FOR_MANY: ReadonlySet<Operation> = new Set(['transfers', 'payoutCorridors', 'balances']);

const BACKOFF = { firstMs: 100, mostMs: 1_000 } as const;

/** `tries` is how many were made, this one included; `random` from 0 to 1. */
export function retryDecision(fault: Fault, tries: number, random: number): RetryDecision {
  // The mutation may have been executed: the transport must not repeat it.
  if (OPERATIONS[fault.context.operation] === 'mutation') return { again: false };
  // A final refusal stays one.
  if (fault instanceof Refused) return { again: false };
  // A refused key or a redirect is a mistake or an attack; asking again changes nothing.
  if (fault instanceof Unavailable && (fault.reason === 'credentials' || fault.reason === 'redirected'))
    return { again: false };
  // A time-out already took the whole deadline once.
  if (fault instanceof Unanswered && fault.reason === 'timeout') return { again: false };
  if (tries >= TRIES_MOST) return { again: false };
  const afterMs = Math.max(fault.context.retryAfterMs ?? 0, backoffMs(BACKOFF, tries - 1, random));
  const mostMs = FOR_MANY.has(fault.context.operation) ? WAIT_MOST_FOR_MANY_MS : WAIT_MOST_MS;
  return afterMs > mostMs ? { again: false } : { again: true, afterMs };
}
