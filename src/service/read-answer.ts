// Reads one response, in the order that keeps money safe: a documented success first, then a documented error; everything else is "we do not
// know". This file is pure; `delivery` has the table of what each code means for a payout.
import type { z } from 'zod';

import { parseExactJson } from '../base/exact-json.ts';
import {
  type Fault,
  type FaultContext,
  OPERATIONS,
  type Operation,
  Refused,
  Unanswered,
  Unavailable,
} from './errors.ts';
import { causeOfAnswer } from './network-cause.ts';
import type { TransportResponse } from './transport.ts';
import { type ErrorBody, errorBodySchema, isErrorCode } from './wire.ts';

/** The service's words are kept up to this length: enough for a list of wrong fields, not for a page of HTML. */
const WORDS_MAX = 500;

/** What is read of a success: JSON of a shape, an empty or `null` body (confirm), or nothing at all (attachment: reply not shown). */
export type Expected<T> = { readonly json: z.ZodType<T> } | { readonly empty: 'or-null' | 'ignored' };

/** The value of an answer, or the fault that it is. `now` is the local time, for a `Retry-After` that names a date. */
export function readAnswer<T>(
  operation: Operation,
  response: TransportResponse,
  expected: Expected<T>,
  now: number,
): { readonly value: T; readonly serverTime: number | null } | Fault {
  const context = contextOf(operation, response, now);
  const body = jsonOf(response.body);
  if (response.status >= 200 && response.status < 300) {
    const value = successOf(expected, body);
    if (value !== NO_SUCCESS) return { value, serverTime: context.serverTime };
  }
  const error = errorBodySchema.safeParse(body.json);
  return error.success ? codedFault(error.data, context) : uncodedFault(context);
}

const NO_SUCCESS = Symbol('not a documented success');

type Body = { readonly isEmpty: boolean; readonly json: unknown };

function successOf<T>(expected: Expected<T>, body: Body): T | typeof NO_SUCCESS {
  if ('empty' in expected) {
    return expected.empty === 'ignored' || body.isEmpty || body.json === null ? (null as T) : NO_SUCCESS;
  }
  const parsed = expected.json.safeParse(body.json);
  return parsed.success ? parsed.data : NO_SUCCESS;
}

function codedFault(error: ErrorBody, context: FaultContext): Fault {
  const { errorCode } = error;
  // 403 is an authentication failure whatever the error code, unless the table lists the code as a business rule.
  if (
    errorCode === 10006 ||
    (context.httpStatus === 403 && (errorCode === 10001 || !isErrorCode(errorCode)))
  ) {
    return new Unavailable('credentials', context);
  }
  if (!isErrorCode(errorCode))
    return uncodedFault(context, 'unknown-code', `code ${String(errorCode)}: ${wordsOf(error)}`);
  // 10001 means both "your request is wrong" (with 400) and "we broke" (with any other status); only the first is a refusal.
  if (errorCode === 10001 && context.httpStatus !== 400) return uncodedFault(context, 'server-error');
  return new Refused(errorCode, wordsOf(error), context);
}

function uncodedFault(
  context: FaultContext,
  reason: 'server-error' | 'unknown-code' | 'malformed' = 'malformed',
  words = '',
): Fault {
  const { operation, httpStatus } = context;
  const status = httpStatus ?? 0;
  if (status === 401 || status === 403) return new Unavailable('credentials', context);
  if (status >= 300 && status < 400) return new Unavailable('redirected', context);
  const isRead = OPERATIONS[operation] === 'read';
  // A proxy may answer 429 or 503 after the request went through, so a mutation is looked up even then.
  if (status === 429)
    return isRead ? new Unavailable('throttled', context) : new Unanswered('throttled', context);
  const said = [`HTTP ${String(status)}`, words].filter((part) => part !== '').join(', ');
  const fault = new Unanswered(
    status >= 500 && reason === 'malformed' ? 'server-error' : reason,
    context,
    said,
  );
  return isRead && !fault.isOdd ? new Unavailable('overloaded', context) : fault;
}

function wordsOf({ message }: ErrorBody): string {
  const parts: readonly unknown[] = Array.isArray(message) ? message : [message];
  const words = parts.filter((part) => typeof part === 'string').join('; ');
  // Control characters in somebody else's text could rewrite a terminal or break a CSV line.
  return words.replace(/\p{Cc}+/gu, ' ').slice(0, WORDS_MAX);
}

function contextOf(operation: Operation, response: TransportResponse, now: number): FaultContext {
  const networkCause = causeOfAnswer(response);
  return {
    operation,
    httpStatus: response.status,
    serverTime: serverTimeOf(response.headers.get('date')),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
    ...(networkCause === null ? {} : { networkCause }),
  };
}

/** The last header and its time: all responses of one second carry the same header. */
let lastDate: { readonly header: string; readonly ms: number | null } = { header: '', ms: null };

function serverTimeOf(header = ''): number | null {
  if (header === lastDate.header) return lastDate.ms;
  const ms = Date.parse(header);
  lastDate = { header, ms: Number.isNaN(ms) ? null : ms };
  return lastDate.ms;
}

const UTF_8 = new TextDecoder();

function jsonOf(bytes: Uint8Array): Body {
  const text = UTF_8.decode(bytes);
  if (text.trim() === '') return { isEmpty: true, json: undefined };
  try {
    return { isEmpty: false, json: parseExactJson(text) };
  } catch (error) {
    // A body that is not JSON (a proxy's HTML, a cut body) is read as "no usable body".
    if (error instanceof SyntaxError) return { isEmpty: false, json: undefined };
    throw error;
  }
}

// The `Retry-After` header: seconds or an HTTP date, sometimes absurd. It is obeyed up to a bound.

/** One header makes nobody wait longer than this; then we ask again. */
const LONGEST_MS = 5 * 60_000;

const HTTP_DATE = /^[A-Z][a-z]+, /;

/** Milliseconds to wait, between 0 and five minutes; null when the header is missing or means nothing. `now` in ms since 1970. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  // Date.parse makes dates of nearly anything; only the HTTP form is one.
  const ms = HTTP_DATE.test(text) ? Date.parse(text) - now : NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}
