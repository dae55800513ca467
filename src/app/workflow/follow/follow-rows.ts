// Sent rows are followed to their end and answered. A closed batch is looked at again while the service may still change what it reported: a reversal, or
// a correction by its staff. A change is answered under the next number; earlier answers stay as they are.
import { notifyChanged } from '../../notify/notify-batch.ts';
import { notifyTrouble } from '../../notify/notify.ts';
import { callsAtOnceOf } from '../../config/config.ts';
import type { Paydrop } from '../../parts.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { CREDENTIALS_WORDS, SERVICE_WORDS } from '../../parts/wait-for-service.ts';
import { batchOf, type BatchResult, MOVED, type Step, type Work, goEnded } from '../batch/work.ts';
import { answersOf, lastSummary } from '../answers/answers.ts';
import { finishBatch, openAgain } from './finish-batch.ts';
import { carryRows, deliveryTools, isMoreToSend, tellWaiting } from '../carry/pay-batch.ts';
import { carryOutOrders, endGo } from '../decisions/mailbox.ts';
import { toNextDay } from '../batch/await-time.ts';
import { elsewhere, tellResult } from '../tell.ts';
import type { Words } from '../../../base/language.ts';
import { type RunEnd, runBatch } from '../../../delivery/runner.ts';
import { sweepEnded } from '../../../delivery/poll-by-list.ts';
import { ENDED } from '../../../delivery/time-left.ts';
import { folderOfBatch } from '../../../inbox/manifest.ts';
import { standingFolder } from '../../../inbox/workspace.ts';
import { isHad, waitingForOf } from '../../../ledger/batch-rules.ts';
import { isOnDays } from '../../../ledger/days.ts';
import { LeaseLost } from '../../../ledger/ledger-unusable.ts';
import { type Ledger, moveOn } from '../../../ledger/ledger.ts';
import { type BatchRecord, type Finished, type LeasedBatch, tenureOf } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { FINAL, type Stage } from '../../../payouts/lifecycle.ts';
import { summarize } from '../../../results/summary.ts';

export async function recheckClosed(work: Work): Promise<Step> {
  const { paydrop, batch, control } = work;
  const found = await lookAtClosed(work);
  return goEnded(found ?? (await followedOn(paydrop, batch, control)));
}

/** A person who asks is told about a row that is being followed again, even without news: it has not ended. */
async function followedOn(
  paydrop: Paydrop,
  seen: BatchRecord,
  control: RunControl,
): Promise<BatchResult | null> {
  const { ledger } = paydrop;
  if (control.isRound === true || (await ledger.nextDueAt(seen.id, ['confirmed'])) === null) return null;
  if (isHad(ledger, (await ledger.batch(seen.id)) ?? seen)) return elsewhere(paydrop, seen, control);
  const result = await standing(paydrop, seen);
  return { ...result, words: [...result.words, FOLLOWED_WORDS] };
}

const FOLLOWED_WORDS: Words = sentence('resumeBatches.followed');

/** Null when there was nothing to do, and nothing to report. */
async function lookAtClosed({ paydrop, batch, control }: Work): Promise<BatchResult | null> {
  const { ledger } = paydrop;
  const isOpen = isDueAnswer(batch) && !(await mayWait(paydrop, batch, control));
  const isOrdered = (await ledger.orders.open(batch.id)).length > 0;
  const isTime = isOrdered || isOpen || (await isDue(paydrop, batch.id, ['paid', 'failed', 'confirmed']));
  if (!isTime) return waitingForOf(batch) === 'operator' ? standing(paydrop, batch) : null;
  const held = await ledger.takeOver(batch);
  if (held === null) return null;
  return carryOutOrders(paydrop, held)
    .then(() => lookUnder(paydrop, held, control))
    .catch(async (error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error;
      // Whoever has it by now answers, perhaps before all of this was found.
      await flagAnswersDue(ledger, held.id, 'changed');
      return null;
    })
    .finally(() => endGo(paydrop, held, control.signal));
}

async function lookUnder(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
): Promise<BatchResult | null> {
  const { end, moved } = await look(paydrop, batch, control);
  const told = await answerAgain(paydrop, batch, moved);
  const fault = end.kind === 'service' ? paydrop.trouble.words : FAULT_WORDS[end.kind];
  if (fault === null) return told;
  if (end.kind === 'credentials') await notifyTrouble(paydrop, 'credentials', fault);
  const { words, ...result } = told ?? (await standing(paydrop, batch));
  return { ...result, words: [...words, fault], isStopped: true };
}

