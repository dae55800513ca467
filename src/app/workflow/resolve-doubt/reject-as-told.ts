// A row of a lost ledger that cannot be read as a payment, and of which nothing is seen: its file's acknowledgement tells whether it was wrong from
// the start. What was wrong then was never sent; what was right then may have been, before the settings or the corridors changed.
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { acknowledged, requestedIn } from '../check/acknowledge.ts';
import type { Paydrop } from '../../parts.ts';
import { isUnseenRow } from './held-unseen.ts';

/** Rejects those at once where the rows that can be read now are as many, and ask for as much, as those that its owner was told of. */
export async function rejectAsTold(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { ledger } = paydrop;
  const told = (await acknowledged(paydrop, batch))?.totals;
  if (told === undefined || inOrder(told) !== inOrder(await requestedIn(paydrop, batch.id))) return;
  for await (const row of batchRows(ledger, batch.id)) {
    if (row.payout !== null || !isUnseenRow(row)) continue;
    const progress = { ...row.progress, hold: null, stage: 'rejected', lookedBy: ledger.run } as const;
    await ledger.record(row, { progress, dueAt: null, keepClaim: false, event: 'rejected before' });
  }
}

function inOrder(totals: Awaited<ReturnType<typeof requestedIn>>): string {
  const lines = totals.map(({ currency, rows, amount }) => [currency, rows, amount].join(' '));
  return lines.toSorted().join();
}
