// Putting an answer, or a fault instead of one, on the wire. Written to the socket directly, because a fault needs the socket anyway and a
// quick sandbox needs no Response object in between.
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

import type { Clock } from '../base/clock.ts';
import type { Answer } from './answers.ts';
import type { Fault } from './faults.ts';

/** Writes an answer. `Date` is the sandbox's own clock, by which quotations expire. */
export function writeAnswer(clock: Clock, outgoing: ServerResponse, { status, headers, body }: Answer): void {
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

/** Writes what a proxy in between would say in the service's place. */
export function writeFault(clock: Clock, fault: Fault, { incoming, outgoing }: HttpBindings): Response {
  if (fault.fault === 'throttle') writeAnswer(clock, outgoing, throttled(fault.retryAfterSeconds));
  else if (fault.fault === 'html') writeAnswer(clock, outgoing, gatewayPage(fault.status));
  else return dropConnection(incoming);
  return RESPONSE_ALREADY_SENT;
}

function throttled(seconds: number): Answer {
  const headers = { 'content-type': 'text/plain', 'retry-after': String(seconds) };
  return { status: 429, headers, errorCode: null, body: 'Too many requests' };
}

function gatewayPage(status: number): Answer {
  const body = `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>gateway</body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, errorCode: null, body };
}
