// Counts every try of every call, and how long it took, where it leaves for the network.
import type { Clock } from '../../base/clock.ts';
import type { Transport } from '../../service/transport.ts';
import type { CallStatus, Meter } from './meter.ts';
import { routeOf } from './route-of.ts';

export function meteredTransport(transport: Transport, meter: Meter, clock: Clock): Transport {
  return async (request) => {
    const startedAt = clock.monotonic();
    const count = (status: CallStatus): void =>
      meter.call(routeOf(request), status, (clock.monotonic() - startedAt) / 1_000);
    try {
      const response = await transport(request);
      count(classOf(response.status));
      return response;
    } catch (error) {
      count('none');
      throw error;
    }
  };
}

function classOf(status: number): CallStatus {
  if (status === 429) return '429';
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}
