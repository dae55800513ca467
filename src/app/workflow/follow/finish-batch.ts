// Publishes the outcomes of a batch, and closes and archives it once every row is final.
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { discardMarked, publishFile } from '../../../base/atomic-file.ts';
import { isoTime } from '../../../base/clock.ts';
import { messageId, readAnswerName } from '../../../inbox/answer-name.ts';
import { type Advised, readManifest } from '../../../inbox/manifest.ts';
import { archiveBatch, hashFile } from '../../../inbox/take-file.ts';
import { batchRows, isDayOver as isDayEnded } from '../../../ledger/batch-rows.ts';
import { PAYING } from '../../../ledger/batch-states.ts';
import type { BatchChange, BatchRecord, LeasedBatch } from '../../../ledger/records.ts';
import { FINAL } from '../../../payouts/lifecycle.ts';
import type { Summary } from '../../../results/summary.ts';
import {
  type AnswerPlace,
  publishKept,
  writeRejected,
  writeResults,
} from '../../../results/write-results.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { isMessage } from '../../../rows/formats.ts';
import { dayIn } from '../../config/schedule-config.ts';
import { notifyCompletion } from '../../notify/notify-batch.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { rejectedRecords, rowsWithRecords } from '../../../results/answer-table.ts';
import { type AdviceVersion, type Debit, debitAdvice, isDebited } from '../../../results/debit-advice.ts';
import { keepManifest, raiseEpoch } from '../batch/epoch.ts';
import { reopenBatch } from '../batch/profile-for.ts';
import { batchOf } from '../batch/work.ts';
import {
  answersOf,
  isAnswered,
  type KeptSummary,
  lastSummary,
  nextVersion,
  numbered,
  ownAnswersOf,
} from '../answers/answers.ts';
import { tellStatus, versionFor } from '../answers/tell-status.ts';
import { hashed, keepRejected, Statuses } from '../answers/told-status.ts';
import { changeBatch, moveOn } from '../../../ledger/ledger.ts';

type OpenFile = () => Promise<ReadFile>;

/**
 * Writes `result`, `reconciliation`, `rejected` if there is something to correct, and `summary`. It can be repeated at any time: what a closed
 * batch has already reported is not repeated, and then its file is not opened either. Throws `LeaseLost` if another run carries the batch.
 */
export async function finishBatch(
  paydrop: Paydrop,
  leased: LeasedBatch,
  openFile: OpenFile,
): Promise<Summary> {
  const batch = await batchOf(paydrop, leased);
  const place = await ownAnswersOf(paydrop, batch);
  try {
    return await finishIn(paydrop, batch, place, openFile);
  } catch (error) {
    // For a run that has lost the batch, the folder may move at any moment.
    await paydrop.ledger.revise(leased, () => null);
    // The run that carried it before has archived it after all: the folder moves only once.
    if ((await answersOf(paydrop, batch)).folder === place.folder) throw error;
    return finishBatch(paydrop, leased, () => openAgain(paydrop, batch));
  }
}

/** Its file has moved with the folder. */
export async function openAgain(records: Records, batch: BatchRecord): Promise<ReadFile> {
  return (await reopenBatch(records, batch)).read;
}

async function finishIn(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: AnswerPlace,
  openFile: OpenFile,
): Promise<Summary> {
  const { ledger } = paydrop;
  const batchId = batch.id;
  const counts = await ledger.stageCounts(batchId);
  const isFinal = [...counts.keys()].every((stage) => FINAL.has(stage));
  // The only way into `closing`, whatever state the last row ended in: also for a batch that was never followed.
  if (isFinal && PAYING.has(batch.state)) {
    await moveOn(ledger, batch, batch.state, 'closing');
    await raiseEpoch(paydrop, batch);
  }
  const closedAs = closing(paydrop, batch);
  const closed = isFinal ? { ...batch, ...closedAs } : batch;
  const last = await lastSummary(place);
  const isTold =
    last !== null && closed.state === 'closed' && (await isAnswered(last, place, ledger, batchId));
  const version = isTold ? last.version : nextVersion(last);
  const isOut = isTold && (await isPublished(place));
  if (!isTold) await keepRejected(paydrop, batch);
  const isDayOver = !isFinal && (await isDayEnded(ledger, batch));
  const end = { openFile, closed: isFinal ? version : null, isDayOver };
  const statuses = await tellStatus(paydrop, closed, end);
  // If everything was reported, only the last answer, the summary, may be missing in the outbox.
  if (isTold && !isOut) await publishKept(place, last.name);
  const summary = isTold
    ? last.summary
    : await answer(paydrop, closed, await openFile(), {
        ...{ place, last, version, statuses, isDayOver },
        rejected: counts.get('rejected') ?? 0,
      });
  if (isTold && !isOut) await keepPublished(paydrop, batch);
  const isNews = isFinal && batch.state !== 'closed';
  if (isNews) await notifyCompletion(paydrop, batch, summary, version);
  if (isFinal) await close(paydrop, batch, closedAs, place);
  if (isNews) paydrop.meter.closed(summary.outcomes);
  return summary;
}

