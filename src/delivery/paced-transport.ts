// Every call passes here, with each of its tries: it waits for its turn, and what came of it decides the pace of those that follow.
import type { Clock } from '../base/clock.ts';
import { retryAfterMs } from '../service/retry-after.ts';
import { Cut, NotSent, type Transport, type TransportRequest } from '../service/transport.ts';
import type { Pacer } from './pacer.ts';

/** The statuses by which a server or a proxy says that it is too much. */
const BUSY = { 429: 'throttled', 503: 'overloaded' } as const;

/** The statuses of a key that is refused. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);

export function pacedTransport(transport: Transport, pacer: Pacer, clock: Clock): Transport {
  return async (request) => {
    if (!(await pacer.turn())) throw new NotSent('the service asked for quiet, or refused the key');
    const sentAt = clock.monotonic();
    try {
      const response = await transport(request);
      const { status, headers } = response;
      if (KEY_REFUSED.has(status)) pacer.refused();
      if (isBusy(status))
        pacer.busy(BUSY[status], sentAt, retryAfterMs(headers.get('retry-after'), clock.now()));
      else answered(pacer, request, sentAt);
      return response;
    } catch (error) {
      // A deadline that ran out is the slowest answer of all; a broken connection says nothing of the pace.
      if (error instanceof Cut && error.reason === 'timeout') answered(pacer, request, sentAt);
      throw error;
    }
  };
}

function isBusy(status: number): status is keyof typeof BUSY {
  return status in BUSY;
}

function answered(pacer: Pacer, request: TransportRequest, sentAt: number): void {
  // How long an upload takes depends on its document.
  if (request.method !== 'PUT') pacer.answered(kindOf(request), sentAt);
}

/** `POST transfers confirm`: the call without the id that it is about, so that the kinds are few. */
function kindOf({ method, path }: TransportRequest): string {
  const [, first = '', , third = ''] = path.split(/[/?]/);
  return `${method} ${first} ${third}`;
}
