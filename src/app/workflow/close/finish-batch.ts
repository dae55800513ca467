// Publishes what became of a batch, and, once every row is final, closes and archives it.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { discardMarked } from '../../../base/atomic-file.ts';
import { isoTime } from '../../../base/clock.ts';
import { readManifest } from '../../../inbox/manifest.ts';
import { archiveBatch, hashFile } from '../../../inbox/take-file.ts';
import { PAYING } from '../../../ledger/batch-states.ts';
import { LeaseLost } from '../../../ledger/ledger-unusable.ts';
import type { BatchRecord, Held } from '../../../ledger/records.ts';
import { FINAL } from '../../../payouts/lifecycle.ts';
import type { Summary } from '../../../results/summary.ts';
import {
  type AnswerPlace,
  publishKept,
  writeRejected,
  writeResults,
} from '../../../results/write-results.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { notifyCompletion } from '../../notify/notify-batch.ts';
import type { Paydrop } from '../../parts.ts';
import { rejectedRecords } from '../../../results/answer-table.ts';
import { keepManifest, raiseEpoch } from '../epoch.ts';
import { reopenBatch } from '../take/profile-for.ts';
import {
  answersOf,
  isAnswered,
  type KeptSummary,
  keptSummary,
  lastSummary,
  nextVersion,
  numbered,
} from './answers.ts';
import { tellStatus } from './tell-status.ts';

type OpenFile = () => Promise<ReadFile>;

/** How often it is begun anew because another process did the same meanwhile: that one is done after one, and each of some more that are as slow costs one. */
const TRIES = 3;

/**
 * Writes `result`, `reconciliation`, `rejected` where there is something to fix, and `summary`. Can be done again at any time: what a closed
 * batch has told already is not told again, and then its file is not opened either.
 */
export async function finishBatch(
  paydrop: Paydrop,
  held: Held,
  openFile: OpenFile,
  tries = TRIES,
): Promise<Summary> {
  const batch = await batchOf(paydrop, held);
  const place = await answersOf(paydrop, batch);
  // Another process has closed and archived it while we wrote: what it told stands, where it stands now.
  const isElsewhere = async () => (await answersOf(paydrop, batch)).folder !== place.folder;
  const again = () => finishBatch(paydrop, held, () => openAgain(paydrop, batch), tries - 1);
  try {
    const summary = await finishIn(paydrop, batch, place, { openFile, isAgain: tries < TRIES });
    // What we wrote last may lie over what it told.
    return summary.state === 'closed' || !(await isElsewhere()) ? summary : await again();
  } catch (error) {
    if (tries > 0 && error instanceof LeaseLost) return finishTakenOver(paydrop, error, held, tries - 1);
    if (tries > 0 && (isGone(error) || (await isElsewhere()))) return again();
    throw error;
  }
}

/** Whoever took it over may have closed it while we wrote: what we wrote last may lie over what it told, and nobody else would look. */
async function finishTakenOver(
  paydrop: Paydrop,
  error: LeaseLost,
  { id }: Held,
  tries: number,
): Promise<Summary> {
  const now = await batchOf(paydrop, id);
  const held = now.state === 'closed' ? await paydrop.ledger.takeOver(now) : null;
  if (held === null) throw error;
  return finishBatch(paydrop, held, () => openAgain(paydrop, held), tries);
}

/** Its file has moved with it. */
export async function openAgain(paydrop: Paydrop, batch: BatchRecord): Promise<ReadFile> {
  return (await reopenBatch(paydrop, batch)).read;
}

/** As one finds it whose folder was archived, or whose unfinished answer was removed, by another process. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function finishIn(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: AnswerPlace,
  { openFile, isAgain }: { readonly openFile: OpenFile; readonly isAgain: boolean },
): Promise<Summary> {
  const { ledger } = paydrop;
  const batchId = batch.id;
  const isFinal = [...(await ledger.stageCounts(batchId)).keys()].every((stage) => FINAL.has(stage));
  // Also of one that never came as far as to be followed, and of one that a command closes.
  if (isFinal && PAYING.has(batch.state)) {
    await ledger.moveOn(batch, batch.state, 'closing');
    await raiseEpoch(paydrop, batch);
  }
  const closed = isFinal ? { ...batch, ...closing(paydrop, batch) } : batch;
  const last = await lastSummary(place);
  const isTold =
    last !== null && closed.state === 'closed' && (await isAnswered(last, place, ledger, batchId));
  const version = isTold ? last.version : nextVersion(last);
  const isOut = isTold && (await isPublished(place));
  const statuses = await tellStatus(paydrop, closed, { openFile, closed: isFinal ? version : null });
  // Of what was told in full only the last answer, the summary, may be missing in the outbox.
  if (isTold && !isOut) await publishKept(place, last.name);
  const summary = isTold
    ? last.summary
    : await answer(paydrop, closed, await openFile(), { place, last, version, statuses });
  if (isTold && !isOut) await keepPublished(paydrop, batchId);
  const isNews = isFinal && batch.state !== 'closed';
  if (isNews) await notifyCompletion(paydrop, batch, summary, version);
  // Of what was closed before, and told in full, nobody has begun another answer.
  const isQuiet = batch.state === 'closed' && isTold && !isAgain;
  if (isFinal) await (isQuiet ? markClosed : close)(paydrop, closed, { version, statuses });
  if (isNews) paydrop.meter.closed(summary.outcomes);
  return summary;
}

async function keepPublished(paydrop: Paydrop, id: string): Promise<void> {
  await keepManifest(paydrop, id, ({ answered }) =>
    answered === undefined ? {} : { answered: { ...answered, isPublished: true } },
  );
}

/** What was collected from the outbox is not put there again. */
async function isPublished({ folder }: AnswerPlace): Promise<boolean> {
  return folder === null || (await readManifest(folder))?.answered?.isPublished !== false;
}

