// Real prices for every row of a batch that would be sent: a sum of prices that nobody can pay any more is no sum to approve.
import { requote } from '../../delivery/requote.ts';
import type { RunEnd } from '../../delivery/runner.ts';
import { mayCreate } from '../../delivery/time-left.ts';
import type { RowRecord } from '../../ledger/records.ts';
import { applyVerdict } from '../../payouts/apply-verdict.ts';
import { batchRows } from '../../results/batch-rows.ts';
import { carryRows } from '../pay-batch.ts';
import type { ApprovalWork } from './approval-work.ts';

/** Asks for the prices that are missing or over. `done` once every row has one. */
export async function freshPrices({ paydrop, batch, control }: ApprovalWork): Promise<RunEnd> {
  const { ledger, serviceClock } = paydrop;
  const now = serviceClock.latestNow();
  for await (const row of batchRows(ledger, batch.id)) {
    if (!isOver(row, now)) continue;
    const progress = applyVerdict(row.progress, requote(row.progress));
    await ledger.record(row, { progress, dueAt: 0, keepClaim: false, event: 'price given up: too old' });
  }
  await ledger.makeDue(batch.id);
  return carryRows(paydrop, batch, 'priced', control);
}

/** A create that got no answer may have used the price: that row is looked at before it is sent. */
function isOver({ progress }: RowRecord, now: number | null): boolean {
  const { stage, unsure, price } = progress;
  if (stage !== 'quoted' || unsure || price === null) return false;
  // A service that was not asked yet has told no time: then the price may be of any age.
  return now === null || !mayCreate(price, now);
}
