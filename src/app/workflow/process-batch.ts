// The whole path on one page: a file is taken, read, checked, registered, priced, paid, followed and answered. Read this first.
import { lookAtHeldRows } from '../../delivery/look-at-held.ts';
import type { RunEnd } from '../../delivery/runner.ts';
import type { Pace } from '../../delivery/sample-prices.ts';
import { readDocumentList } from '../../inbox/documents.ts';
import { inPlace, type DroppedFile } from '../../inbox/dropped-file.ts';
import { lookForStop } from '../../inbox/stop-file.ts';
import type { InboxFile } from '../../inbox/take-file.ts';
import { approvalStamp } from '../../ledger/approval.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { say } from '../../base/language.ts';
import { belowPaymentsWords } from '../../rows/totals-row.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import type { ReadFile } from '../../rows/read-file.ts';
import { acknowledge, wasAcknowledged } from './check/acknowledge.ts';
import type { ApprovalWork } from './approval/approval-work.ts';
import { askWhatIsOver, clearToSend } from './approval/clear-to-send.ts';
import { fileGone, listGone } from '../parts/command-errors.ts';
import type { BatchResult } from './batch-result.ts';
import { beforePaying } from './send/before-paying.ts';
import type { Paydrop } from '../parts.ts';
import { crossCheck } from './check/cross-check.ts';
import { batchOf, finishBatch } from './close/finish-batch.ts';
import { limitsStop } from './send/limits-before-sending.ts';
import { carryRows, deliveryTools, priceForLimits, tellWaiting } from './send/pay-batch.ts';
import { refuseFile, refuseForRows, refuseUntaken, unreadable } from './take/refuse-file.ts';
import { refusedAs } from './take/refused-as.ts';
import { registerBatch } from './check/register-batch.ts';
import { reopenBatch } from './take/reopen-batch.ts';
import type { RunControl } from '../parts/run-options.ts';
import { sendBatch } from './send/send-batch.ts';
import { announced, takeBatch, type Taken } from './take/take-batch.ts';
import { tellResult } from './tell-result.ts';
import { halt, repeated, unfinished, waiting } from './unfinished-batch.ts';
import { describeFault, waitForService } from '../parts/wait-for-service.ts';
import { watchEnded } from './close/watch-ended.ts';
import { fitWhole } from './all-or-nothing/whole-in-time.ts';

/** Pays one file, exactly once whatever happens, and answers it. `again`: bytes that were paid before are paid once more; `by`: who brings it. */
export async function processBatch(
  paydrop: Paydrop,
  path: string,
  control: RunControl,
  again = false,
  by: string | null = null,
): Promise<BatchResult> {
  return carryTaken(paydrop, path, await takeOrRefuse(paydrop, inPlace(path, by), again), control);
}

export type TakenOrRefused = Taken | { readonly kind: 'refused'; readonly refusal: FileRefused };

/** Takes a file, or says why it cannot be taken. */
export function takeOrRefuse(paydrop: Paydrop, file: DroppedFile, again = false): Promise<TakenOrRefused> {
  return takeBatch(paydrop, file, again).catch((error: unknown) => {
    if (error instanceof FileRefused) return { kind: 'refused', refusal: error } as const;
    throw error;
  });
}

/** Goes on with what became of a file at the door; `path` is where the file that was refused lies. */
export async function carryTaken(
  paydrop: Paydrop,
  path: string,
  taken: TakenOrRefused,
  control: RunControl,
): Promise<BatchResult> {
  switch (taken.kind) {
    case 'refused':
      return refuseAtDoor(paydrop, path, taken.refusal);
    case 'repeated':
      return repeated(paydrop, taken.batch);
    case 'taken':
      return carryBatch(paydrop, taken.batch, control);
  }
}

/** What was wrong may have shown before anything was taken, or while the documents were. */
async function refuseAtDoor(paydrop: Paydrop, path: string, refusal: FileRefused): Promise<BatchResult> {
  const first = await announced(paydrop, path, null);
  // A neighbour of the same bytes may be taken at this moment: that one is not refused.
  return paydrop.takes.run(first.sha256, async () => {
    const { batch, isTaken } = await refusedAs(paydrop, first);
    return isTaken
      ? refuseFile(paydrop, batch, unreadable(refusal))
      : refuseUntaken(paydrop, path, batch, unreadable(refusal));
  });
}

/** Goes on with a batch from wherever it stands. */
export async function carryBatch(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
): Promise<BatchResult> {
  const halted = lookForStop(paydrop.workspace);
  if (halted !== null) return halt(paydrop, batch, halted);
  const work = await reopenBatch(paydrop, batch);
  if ('refusal' in work) return refuseFile(paydrop, batch, unreadable(work.refusal));
  const { read, file } = work;
  const result = await carryRead(paydrop, batch, read, file, control);
  // Said once, when the file is read for the first time.
  if (batch.state !== 'reading') return result;
  return {
    ...result,
    about: belowPaymentsWords(read.table).map((each) => say(each, paydrop.config.language)),
  };
}

