// The report on a batch when a go ends: what it waits for, its sums, and the first rows that need a person.
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { say, type Words } from '../../base/language.ts';
import { pauseOf, waitOf } from '../../ledger/batch-rules.ts';
import type { BatchChange, BatchRecord, RowRecord } from '../../ledger/records.ts';
import { isOfService, waitAfter, waitFor, type Wait } from '../../ledger/wait.ts';
import { rowsThatNeedAttention, summarize, type Summary } from '../../results/summary.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import { type BatchState, CHECKED } from '../../ledger/batch-states.ts';
import { STAGES_BEFORE_CONFIRM, type StageOrHeld } from '../../payouts/lifecycle.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import { batchOf, type BatchResult } from './batch/work.ts';
import type { Paydrop, Records } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import { describeFault, waitForService } from '../parts/wait-for-service.ts';
import type { Fault } from '../../service/errors.ts';
import { answerNames } from './answers/answers.ts';
import { takenBefore } from './take/take-batch.ts';
import { notifyWaiting } from '../notify/notify-waiting.ts';
import { sentence } from '../../messages/messages.ts';

export async function waiting(paydrop: Paydrop, batch: BatchRecord, wait: Wait): Promise<BatchResult> {
  await keepWait(paydrop, batch, wait);
  return unfinished(paydrop, batch);
}

/** Makes a call of a batch, and tells it to wait for the service as soon as it does. */
export async function askForBatch<T>(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
  call: () => Promise<T>,
): ReturnType<typeof waitForService<T>> {
  const told: Fault[] = [];
  const answered = await waitForService(paydrop, control, call, async (fault) => {
    told.push(fault);
    control.view.halted?.(SERVICE_AWAY);
    await keepWait(paydrop, batch, describeFault(fault));
  });
  if (told.length > 0 && 'value' in answered) {
    control.view.halted?.(null);
    await keepWait(paydrop, batch, null, false);
  }
  return answered;
}

/** As the line of progress has it. */
export const SERVICE_AWAY: Words = sentence('halt.service');

/** Before the first call of a run; the runner checks before each of its own. */
export async function halt(paydrop: Paydrop, batch: BatchRecord, words: Words): Promise<BatchResult> {
  await keepWait(paydrop, batch, waitFor('stop-file', words));
  const { summary } = await unfinished(paydrop, batch);
  return { summary, words: [words], isStopped: true };
}

/**
 * Notifies the people who can act, and then records what a batch waits for, if that has changed. A look that finds the same leaves no trace: while something
 * is wrong there is one every half minute. Returns the batch as it was before.
 * @param isAsked false where the go ended before anything was asked.
 * @param also what changes with it; null where the batch has changed by now, and is left alone.
 */
export async function keepWait(
  paydrop: Paydrop,
  batch: BatchRecord,
  wait: Wait | null,
  isAsked = true,
  also: (now: BatchRecord) => BatchChange | null = () => ({}),
): Promise<BatchRecord | null> {
  await notifyWaiting(paydrop, batch, wait);
  return recordWait(paydrop, batch, wait, isAsked, also);
}

/** The same without the notice: for what is known better in a moment. */
export async function recordWait(
  { ledger, log }: Paydrop,
  batch: BatchRecord,
  wait: Wait | null,
  isAsked = true,
  also: (now: BatchRecord) => BatchChange | null = () => ({}),
): Promise<BatchRecord | null> {
  let news: Wait | null | undefined;
  const seen = await ledger.revise(batch, (now) => {
    const more = also(now);
    const change = { ...more, wait: waitAfter(now.wait, wait, isAsked) };
    const isSame = more === null || isDeepStrictEqual(now, { ...now, ...change });
    news = isSame || change.wait?.for === now.wait?.for ? undefined : change.wait;
    return isSame ? null : { change, event: 'batch changed' };
  });
  if (news === null) log.info('batch no longer waits', { batch: batch.id });
  // No words of other waits: a question names people.
  else if (news !== undefined)
    log.info('batch waits', {
      batch: batch.id,
      code: news.for,
      ...(isOfService(news) ? { reason: say(news.words, 'en') } : {}),
    });
  return seen;
}

export async function unfinished(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const now = await batchOf(paydrop, batch.id);
  const wait = waitOf(now);
  const words = wait === null ? [] : [wait.words];
  // While it waits for its day, a row that it leaves out can still be stopped.
  const leftOut = wait?.for === 'schedule' ? await leftOutWords(paydrop, now) : [];
  return {
    summary: await summarize(paydrop.ledger, now),
    words: [...words, ...leftOut],
  };
}

