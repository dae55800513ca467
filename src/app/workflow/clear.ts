// The gates before the first payment of an accepted batch, in this order: its file still stands, it is approved, and its time has come. Approval and
// limits are asked again at every go that sends (`send/send-rows.ts`).
import { isDeepStrictEqual } from 'node:util';

import { payingState } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { waitFor } from '../../ledger/wait.ts';
import { notifyWaiting } from '../notify/notify-waiting.ts';
import type { Paydrop } from '../parts.ts';
import { settleApproval } from './approval/settle-approval.ts';
import type { BatchResult } from './batch-result.ts';
import { tellAccepted } from './check/acknowledge.ts';
import { batchOf } from './close/finish-batch.ts';
import { awaitTime } from './schedule/await-time.ts';
import { withdrawGone } from './schedule/withdraw-gone.ts';
import { tellWaiting } from './send/pay-batch.ts';
import { unfinished } from './unfinished-batch.ts';
import { told, type Step, type Work } from './work.ts';
import { sentence } from '../../messages/messages.ts';

export async function clear(work: Work): Promise<Step> {
  const { paydrop, batch, pace } = work;
  const waits = await waitsFor(work);
  if (waits !== null) return told(waits);
  await tellUnlessAsked(work);
  await paydrop.ledger.changeBatch(batch.id, { wait: null });
  // Declined, or asked anew, at this very moment: the next go finds it so.
  if (!(await paydrop.ledger.moveOn(batch.id, 'accepted', payingState(batch))))
    return told(await unfinished(paydrop, batch));
  return { kind: 'moved', pace };
}

/** Null when the batch may be paid now; else what is told of it, and it comes back here. */
async function waitsFor(work: Work): Promise<BatchResult | null> {
  const { paydrop, batch } = work;
  // First: what nobody wants any more is not to be approved, and holds up what stands in its place.
  const standing = await withdrawGone(paydrop, batch);
  if (standing !== null && typeof standing === 'object') return standing;
  const unapproved = await awaitApproval(work);
  // What has begun was begun at its time.
  return unapproved ?? (standing === 'begun' ? null : awaitSchedule(paydrop, batch));
}

/** Null when nobody has to be asked, or somebody has approved it. Whether it still costs what was approved is asked when it is sent. */
async function awaitApproval(work: Work): Promise<BatchResult | null> {
  const { paydrop, batch } = work;
  if (await wasSentBefore(work)) return null;
  const end = await settleApproval(work);
  if (end === null) return null;
  await tellWaiting(paydrop, batch, end);
  const result = await unfinished(paydrop, batch);
  const { approval } = await batchOf(paydrop, batch.id);
  const answers = approval?.kind === 'asked' ? [approval.preview] : [];
  return { ...result, summary: { ...result.summary, answers } };
}

/** After a lost ledger: what was sent is followed at once, and the rest is asked for where it would be sent. */
async function wasSentBefore({ paydrop, batch }: Work): Promise<boolean> {
  if ((await batchOf(paydrop, batch.id)).approval !== undefined) return false;
  const counts = await paydrop.ledger.stageCounts(batch.id);
  return (['confirmed', 'paid', 'failed'] as const).some((stage) => counts.has(stage));
}

/** Null when the time for paying has come, or none was set; a standing file is paid only while it stands. */
async function awaitSchedule(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult | null> {
  const standing = await withdrawGone(paydrop, batch);
  if (standing === 'begun') return null;
  if (standing !== null && standing !== 'stands') return standing;
  const waits = standing === null ? UNREADABLE : await awaitTime(paydrop, batch);
  if (waits === null) return null;
  if (waits.wait.for === 'schedule') await tellUnlessAsked({ paydrop, batch });
  await notifyWaiting(paydrop, batch, waits.wait);
  // A look that finds the same leaves no trace: while something is wrong there is one every half minute.
  await paydrop.ledger.revise(batch.id, (now) =>
    isDeepStrictEqual(now, { ...now, ...waits }) ? null : { change: waits, event: 'batch changed' },
  );
  return unfinished(paydrop, batch);
}

/** Who was asked to approve the file knows that it is here. */
async function tellUnlessAsked({ paydrop, batch }: Pick<Work, 'paydrop' | 'batch'>): Promise<void> {
  if ((await batchOf(paydrop, batch.id)).approval?.kind !== 'asked') await tellAccepted(paydrop, batch);
}

/** The folder cannot be read: whether the file still stands is asked again at every look. */
const UNREADABLE = { wait: waitFor('schedule', sentence('clear.waitingWords')) } as const;
