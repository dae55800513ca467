// HTTP around the answers: the key, the limits of a body, latency, and the requested faults. Everything that can be wrong with the HTTP of a
// request is decided here, so that no answer deals with sockets.
import type { IncomingMessage } from 'node:http';

import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';

import type { Log } from '../base/log.ts';
import {
  type SandboxReply,
  dropConnection,
  invalid,
  refusal,
  resetConnection,
  unknownResource,
  writeAnswer,
  writeFault,
} from './answers.ts';
import type { SandboxFault, FaultPlan } from './faults.ts';
import { ROUTES, type SandboxRoute } from './routes.ts';
import type { Sandbox, SandboxRequest } from './state.ts';

type Service = {
  readonly sandbox: Sandbox;
  /** The key that is valid at this moment. */
  readonly key: () => string;
  readonly faults: FaultPlan;
  readonly latencyMs: number;
  readonly log: Log;
  /** Does everything that the network has due by now. */
  readonly catchUp: () => void;
  /** Fires when the sandbox closes: a request that still waits is then dropped undone. */
  readonly closing: AbortSignal;
};

type HttpContext = Context<{ Bindings: HttpBindings }>;

/** The interface does not show the maximum size of an attachment; 10 MB takes any scanned contract. */
const ATTACHMENT_BYTES_MAX = 10 * 1024 * 1024;
/** A transfer's request is about 1 kB. */
const JSON_BYTES_MAX = 1024 * 1024;

/** The router over all routes. */
export function serve(service: Service): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  for (const route of ROUTES) app.on(route.method, route.path, (context) => respond(service, route, context));
  app.notFound((context) => respond(service, NOT_FOUND, context));
  return app;
}

type AnyRoute = Pick<SandboxRoute, 'operation' | 'answer' | 'idPrefix'> &
  Partial<Pick<SandboxRoute, 'method'>>;
const NOT_FOUND: AnyRoute = { operation: null, answer: () => unknownResource };

async function respond(service: Service, route: AnyRoute, context: HttpContext): Promise<Response> {
  const { incoming, outgoing } = context.env;
  const fault = route.operation === null ? null : service.faults.onCall(route.operation);
  if (fault?.fault === 'reset') return resetConnection(incoming);
  const body = await readBody(incoming, bytesMaxOf(route));
  if (body === 'gone' || (await isClosedMeanwhile(service, fault))) return dropConnection(incoming);
  if (fault !== null && isBeforeActing(fault)) return writeFault(service.sandbox.clock, fault, context.env);
  const answer = answerTo(service, route, body, context);
  logAnswer(service.log, route, answer);
  if (fault?.fault === 'drop-answer') return dropConnection(incoming);
  if (fault?.fault === 'html') return writeFault(service.sandbox.clock, fault, context.env);
  writeAnswer(service.sandbox.clock, outgoing, fault?.fault === 'cut' ? cutInHalf(answer) : answer);
  return RESPONSE_ALREADY_SENT;
}

/** Waits for the latency and a delaying fault. */
async function isClosedMeanwhile(service: Service, fault: SandboxFault | null): Promise<boolean> {
  const waitMs = service.latencyMs + (fault?.fault === 'delay' ? fault.delayMs : 0);
  if (waitMs > 0) await service.sandbox.clock.sleep(waitMs, service.closing);
  return service.closing.aborted;
}

function isBeforeActing(fault: SandboxFault): boolean {
  return fault.fault === 'drop' || fault.fault === 'throttle' || (fault.fault === 'html' && !fault.acts);
}

function answerTo(
  { sandbox, key, log, catchUp }: Service,
  route: AnyRoute,
  body: Uint8Array | 'too-large',
  context: HttpContext,
): SandboxReply {
  // The interface does not tell a missing key from a wrong one.
  if (context.req.header('x-api-key') !== key()) return refusal(10006);
  if (body === 'too-large') return invalid([`body must have at most ${bytesMaxOf(route)} bytes`]);
  try {
    catchUp();
    return route.answer(sandbox, requestOf(route, context, body));
  } catch (error) {
    log.error('unexpected error', { reason: error instanceof Error ? error.name : 'unknown' });
    return refusal(10001, 'Unexpected server error', 500);
  }
}

function requestOf({ idPrefix = '' }: AnyRoute, { req }: HttpContext, body: Uint8Array): SandboxRequest {
  return {
    id: (req.param('id') ?? '').slice(idPrefix.length),
    query: req.query(),
    header: (name) => req.header(name),
    body,
  };
}

function bytesMaxOf({ method }: AnyRoute): number {
  return method === 'PUT' ? ATTACHMENT_BYTES_MAX : JSON_BYTES_MAX;
}

function cutInHalf(answer: SandboxReply): SandboxReply {
  return { ...answer, body: answer.body.slice(0, Math.ceil(answer.body.length / 2)) };
}

function logAnswer(log: Log, { operation }: AnyRoute, { status, errorCode }: SandboxReply): void {
  log.debug('request', {
    operation: operation ?? 'control',
    httpStatus: status,
    ...(errorCode === null ? {} : { errorCode }),
  });
}

// Reads the body of a request within a limit. A body that is too long is read to its end and discarded: a client that still writes would
// otherwise see a broken connection instead of the answer.

/** A client that sends this much beyond any limit does not listen. */
const DISCARD_BYTES_MAX = 64 * 1024 * 1024;

/** The whole body, `too-large`, or `gone` when the client went away before its end. */
async function readBody(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<Uint8Array | 'too-large' | 'gone'> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > DISCARD_BYTES_MAX) return 'gone';
      if (bytes <= bytesMax) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch {
    // Only the connection can fail here, and then nobody is left to tell.
    return 'gone';
  }
  if (bytes > bytesMax) return 'too-large';
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