/** @param brought the name under which the same bytes came this time. */
export async function repeated(records: Records, batch: BatchRecord, brought: string): Promise<BatchResult> {
  const answers = (await answerNames(records)).get(batch.id) ?? [];
  const summary = { ...(await summarize(records.ledger, batch)), answers };
  const name = basename(batch.fileName);
  const since = takenBefore(batch, sentence('unfinishedBatch.repeated.batch', { name, id: batch.id }));
  const look: Words = sentence('unfinishedBatch.repeated.showsDeliberatelyPays', { id: batch.id });
  const next: Words = sentence('unfinishedBatch.repeated.finishedGoes', { id: batch.id });
  const words = [since, batch.state === 'closed' ? look : next];
  return { summary, words, isRepeated: true, brought };
}

/** With the rows that need a person; `first` precedes everything else. */
export async function tellResult(
  paydrop: Paydrop,
  batch: BatchRecord,
  summary: Summary,
  first: readonly Words[] = [],
): Promise<BatchResult> {
  const wait = waitOf(await batchOf(paydrop, batch.id));
  const attention = await rowsThatNeedAttention(paydrop, batch);
  const words = [...first, ...(wait === null ? [] : [wait.words]), ...(await leftOutWords(paydrop, batch))];
  return { summary, words, attention };
}

/** Another process has it. A round tells nothing of it, so that the daemon takes it up as soon as that process is gone. */
export async function elsewhere(
  paydrop: Paydrop,
  { id }: BatchRecord,
  { isRound }: Pick<RunControl, 'isRound'>,
  wasPaused = false,
): Promise<BatchResult | null> {
  const batch = await batchOf(paydrop, id);
  if (pauseOf(batch) !== null) return paused(paydrop, batch);
  if (isRound === true) return null;
  const file = batch.fileName;
  const words = wasPaused
    ? sentence('resumeBatches.liftedElsewhere', { file })
    : sentence('resumeBatches.elsewhere', { file });
  return {
    summary: await summarize(paydrop.ledger, batch),
    words: [words],
    isElsewhere: true,
  };
}

/** Somebody has paused it since the request: the pause holds until the next request. */
export async function paused(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  return { ...(await unfinished(paydrop, batch)), isStopped: true };
}

// A corrected file that leaves out a row of its predecessor does not stop that row, and its owner may think that it does.

/** Stages in which a row will be paid unless somebody acts. */
const ON_ITS_WAY: readonly StageOrHeld[] = [...STAGES_BEFORE_CONFIRM, 'confirmed'];

/** A file that waits for its day, or for a person, can still be stopped. */
const STILL_PAYS: ReadonlySet<BatchState> = new Set(CHECKED.filter((state) => state !== 'closed'));

/** How many rows are named; the others are counted. */
const LEFT_OUT_NAMED_MOST = 5;

/** A sentence for each earlier batch of a file with the same name that still pays rows which this one leaves out. */
async function leftOutWords({ ledger, clock }: Paydrop, batch: BatchRecord): Promise<readonly Words[]> {
  const earlier = (await ledger.batches({ toLookAt: clock.now() })).filter(
    ({ fileName, sha256, state, acceptedAt }) =>
      fileName === batch.fileName &&
      sha256 !== batch.sha256 &&
      acceptedAt < batch.acceptedAt &&
      STILL_PAYS.has(state),
  );
  if (earlier.length === 0) return [];
  const kept = new Set<string>();
  for await (const { reference } of batchRows(ledger, batch.id)) if (reference !== null) kept.add(reference);
  const words: Words[] = [];
  for (const { id } of earlier) {
    const rows: string[] = [];
    for await (const row of batchRows(ledger, id)) if (isLeftOut(row, kept)) rows.push(row.row);
    if (rows.length > 0) words.push(wordsFor(id, rows));
  }
  return words;
}

function isLeftOut({ reference, progress }: RowRecord, kept: ReadonlySet<string>): boolean {
  return reference !== null && !kept.has(reference) && ON_ITS_WAY.includes(stageOrHeld(progress));
}

function wordsFor(batch: string, rows: readonly string[]): Words {
  const named = rows.slice(0, LEFT_OUT_NAMED_MOST).join(', ');
  const more = rows.length - LEFT_OUT_NAMED_MOST;
  return sentence('leftOut.wordsFor', { batch, named, more });
}
