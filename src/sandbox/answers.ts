// The forms of an answer of the service. Every error has a JSON body with a numeric `errorCode` and a `message` (interface: Errors).
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { z } from 'zod';

import type { Clock } from '../base/clock.ts';
import { ExactNumber, parseExactJson } from '../base/exact-json.ts';
import { ERROR_CODES, type ErrorCode } from '../service/wire.ts';
import type { SandboxFault } from './faults.ts';

export type SandboxReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The error code of an error body, for the log; null for a success. */
  readonly errorCode: ErrorCode | null;
  readonly body: string;
};

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** The classes of the interface: 400 for a request that is wrong, 403 for the key, 500 for a business rule. */
const STATUS_OF_OTHERS = 500;
const STATUS_OF: Readonly<Partial<Record<ErrorCode, number>>> = { 10001: 400, 10006: 403 };

/** A success with a JSON body. The interface gives no other number than 200 for any success. */
export function success(value: unknown, headers: Readonly<Record<string, string>> = {}): SandboxReply {
  return { status: 200, headers: { ...JSON_TYPE, ...headers }, errorCode: null, body: JSON.stringify(value) };
}

/** HTTP 200 with an empty body (interface: POST /transfers/{id}/confirm). */
export const emptySuccess: SandboxReply = { status: 200, headers: {}, errorCode: null, body: '' };

/** A no with its code, under the HTTP status of its class unless another is given. */
export function refusal(
  errorCode: ErrorCode,
  message: string | readonly string[] = ERROR_CODES[errorCode],
  status: number = STATUS_OF[errorCode] ?? STATUS_OF_OTHERS,
): SandboxReply {
  return { status, headers: JSON_TYPE, errorCode, body: JSON.stringify({ errorCode, message }) };
}

/** HTTP 400 with 10001: one sentence an offending field, each beginning with the field's name. */
export function invalid(faults: readonly string[]): SandboxReply {
  return refusal(10001, faults);
}

/** For every path that the interface does not have. The interface shows no status for it; 404 says it plainly. */
export const unknownResource: SandboxReply = refusal(10001, 'There is no such resource', 404);

/** True for an answer that ends the work early, in functions that return either a value or the reason why there is none. */
export function isAnswer(value: object): value is SandboxReply {
  return 'status' in value && 'headers' in value && 'body' in value;
}

// Puts an answer, or a fault instead of one, on the wire. It writes to the socket directly: a fault needs the socket anyway, and a quick sandbox
// needs no Response object in between.

/** Writes an answer. `Date` is the sandbox's own clock, by which quotations expire. */
export function writeAnswer(
  clock: Clock,
  outgoing: ServerResponse,
  { status, headers, body }: SandboxReply,
): void {
  outgoing.writeHead(status, {
    date: new Date(clock.now()).toUTCString(),
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  outgoing.end(body);
}

/** Closes the connection without a word. */
export function dropConnection(incoming: IncomingMessage): Response {
  incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Resets the connection, as a crashed machine or a firewall does. */
export function resetConnection(incoming: IncomingMessage): Response {
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

/** Writes the response that a proxy in between would give in the service's place. */
export function writeFault(
  clock: Clock,
  fault: SandboxFault,
  { incoming, outgoing }: HttpBindings,
): Response {
  if (fault.fault === 'throttle') writeAnswer(clock, outgoing, throttled(fault.retryAfterSeconds));
  else if (fault.fault === 'html') writeAnswer(clock, outgoing, gatewayPage(fault.status));
  else return dropConnection(incoming);
  return RESPONSE_ALREADY_SENT;
}

function throttled(seconds: number): SandboxReply {
  const headers = { 'content-type': 'text/plain', 'retry-after': String(seconds) };
  return { status: 429, headers, errorCode: null, body: 'Too many requests' };
}

function gatewayPage(status: number): SandboxReply {
  const body = `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>gateway</body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, errorCode: null, body };
}

// Reads a JSON body and reports its faults field by field, as the interface's validation errors do.

export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object in a body, its numbers exact; else the answer that says that there is none. */
export function readJsonObject(body: Uint8Array): { readonly json: JsonObject } | SandboxReply {
  try {
    const json = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return isObject(json) ? { json } : invalid(['body must be a JSON object']);
  } catch {
    // Broken UTF-8, broken JSON and JSON nested too deeply for the parser are all the caller's mistake.
    return invalid(['body must be a JSON object in UTF-8']);
  }
}

/** One sentence for each offending field, beginning with its name. */
export function faultsOf(error: z.ZodError): readonly string[] {
  return error.issues.map(({ path, message }) => [path.join('.') || 'body', message].join(' '));
}

function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
