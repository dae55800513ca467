// Whether a batch may be sent as far as approval goes: no approval is needed, somebody has answered, or it waits. A question, once asked, stays.
import { type ApprovalRule, least, leastOf, policyOf } from '../../config/policy.ts';
import type { Records } from '../../parts.ts';
import { earliestNow } from '../../parts/wait-for-service.ts';
import { askApproval, waitingEnd } from './ask-approval.ts';
import { lapsedWords, shownSums } from './question-words.ts';
import { areWithin, sumsToSend, wholeSums } from './sums-to-send.ts';
import { lastPreview } from './approval-preview.ts';
import { freshPrices, showPrices } from './fresh-prices.ts';
import { paymentsDigest } from './question-subject.ts';
import { lookBeforeClosing, type Looked, mayCancel } from '../carry/look-before-closing.ts';
import { keepManifest } from '../batch/epoch.ts';
import { carryRows } from '../carry/pay-batch.ts';
import { takenProfile } from '../batch/profile-for.ts';
import { doorOf } from '../batch/read-batch-file.ts';
import { batchOf, type Work } from '../batch/work.ts';
import { dayOf } from '../../../base/clock.ts';
import { addDecimals, subtractDecimals } from '../../../base/decimal.ts';
import type { Words } from '../../../base/language.ts';
import { isSystemUser } from '../../../base/person-name.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { addClosed, standingManifest } from '../../../inbox/manifest.ts';
import {
  type Approval,
  approvalStamp,
  type Asked,
  mostOf,
  type MostDebit,
  type NotAsked,
  type Refusal,
  waitsForAnswer,
} from '../../../ledger/approval.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { PAYING } from '../../../ledger/batch-states.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { newHold } from '../../../payouts/hold.ts';
import { BEFORE_CONFIRM, type StageOrHeld, STAGES_BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import { isShownIn } from '../../../payouts/moved-price.ts';
import { mayHaveBeenConfirmed, type Progress, stageOrHeld, withForeign } from '../../../payouts/progress.ts';
import { cancelled } from '../../../payouts/cancelled.ts';
import { changeBatch } from '../../../ledger/ledger.ts';

/** Null when the batch may go on; else how its run ends, to be reported like that. */
export async function approvalGate(work: Work): Promise<RunEnd | null> {
  const { approval } = await batchOf(work.paydrop, work.batch.id);
  if (approval === undefined || approval.kind === 'open') return decideNeed(work);
  if (approval.kind === 'not-asked') return (await isBeyond(work, approval)) ? decideNeed(work) : null;
  if (approval.declined !== null) return closeDeclined(work, approval.declined);
  if (approval.isOutdated) return renew(work, approval);
  return approval.given === null ? waitingEnd(approval.words) : null;
}

/** Rows were released, or prices have risen: then the file may exceed what needed no approval. */
async function isBeyond({ paydrop, batch }: Work, { upTo }: NotAsked): Promise<boolean> {
  if (upTo === null) return false;
  const now = await sumsToSend(paydrop.ledger, batch.id);
  return now.unpriced > 0 || !areWithin(upTo, wholeSums(now));
}

async function decideNeed(work: Work, why: readonly Words[] = []): Promise<RunEnd | null> {
  const rule = await ruleOf(work);
  const wasAsked = await wasAskedBefore(work);
  if (rule === 'none' && !wasAsked) return dispense(work, null);
  const priced = await freshPrices(work);
  if (priced.kind !== 'done') return priced;
  if (typeof rule === 'object' && !wasAsked && (await dispenseWithin(work, rule))) return null;
  const end = await ask(work, wasAsked ? [ASKED_BEFORE] : why);
  // Nothing to send: rows that a person releases later get their own question.
  return end ?? dispense(work, {});
}

/** Asks once every row has its price: from then on that is the price that was shown. */
async function ask(work: Work, why: readonly Words[]): Promise<RunEnd | null> {
  await showPrices(work);
  return askApproval(work, why);
}

async function ruleOf({ paydrop, batch }: Work): Promise<ApprovalRule> {
  const profile = await takenProfile(paydrop.workspace, batch);
  return policyOf(paydrop.config.policy, profile?.policy).approval;
}

/** The preview in the batch's own folder survives a lost ledger; the answer does not. */
async function wasAskedBefore(work: Work): Promise<boolean> {
  return (await lastPreview(work)) > 0;
}

const ASKED_BEFORE: Words = sentence('approvalGate.askedBefore');

async function dispense({ paydrop, batch }: Work, upTo: NotAsked['upTo']): Promise<null> {
  await paydrop.ledger.revise(batch, ({ approval }) =>
    approval === undefined || approval.kind === 'open'
      ? { change: { approval: { kind: 'not-asked', upTo } }, event: 'no approval needed' }
      : null,
  );
  return null;
}

/**
 * Lets a batch go without approval if it stays within a total, together with all others that came through its door on this day of the service. Each batch
 * takes its present cost plus the drift that an approval would allow. So all stay within the total, even if prices rise or held rows are released.
 */
async function dispenseWithin(work: Work, rule: MostDebit): Promise<boolean> {
  const { paydrop, batch } = work;
  const sums = await sumsToSend(paydrop.ledger, batch.id);
  const profile = await takenProfile(paydrop.workspace, batch);
  const { maxDrift } = policyOf(paydrop.config.policy, profile?.policy);
  const wanted = mostOf(sums, maxDrift);
  const [on, door] = [dayOf(earliestNow(paydrop)), await wayOf(work)];
  const { approvalPerDay } = paydrop.config.policy;
  let isDispensed = false;
  await paydrop.ledger.revise(batch, (now, others) => {
    const taken = takenOn(now, others({ dispensedOn: on }));
    const ofDoor = leftOf(rule, amountsOf(taken.filter((each) => each.door === door)));
    const left = approvalPerDay === null ? ofDoor : leastOf(ofDoor, leftOf(approvalPerDay, amountsOf(taken)));
    isDispensed = now.approval?.kind !== 'asked' && areWithin(left, wholeSums(sums));
    const upTo = Object.fromEntries(
      Object.entries(wanted).map(([currency, most]) => [currency, least(most, left[currency] ?? most)]),
    );
    return isDispensed
      ? { change: { approval: { kind: 'not-asked', upTo, on, door } }, event: 'no approval needed' }
      : null;
  });
  return isDispensed;
}

/** By which way a file came: who sent it, the system user who gave the command, or a folder that the config names. What anybody can make, a name or a folder, is no door: whoever makes it would have as many as they like. */
async function wayOf({ paydrop, batch }: Work): Promise<string> {
  const { submittedBy = [] } = await batchOf(paydrop, batch.id);
  const { claim = '', folder = '' } = (await standingManifest(paydrop.workspace, batch.id)) ?? {};
  if (claim.startsWith('upload-')) return `sender ${submittedBy[0] ?? ''}`;
  const door = doorOf(`${paydrop.workspace.inbox}/${folder}/file`, paydrop.config) ?? '';
  return submittedBy.find(isSystemUser) ?? `folder ${door}`;
}

/** What other files took on that day without approval. */
function takenOn(own: BatchRecord, ofDay: readonly BatchRecord[]): readonly NotAsked[] {
  return ofDay.flatMap(({ id, state, approval }) =>
    id === own.id || state === 'refused' || approval?.kind !== 'not-asked' ? [] : [approval],
  );
}

function amountsOf(taken: readonly NotAsked[]): readonly MostDebit[] {
  return taken.flatMap(({ upTo }) => (upTo === null ? [] : [upTo]));
}

function leftOf(rule: MostDebit, taken: readonly MostDebit[]): MostDebit {
  const left = Object.entries(rule).map(([currency, most]) => {
    const spent = taken.map((each) => each[currency] ?? '0').reduce(addDecimals, '0');
    return [currency, subtractDecimals(most, spent)] as const;
  });
  return Object.fromEntries(left);
}

/** Rows were released: asks again if the question did not include them all; otherwise nothing changes. */
async function renew(work: Work, { round }: Asked): Promise<RunEnd | null> {
  const { paydrop, batch } = work;
  const isUncovered = (await paydrop.ledger.uncovered(batch.id)) > 0 || (await isAnyPriceNew(work, round));
  if (isUncovered) return askReleased(work);
  await paydrop.ledger.revise(batch, ({ approval }) =>
    approval?.kind === 'asked' && approval.round === round
      ? { change: { approval: { ...approval, isOutdated: false } }, event: 'approval as it was asked' }
      : null,
  );
  return approvalGate(work);
}

/** Whether a row was released at a price that the question did not show. */
async function isAnyPriceNew({ paydrop, batch }: Work, round: number): Promise<boolean> {
  for await (const { progress } of batchRows(paydrop.ledger, batch.id))
    if (BEFORE_CONFIRM.has(stageOrHeld(progress)) && !isShownIn(progress, round)) return true;
  return false;
}

async function askReleased(work: Work): Promise<RunEnd | null> {
  const priced = await freshPrices(work);
  return priced.kind === 'done' ? ask(work, [sentence('approval.released')]) : priced;
}

/** Somebody would be paid otherwise than was approved, whatever has changed the record. */
async function askChanged(work: Work): Promise<RunEnd | null> {
  const priced = await freshPrices(work);
  return priced.kind === 'done' ? ask(work, [sentence('approval.paymentsDiffer')]) : priced;
}

/** Released rows may not have been part of the question. Does nothing where none was asked. */
export async function outdateApproval({ ledger }: Pick<Records, 'ledger'>, id: string): Promise<void> {
  await ledger.revise(id, ({ approval }) =>
    approval?.kind !== 'asked' || approval.declined !== null
      ? null
      : { change: { approval: { ...approval, isOutdated: true } }, event: 'approval outdated by a release' },
  );
}

// A declined batch is closed with nothing sent: every row that has not left is cancelled in the words of the decision. A row with a transfer
// that may have been confirmed is not cancelled silently: a person looks it up.

/** Null once no row is left that could be sent. */
async function closeDeclined(work: Work, declined: Refusal): Promise<RunEnd | null> {
  const { paydrop, batch, control } = work;
  const open = await openRows(work);
  if (open.length === 0) return null;
  if (
    PAYING.has((await batchOf(paydrop, batch.id)).state) ||
    open.some(({ progress }) => progress.lookedBy === null)
  ) {
    // A transfer may have been created just before a kill, so that is found out first.
    const looked = await carryRows(paydrop, batch, 'known', control);
    if (looked.kind !== 'done') return looked;
  }
  // The ledger that asked and recorded the decline may not know an earlier approval and payment: the service knows.
  const looked = await lookBeforeClosing(paydrop, batch, isOpen);
  if ('for' in looked) return { kind: looked.for };
  await close(work, declined, looked);
  return null;
}

const OPEN: ReadonlySet<StageOrHeld> = new Set([...STAGES_BEFORE_CONFIRM, 'held']);

async function openRows({ paydrop, batch }: Work): Promise<readonly RowRecord[]> {
  const open: RowRecord[] = [];
  for await (const row of batchRows(paydrop.ledger, batch.id)) if (isOpen(row)) open.push(row);
  return open;
}

/** If the service had ended the row before, its status counts; a row held in doubt waits for a person who has looked. */
function isOpen({ progress }: RowRecord): boolean {
  const { finalAt, transfer, hold } = withForeign(progress);
  const isForPerson = finalAt !== null || (transfer !== null && mayHaveBeenConfirmed(progress));
  return OPEN.has(stageOrHeld(progress)) && !(hold !== null && isForPerson);
}

async function close(work: Work, declined: Refusal, looked: Looked): Promise<void> {
  const { paydrop, batch } = work;
  const reason = sentence('closeDeclined.declined', declined);
  const isToClose = (row: RowRecord): boolean => looked.quiet.has(row.row) && mayCancel(row, looked);
  const rows = await openRows(work);
  const closed = rows.filter(isToClose).map(({ row }) => ({ row, code: 'declined' as const, reason }));
  // In the manifest first: if the ledger is lost, the batch stays declined.
  await keepManifest(paydrop, batch, addClosed(closed));
  // If nothing of it was paid, its content may come again in another file.
  const { approval, content } = await batchOf(paydrop, batch.id);
  const isUnpaid = looked.followed.length === 0 && approval?.kind === 'asked' && approval.sent.length === 0;
  if (isUnpaid && content !== null)
    await changeBatch(paydrop.ledger, batch, { content: { ...content, fingerprint: null } });
  // A row that already waits for a person keeps the words that say why.
  for (const row of rows.filter((each) => isToClose(each) || each.progress.hold === null)) {
    const progress = isToClose(row)
      ? cancelled(row.progress, 'declined', reason)
      : inDoubt(row.progress, paydrop.clock.now());
    const event = `${progress.hold !== null ? 'held' : 'cancelled'}: declined by ${declined.by}`;
    await paydrop.ledger.record(batch, row, { progress, dueAt: null, event });
  }
}

function inDoubt(progress: Progress, now: number): Progress {
  return { ...progress, hold: newHold('confirm_uncertain', now, LOOK_UP) };
}

const LOOK_UP: Words = sentence('closeDeclined.lookUp');

// The last check before anything of a batch is sent: are these the approved rows, and is this the approved cost. Then the ledger checks it row by row.

/** Null when the rows of the batch may be sent. */
export async function clearToSend(work: Work): Promise<RunEnd | null> {
  const waiting = await approvalGate(work);
  if (waiting !== null) return waiting;
  const { paydrop, batch } = work;
  const { approval } = await batchOf(paydrop, batch.id);
  if (approval?.kind !== 'asked' || approval.declined !== null) return null;
  if ((await paydrop.ledger.uncovered(batch.id)) > 0) return askReleased(work);
  if ((await paymentsDigest(paydrop.ledger, batch.id)) !== approval.subject.payments) return askChanged(work);
  return approval.isChecked ? lapseOf(work, approval) : check(work, approval);
}

/** Before the first payment: checks the cost at this moment, however old the approval is. */
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

/** Asks again when the known prices exceed what was approved. */
async function lapseOf(work: Work, asked: Asked): Promise<RunEnd | null> {
  const now = wholeSums(await sumsToSend(work.paydrop.ledger, work.batch.id));
  if (areWithin(asked.most, now)) return null;
  const words = lapsedWords(asked, shownSums(wholeSums(asked)), shownSums(now));
  return ask(work, [words]);
}

/**
 * After a run that the ledger has stopped because a row was not approved: asks again, at fresh prices. Null when the run was not stopped for
 * that; `go-on` when the additional cost needs no approval.
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
  // The prices may have fallen again meanwhile. The question still includes what the ledger counts against the approval, or the batch would stop for ever.
  return unclear ?? (approvalStamp(now) === before ? ask(work, [sentence('approval.renewed')]) : null);
}

/** Within the day's total it may cost more than before. It may rise repeatedly, because the total ends. */
async function raise(work: Work, before: Exclude<Approval, Asked>): Promise<RunEnd | 'go-on' | null> {
  const end = await decideNeed(work, [sentence('approval.overThreshold')]);
  if (end !== null) return end;
  const { approval } = await batchOf(work.paydrop, work.batch.id);
  const isRaised = JSON.stringify(approval) !== JSON.stringify(before);
  return isRaised ? 'go-on' : ask(work, [sentence('approval.overThreshold')]);
}