/** Whether only the end of a followed row is missing: it is looked at when it is due, or when a person asks. */
async function mayWait({ ledger }: Paydrop, batch: BatchRecord, { isRound }: RunControl): Promise<boolean> {
  if (batch.finished?.due !== 'followed' || isRound !== true) return false;
  return (await ledger.nextDueAt(batch.id, ['confirmed'])) !== null;
}

/** If a look was not possible, the next `resume` makes it. */
const FAULT_WORDS: Readonly<Record<RunEnd['kind'], Words | null>> = {
  service: SERVICE_WORDS,
  credentials: CREDENTIALS_WORDS,
  done: null,
  interrupted: null,
  paused: null,
  operator: null,
  waited: null,
  funds: null,
};

/** Notes what no answer has reported yet. */
async function flagAnswersDue(ledger: Ledger, of: string | LeasedBatch, due: Finished['due']): Promise<void> {
  await ledger.revise(of, ({ finished }) =>
    finished === null ? null : { change: { finished: { ...finished, due } }, event: 'batch changed' },
  );
}

/** There may be news that no answer has reported yet. */
function isDueAnswer({ finished }: BatchRecord): boolean {
  return (finished?.due ?? null) !== null;
}

async function look(paydrop: Paydrop, batch: BatchRecord, control: RunControl): Promise<WatchEnd> {
  const { ledger } = paydrop;
  // Before any row can change, so that a kill between the change and its answer leaves the answer due.
  const flag = () => flagAnswersDue(ledger, batch, 'changed');
  if ((await ledger.nextDueAt(batch.id, ['confirmed'])) === null)
    return watchEnded(paydrop, batch, control, flag);
  // A person released it after the service had changed its end.
  await flag();
  const end = await carryRows(paydrop, batch, 'tracked', control);
  const watched = await watchEnded(paydrop, batch, control, flag);
  return { end: end.kind === 'done' ? watched.end : end, moved: watched.moved + 1 };
}

/** Null when nothing is new since the last answers. */
async function answerAgain(paydrop: Paydrop, batch: BatchRecord, moved: number): Promise<BatchResult | null> {
  const { ledger, workspace } = paydrop;
  const { id } = batch;
  if (!isDueAnswer(await batchOf(paydrop, id))) return null;
  // A folder that was moved away is needed only when there is something to put into it.
  const isAway = (await standingFolder(workspace, id)) === null;
  const result = isAway && moved === 0 && !isDueAnswer(batch) ? null : await publish(paydrop, batch);
  // A row that a person made paydrop follow again returns here until it has ended, however long that takes, and is answered then.
  const isFollowed = (await ledger.nextDueAt(id, ['confirmed'])) !== null;
  await flagAnswersDue(ledger, batch, isFollowed ? 'followed' : null);
  return result;
}

