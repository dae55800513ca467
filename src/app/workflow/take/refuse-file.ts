// A file that is refused as a whole: nothing of it was sent; its owner gets the reason and, if rows are wrong, the file to correct.
import { join } from 'node:path';

import { isoTime } from '../../../base/clock.ts';
import { FILE_READERS, type Words, say } from '../../../base/language.ts';
import { keepRefused, moveBeside, refuseBatch } from '../../../inbox/take-file.ts';
import { changeBatch } from '../../../ledger/ledger.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { type RejectedRow, rejectedRecords } from '../../../results/answer-table.ts';
import { type Summary, noOutcomes } from '../../../results/summary.ts';
import { publishJson, writeRejected } from '../../../results/write-results.ts';
import { type FileRefused, withFileName } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { isMessage } from '../../../rows/formats.ts';
import { notifyRefused } from '../../notify/notify-batch.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { type BatchResult, type Step, type Work, goEnded } from '../batch/work.ts';
import { FaultGroups, faultLines } from '../validate/examine-file.ts';
import { answersOf, answersOfUntaken } from '../answers/answers.ts';
import { type Refused, tellRefused } from '../answers/tell-refused.ts';
import { atOccurrence, isNothing, isUnread, timeOf } from './same-bytes.ts';

export type RefusalReason = {
  readonly code: string;
  /** For a payment message: see `FileRefused`. */
  readonly iso?: string | undefined;
  readonly reason: Words;
  readonly rejected: number;
  /** Answers written already, such as `rejected`. */
  readonly answers: readonly string[];
};

/** Moves its folder, if a kill came between the ledger and the move. */
export async function finishRefusal({ paydrop, batch }: Work): Promise<Step> {
  await refuseBatch(batch.id, paydrop.workspace);
  return goEnded(null);
}

/** Publishes `refused.json`, marks the batch so that the same bytes may come again, and moves its folder to `refused/`. */
export async function refuseFile(
  paydrop: Paydrop,
  batch: BatchRecord,
  refusal: RefusalReason,
): Promise<BatchResult> {
  const { ledger, workspace, clock } = paydrop;
  const finishedAt = isoTime(clock.now());
  const place = await answersOf(paydrop, batch);
  const name = place.nameOf('refused', 'json');
  const path = join(place.folder ?? '', batch.fileName);
  refusal = await withStatus(paydrop, batch, refusal, { path, origin: null, place });
  await publishJson(place, name, documentOf(paydrop, batch, refusal, finishedAt));
  await notifyRefused(paydrop, batch, refusal, [name, ...refusal.answers]);
  // The ledger before the folder: after a kill in between, the next look at the batch moves it. In the other order its file would be missed.
  await changeBatch(ledger, batch, {
    state: 'refused',
    finished: { at: finishedAt, due: null },
    wait: null,
  });
  await refuseBatch(batch.id, workspace);
  return refusedResult(paydrop, batch, refusal, name, finishedAt);
}

/** Adds the status message for the program that wrote it, if it may get one, and the file's name in the commands. */
async function withStatus(
  records: Records,
  batch: BatchRecord,
  { code, iso, reason: words, rejected, answers }: RefusalReason,
  where: Pick<Refused, 'path' | 'origin' | 'place'>,
): Promise<RefusalReason> {
  const reason = withFileName(words, batch.fileName);
  const statuses = await tellRefused(records, batch, { ...where, code, iso, reason });
  return { code, reason, rejected, answers: [...answers, ...statuses] };
}

/** Where a refused file lies, where its owner put it, and whether the file is ours: only then may it be moved. */
export type RefusedAt = { readonly path: string; readonly origin: string; readonly isOurs: boolean };

/**
 * The same for a file that was refused on arrival, before it became a batch. It is copied to its reason, for people who look there; one that nobody read,
 * of any length, is moved where that may be, and else stays with its owner.
 */
export async function refuseUntaken(
  paydrop: Paydrop,
  { path, origin, isOurs }: RefusedAt,
  batch: BatchRecord,
  refusal: RefusalReason,
): Promise<BatchResult> {
  const finishedAt = isoTime(paydrop.clock.now());
  const isWhole = !isUnread(batch);
  const folder = await keepRefused(isWhole ? path : null, batch.id, paydrop.workspace);
  const place = { ...answersOfUntaken(paydrop, batch), folder };
  const name = place.nameOf('refused', 'json');
  refusal = await withStatus(paydrop, batch, refusal, { path, origin, place });
  await publishJson(place, name, documentOf(paydrop, batch, refusal, finishedAt));
  await notifyRefused(paydrop, batch, refusal, [name, ...refusal.answers]);
  // Last: after a kill it is refused once more, in the same words.
  if (!isWhole && isOurs) await moveBeside(path, folder);
  return refusedResult(paydrop, batch, refusal, name, finishedAt);
}

