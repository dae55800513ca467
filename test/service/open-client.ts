// The real client over the real transport; always closed when its test ends.
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { httpPayoutService } from '../../src/service/http-payout-service.ts';
import type { PayoutService } from '../../src/service/payout-service.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import { atEnd } from '../at-end.ts';

export type ClientOptions = {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly connections?: number;
};

/** Waits between the tries of a read take no time here: that they are made, and how often, is what tests ask. */
export const IMPATIENT: Clock = { ...systemClock, sleep: () => Promise.resolve(), random: () => 0.5 };

/** A time limit that no answer of a test reaches by accident, also on a busy machine. */
const TIMEOUT_MS = 10_000;

export function openClient(options: ClientOptions): PayoutService {
  const { transport, close } = undiciTransport(new URL(options.baseUrl), options.connections ?? 4);
  atEnd(close);
  const { apiKey = 'sandbox-key', timeoutMs = TIMEOUT_MS, clock = IMPATIENT } = options;
  return httpPayoutService({ transport, apiKey, timeoutMs, clock });
}
