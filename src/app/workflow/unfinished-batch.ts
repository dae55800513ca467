// What is told of a batch on which nothing more is done now.
import { basename } from 'node:path';

import { say, type Words } from '../../base/language.ts';
import { waitOf } from '../../ledger/batch-rules.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { waitAfter, waitFor, type Wait } from '../../ledger/wait.ts';
import { summarize } from '../../results/summary.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from '../parts.ts';
import { batchOf } from './close/finish-batch.ts';
import { takenBefore } from './take/take-batch.ts';
import { notifyWaiting } from '../notify/notify-waiting.ts';
import { sentence } from '../../messages/messages.ts';

export async function waiting(paydrop: Paydrop, batch: BatchRecord, wait: Wait): Promise<BatchResult> {
  await notifyWaiting(paydrop, batch, wait);
  await keepWait(paydrop, batch, wait);
  return unfinished(paydrop, batch);
}

/** Before the first call of a run; the runner asks before each of its own. */
export async function halt(paydrop: Paydrop, batch: BatchRecord, words: Words): Promise<BatchResult> {
  const stop = waitFor('stop-file', words);
  await notifyWaiting(paydrop, batch, stop);
  await keepWait(paydrop, batch, stop);
  const { summary } = await unfinished(paydrop, batch);
  return { summary, words: [say(words, paydrop.config.language)], isStopped: true };
}

/** Writes what a batch waits for, where what stood before does not stand on. */
async function keepWait({ ledger }: Paydrop, { id }: BatchRecord, wait: Wait): Promise<void> {
  const event = 'batch changed';
  await ledger.revise(id, (now) => ({ change: { wait: waitAfter(now.wait, wait) }, event }));
}

export async function unfinished(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const now = await batchOf(paydrop, batch.id);
  const wait = waitOf(now);
  return {
    summary: await summarize(paydrop.ledger, now, []),
    words: wait === null ? [] : [say(wait.words, paydrop.config.language)],
  };
}

export async function repeated(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const summary = await summarize(paydrop.ledger, batch, []);
  const name = basename(batch.fileName);
  const since = takenBefore(batch, sentence('unfinishedBatch.repeated.batch', { name, id: batch.id }));
  const look: Words = sentence('unfinishedBatch.repeated.showsDeliberatelyPays', { id: batch.id });
  const next: Words = sentence('unfinishedBatch.repeated.finishedGoes', { id: batch.id });
  const words = [since, batch.state === 'closed' ? look : next];
  return { summary, words: words.map((each) => say(each, paydrop.config.language)), isRepeated: true };
}