async function publish(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult | null> {
  await tellWaiting(paydrop, batch, { kind: 'done' });
  const last = await lastSummary(await answersOf(paydrop, batch));
  const summary = await finishBatch(paydrop, batch, () => openAgain(paydrop, batch));
  const version = (await lastSummary(await answersOf(paydrop, batch)))?.version ?? 1;
  // The number shows whether it was reported already, also when a kill came between the answers and this.
  if (version > 1) await notifyChanged(paydrop, batch, summary, version);
  const isNew = JSON.stringify(summary.answers) !== JSON.stringify(last?.summary.answers);
  return isNew ? tellResult(paydrop, batch, summary, [CHANGED_WORDS]) : null;
}

const CHANGED_WORDS: Words = sentence('followRows.changed');

/** The last report: rows of a closed batch wait for a person, are still followed, or could not be looked at. */
async function standing(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const last = await lastSummary(await answersOf(paydrop, batch));
  const summary = last?.summary ?? (await summarize(paydrop.ledger, batch));
  return tellResult(paydrop, batch, summary);
}

// Looks again at the ended rows of a batch that are due: many by the list, and those that it leaves open one by one.

/** How a watch ended, and how many rows it found changed. */
type WatchEnd = { readonly end: RunEnd; readonly moved: number };

/** `beforeReading` is awaited before any read that may change a row. It waits for nothing else. */
async function watchEnded(
  paydrop: Paydrop,
  batch: BatchRecord,
  { signal, endedOf }: Pick<RunControl, 'signal' | 'endedOf'>,
  beforeReading: () => Promise<void> = () => Promise.resolve(),
): Promise<WatchEnd> {
  const { ledger, log, config } = paydrop;
  const tools = deliveryTools(paydrop, batch);
  if (await isDue(paydrop, batch.id, ENDED))
    await sweepEnded(ledger, tools, batch, (await endedOf?.(batch)) ?? null);
  if (!(await isDue(paydrop, batch.id, ENDED))) return { end: { kind: 'done' }, moved: 0 };
  await beforeReading();
  let moved = 0;
  const end = await runBatch({
    ...{ ledger, tools, log, signal, leased: batch, batch: batch.id, fileId: batch.fileId },
    folder: await folderOfBatch(paydrop.workspace, batch.id),
    tenure: tenureOf(batch, ledger.run),
    concurrency: callsAtOnceOf(config.service).most,
    onMoved: () => (moved += 1),
    stop: () => null,
    goal: 'watched',
    waitMs: 0,
  });
  return { end, moved };
}

/** Whether a row in one of these stages is due by now. */
async function isDue({ ledger, clock }: Paydrop, batch: string, stages: readonly Stage[]): Promise<boolean> {
  const dueAt = await ledger.nextDueAt(batch, stages);
  return dueAt !== null && dueAt <= clock.now();
}

// Follows the sent rows to their end, and answers. The answer closes the batch once all its rows have ended.

export async function followRows(work: Work): Promise<Step> {
  const { paydrop, batch } = work;
  if (await isMoreToSend(paydrop, batch)) return back(work);
  const next = await toNextDay(work);
  if (next !== null) return next;
  // A day that was missed is told also by a run that does not wait.
  if (isOnDays(batch.payAt)) await tellWaiting(paydrop, batch, { kind: 'done' });
  return goEnded(await followAndAnswer(work, { kind: 'done' }));
}

/**
 * At the end of a go that may have sent something: follows what is sent, and reports how the batch stands.
 * @param sent how the sending ended; null when nothing may be confirmed yet, and the owner knows why.
 */
export async function followAndAnswer(work: Work, sent: RunEnd | null): Promise<BatchResult> {
  const { paydrop, batch, control } = work;
  control.onSent?.();
  await watchEnded(paydrop, batch, control);
  const openFile = async () => (await work.open()).read;
  // The owner sees what was sent before the wait.
  let summary = await finishBatch(paydrop, batch, openFile);
  if (sent !== null && control.waitMs > 0 && summary.state !== 'closed' && MAY_FOLLOW[sent.kind]) {
    // What blocked the sending has used up the waiting time; a last look is free.
    const waitMs = sent.kind === 'done' ? control.waitMs : 0;
    const followed = await carryRows(paydrop, batch, 'tracked', { ...control, waitMs });
    await tellWaiting(paydrop, batch, sent.kind === 'done' ? followed : sent);
    summary = await finishBatch(paydrop, batch, openFile);
  }
  return tellResult(paydrop, batch, summary);
}

/** Whether rows on their way can still be followed after sending has ended like this. */
const MAY_FOLLOW: Readonly<Record<RunEnd['kind'], boolean>> = {
  done: true,
  waited: true,
  funds: true,
  interrupted: false,
  paused: false,
  // Sent rows are followed, even while somebody has to decide about the rest.
  operator: true,
  credentials: false,
  service: true,
};

export async function closeBatch(work: Work): Promise<Step> {
  const { paydrop, batch, control } = work;
  // An earlier go was stopped here, and a payment may have been reversed since.
  await watchEnded(paydrop, batch, control);
  // Since all had ended, a person has released one of them, or the service has contradicted itself.
  if (!(await isEnded(work))) return back(work);
  control.onSent?.();
  const summary = await finishBatch(paydrop, batch, async () => (await work.open()).read);
  return goEnded(await tellResult(paydrop, batch, summary));
}

async function back({ paydrop, batch }: Work): Promise<Step> {
  await moveOn(paydrop.ledger, batch, batch.state, 'sending');
  return MOVED;
}

async function isEnded({ paydrop, batch }: Work): Promise<boolean> {
  return [...(await paydrop.ledger.stageCounts(batch.id)).keys()].every((stage) => FINAL.has(stage));
}
