// What a step of a row may know besides the row: who takes it, when, and the rules of its batch.
import type { Payout } from '../payouts/payout.ts';
import type { Tenure } from '../payouts/progress.ts';
import { proving } from '../payouts/proof.ts';
import { type Now, PATIENCE } from '../payouts/row-machine/row-state.ts';
import { priceStopOf } from './before-money.ts';
import { type Goal, SENDS_NOTHING } from './goal.ts';
import type { DeliveryTools } from './tools.ts';

type Asked = {
  readonly tenure: Tenure;
  readonly goal: Goal;
  readonly tools: DeliveryTools;
  /** Null for a row that can no longer be read as a payment, and is only looked at. */
  readonly payout: Payout | null;
};

export function nowOf({ tenure, goal, tools, payout }: Asked): Now {
  const { clock, serviceClock, rateControl, reserve, pollEveryMs, doubtSince } = tools;
  const needsDocument = payout !== null && payout.document !== null;
  return {
    local: clock.now(),
    random: clock.random(),
    service: serviceClock.latestNow(),
    ...proving(tenure, doubtSince()),
    terms: {
      needsDocument,
      mayConfirm: goal !== 'reserved',
      areLimited: reserve !== null && !SENDS_NOTHING.has(goal),
      neededMs: rateControl.times.neededMs(needsDocument),
      pollEveryMs,
      priceStop: ({ comparison }, price) =>
        payout === null ? null : priceStopOf({ price, comparison, payout }, tools),
      patience: PATIENCE,
    },
  };
}