function documentOf({ config }: Paydrop, batch: BatchRecord, refusal: RefusalReason, refusedAt: string) {
  return {
    batch: batch.id,
    file: { name: batch.fileName, sha256: batch.sha256, rows: batch.rows },
    code: refusal.code,
    reason: say(refusal.reason, FILE_READERS[config.language]),
    rejectedRows: refusal.rejected,
    refusedAt,
    answers: refusal.answers,
  };
}

function refusedResult(
  { workspace, log }: Paydrop,
  batch: BatchRecord,
  refusal: RefusalReason,
  name: string,
  finishedAt: string,
): BatchResult {
  log.info('file refused', { batch: batch.id, code: refusal.code, rows: refusal.rejected });
  const path = join(workspace.outbox, name);
  // Of rows to correct, the reason says that nothing was sent, and in which file they are.
  const where = refusal.rejected > 0 ? [] : [sentence('refuseFile.refusedResult', { path })];
  return {
    summary: refusedSummary(batch, refusal, [name, ...refusal.answers], finishedAt),
    words: [refusal.reason, ...where],
  };
}

/** Refuses a batch with wrong rows, and returns all rows to be corrected and dropped again. */
export async function refuseForRows(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
  rejected: number,
): Promise<BatchResult> {
  const { language } = paydrop.config;
  const groups = new FaultGroups();
  const rows = grouping(rejectedRecords(read, paydrop.ledger, batch, 'all'), groups);
  const answer = await writeRejected(await answersOf(paydrop, batch), batch, read, rows);
  const result = await refuseFile(paydrop, batch, withRejectedRows(rejected, batch, answer));
  return { ...result, about: faultLines(rejected, groups.groups(), language) };
}

async function* grouping(rows: AsyncIterable<RejectedRow>, groups: FaultGroups): AsyncGenerator<RejectedRow> {
  for await (const each of rows) {
    groups.take(each.row.place, each.rejections);
    yield each;
  }
}

/** The reason of a file that cannot be read as a spreadsheet of payments. */
export function unreadable({ code, iso, words }: FileRefused): RefusalReason {
  return { code, iso, reason: words, rejected: 0, answers: [] };
}

/** The reason of a file with rows to correct. */
function withRejectedRows(rejected: number, { rows, fileName }: BatchRecord, answer: string): RefusalReason {
  const key = isMessage(fileName) ? 'refuseFile.withRejectedPayments' : 'refuseFile.withRejectedRows';
  return {
    code: 'rows_rejected',
    reason: sentence(key, { rejected, rows, answer }),
    rejected,
    answers: [answer],
  };
}

function refusedSummary(
  batch: BatchRecord,
  { rejected }: RefusalReason,
  answers: readonly string[],
  finishedAt: string,
): Summary {
  return {
    batch: batch.id,
    state: 'refused',
    standing: 'refused',
    sandbox: batch.sandbox,
    file: { name: batch.fileName, sha256: batch.sha256, rows: batch.rows },
    outcomes: { ...noOutcomes(), rejected, pending: Math.max(0, batch.rows - rejected) },
    totals: [],
    received: [],
    waitingFor: null,
    startedAt: batch.acceptedAt,
    finishedAt,
    answers,
  };
}

// The name under which a file that was refused on arrival is answered: that of the batch that it would have become, and never that of an earlier
// one with the same bytes, whose payments the answer would deny.

/** In the turn of its bytes. `isTaken` where the ledger knows the batch already: the fault showed while its documents were taken. */
export async function refusedAs(
  paydrop: Paydrop,
  first: BatchRecord,
): Promise<{ readonly batch: BatchRecord; readonly isTaken: boolean }> {
  if (isUnread(first)) return { batch: first, isTaken: false };
  const same = await paydrop.ledger.batches({ sha256: first.sha256 });
  const ours = same.find(({ state, owner }) => state === 'taking' && owner === paydrop.ledger.run);
  if (ours !== undefined) return { batch: ours, isTaken: true };
  const last = Math.max(0, ...same.filter((batch) => !isNothing(paydrop, batch)).map(timeOf));
  return { batch: atOccurrence(first, String(last + 1)), isTaken: false };
}
