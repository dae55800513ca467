// What one process pays with: the real client and the real pace, over the network of the schedule and by the clock of the process.
import { pacedTransport } from '../../src/delivery/paced-transport.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';
import { ServiceClock } from '../../src/delivery/service-clock.ts';
import type { DeliveryTools } from '../../src/delivery/tools.ts';
import { httpPayoutService } from '../../src/service/http-payout-service.ts';
import type { Transport } from '../../src/service/transport.ts';
import type { Life } from './life.ts';
import { DOCUMENT } from './make-rows.ts';
import type { Network } from './network.ts';
import type { Plan } from './plan.ts';
import { CALL_TIMEOUT_MS } from './session.ts';
import { CorridorRates } from '../../src/payouts/moved-price.ts';
import type { VirtualClock } from './virtual-clock.ts';

export const API_KEY = 'key-of-the-simulation';

const DAY_MS = 24 * 60 * 60_000;

export function lifeTools(life: Life, clock: VirtualClock, network: Network, plan: Plan): DeliveryTools {
  return toolsOver(
    network.transportOf(life, () => clock.wake()),
    clock,
    plan,
  );
}

export function toolsOver(transport: Transport, clock: VirtualClock, plan: Plan): DeliveryTools {
  const rateControl = new RateControl(clock, { lanes: plan.concurrency, perSecond: Infinity });
  const paced = pacedTransport(transport, rateControl, clock);
  return {
    rateControl,
    reserve: null,
    priceLimits: { feeShare: null, leastRates: null },
    maxDrift: '0.01',
    rates: new CorridorRates(),
    rowAt: () => Promise.resolve(null),
    service: httpPayoutService({ transport: paced, apiKey: API_KEY, timeoutMs: CALL_TIMEOUT_MS, clock }),
    clock,
    serviceClock: new ServiceClock(clock),
    doubtSince: () => null,
    readDocument: () => Promise.resolve(DOCUMENT),
    callbackUrl: null,
    reversalWindowMs: 90 * DAY_MS,
    listLeast: plan.listLeast,
    pollEveryMs: 30_000,
  };
}