async function keepPublished(records: Records, batch: BatchRecord): Promise<void> {
  await keepManifest(records, batch, ({ answered }) =>
    answered === undefined ? {} : { answered: { ...answered, isPublished: true } },
  );
}

/** An answer that was collected from the outbox is not put there again. */
async function isPublished({ folder }: AnswerPlace): Promise<boolean> {
  return folder === null || (await readManifest(folder))?.answered?.isPublished !== false;
}

/** @param statuses the names of the status messages that were sent. @param isDayOver as in `tellStatus`. */
type Answering = {
  readonly place: AnswerPlace;
  readonly last: KeptSummary | null;
  readonly version: number;
  /** How many rows go back to their owner. */
  readonly rejected: number;
  readonly statuses: readonly string[];
  readonly isDayOver: boolean;
};

async function answer(
  paydrop: Paydrop,
  batch: BatchRecord,
  file: ReadFile,
  { place, last, version, rejected: count, statuses, isDayOver }: Answering,
): Promise<Summary> {
  const versioned: AnswerPlace = {
    ...place,
    nameOf: (kind, extension) => place.nameOf(numbered(kind, version), extension),
  };
  const rejected = count === 0 ? [] : await answerRejected(paydrop, batch, file, versioned, last, count);
  const supersedes = last?.summary.state === 'closed' ? last.name : (last?.summary.supersedes ?? null);
  const isEnd = batch.state === 'closed' || isDayOver;
  const advices = await adviseDebits(paydrop, batch, place, isEnd ? file : null);
  const answers = [place.nameOf('ack', 'json'), ...statuses, ...advices, ...rejected];
  const beforeSummary = async (digest: string): Promise<void> => {
    // Before the last of the answers is published, so that no answer is taken for another version's.
    if (batch.state === 'closed' && place.folder !== null)
      await keepManifest(paydrop, batch, { answered: { version, digest, isPublished: false } });
  };
  const written = { answers, supersedes, beforeSummary };
  const summary = await writeResults(versioned, batch, file, paydrop.ledger, written);
  if (batch.state === 'closed') await keepPublished(paydrop, batch);
  return summary;
}

// Debit advices of a message that is closed, or of which a day is over, where the config asks for them. Each states the changes since the last, under its own number, so that together they
// equal what the reconciliation counts as debited.

const NOT_ADVISED: Advised = { number: 0, debited: '', before: '', sha256: '', isPublished: true };

/** Returns the names of all advices of the batch. @param file null where it is no time for a new one. */
async function adviseDebits(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: AnswerPlace,
  file: ReadFile | null,
): Promise<readonly string[]> {
  const { folder } = place;
  if (!paydrop.config.iso20022.camt054 || !isMessage(batch.fileName) || folder === null) return [];
  const kept = await readManifest(folder);
  // Nobody knows any more what was reported; a repetition would be booked twice.
  if (kept?.advised === undefined && (await wasAdvised(paydrop, batch))) return [];
  const told = await finishAdvice(paydrop, batch, { ...place, folder }, kept?.advised ?? NOT_ADVISED);
  if (file === null) return adviceNames(place, told.number);
  const before = Statuses.read(told.debited);
  const now = new Statuses();
  let changed = 0;
  for await (const row of batchRows(paydrop.ledger, batch.id)) {
    const debited = isDebited(row);
    now.add(debited ? 'ACSC' : 'ACCP');
    if (debited !== (before.at(row.position) === 'ACSC')) changed += 1;
  }
  const number = changed > 0 ? told.number + 1 : told.number;
  if (changed > 0) {
    const hash = createHash('sha256');
    const next = (): Advised => ({
      ...{ number, debited: now.text(), before: told.debited },
      ...{ sha256: hash.copy().digest('hex'), isPublished: false },
    });
    const createdAt = (number === 1 ? batch.finished?.at : null) ?? isoTime(paydrop.clock.now());
    const head = {
      version: adviceVersionFor(paydrop.config, file.table.message?.name ?? ''),
      msgId: messageId('D', batch.id, number, kept?.rebuiltAt),
      ...{ number, createdAt, language: place.language },
      bookedOn: dayIn(paydrop.config.executionDate.timeZone, Date.parse(createdAt)),
      original: kept?.statusTold?.msgId ?? '',
      isSandbox: batch.sandbox,
    };
    const debits = changedDebits(paydrop, batch, file, { before, now });
    const name = adviceName(place, number);
    const text = hashed(debitAdvice(head, file.table, debits, folder), hash);
    await publishFile(join(folder, name), text, {
      whileOwned: (publish) => keepManifest(paydrop, batch, () => ({ advised: next() }), publish),
    });
    await publishKept(place, name);
    await keepManifest(paydrop, batch, { advised: { ...next(), isPublished: true } });
  }
  return adviceNames(place, number);
}

