// The one switch on stage: which call a payout needs next. Every call of a payout starts here, and every fault of one ends in `judge`.
import type { DecimalText } from '../base/decimal.ts';
import { type Words, joinWords } from '../base/language.ts';
import type { RowRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import type { LimitCode } from '../payouts/hold.ts';
import { type LimitHit, type LimitName, describeHit, isPriceLifted, priceHits } from '../payouts/limits.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Learned, Verdict } from '../payouts/verdict.ts';
import { isFault } from '../service/errors.ts';
import { debitOf } from '../service/wire.ts';
import { attach, confirm } from './confirm.ts';
import { create } from './create.ts';
import { unlessCreated } from './judge-refusal.ts';
import { judge } from './judge.ts';
import { quote } from './quote.ts';
import { heldForRevived, lookAtRow, unlessLaterAttempt } from './reconcile.ts';
import { type DeliveryTools, type DueRow, mustLook } from './tools.ts';

/** Makes the next call for a due row and says what came of it. It changes nothing but the service. */
export async function step(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { clock, rateControl } = tools;
  const startedAt = clock.monotonic();
  try {
    // Asked only of rows that it concerns: a promise for each question would cost more than the questions.
    const verdict =
      (due.row.progress.deadAttempts.length === 0 ? null : await heldForRevived(due, tools)) ??
      (due.row.progress.stage === 'quoted' ? await stoppedBeforeCreate(due, tools) : null) ??
      (await unlessLaterAttempt(await nextCall(due, tools), due, tools));
    // What only looked says nothing of how long the way to the confirm is.
    if (verdict.kind === 'advanced' && !mustLook(due))
      rateControl.times.took(due.row.progress.stage, verdict.stage, clock.monotonic() - startedAt);
    const believed = unlessCreated(verdict, due.row.progress, due.run);
    const isIntent = believed.kind === 'advanced' && believed.stage === 'confirming';
    return isIntent ? await heldBeforeConfirm(due, believed, tools) : believed;
  } catch (error) {
    if (!isFault(error)) throw error;
    const verdict = judge(error, due.row.progress, { run: due.run, now: clock.now() });
    return mustLook(due) ? stillUnsure(verdict) : unlessCreated(verdict, due.row.progress, due.run);
  }
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

/** Confirmed as far as we were answered, and not as far as the service shows. What the network refused is never confirmed again. */
function isUnconfirmed({ transfer, why }: Progress): boolean {
  return transfer?.status === 'created' && why === null;
}

// The question before money can move: is its price acceptable, and is the row still within the limits? This is asked before a transfer is created and before the intent to
// confirm one is recorded, and what the ledger said yes to counts from then on, for every process.

/** What is held is one row; what is null stops the file. */
const HOLDS: Readonly<Record<LimitName, LimitCode | null>> = {
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
    ({ code }) => !isPriceLifted(row.progress, code, price, tools.maxDrift ?? '0'),
  );
  if (tooDear !== undefined) return heldAs(row, tooDear.code, tooDear.words, {});
  return ask(row, debitOf(price), {}, tools);
}

/** The verdict itself, or another in its place: nothing is confirmed that the limits do not allow. */
async function heldBeforeConfirm(due: DueRow, verdict: Verdict, tools: DeliveryTools): Promise<Verdict> {
  if (verdict.kind !== 'advanced' || verdict.stage !== 'confirming') return verdict;
  const transfer = verdict.learned.transfer ?? due.row.progress.transfer;
  // What was just created under the price that was asked for has been asked for.
  if (transfer === null || (due.row.progress.stage === 'quoted' && !mustLook(due))) return verdict;
  // Stopped here the intent is not recorded: whoever goes on looks at the transfer first.
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

/** What exactly is missing is told once it was asked anew. */
const UNAPPROVED: Words = sentence('withinLimits.unapproved');

const RELEASE: Words = sentence('withinLimits.release');

const RELEASED: Words = sentence('withinLimits.released');

function stopOf(row: RowRecord, hit: LimitHit, learned: Learned): Verdict {
  const code = HOLDS[hit.name];
  const words = describeHit(hit);
  return code === null
    ? { kind: 'stopped', stop: { by: 'limits', words }, learned }
    : heldAs(row, code, words, learned);
}

/** A limit that was lifted at another price is asked again, and the person is told so. */
function heldAs({ progress }: RowRecord, code: LimitCode, words: Words, learned: Learned): Verdict {
  const isAgain = progress.lifted.some((lifted) => lifted.code === code);
  const reason = joinWords([words, ...(isAgain ? [RELEASED] : []), RELEASE]);
  return { kind: 'held', code, reason, learned };
}
