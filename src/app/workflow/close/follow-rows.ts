// What was sent is followed to its end, and answered once all of it has ended.
import { FINAL } from '../../../payouts/lifecycle.ts';
import { carryRows, tellWaiting } from '../send/pay-batch.ts';
import { isMoreToSend } from '../send/send-rows.ts';
import { tellResult } from '../tell.ts';
import { MOVED, told, type Step, type Work } from '../work.ts';
import { finishBatch } from './finish-batch.ts';
import { watchEnded } from './watch-reversals.ts';

export async function followRows(work: Work): Promise<Step> {
  const { paydrop, batch, control } = work;
  if (await isMoreToSend(work)) return back(work);
  control.onSent?.();
  await watchEnded(paydrop, batch, control);
  if (await isEnded(work)) return close(work);
  const openFile = async () => (await work.open()).read;
  // Its owner sees what was sent before it is waited for.
  let summary = await finishBatch(paydrop, batch.id, openFile);
  if (control.waitMs > 0 && summary.state !== 'closed') {
    await tellWaiting(paydrop, batch, await carryRows(paydrop, batch, 'tracked', control));
    if (await isEnded(work)) return close(work);
    summary = await finishBatch(paydrop, batch.id, openFile);
  }
  return told(await tellResult(paydrop, batch, summary));
}

export async function closeBatch(work: Work): Promise<Step> {
  const { paydrop, batch, control } = work;
  // An earlier go was stopped here, and a payment may have been reversed since.
  await watchEnded(paydrop, batch, control);
  // A person has released one of them, or the service has contradicted itself, since all had ended.
  if (!(await isEnded(work))) return back(work);
  control.onSent?.();
  return answer(work);
}

async function close(work: Work): Promise<Step> {
  const { paydrop, batch } = work;
  await paydrop.ledger.moveOn(batch.id, 'following', 'closing');
  return answer(work);
}

async function answer({ paydrop, batch, open }: Work): Promise<Step> {
  const summary = await finishBatch(paydrop, batch.id, async () => (await open()).read);
  return told(await tellResult(paydrop, batch, summary));
}

async function back({ paydrop, batch }: Work): Promise<Step> {
  await paydrop.ledger.moveOn(batch.id, batch.state, 'sending');
  return MOVED;
}

async function isEnded({ paydrop, batch }: Work): Promise<boolean> {
  return [...(await paydrop.ledger.stageCounts(batch.id)).keys()].every((stage) => FINAL.has(stage));
}
