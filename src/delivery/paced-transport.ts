// Every call passes here, with each of its tries: it waits for its turn, and what came of it decides the rate of those that follow.
import type { Clock } from '../base/clock.ts';
import { isErrorCode } from '../service/wire.ts';
import { retryAfterMs } from '../service/read-answer.ts';
import {
  Cut,
  NotSent,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../service/transport.ts';
import type { CallKind } from './adaptive-rate.ts';
import type { RateControl } from './rate-control.ts';

/** The statuses of a key that is refused: they say nothing of how the service is. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);

export function pacedTransport(transport: Transport, rateControl: RateControl, clock: Clock): Transport {
  return async (request) => {
    const kind = kindOf(request);
    if (!(await rateControl.turn(kind))) throw new NotSent('the service refused the key');
    const sentAt = clock.monotonic();
    try {
      const response = await transport(request);
      hear(rateControl, request, response, { kind, sentAt, now: clock.now() });
      return response;
    } catch (error) {
      if (error instanceof Cut || error instanceof NotSent) rateControl.heard(kind, 'unanswered', sentAt);
      throw error;
    }
  };
}

type Sent = { readonly kind: CallKind; readonly sentAt: number; readonly now: number };

function hear(
  rateControl: RateControl,
  request: TransportRequest,
  { status, headers, body }: TransportResponse,
  { kind, sentAt, now }: Sent,
): void {
  const wait = retryAfterMs(headers.get('retry-after'), now);
  if (KEY_REFUSED.has(status)) rateControl.refused();
  if (status === 429) rateControl.heard(kind, 'throttled', sentAt, wait);
  else if (isUsable(status, body)) rateControl.answered(kind, sortOf(request), sentAt);
  else rateControl.heard(kind, status === 503 ? 'overloaded' : 'unanswered', sentAt, wait);
}

/** A refusal by the interface is an answer as good as any; a page of a gateway or a fault of the service itself is none. */
function isUsable(status: number, body: Uint8Array): boolean {
  if (status < 300 || KEY_REFUSED.has(status)) return true;
  const code = /"errorCode"\s*:\s*(\d+)/.exec(
    Buffer.from(body.subarray(0, HEAD_BYTES)).toString('latin1'),
  )?.[1];
  if (code === undefined || !isErrorCode(Number(code))) return false;
  return Number(code) !== BROKEN || status === 400;
}

/** The code stands within so many bytes, or not at all. */
const HEAD_BYTES = 1_024;

/** The code of a wrong request, with 400; with anything else, of a fault of the service. */
const BROKEN = 10_001;

function kindOf({ method }: TransportRequest): CallKind {
  return method === 'GET' ? 'read' : 'mutation';
}

/** `POST transfers confirm`: the call without the id that it is about, so that the sorts are few. How long an upload takes depends on its document. */
function sortOf({ method, path }: TransportRequest): string | null {
  if (method === 'PUT') return null;
  const [, first = '', , third = ''] = path.split(/[/?]/);
  return `${method} ${first} ${third}`;
}
