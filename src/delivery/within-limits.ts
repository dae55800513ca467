// The question before money can move: is its price acceptable, and is the row still within the limits? This is asked before a transfer is created and before the intent to
// confirm one is recorded, and what the ledger said yes to counts from then on, for every process.
import { joinWords, type Words } from '../base/language.ts';
import type { DecimalText } from '../base/decimal.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { LimitCode } from '../payouts/hold.ts';
import { isPriceLifted } from '../payouts/lifted.ts';
import { describeHit, type LimitHit, type LimitName, priceHits } from '../payouts/limits.ts';
import type { Learned, Verdict } from '../payouts/verdict.ts';
import { debitOf } from '../service/wire.ts';
import { mustLook, type DeliveryTools, type DueRow } from './tools.ts';
import { sentence } from '../messages/messages.ts';

/** What is held is one row; what is null stops the file. */
const HOLDS: Readonly<Record<LimitName, LimitCode | null>> = {
  perRow: 'over_row_limit',
  perPayeePerDay: 'over_payee_limit',
  perFile: null,
  perDay: null,
};

/** Null when the next call may be made. */
export async function stoppedBeforeCreate(due: DueRow, tools: DeliveryTools): Promise<Verdict | null> {
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
export async function heldBeforeConfirm(
  due: DueRow,
  verdict: Verdict,
  tools: DeliveryTools,
): Promise<Verdict> {
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
  return { kind: 'held', code, learned: { ...learned, reason } };
}
