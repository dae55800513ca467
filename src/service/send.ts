// One request of the interface, from its parts to an answer or a fault: headers, deadline, the tries of a read.
import type { Clock } from '../base/clock.ts';
import {
  OPERATIONS,
  Unanswered,
  Unavailable,
  isFault,
  type Fault,
  type FaultContext,
  type Operation,
} from './errors.ts';
import type { Answer } from './payout-service.ts';
import { readAnswer, type Expected } from './read-answer.ts';
import { retryDecision } from './retry-decision.ts';
import { Cut, NotSent, type Transport, type TransportRequest } from './transport.ts';

export type SendOptions = {
  readonly transport: Transport;
  /** The key of the organization; sent in `x-api-key` to the service's own origin and nowhere else. */
  readonly apiKey: string;
  /** The deadline of one try. */
  readonly timeoutMs: number;
  readonly clock: Clock;
};

export type Call<T> = {
  readonly operation: Operation;
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly contentType: string; readonly bytes: Uint8Array };
  readonly expected: Expected<T>;
};

/** The value together with the response headers, for the one endpoint whose answer is partly there (`x-next-key`). */
export type Sent<T> = Answer<T> & { readonly headers: ReadonlyMap<string, string> };

/** Makes the call. Throws `Refused`, `Unavailable` or `Unanswered`. */
export async function send<T>(options: SendOptions, call: Call<T>): Promise<Sent<T>> {
  for (let tries = 1; ; tries++) {
    const result = await tryOnce(options, call);
    if (!isFault(result)) return result;
    const decision = retryDecision(result, tries, options.clock.random());
    if (!decision.again) throw result;
    await options.clock.sleep(decision.afterMs);
  }
}

async function tryOnce<T>(options: SendOptions, call: Call<T>): Promise<Sent<T> | Fault> {
  try {
    const response = await options.transport(requestOf(options, call));
    const answer = readAnswer(call.operation, response, call.expected, options.clock.now());
    return isFault(answer) ? answer : { ...answer, headers: response.headers };
  } catch (error) {
    return transportFault(error, call.operation);
  }
}

function requestOf<T>({ apiKey, timeoutMs }: SendOptions, call: Call<T>): TransportRequest {
  const contentType = call.body === undefined ? {} : { 'content-type': call.body.contentType };
  return {
    method: call.method,
    path: call.path,
    headers: { accept: 'application/json', 'x-api-key': apiKey, ...contentType, ...call.headers },
    body: call.body?.bytes ?? null,
    timeoutMs,
  };
}

function transportFault(error: unknown, operation: Operation): Fault {
  const context: FaultContext = { operation, httpStatus: null, serverTime: null, retryAfterMs: null };
  if (error instanceof NotSent) return new Unavailable('unreachable', context);
  if (!(error instanceof Cut)) throw error;
  // A read without an answer has done nothing; the same cut on a mutation leaves everything open.
  if (OPERATIONS[operation] === 'read' && error.reason !== 'timeout')
    return new Unavailable('unreachable', context);
  return new Unanswered(error.reason === 'too-large' ? 'malformed' : error.reason, context);
}
