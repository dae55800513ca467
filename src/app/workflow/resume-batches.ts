// `resume`: goes on with everything that is not finished, also after a kill.
import { say } from '../../base/language.ts';
import { BatchFolderFault } from '../../inbox/batch-note.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { summarize } from '../../results/summary.ts';
import { faultOfNotes } from './take/reopen-batch.ts';
import { batchOf } from './close/finish-batch.ts';
import { closeAgain, settleRebuilt } from './resolve-doubt/settle-rebuilt.ts';
import { OPEN } from './resolve-doubt/settle-unseen.ts';
import { notifyFault } from '../notify/notify.ts';
import { EXIT } from '../../base/exit-codes.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from '../parts.ts';
import { describeError } from '../parts/describe-error.ts';
import { assertLedgerKnowsAll } from './resolve-doubt/known-batches.ts';
import { advance } from './advance.ts';
import { liftPauses, pauseAgain } from './decisions/pause-batch.ts';
import type { RunControl } from '../parts/run-options.ts';
import { asSystemUser, systemUser } from '../../base/person-name.ts';
import { pauseOf } from '../../ledger/batch-rules.ts';
import { ENDED_BATCH, PAYING } from '../../ledger/batch-states.ts';
import { elsewhere, paused } from './tell.ts';

/** Goes on with one batch, or with all, by the word of somebody, who lifts their pauses. Null when there is no batch of that name. */
export async function resumeBatches(
  paydrop: Paydrop,
  id: string | null,
  control: RunControl,
  by = asSystemUser(systemUser()),
): Promise<readonly BatchResult[] | null> {
  await assertLedgerKnowsAll(paydrop);
  const lifted = await liftPauses(paydrop, await asked(paydrop, id), by);
  await settleRebuilt(paydrop);
  const batches = await asked(paydrop, id);
  if (id !== null && batches.length === 0) return null;
  const results: BatchResult[] = [];
  for (const batch of batches) {
    const result = await resumeBatch(paydrop, batch.id, control, lifted.has(batch.id)).catch(
      (error: unknown) => broken(paydrop, batch, error),
    );
    if (result !== null) results.push(result);
  }
  return results;
}

async function asked({ ledger }: Paydrop, id: string | null): Promise<readonly BatchRecord[]> {
  return (await ledger.batches()).filter((batch) => id === null || batch.id === id);
}

/** Goes on with one batch that is not paused; `wasPaused` until a moment ago. Null when there was nothing to do. */
export async function resumeBatch(
  paydrop: Paydrop,
  id: string,
  control: RunControl,
  wasPaused = false,
): Promise<BatchResult | null> {
  try {
    return await goOn(paydrop, id, control, wasPaused);
  } catch (error) {
    if (error instanceof BatchFolderFault) return leftOut(paydrop, id, error);
    throw error;
  }
}

/** What is wrong with the folder of one batch stops that one. */
async function leftOut(paydrop: Paydrop, id: string, fault: BatchFolderFault): Promise<BatchResult> {
  const { ledger, config } = paydrop;
  await notifyFault(paydrop, fault);
  const summary = await summarize(ledger, await batchOf(paydrop, id), []);
  return { summary, words: [say(fault.words, config.language)], isStopped: true };
}

async function goOn(
  paydrop: Paydrop,
  id: string,
  control: RunControl,
  wasPaused: boolean,
): Promise<BatchResult | null> {
  // Read at this very moment: another process may have finished it while we were at the batches before it.
  const known = await paydrop.ledger.batch(id);
  if (known === null) return null;
  const seen = await pauseAgain(paydrop, known);
  // What has ended is only looked at, by whoever comes.
  if (ENDED_BATCH.has(seen.state)) return advance(paydrop, seen, control);
  if (pauseOf(seen) !== null) return paused(paydrop, seen);
  const batch = await takeUp(paydrop, seen);
  return batch === null ? elsewhere(paydrop, seen, wasPaused) : advance(paydrop, batch, control);
}

/** Makes it this run's own; null where another process has it. */
async function takeUp(paydrop: Paydrop, seen: BatchRecord): Promise<BatchRecord | null> {
  const { ledger } = paydrop;
  // Until it is being paid a batch is one process' business; that one finishes it, or leaves it to the next resume.
  if (!PAYING.has(seen.state) && ledger.runs.isElsewhere(seen.takenBy)) return null;
  if (seen.state !== 'taking') await assertSound(paydrop, seen);
  return ledger.takeOver(seen.id, seen);
}

/** Throws where a note beside the file cannot be read, be it that this go would not ask for it. */
async function assertSound(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const fault = await faultOfNotes(paydrop, batch);
  if (fault !== null) throw fault;
  // What the manifest says of cancelled rows holds, whatever became of the ledger.
  if (OPEN.has(batch.state)) await closeAgain(paydrop, batch.id);
}

/** What is wrong with one batch must not keep the others waiting; what is wrong with the disk or the ledger concerns them all. */
async function broken(paydrop: Paydrop, batch: BatchRecord, error: unknown): Promise<BatchResult> {
  const { code, words } = describeError(error);
  if (code !== EXIT.bug) throw error;
  const summary = await summarize(paydrop.ledger, batch, []);
  paydrop.log.error('batch failed', {
    batch: batch.id,
    reason: error instanceof Error ? error.name : 'unknown',
  });
  return { summary, words: [say(words, paydrop.config.language)], isBroken: true };
}