function adviceNames(place: AnswerPlace, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => adviceName(place, index + 1));
}

function adviceVersionFor(config: Paydrop['config'], name: string): AdviceVersion {
  return versionFor(config, name) === '03' ? '02' : '08';
}

function adviceName({ nameOf }: AnswerPlace, number: number): string {
  return nameOf(numbered('camt054', number), 'xml');
}

async function wasAdvised({ workspace }: Paydrop, { id }: BatchRecord): Promise<boolean> {
  const names = await readdir(workspace.outbox);
  return names.map(readAnswerName).some((answer) => answer?.batch === id && answer.kind === 'camt054');
}

/** Finishes the last advice after a kill: if it was written, it leaves now; if not, it was never sent. */
async function finishAdvice(
  records: Records,
  batch: BatchRecord,
  place: AnswerPlace & { readonly folder: string },
  told: Advised,
): Promise<Advised> {
  if (told.isPublished) return told;
  const name = adviceName(place, told.number);
  const hash = await hashFile(join(place.folder, name)).catch(() => null);
  if (hash !== told.sha256) return { ...NOT_ADVISED, number: told.number - 1, debited: told.before };
  await publishKept(place, name);
  const published = { ...told, isPublished: true };
  await keepManifest(records, batch, { advised: published });
  return published;
}

async function* changedDebits(
  { ledger }: Paydrop,
  batch: BatchRecord,
  file: ReadFile,
  { before, now }: Readonly<Record<'before' | 'now', Statuses>>,
): AsyncGenerator<Debit> {
  for await (const { row, record } of rowsWithRecords(file, ledger, batch.id)) {
    const [was, is] = [before, now].map((statuses) => statuses.at(record.position) === 'ACSC');
    if (was !== is) yield { row, record, isGivenBack: was === true };
  }
}

/** The rows to correct, if there are any; the file of a closed batch stays where it is. */
async function answerRejected(
  { ledger }: Paydrop,
  batch: BatchRecord,
  file: ReadFile,
  place: AnswerPlace,
  last: KeptSummary | null,
  count: number,
): Promise<readonly string[]> {
  const isTold = last?.summary.state === 'closed' && last.summary.outcomes.rejected === count;
  if (isTold) return last.summary.answers.filter((name) => name.includes(`.${batch.id}.rejected`));
  const rows = rejectedRecords(file, ledger, batch, 'rejected');
  const first = await rows.next();
  // None where people cancelled all of them.
  return first.done === true
    ? []
    : [await writeRejected(place, batch, file, startingWith(first.value, rows))];
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** The answers first, then the archive, and only then the ledger: after a kill in between, a repetition has the same result. */
async function close(
  records: Records,
  batch: BatchRecord,
  end: BatchChange,
  { outbox, folder }: AnswerPlace,
): Promise<void> {
  const archived = await archiveBatch(batch.id, records.workspace);
  if (folder !== null) await discardMarked(outbox, archived);
  await changeBatch(records.ledger, batch, end);
}

function closing({ clock }: Paydrop, batch: BatchRecord) {
  return {
    state: 'closed',
    // Left as the ledger has it where it was closed before: other news may be due by now.
    ...(batch.finished === null ? { finished: { at: isoTime(clock.now()), due: null } } : {}),
    wait: null,
  } as const;
}