async function carryRead(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
  file: InboxFile,
  control: RunControl,
): Promise<BatchResult> {
  if (batch.state === 'reading') {
    const stopped = await register(paydrop, batch, file, read, control);
    if (stopped !== null) return stopped;
  }
  // Where it was cut short it goes on behind the last row that was checked: others have been held against those.
  if (batch.state === 'reading' || batch.state === 'checking')
    await crossCheck(paydrop, batch, { state: 'pricing' });
  let pace: Pace | null = null;
  if ((await batchOf(paydrop, batch.id)).state === 'pricing') {
    const accepted = await accept(paydrop, batch, read, control);
    if ('summary' in accepted) return accepted;
    pace = accepted.pace;
  }
  if ((await batchOf(paydrop, batch.id)).state === 'accepted') {
    const before = await beforePaying({ paydrop, batch, read, control });
    if (before !== null) return before;
    // Declined, or asked anew, at this very moment: the next go finds it so.
    if (!(await paydrop.ledger.moveOn(batch.id, 'accepted', 'paying'))) return unfinished(paydrop, batch);
  }
  return pay(paydrop, batch, read, control, pace).catch((error: unknown) => {
    // Rows are on their way by now: that its copy cannot be read any more refuses nothing.
    throw error instanceof FileRefused ? fileGone(batch.id, batch.fileName) : error;
  });
}

async function register(
  paydrop: Paydrop,
  batch: BatchRecord,
  file: InboxFile,
  read: ReadFile,
  control: RunControl,
): Promise<BatchResult | null> {
  const documents = await readDocumentList(file.folder);
  if (documents === null) throw listGone(batch.id);
  const registered = await waitForService(paydrop, control, () =>
    registerBatch(paydrop, batch, read, documents),
  ).catch((error: unknown) => {
    if (error instanceof FileRefused) return { refusal: error };
    throw error;
  });
  if ('refusal' in registered) return refuseFile(paydrop, batch, unreadable(registered.refusal));
  if ('fault' in registered) return waiting(paydrop, batch, describeFault(registered.fault));
  if (registered.value.rejected > 0 && batch.onInvalidRows === 'refuse-file') {
    return refuseForRows(paydrop, batch, read, registered.value.rejected);
  }
  return null;
}

/** The file is accepted; where one wrong row refuses it whole, rows whose bounds only a quotation tells are quoted before that. */
async function accept(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
  control: RunControl,
): Promise<BatchResult | { readonly pace: Pace | null }> {
  const { ledger } = paydrop;
  if (batch.onInvalidRows === 'refuse-file') {
    const stopped = await price(paydrop, batch, read, control);
    if (stopped !== null) return stopped;
  }
  const fit = await waitForService(paydrop, control, () => fitWhole(paydrop, batch));
  if ('fault' in fit) return waiting(paydrop, batch, describeFault(fit.fault));
  const pace = fit.value;
  if (pace instanceof FileRefused) return refuseFile(paydrop, batch, unreadable(pace));
  // The answer first: a batch that is being paid has been acknowledged, whatever happens in between.
  await acknowledge(paydrop, batch);
  await ledger.moveOn(batch.id, 'pricing', 'accepted');
  return { pace };
}

async function price(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
  control: RunControl,
): Promise<BatchResult | null> {
  // Killed between the acknowledgement and the state: its owner was told that the file is accepted, so it is.
  if (await wasAcknowledged(paydrop, batch)) return null;
  const end = await carryRows(paydrop, batch, 'priced', control);
  const rejected = (await paydrop.ledger.stageCounts(batch.id)).get('rejected') ?? 0;
  if (rejected > 0) return refuseForRows(paydrop, batch, read, rejected);
  if (end.kind === 'done') return null;
  await tellWaiting(paydrop, batch, end);
  return unfinished(paydrop, batch);
}

async function pay(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
  control: RunControl,
  pace: Pace | null,
): Promise<BatchResult> {
  const work = { paydrop, batch, read, control };
  const looked = await lookAtHeldRows(paydrop.ledger, batch, deliveryTools(paydrop, batch));
  const sent = looked.kind === 'done' ? await send(work, pace) : await stopped(work, looked);
  control.onSent?.();
  await watchEnded(paydrop, batch, control);
  const openFile = () => Promise.resolve(read);
  let summary = await finishBatch(paydrop, batch.id, openFile);
  // What could be sent is on its way, and its owner has seen that; what is left is to follow it to the end.
  if (sent !== null && control.waitMs > 0 && summary.state !== 'closed' && MAY_FOLLOW[sent.kind]) {
    // What held up the sending has used up the patience; a last look is free.
    const waitMs = sent.kind === 'done' ? control.waitMs : 0;
    const followed = await carryRows(paydrop, batch, 'tracked', { ...control, waitMs });
    await tellWaiting(paydrop, batch, sent.kind === 'done' ? followed : sent);
    summary = await finishBatch(paydrop, batch.id, openFile);
  }
  return tellResult(paydrop, batch, summary);
}

/** Before the first payment the file is held against its approval and against the limits, as far as its prices are known. */
async function send(work: ApprovalWork, pace: Pace | null): Promise<RunEnd | null> {
  const { paydrop, batch, control } = work;
  const unapproved = await clearToSend(work);
  if (unapproved !== null) return stopped(work, unapproved);
  await priceForLimits(paydrop, batch, control);
  const stop = await limitsStop(paydrop, batch);
  if (stop !== null) return stopped(work, { kind: 'operator', stop });
  const stamp = approvalStamp(await batchOf(paydrop, batch.id));
  const sent = await sendBatch(paydrop, batch, control, pace);
  const isOver = await askWhatIsOver(work, stamp);
  return isOver === null ? sent : stopped(work, isOver);
}

async function stopped({ paydrop, batch }: ApprovalWork, end: RunEnd): Promise<RunEnd> {
  await tellWaiting(paydrop, batch, end);
  return end;
}

/** Whether the rows that are on their way can still be followed after sending has ended so. */
const MAY_FOLLOW: Readonly<Record<RunEnd['kind'], boolean>> = {
  done: true,
  waited: true,
  funds: true,
  interrupted: false,
  paused: false,
  // What was sent is followed, whoever has to decide about the rest.
  operator: true,
  credentials: false,
  service: true,
};
