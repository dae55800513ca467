// The program as far as a command asks the service while time stands still: its files are real, so nothing else may happen until they are written.
import { RatesOfBatches } from '../../src/payouts/moved-price.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { LIMIT_NAMES } from '../../src/payouts/limits.ts';
import { toolsOver } from './life-tools.ts';
import type { Life } from './life.ts';
import type { Network } from './network.ts';
import type { Plan } from './plan.ts';
import type { VirtualClock } from './virtual-clock.ts';

export type Asked = Pick<
  Paydrop,
  'service' | 'serviceClock' | 'clock' | 'rateControl' | 'config' | 'callbacks' | 'rates'
>;

export type Asking = (life: Life, clock: VirtualClock) => Asked;

export function askingAtOnce(network: Network, plan: Plan): Asking {
  return (life, clock) => {
    const tools = toolsOver(network.transportAtOnce(life), clock, plan);
    const {
      service,
      serviceClock,
      rateControl,
      pollEveryMs: pollEvery,
      reversalWindowMs: reversalWindow,
    } = tools;
    // As much of the config as a look reads.
    const config = {
      service: { concurrency: plan.concurrency },
      limits: Object.fromEntries(LIMIT_NAMES.map((name) => [name, null])),
      policy: { maxDrift: '1%', approval: 'none', approvalBy: null },
      approvers: [],
      web: { listen: null },
      tracking: { pollEvery, reversalWindow },
    } as unknown as Paydrop['config'];
    return {
      service,
      serviceClock,
      clock,
      rateControl,
      config,
      callbacks: null,
      rates: new RatesOfBatches(),
    };
  };
}
