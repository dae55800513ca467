// Publishes what became of a batch, and, once every row is final, closes and archives it.
import { isoTime } from '../base/clock.ts';
import { keepLastAnswered, readLastAnswered } from '../inbox/last-answered.ts';
import { archiveBatch } from '../inbox/take-file.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { FINAL } from '../payouts/lifecycle.ts';
import { rowsDigest } from '../results/rows-digest.ts';
import { summarize, type Summary } from '../results/summary.ts';
import { publishKept, writeRejected, writeResults, type AnswerPlace } from '../results/write-results.ts';
import type { ReadFile } from '../rows/read-file.ts';
import { isAnswered, lastSummary, nextVersion, numbered, type KeptSummary } from './closed/answer-version.ts';
import { answersOf } from './answers.ts';
import type { Paydrop } from './compose.ts';
import { notifyCompletion } from './telling/notify-batch.ts';
import { rejectedRecords } from './rejected-records.ts';

type OpenFile = () => Promise<ReadFile>;

/**
 * Writes `result`, `reconciliation`, `rejected` where there is something to fix, and `summary`. Can be done again at any time: what a closed
 * batch has told already is not told again, and then its file is not opened either.
 */
export async function finishBatch(paydrop: Paydrop, batchId: string, openFile: OpenFile): Promise<Summary> {
  const batch = await batchOf(paydrop, batchId);
  const place = await answersOf(paydrop, batch);
  return finishIn(paydrop, batch, place, openFile).catch(async (error: unknown) => {
    // Another process has closed and archived it while we wrote: what it told stands, where it stands now.
    if ((await answersOf(paydrop, batch)).folder === place.folder) throw error;
    return finishBatch(paydrop, batchId, openFile);
  });
}

async function finishIn(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: AnswerPlace,
  openFile: OpenFile,
): Promise<Summary> {
  const { ledger } = paydrop;
  const batchId = batch.id;
  const isFinal = [...(await ledger.stageCounts(batchId)).keys()].every((stage) => FINAL.has(stage));
  const closed = isFinal ? { ...batch, ...closing(paydrop, batch) } : batch;
  const last = await lastSummary(place);
  const now = await summarize(ledger, closed, []);
  const digest = now.state === 'closed' ? await rowsDigest(ledger, batchId) : '';
  const isTold = last !== null && (await isAnswered(last, place, now, digest));
  const version = isTold ? last.version : nextVersion(last);
  const isOut = isTold && (await isPublished(place));
  const keep = async (isPublished: boolean): Promise<void> => {
    if (now.state === 'closed' && place.folder !== null)
      await keepLastAnswered(place.folder, { version, digest, isPublished });
  };
  if (!isOut) await keep(false);
  // Of what was told in full only the last answer, the summary, may be missing in the outbox.
  if (isTold && !isOut) await publishKept(place, last.name);
  const summary = isTold ? last.summary : await answer(paydrop, closed, await openFile(), place, last);
  if (!isOut) await keep(true);
  const isNews = isFinal && batch.state !== 'closed';
  if (isNews) await notifyCompletion(paydrop, batch, summary);
  if (isFinal) await close(paydrop, closed);
  if (isNews) paydrop.meter.closed(summary.outcomes);
  return summary;
}

/** What was collected from the outbox is not put there again; where it is not on record, an earlier version has seen to it. */
async function isPublished({ folder }: AnswerPlace): Promise<boolean> {
  return folder === null || (await readLastAnswered(folder))?.isPublished !== false;
}

async function answer(
  paydrop: Paydrop,
  batch: BatchRecord,
  file: ReadFile,
  place: AnswerPlace,
  last: KeptSummary | null,
): Promise<Summary> {
  const version = nextVersion(last);
  const nameOf: AnswerPlace['nameOf'] = (kind, extension) => place.nameOf(numbered(kind, version), extension);
  const versioned = { ...place, nameOf };
  const rejected = await answerRejected(paydrop, batch, file, versioned, last);
  const supersedes = last?.summary.state === 'closed' ? last.name : (last?.summary.supersedes ?? null);
  const answers = [place.nameOf('ack', 'json'), ...rejected];
  return writeResults(versioned, batch, file, paydrop.ledger, { answers, supersedes });
}

/** The rows to fix, where there are any; those that a closed batch has told of stay where they are. */
async function answerRejected(
  { ledger }: Paydrop,
  batch: BatchRecord,
  file: ReadFile,
  place: AnswerPlace,
  last: KeptSummary | null,
): Promise<readonly string[]> {
  const count = (await ledger.stageCounts(batch.id)).get('rejected') ?? 0;
  if (count === 0) return [];
  const isTold = last?.summary.state === 'closed' && last.summary.outcomes.rejected === count;
  if (isTold) return last.summary.answers.filter((name) => name.includes(`.${batch.id}.rejected`));
  const rows = rejectedRecords(file, ledger, batch, 'rejected', place.language);
  return [await writeRejected(place, batch, file, rows)];
}

/** The answers first, then the archive, and only then the ledger: after a kill in between, doing it again ends the same. */
async function close(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { ledger, workspace } = paydrop;
  await archiveBatch(batch.id, workspace);
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

export async function batchOf({ ledger }: Pick<Paydrop, 'ledger'>, id: string): Promise<BatchRecord> {
  const batch = await ledger.batch(id);
  if (batch === null) throw new Error(`Batch ${id} has vanished from the ledger.`);
  return batch;
}
