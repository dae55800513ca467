// `resume`: goes on with everything that is not finished, also after a kill.
import { say, type Words } from '../../base/language.ts';
import { BatchFolderFault } from '../../inbox/batch-note.ts';
import { discardTaken, refuseBatch } from '../../inbox/take-file.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { summarize } from '../../results/summary.ts';
import { faultOfNotes } from './take/batch-notes.ts';
import { batchOf } from './close/finish-batch.ts';
import { closeAgain, settleRebuilt } from './resolve-doubt/settle-rebuilt.ts';
import { OPEN, untilSeen } from './resolve-doubt/settle-unseen.ts';
import { notifyFault } from '../notify/notify.ts';
import { EXIT } from '../../base/exit-codes.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from '../parts.ts';
import { describeError } from '../parts/describe-error.ts';
import { assertLedgerKnowsAll } from './resolve-doubt/known-batches.ts';
import { lookAtClosed, standing } from './close/watch-reversals.ts';
import { advance } from './advance.ts';
import { liftPauses, pauseAgain } from './decisions/pause-batch.ts';
import type { RunControl } from '../parts/run-options.ts';
import { asSystemUser, systemUser } from '../../base/person-name.ts';
import { pauseOf } from '../../ledger/batch-rules.ts';
import { PAYING } from '../../ledger/batch-states.ts';
import { unfinished } from './unfinished-batch.ts';
import { sentence } from '../../messages/messages.ts';

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
  const { ledger, workspace } = paydrop;
  // Read at this very moment: another process may have finished it while we were at the batches before it.
  const known = await ledger.batch(id);
  if (known === null) return null;
  const seen = await pauseAgain(paydrop, known);
  if (seen.state === 'closed')
    return (await lookAtClosed(paydrop, seen, control)) ?? followedOn(paydrop, seen, control);
  if (seen.state === 'refused') {
    await refuseBatch(id, workspace);
    return null;
  }
  if (pauseOf(seen) !== null) return paused(paydrop, seen);
  // Until it is being paid a batch is one process' business; that one finishes it, or leaves it to the next resume.
  if (!PAYING.has(seen.state) && ledger.runs.isElsewhere(seen.takenBy))
    return elsewhere(paydrop, seen, wasPaused);
  if (seen.state !== 'taking') await assertSound(paydrop, seen);
  const batch = await ledger.takeOver(id, seen);
  if (batch === null) return elsewhere(paydrop, seen, wasPaused);
  if (batch.state !== 'taking') return (await untilSeen(paydrop, batch)) ?? advance(paydrop, batch, control);
  await paydrop.takes.run(batch.sha256, () => forgetTaking(paydrop, id));
  return null;
}

/** Throws where a note beside the file cannot be read, be it that this go would not ask for it. */
async function assertSound(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const fault = await faultOfNotes(paydrop, batch);
  if (fault !== null) throw fault;
  // What the manifest says of cancelled rows holds, whatever became of the ledger.
  if (OPEN.has(batch.state)) await closeAgain(paydrop, batch.id);
}

/** Whoever asks is told of a row that a person had followed again, although nothing is new of it: it has not ended. */
async function followedOn(
  paydrop: Paydrop,
  seen: BatchRecord,
  { isRound }: RunControl,
): Promise<BatchResult | null> {
  const { ledger, config } = paydrop;
  if (isRound === true || (await ledger.nextDueAt(seen.id, ['confirmed'])) === null) return null;
  const { takenBy } = (await ledger.batch(seen.id)) ?? seen;
  if (ledger.runs.isElsewhere(takenBy)) return elsewhere(paydrop, seen, false);
  const result = await standing(paydrop, seen);
  return { ...result, words: [...result.words, say(FOLLOWED_WORDS, config.language)] };
}

const FOLLOWED_WORDS: Words = sentence('resumeBatches.followed');

/** Killed while its files were being copied: nothing was sent, and the original still lies where it was. */
async function forgetTaking({ ledger, workspace }: Paydrop, id: string): Promise<void> {
  const batch = await ledger.batch(id);
  // The same bytes may have been dropped again, and been taken before it was our turn.
  if (batch?.state !== 'taking' || batch.takenBy !== ledger.run) return;
  await discardTaken(id, workspace);
  await ledger.dropBatch(id);
}

async function elsewhere(paydrop: Paydrop, seen: BatchRecord, wasPaused: boolean): Promise<BatchResult> {
  const { ledger, config } = paydrop;
  const batch = (await ledger.batch(seen.id)) ?? seen;
  if (pauseOf(batch) !== null) return paused(paydrop, batch);
  const words = (wasPaused ? LIFTED_ELSEWHERE_WORDS : ELSEWHERE_WORDS)(batch.fileName);
  return { summary: await summarize(ledger, batch, []), words: [say(words, config.language)] };
}

const ELSEWHERE_WORDS = (file: string): Words => sentence('resumeBatches.elsewhere', { file });

const LIFTED_ELSEWHERE_WORDS = (file: string): Words => sentence('resumeBatches.liftedElsewhere', { file });

/** Somebody has paused it since this was asked for: that holds until it is asked for again. */
async function paused(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  return { ...(await unfinished(paydrop, batch)), isStopped: true };
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
