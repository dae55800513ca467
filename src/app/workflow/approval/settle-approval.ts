// Whether a batch may be sent by its approval: nobody has to be asked, somebody was and has answered, or it waits. What was asked stays
// asked, whatever the config says later.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Words } from '../../../base/language.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { dayOf } from '../../../base/clock.ts';
import { addDecimals, compareDecimals, subtractDecimals, type DecimalText } from '../../../base/decimal.ts';
import { isSamePerson, isSystemUser } from '../../../base/person-name.ts';
import type { Asked, MostDebit, NotAsked } from '../../../ledger/approval.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { earliestNow } from '../../parts/time-at-service.ts';
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
import { areWithin, mostOf, sumsToSend, wholeSums } from './sums-to-send.ts';
import { sentence } from '../../../messages/messages.ts';

/** Null when the batch may go on; else how its run ends, to be told as such. */
export async function settleApproval(work: ApprovalWork): Promise<RunEnd | null> {
  const { approval } = await batchOf(work.paydrop, work.batch.id);
  if (approval === undefined || approval.kind === 'open') return decideNeed(work);
  if (approval.kind === 'not-asked') return (await isBeyond(work, approval)) ? decideNeed(work) : null;
  if (approval.declined !== null) return closeDeclined(work, approval.declined);
  if (approval.isOutdated) return renew(work, approval);
  return approval.given === null ? waitingEnd(approval.words) : null;
}

/** Rows were released, or prices have risen: what nobody had to be asked about is no more all of it. */
async function isBeyond({ paydrop, batch }: ApprovalWork, { upTo }: NotAsked): Promise<boolean> {
  if (upTo === null) return false;
  const now = await sumsToSend(paydrop.ledger, batch.id);
  return now.unpriced > 0 || !areWithin(upTo, wholeSums(now));
}

export async function decideNeed(work: ApprovalWork, why: readonly Words[] = []): Promise<RunEnd | null> {
  const rule = await ruleOf(work);
  const wasAsked = await wasAskedBefore(work);
  if (rule === 'none' && !wasAsked) return dispense(work, null);
  const priced = await freshPrices(work);
  if (priced.kind !== 'done') return priced;
  if (typeof rule === 'object' && !wasAsked && (await dispenseWithin(work, rule))) return null;
  const end = await askApproval(work, wasAsked ? [ASKED_BEFORE] : why);
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

async function dispense({ paydrop, batch }: ApprovalWork, upTo: NotAsked['upTo']): Promise<null> {
  await paydrop.ledger.revise(batch.id, ({ approval }) =>
    approval === undefined || approval.kind === 'open'
      ? { change: { approval: { kind: 'not-asked', upTo } }, event: 'no approval needed' }
      : null,
  );
  return null;
}

/**
 * Lets a batch go unasked that stays, with all others of its submitters on this day of the service, within a total. Each takes of that total what it
 * costs now and the drift that an approval would allow, so that all of them together stay within it whatever becomes of prices and held rows.
 */
async function dispenseWithin(work: ApprovalWork, rule: MostDebit): Promise<boolean> {
  const { paydrop, batch } = work;
  const sums = await sumsToSend(paydrop.ledger, batch.id);
  const profile = await takenProfile(paydrop.workspace, batch);
  const { maxDrift } = policyOf(paydrop.config.policy, profile?.policy);
  const wanted = mostOf(sums, maxDrift);
  const on = dayOf(earliestNow(paydrop));
  let isDispensed = false;
  await paydrop.ledger.revise(batch.id, (now, all) => {
    const left = leftOf(rule, takenBy(now, all(), on));
    isDispensed = now.approval?.kind !== 'asked' && areWithin(left, wholeSums(sums));
    const upTo = Object.fromEntries(
      Object.entries(wanted).map(([currency, most]) => [currency, least(most, left[currency] ?? most)]),
    );
    return isDispensed
      ? { change: { approval: { kind: 'not-asked', upTo, on } }, event: 'no approval needed' }
      : null;
  });
  return isDispensed;
}

/** What other files of the same submitters were let go with unasked on that day. Those of whom nobody is known count as one. */
function takenBy(own: BatchRecord, all: readonly BatchRecord[], on: string): readonly MostDebit[] {
  return all.flatMap((other) => {
    const { approval } = other;
    if (other.id === own.id || other.state === 'refused' || approval?.kind !== 'not-asked') return [];
    return approval.on === on && approval.upTo !== null && haveOneSubmitter(own, other)
      ? [approval.upTo]
      : [];
  });
}

function haveOneSubmitter(
  { submittedBy: a = [] }: BatchRecord,
  { submittedBy: b = [] }: BatchRecord,
): boolean {
  if (a.length === 0 || b.length === 0) return a.length === b.length;
  return a.some((one) => b.some((other) => (isSystemUser(one) ? one === other : isSamePerson(one, other))));
}

function leftOf(rule: MostDebit, taken: readonly MostDebit[]): MostDebit {
  const left = Object.entries(rule).map(([currency, most]) => {
    const spent = taken.map((each) => each[currency] ?? '0').reduce(addDecimals, '0');
    return [currency, subtractDecimals(most, spent)] as const;
  });
  return Object.fromEntries(left);
}

function least(a: DecimalText, b: DecimalText): DecimalText {
  return compareDecimals(a, b) < 0 ? a : b;
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
