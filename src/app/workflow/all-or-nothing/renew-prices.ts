// Gives up prices that were got too early to last until the whole file is confirmed: a transfer inherits the end of its quotation.
import { requote } from '../../../delivery/quote.ts';
import { expiryOf, isAged } from '../../../delivery/time-left.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { applyVerdict } from '../../../payouts/verdict.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { Paydrop } from '../../parts.ts';

/** To be called before the first transfer is created, with the time that the file needs from then on. */
export async function renewPrices(
  { ledger, serviceClock }: Paydrop,
  batch: BatchRecord,
  neededMs: number,
): Promise<void> {
  const now = serviceClock.latestNow();
  if (now === null) return;
  for await (const row of batchRows(ledger, batch.id)) {
    if (!isTooOld(row, now, neededMs)) continue;
    const progress = applyVerdict(row.progress, requote(row.progress));
    await ledger.record(row, { progress, dueAt: 0, keepClaim: false, event: 'price given up: too old' });
  }
}

/** A create that got no answer may have used the price: that row is looked at first. */
function isTooOld({ progress }: RowRecord, now: number, neededMs: number): boolean {
  const { lookedBy, price } = progress;
  if (stageOrHeld(progress) !== 'quoted' || lookedBy === null || price === null) return false;
  const expiry = expiryOf(price);
  return isAged(price, now) || (expiry !== null && expiry < now + neededMs);
}
