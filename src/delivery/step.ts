// The one switch on stage: which call a payout needs next. Every fault of a call ends in `judge`.
import type { DecimalText } from '../base/decimal.ts';
import { type Words, joinWords } from '../base/language.ts';
import type { RowRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import type { LimitCode } from '../payouts/hold.ts';
import { type LimitHit, type LimitName, describeHit, isPriceLifted, priceHits } from '../payouts/limits.ts';
import { furthest, mayHaveBeenConfirmed, type Progress } from '../payouts/progress.ts';
import { applyVerdict, type Learned, type Verdict } from '../payouts/verdict.ts';
import { isFault } from '../service/errors.ts';
import { debitOf } from '../service/wire.ts';
import { create, heldForPrice, quote, requote } from './calls.ts';
import { attach, confirm } from './confirm.ts';
import { unlessCreated, judge } from './judge.ts';
import { heldForRevived, lookAtRow, unlessLaterAttempt } from './reconcile.ts';
import { type DeliveryTools, type DueRow, mustLook, unlooked } from './tools.ts';
import { deadFrom, evidenceOf, proving } from '../payouts/proof.ts';
import type { Goal } from './goal.ts';
import { mayConfirm, isAged } from './time-left.ts';

/** Makes the next call for a due row and returns its verdict. It changes nothing but the service. */
export async function step(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { clock, rateControl } = tools;
  const startedAt = clock.monotonic();
  try {
    // Asked only of rows that it concerns: a promise for each question would cost more than the questions.
    const verdict =
      (due.row.progress.deadAttempts.length === 0 ? null : await heldForRevived(due, tools)) ??
      (due.row.progress.stage === 'quoted' ? await stoppedBeforeCreate(due, tools) : null) ??
      (await unlessLaterAttempt(await nextCall(due, tools), due, tools));
    // A look says nothing about how long the way to the confirm is.
    if (verdict.kind === 'advanced' && !mustLook(due))
      rateControl.times.took(due.row.progress.stage, verdict.stage, clock.monotonic() - startedAt);
    return await heldBeforeConfirm(due, unlessCreated(verdict, due), tools);
  } catch (error) {
    return afterFault(error, due, tools);
  }
}

/** The verdict on a fault of a call. Throws anything else. */
function afterFault(error: unknown, due: DueRow, { clock }: DeliveryTools): Verdict {
  if (!isFault(error)) throw error;
  const { run, doubtSince } = due;
  const verdict = judge(error, due.row.progress, { run, doubtSince, now: clock.now() });
  return mustLook(due) ? stillUnsure(verdict) : unlessCreated(verdict, due);
}

/** A look without an answer is no look: the record that says so is our own, and must not pass for one that was looked at. */
function stillUnsure(verdict: Verdict): Verdict {
  const isUnanswered = verdict.kind === 'later' || verdict.kind === 'breaker';
  return isUnanswered ? { ...verdict, learned: { lookedBy: null, ...verdict.learned } } : verdict;
}

function nextCall(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { stage, hold } = due.row.progress;
  const isLook = mustLook(due);
  if (hold !== null) throw new Error('A held payout has no next call.');
  switch (stage) {
    case 'ready':
      return isLook ? lookAtRow(due, tools) : quote(due, tools);
    case 'quoted':
      return isLook ? lookAtRow(due, tools) : create(due, tools);
    case 'created':
      return isLook ? lookAtRow(due, tools) : attach(due, tools);
    case 'confirming':
      return isLook ? lookAtRow(due, tools) : confirm(due, tools);
    case 'confirmed':
      return !isLook && isUnconfirmed(due.row.progress) ? confirm(due, tools) : lookAtRow(due, tools);
    case 'paid':
    case 'failed':
      return lookAtRow(due, tools);
    case 'rejected':
    case 'duplicate':
      throw new Error(`A payout in stage ${stage} has no next call.`);
  }
}

/** Confirmed by the service's answer, but not by what it shows. A payout that the network refused is never confirmed again. */
function isUnconfirmed({ transfer, why }: Progress): boolean {
  return transfer?.status === 'created' && why === null;
}

// The question before money can move: is its price acceptable, and is the row still within the limits? This is asked before a transfer is created and before the intent to
// confirm one is recorded, and an amount that the ledger allowed counts from then on, for every process.

/** The hold of a row that exceeds this limit; null where the whole file stops. */
const HOLD_OF_LIMIT: Readonly<Record<LimitName, LimitCode | null>> = {
  perRow: 'over_row_limit',
  perPayeePerDay: 'over_payee_limit',
  perFile: null,
  perDay: null,
};

/** Null when the next call may be made. */
async function stoppedBeforeCreate(due: DueRow, tools: DeliveryTools): Promise<Verdict | null> {
  const { row } = due;
  const { stage, price } = row.progress;
  if (stage !== 'quoted' || mustLook(due) || price === null) return null;
  const tooDear = priceHits(price, row.payout, tools.priceLimits).find(
    ({ code }) => !isPriceLifted(row.progress, code, price, tools.maxDrift),
  );
  if (tooDear !== undefined) return heldAs(row, tooDear.code, tooDear.words, {});
  const moved = heldForPrice(row, tools);
  if (moved !== null) return moved;
  return ask(row, debitOf(price), {}, tools);
}

/** The verdict itself, or another in its place: nothing is confirmed that the limits do not allow. */
async function heldBeforeConfirm(due: DueRow, verdict: Verdict, tools: DeliveryTools): Promise<Verdict> {
  if (verdict.kind !== 'advanced' || verdict.stage !== 'confirming') return verdict;
  const transfer = verdict.learned.transfer ?? due.row.progress.transfer;
  // A transfer that was just created at the approved price was asked about already.
  if (transfer === null || (due.row.progress.stage === 'quoted' && !mustLook(due))) return verdict;
  // If the row is stopped here, the intent is not recorded: the next run looks at the transfer first.
  const answer = await ask(due.row, debitOf(transfer), { ...verdict.learned, lookedBy: null }, tools);
  // The transfer is there; an intent that stood before may have been followed by its confirm.
  if (answer?.kind === 'held' && due.row.progress.stage !== 'confirming')
    return { ...answer, stage: 'created' };
  return answer ?? verdict;
}

async function ask(
  row: RowRecord,
  amount: DecimalText,
  learned: Learned,
  { reserve }: DeliveryTools,
): Promise<Verdict | null> {
  const answer = reserve === null ? null : await reserve(row, amount);
  if (answer === null) return null;
  // Another process has the row: it asks for itself.
  if (answer === 'gone') return { kind: 'interrupted' };
  if (answer === 'unapproved')
    return { kind: 'stopped', stop: { by: 'approval', words: UNAPPROVED }, learned };
  return stopOf(row, answer, learned);
}

const UNAPPROVED: Words = sentence('withinLimits.unapproved');

const RELEASE: Words = sentence('withinLimits.release');

const RELEASED: Words = sentence('withinLimits.released');

function stopOf(row: RowRecord, hit: LimitHit, learned: Learned): Verdict {
  const code = HOLD_OF_LIMIT[hit.name];
  const words = describeHit(hit);
  return code === null
    ? { kind: 'stopped', stop: { by: 'limits', words }, learned }
    : heldAs(row, code, words, learned);
}

/** A limit that was lifted at another price is asked again, and the person is told so. */
function heldAs({ progress }: RowRecord, code: LimitCode, words: Words, learned: Learned): Verdict {
  const isAgain = progress.comparison.lifted.some((lifted) => lifted.code === code);
  const reason = joinWords([words, ...(isAgain ? [RELEASED] : []), RELEASE]);
  return { kind: 'held', code, reason, learned };
}

// One step of a row by the goal of its run. While a batch may not be confirmed yet, no step of it leads to a confirm: neither to the intent on
// record, nor to the one that would find out whether an earlier one had arrived.

export async function stepTowards(goal: Goal, due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  switch (goal) {
    case 'known':
      return look({ ...due, isReserving: true }, sendingNothing(tools));
    case 'reserved': {
      const reserving = { ...neverConfirming(due), isReserving: true };
      return freshlyPriced(due, withoutConfirm(due, await step(reserving, tools), tools), tools);
    }
    case 'found':
    case 'priced':
      return withoutConfirm(due, await step(due, sendingNothing(tools)), tools);
    case 'submitted':
    case 'tracked':
    case 'watched':
      return step(due, tools);
  }
}

/**
 * A run that only looks, or asks for a price, sends nothing: a pending decision must not keep it from finding out what was sent. It records no intent
 * either, so that the question is asked before the confirm.
 */
function sendingNothing(tools: DeliveryTools): DeliveryTools {
  return tools.reserve === null ? tools : { ...tools, reserve: null };
}

/** Finds out how a row stands at the service where its record alone does not tell. */
async function look(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { stage, begunBy } = due.row.progress;
  const hasTransfer = stage === 'created' || stage === 'confirming';
  // An earlier look may have missed what another run did.
  if (!mustLook(due) && !hasTransfer && begunBy === due.run) return { kind: 'advanced', stage, learned: {} };
  return withoutConfirm(due, await step(unlooked(due), tools), tools);
}

/** In stage `confirming` the next call would be the confirm, unless the row is looked at. */
function neverConfirming(due: DueRow): DueRow {
  return due.row.progress.stage === 'confirming' ? unlooked(due) : due;
}

function withoutConfirm({ row, run }: DueRow, verdict: Verdict, { serviceClock }: DeliveryTools): Verdict {
  if (verdict.kind !== 'advanced' || verdict.stage !== 'confirming') return verdict;
  const after = applyVerdict(row.progress, { ...verdict, stage: 'created' });
  const latestNow = serviceClock.latestNow();
  const { transfer } = after;
  // An intent on record has to be remembered after its stage.
  const confirm = mayHaveBeenConfirmed(row.progress) ? furthest(after.confirm, 'sent') : after.confirm;
  const learned = { ...verdict.learned, confirm };
  if (transfer === null || mayConfirm(transfer, latestNow)) return { ...verdict, stage: 'created', learned };
  // Too late: the proof of death, or a person, has to come before anything else.
  const provable = deadFrom(evidenceOf({ ...after, confirm }), transfer, proving(run, null));
  // A time that never passes is for a person, whom the next look asks.
  const leftMs = provable === Infinity ? 0 : provable - (latestNow ?? 0);
  return {
    ...verdict,
    stage: 'created',
    learned: { ...learned, lookedBy: null },
    afterMs: Math.max(LOOK_LEAST_MS, leftMs),
  };
}

/** The first price to run out ends it for all rows, so one that a preview had got is given up for a new one; a price costs nothing. */
function freshlyPriced({ row }: DueRow, verdict: Verdict, { serviceClock }: DeliveryTools): Verdict {
  if (verdict.kind !== 'advanced' || verdict.stage !== 'quoted') return verdict;
  const price = verdict.learned.price ?? null;
  const isOld = price !== null && isAged(price, serviceClock.latestNow());
  return isOld && row.progress.quotationAttempt <= AGED_MOST ? requote(row.progress) : verdict;
}

/** Prices that are all born old tell of the service's clock, not of their age: then the next is taken as it is. */
const AGED_MOST = 5;

/** Never look sooner than this again if only time can decide. */
const LOOK_LEAST_MS = 1_000;
