// Before a batch goes on, its held rows are looked at once: some have ended by themselves.
import { lookAtHeld } from '../delivery/look-at-held.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { applyVerdict } from '../payouts/apply-verdict.ts';
import { batchRows } from '../results/batch-rows.ts';
import type { Paydrop } from './compose.ts';
import { deliveryTools } from './pay-batch.ts';

export async function lookAtHeldRows(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { ledger } = paydrop;
  if (((await ledger.stageCounts(batch.id)).get('held') ?? 0) === 0) return;
  const tools = deliveryTools(paydrop, batch);
  for await (const row of batchRows(ledger, batch.id)) {
    const { payout, progress } = row;
    if (progress.stage !== 'held' || payout === null) continue;
    const due = { fileId: batch.fileId, row: { ...row, payout }, isOwnRecord: false, mustLook: true };
    const verdict = await lookAtHeld(due, tools);
    if (verdict === null) continue;
    const moved = { ...applyVerdict(progress, verdict), heldCode: null };
    await ledger.record(row, {
      progress: moved,
      dueAt: 0,
      keepClaim: false,
      event: 'found ended while held',
    });
  }
}
