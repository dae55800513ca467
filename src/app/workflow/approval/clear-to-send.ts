// The last question before anything of a batch is sent, and again at every later go: is it approved, are these the rows that were approved,
// and is what they cost now still what was approved. On the way from here the ledger asks the same row by row.
import type { RunEnd } from '../../../delivery/runner.ts';
import { approvalStamp, waitsForAnswer, type Approval, type Asked } from '../../../ledger/approval.ts';
import { batchOf } from '../close/finish-batch.ts';
import type { Work } from '../work.ts';
import {
  areWithin,
  askApproval,
  shownSums,
  lapsedWords,
  sumsToSend,
  waitingEnd,
  wholeSums,
} from './ask-approval.ts';
import { freshPrices } from './fresh-prices.ts';
import { askReleased, decideNeed, settleApproval } from './settle-approval.ts';
import { sentence } from '../../../messages/messages.ts';

/** Null when the rows of the batch may be sent. */
export async function clearToSend(work: Work): Promise<RunEnd | null> {
  const unsettled = await settleApproval(work);
  if (unsettled !== null) return unsettled;
  const { paydrop, batch } = work;
  const { approval } = await batchOf(paydrop, batch.id);
  if (approval?.kind !== 'asked' || approval.declined !== null) return null;
  if ((await paydrop.ledger.uncovered(batch.id)) > 0) return askReleased(work);
  return approval.isChecked ? lapseOf(work, approval) : check(work, approval);
}

/** Before the first payment: what it costs at this moment, however long ago it was approved. */
async function check(work: Work, asked: Asked): Promise<RunEnd | null> {
  const priced = await freshPrices(work);
  if (priced.kind !== 'done') return priced;
  const lapsed = await lapseOf(work, asked);
  if (lapsed !== null) return lapsed;
  await work.paydrop.ledger.revise(work.batch, ({ approval }) =>
    approval?.kind === 'asked' && approval.round === asked.round
      ? { change: { approval: { ...approval, isChecked: true } }, event: 'approval held against prices' }
      : null,
  );
  return null;
}

/** Asked anew when what is known of the prices exceeds what was approved. */
async function lapseOf(work: Work, asked: Asked): Promise<RunEnd | null> {
  const now = wholeSums(await sumsToSend(work.paydrop.ledger, work.batch.id));
  if (areWithin(asked.most, now)) return null;
  const words = lapsedWords(asked, shownSums(wholeSums(asked)), shownSums(now));
  return askApproval(work, [words]);
}

/**
 * After a run that the ledger has stopped because a row was not approved: asked anew, at fresh prices. Null when it was not stopped so;
 * `go-on` when nobody has to be asked about what is more now.
 * @param before the stamp of the approval under which the run began.
 */
export async function askWhatIsOver(work: Work, before: string): Promise<RunEnd | 'go-on' | null> {
  const { paydrop, batch } = work;
  const now = await batchOf(paydrop, batch.id);
  if (now.wait?.for !== 'approval' || now.approval === undefined) return null;
  const { approval } = now;
  if (approval.kind === 'asked' && waitsForAnswer(now)) return waitingEnd(approval.words);
  const priced = await freshPrices(work);
  if (priced.kind !== 'done') return priced;
  if (approval.kind !== 'asked') return raise(work, approval);
  const unclear = await clearToSend(work);
  // The prices may have gone back meanwhile. What the ledger counts against the approval is asked for all the same, or it would stop for ever.
  return (
    unclear ?? (approvalStamp(now) === before ? askApproval(work, [sentence('approval.renewed')]) : null)
  );
}

/** Within the total of the day it may cost more than it did; as often as that, because the total ends. */
async function raise(work: Work, before: Exclude<Approval, Asked>): Promise<RunEnd | 'go-on' | null> {
  const end = await decideNeed(work, [sentence('approval.overThreshold')]);
  if (end !== null) return end;
  const { approval } = await batchOf(work.paydrop, work.batch.id);
  const isRaised = JSON.stringify(approval) !== JSON.stringify(before);
  return isRaised ? 'go-on' : askApproval(work, [sentence('approval.overThreshold')]);
}
