// From the first payment of a batch to its end: what can be sent is sent, what was sent is followed, and what became of it is answered.
import { lookAtHeldRows } from '../../../delivery/look-at-held.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { approvalStamp } from '../../../ledger/approval.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import { fileGone } from '../../parts/command-errors.ts';
import { askWhatIsOver, clearToSend } from '../approval/clear-to-send.ts';
import { batchOf, finishBatch } from '../close/finish-batch.ts';
import { watchEnded } from '../close/watch-ended.ts';
import { tellResult } from '../tell-result.ts';
import { told, type Step, type Work } from '../work.ts';
import { limitsStop } from './limits-before-sending.ts';
import { carryRows, deliveryTools, priceForLimits, tellWaiting } from './pay-batch.ts';
import { sendBatch } from './send-batch.ts';

export function payAndFollow(work: Work): Promise<Step> {
  return pay(work).catch((error: unknown) => {
    // Rows are on their way by now: that its copy cannot be read any more refuses nothing.
    throw error instanceof FileRefused ? fileGone(work.batch.id, work.batch.fileName) : error;
  });
}

async function pay(work: Work): Promise<Step> {
  const { paydrop, batch, read, control } = work;
  const looked = await lookAtHeldRows(paydrop.ledger, batch, deliveryTools(paydrop, batch));
  const sent = looked.kind === 'done' ? await send(work) : await stopped(work, looked);
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
  return told(await tellResult(paydrop, batch, summary));
}

/** Before the first payment the file is held against its approval and against the limits, as far as its prices are known. */
async function send(work: Work): Promise<RunEnd | null> {
  const { paydrop, batch, control, pace } = work;
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

async function stopped({ paydrop, batch }: Work, end: RunEnd): Promise<RunEnd> {
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
