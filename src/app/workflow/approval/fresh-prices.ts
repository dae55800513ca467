// Real prices for every row of a batch that would be sent: a sum of prices that nobody can pay any more is no sum to approve.
import { requote } from '../../../delivery/quote.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { mayCreate } from '../../../delivery/time-left.ts';
import type { RowRecord } from '../../../ledger/records.ts';
import { applyVerdict } from '../../../payouts/verdict.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { carryRows } from '../send/pay-batch.ts';
import { describeFault, waitForService } from '../../parts/wait-for-service.ts';
import type { Work } from '../work.ts';

/** Asks for the prices that are missing or over. `done` once every row has one. */
export async function freshPrices(work: Work): Promise<RunEnd> {
  const { paydrop, batch, control } = work;
  const now = await serviceNow(work);
  if (typeof now !== 'number') return now;
  await giveUpOld(work, now);
  await paydrop.ledger.makeDue(batch.id);
  return carryRows(paydrop, batch, 'priced', control);
}

/** The service's own time, which decides what is over; how the run ends where it cannot be had. */
async function serviceNow({ paydrop, control }: Work): Promise<number | RunEnd> {
  const { service, serviceClock, clock } = paydrop;
  const known = serviceClock.latestNow();
  if (known !== null) return known;
  const asked = await waitForService(paydrop, control, () => serviceClock.ask(() => service.balances()));
  if ('fault' in asked) return { kind: describeFault(asked.fault).for };
  // A service that tells no time is believed to have ours.
  return serviceClock.latestNow() ?? clock.now();
}

async function giveUpOld({ paydrop: { ledger }, batch }: Work, now: number): Promise<void> {
  for await (const row of batchRows(ledger, batch.id)) {
    if (!isOver(row, now)) continue;
    const progress = applyVerdict(row.progress, requote(row.progress));
    await ledger.record(row, { progress, dueAt: 0, keepClaim: false, event: 'price given up: too old' });
  }
}

/** A create that got no answer may have used the price: that row is looked at before it is sent. */
function isOver({ progress }: RowRecord, now: number): boolean {
  const { lookedBy, price } = progress;
  return stageOrHeld(progress) === 'quoted' && lookedBy !== null && price !== null && !mayCreate(price, now);
}
