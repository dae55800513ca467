// Publishes what became of a batch, and, once every row is final, closes and archives it.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { isoTime } from '../base/clock.ts';
import { archiveBatch } from '../inbox/take-file.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { FINAL } from '../payouts/lifecycle.ts';
import type { ReadFile } from '../rows/read-file.ts';
import type { Summary } from '../results/summary.ts';
import { writeRejected, writeResults } from '../results/write-results.ts';
import { answersOf } from './answers.ts';
import type { Paydrop } from './compose.ts';
import { rejectedRecords } from './rejected-records.ts';

/** Writes `result`, `reconciliation`, `rejected` where there is something to fix, and `summary`. Can be done again at any time. */
export async function finishBatch(paydrop: Paydrop, batchId: string, file: ReadFile): Promise<Summary> {
  const { ledger } = paydrop;
  const batch = await batchOf(paydrop, batchId);
  const counts = await ledger.stageCounts(batchId);
  const isFinal = [...counts.keys()].every((stage) => FINAL.has(stage));
  const closed = isFinal ? { ...batch, ...closing(paydrop, batch) } : batch;
  const place = answersOf(paydrop, batch);
  const answers = [place.nameOf('ack', 'json')];
  if ((counts.get('rejected') ?? 0) > 0) {
    answers.push(await writeRejected(place, batch, file, rejectedRecords(file, ledger, batch, 'rejected')));
  }
  const summary = await writeResults(place, closed, file, ledger, answers);
  if (isFinal) await close(paydrop, closed, summary);
  return summary;
}

/** The answers first, then the archive, and only then the ledger: after a kill in between, doing it again ends the same. */
async function close(paydrop: Paydrop, batch: BatchRecord, summary: Summary): Promise<void> {
  const { ledger, workspace } = paydrop;
  const folder = await archiveBatch(batch.id, workspace);
  for (const name of summary.answers) await copyFile(join(workspace.outbox, name), join(folder, name));
  await ledger.changeBatch(batch.id, closing(paydrop, batch));
}

function closing({ clock }: Paydrop, batch: BatchRecord) {
  return {
    state: 'closed',
    finishedAt: batch.finishedAt ?? isoTime(clock.now()),
    waitingFor: null,
    waitingWords: null,
  } as const;
}

export async function batchOf({ ledger }: Paydrop, id: string): Promise<BatchRecord> {
  const batch = await ledger.batch(id);
  if (batch === null) throw new Error(`Batch ${id} has vanished from the ledger.`);
  return batch;
}
