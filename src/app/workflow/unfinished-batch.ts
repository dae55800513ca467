// What is told of a batch on which nothing more is done now.
import { basename } from 'node:path';

import { say, type Words } from '../../base/language.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { summarize } from '../../results/summary.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from '../parts.ts';
import { batchOf } from './close/finish-batch.ts';
import { stopAfter } from './send/standing-stop.ts';
import { takenBefore } from './take/take-batch.ts';
import { notifyWaiting } from '../notify/notify-waiting.ts';
import type { describeFault } from '../parts/wait-for-service.ts';
import { sentence } from '../../messages/messages.ts';

export async function waiting(
  paydrop: Paydrop,
  batch: BatchRecord,
  { waitingFor, words }: ReturnType<typeof describeFault>,
): Promise<BatchResult> {
  await notifyWaiting(paydrop, batch, { waitingFor, waitingWords: words });
  await paydrop.ledger.changeBatch(batch.id, { waitingFor, waitingWords: words });
  return unfinished(paydrop, batch);
}

/**
 * Before the first call of a run; the runner asks before each of its own. A missed time keeps its own words on record: nothing looks at the file
 * again before a person has decided, and `STOP` may be gone long before that.
 */
export async function halt(paydrop: Paydrop, batch: BatchRecord, words: Words): Promise<BatchResult> {
  const told = { waitingFor: 'operator', waitingWords: words } as const;
  await notifyWaiting(paydrop, batch, { ...told, stoppedBy: 'stop-file' });
  const end = { kind: 'operator', stop: { by: 'stop-file', words } } as const;
  await paydrop.ledger.revise(batch.id, (now) => {
    const stoppedBy = stopAfter(end, now.stoppedBy);
    return stoppedBy === 'missed-time' ? null : { change: { ...told, stoppedBy }, event: 'batch changed' };
  });
  const { summary } = await unfinished(paydrop, batch);
  return { summary, words: [say(words, paydrop.config.language)], isStopped: true };
}

export async function unfinished(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const now = await batchOf(paydrop, batch.id);
  return {
    summary: await summarize(paydrop.ledger, now, []),
    words: now.waitingWords === null ? [] : [say(now.waitingWords, paydrop.config.language)],
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
