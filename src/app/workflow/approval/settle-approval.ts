// Whether a batch may be sent by its approval: nobody has to be asked, somebody was and has answered, or it waits. What was asked stays
// asked, whatever the config says later.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Words } from '../../../base/language.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { isWithin, type Approval, type Asked } from '../../../ledger/approval.ts';
import { answersAs } from '../../../rows/formats.ts';
import { answersOf } from '../close/answers.ts';
import { batchOf } from '../close/finish-batch.ts';
import { takenProfile } from '../take/profile-for.ts';
import { policyOf, type ApprovalRule } from '../../config/policy.ts';
import type { ApprovalWork } from './approval-work.ts';
import { RELEASED_WORDS } from './approval-words.ts';
import { askApproval, waitingEnd } from './ask-approval.ts';
import { closeDeclined } from './close-declined.ts';
import { freshPrices } from './fresh-prices.ts';
import { sumsToSend, wholeSums } from './sums-to-send.ts';
import { sentence } from '../../../messages/messages.ts';

/** Null when the batch may go on; else how its run ends, to be told as such. */
export async function settleApproval(work: ApprovalWork): Promise<RunEnd | null> {
  const { approval } = await batchOf(work.paydrop, work.batch.id);
  if (approval === undefined || approval.kind === 'open') return decideNeed(work);
  if (approval.kind === 'not-asked') return null;
  if (approval.declined !== null) return closeDeclined(work, approval.declined);
  if (approval.isOutdated) return renew(work, approval);
  return approval.given === null ? waitingEnd(approval.words) : null;
}

async function decideNeed(work: ApprovalWork): Promise<RunEnd | null> {
  const rule = await ruleOf(work);
  const wasAsked = await wasAskedBefore(work);
  if (rule === 'none' && !wasAsked) return dispense(work, null);
  const priced = await freshPrices(work);
  if (priced.kind !== 'done') return priced;
  if (typeof rule === 'object' && !wasAsked) {
    const sums = wholeSums(await sumsToSend(work.paydrop.ledger, work.batch.id));
    if (sums.every(({ currency, debit }) => isWithin(rule, currency, debit))) return dispense(work, rule);
  }
  const end = await askApproval(work, wasAsked ? [ASKED_BEFORE] : []);
  // Nothing to send: what a person releases later is asked for then.
  return end ?? dispense(work, {});
}

async function ruleOf({ paydrop, batch }: ApprovalWork): Promise<ApprovalRule> {
  const profile = await takenProfile(paydrop.workspace, batch);
  return policyOf(paydrop.config.policy, profile?.policy).approval;
}

/** The preview in the batch's own folder outlives a lost ledger, and its answer does not. */
async function wasAskedBefore({ paydrop, batch }: ApprovalWork): Promise<boolean> {
  const { folder, nameOf } = await answersOf(paydrop, batch);
  return folder !== null && existsSync(join(folder, nameOf('preview', answersAs(batch.fileName))));
}

const ASKED_BEFORE: Words = sentence('settleApproval.askedBefore');

async function dispense(
  { paydrop, batch }: ApprovalWork,
  upTo: Extract<Approval, { kind: 'not-asked' }>['upTo'],
): Promise<null> {
  await paydrop.ledger.revise(batch.id, ({ approval }) =>
    approval === undefined || approval.kind === 'open'
      ? { change: { approval: { kind: 'not-asked', upTo } }, event: 'no approval needed' }
      : null,
  );
  return null;
}

/** Rows were released: asked anew when the question did not know them all, and else as it was. */
async function renew(work: ApprovalWork, { round }: Asked): Promise<RunEnd | null> {
  const { paydrop, batch } = work;
  if ((await paydrop.ledger.uncovered(batch.id)) > 0) return askReleased(work);
  await paydrop.ledger.revise(batch.id, ({ approval }) =>
    approval?.kind === 'asked' && approval.round === round
      ? { change: { approval: { ...approval, isOutdated: false } }, event: 'approval as it was asked' }
      : null,
  );
  return settleApproval(work);
}

export async function askReleased(work: ApprovalWork): Promise<RunEnd | null> {
  const priced = await freshPrices(work);
  return priced.kind === 'done' ? askApproval(work, [RELEASED_WORDS]) : priced;
}