/** @param statuses the names of the status messages that were told. */
type Answering = {
  readonly place: AnswerPlace;
  readonly last: KeptSummary | null;
  readonly version: number;
  readonly statuses: readonly string[];
};

async function answer(
  paydrop: Paydrop,
  batch: BatchRecord,
  file: ReadFile,
  { place, last, version, statuses }: Answering,
): Promise<Summary> {
  const kept = new Map<string, string>();
  const versioned: AnswerPlace = {
    ...place,
    nameOf: (kind, extension) => place.nameOf(numbered(kind, version), extension),
    onKept: (name, sha256) => kept.set(name, sha256),
  };
  const rejected = await answerRejected(paydrop, batch, file, versioned, last);
  const supersedes = last?.summary.state === 'closed' ? last.name : (last?.summary.supersedes ?? null);
  const answers = [place.nameOf('ack', 'json'), ...statuses, ...rejected];
  const beforeSummary = async (digest: string): Promise<void> => {
    // Before the last of the answers is published, so that none is taken for another.
    if (batch.state === 'closed' && place.folder !== null)
      await keepManifest(paydrop, batch, {
        answered: { version, digest, isPublished: false, answers: Object.fromEntries([...kept].sort()) },
      });
  };
  const written = { answers, supersedes, beforeSummary };
  const summary = await writeResults(versioned, batch, file, paydrop.ledger, written);
  if (batch.state === 'closed') await keepPublished(paydrop, batch.id);
  return summary;
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
async function close(
  paydrop: Paydrop,
  batch: BatchRecord,
  { version, statuses }: Pick<Answering, 'version' | 'statuses'>,
): Promise<void> {
  const { workspace } = paydrop;
  await archiveBatch(batch.id, workspace);
  const place = await answersOf(paydrop, batch);
  await holdAnswers(place, async () => {
    const last = await keptSummary(place, version - 1);
    await answer(paydrop, batch, await openAgain(paydrop, batch), { place, last, version, statuses });
  });
  await markClosed(paydrop, batch);
}

async function markClosed(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  await paydrop.ledger.changeBatch(batch, closing(paydrop, batch));
}

function closing({ clock }: Paydrop, batch: BatchRecord) {
  return {
    state: 'closed',
    finishedAt: batch.finishedAt ?? isoTime(clock.now()),
    wait: null,
  } as const;
}

/** As it stands now; asked for under a lease, with that one: what is written of it may have been taken over since. */
export async function batchOf({ ledger }: Pick<Paydrop, 'ledger'>, of: string | Held): Promise<BatchRecord> {
  const id = typeof of === 'string' ? of : of.id;
  const batch = await ledger.batch(id);
  if (batch === null) throw new Error(`Batch ${id} has vanished from the ledger.`);
  return typeof of === 'string' ? batch : { ...batch, owner: of.owner, token: of.token };
}

// Several processes may answer one batch, and one of them may be slow between the writing of an answer and the rename that publishes it. What
// it wrote is older than what the others have told since: it must not stand for ever over the final answers of a batch that nobody looks at again.

/** Once archived, nobody else writes to the folder under the name he knows: a second writing meets only another process that mends the same. */
const RESTORE_TRIES = 3;

/**
 * To be called once the batch lies in the archive: from then on an answer begun before finds neither its folder nor its temporary file, and so
 * cannot be renamed over these any more. What was renamed before that is written again: `rewrite` the batch's own copies, and of the outbox what
 * still lies there, because what was collected is not put there again.
 */
async function holdAnswers(place: AnswerPlace, rewrite: () => Promise<unknown>): Promise<void> {
  const { folder, outbox } = place;
  if (folder === null) return;
  for (let tries = RESTORE_TRIES; tries > 0 && (await othersIn(folder, folder)).length > 0; tries -= 1)
    await rewrite();
  // Only now: an answer that is begun from here on is read from what has just been made sure of.
  await discardMarked(outbox, folder);
  for (const name of await othersIn(outbox, folder))
    if (await isThere(join(outbox, name))) await publishKept(place, name);
}

/** The answers that are not in `where` as they were told last. */
async function othersIn(where: string, folder: string): Promise<readonly string[]> {
  const others: string[] = [];
  for (const [name, sha256] of Object.entries(await told(folder)))
    if (!(await isThere(join(where, name))) || (await hashFile(join(where, name))) !== sha256)
      others.push(name);
  return others;
}

async function told(folder: string): Promise<Readonly<Record<string, string>>> {
  return (await readManifest(folder))?.answered?.answers ?? {};
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}
