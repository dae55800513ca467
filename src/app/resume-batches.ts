// `resume`: goes on with everything that is not finished, also after a kill.
import { isOtherRunHere } from '../ledger/open-ledger.ts';
import { summarize } from '../results/summary.ts';
import { discardTaken } from '../inbox/take-file.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { assertLedgerKnowsAll } from './known-batches.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from './compose.ts';
import { carryBatch } from './process-batch.ts';
import type { RunControl } from './run-options.ts';

/** Goes on with one batch, or with all. Null when there is no batch of that name. */
export async function resumeBatches(
  paydrop: Paydrop,
  id: string | null,
  control: RunControl,
): Promise<readonly BatchResult[] | null> {
  await assertLedgerKnowsAll(paydrop);
  const batches = (await paydrop.ledger.batches()).filter((batch) => id === null || batch.id === id);
  if (id !== null && batches.length === 0) return null;
  const results: BatchResult[] = [];
  for (const batch of batches.filter(isOpen)) {
    const result = await resumeOne(paydrop, batch, control);
    if (result !== null) results.push(result);
  }
  return results;
}

function isOpen({ state }: BatchRecord): boolean {
  return state !== 'closed' && state !== 'refused';
}

async function resumeOne(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
): Promise<BatchResult | null> {
  const { ledger } = paydrop;
  // Until it is being paid a batch is one process' business; that one finishes it, or leaves it to the next resume.
  if (batch.state !== 'paying' && isOtherRunHere(batch.takenBy, ledger.run)) return underWay(paydrop, batch);
  // Killed while its files were being copied: nothing was sent, and the original still lies where it was.
  if (batch.state === 'taking') {
    await discardTaken(batch.id, paydrop.workspace);
    await ledger.dropBatch(batch.id);
    return null;
  }
  await ledger.changeBatch(batch.id, { paused: false, takenBy: ledger.run });
  return carryBatch(paydrop, { ...batch, paused: false }, control);
}

async function underWay({ ledger }: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const words = [`Another paydrop is reading ${batch.fileName} at this moment.`];
  return { summary: await summarize(ledger, batch, []), words };
}
