// One step of a row by the goal of its run. While a batch may not be confirmed yet, no step of it leads to a confirm: neither to the intent on
// record, nor to the one that would find out whether an earlier one had arrived.
import { applyVerdict, type Verdict } from '../payouts/verdict.ts';
import { attemptOf, provableAt } from '../payouts/attempt.ts';
import { furthest, mayHaveBeenConfirmed } from '../payouts/progress.ts';
import type { Goal } from './goal.ts';
import { requote } from './quote.ts';
import { step } from './step.ts';
import { isAged, mayConfirm } from './time-left.ts';
import { mustLook, unlooked, type DeliveryTools, type DueRow } from './tools.ts';

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
 * Whoever only looks, or asks for a price, sends nothing: what a person has yet to allow must not keep anybody from finding out what was sent. No intent
 * comes of it either, so that the question is asked before the confirm.
 */
function sendingNothing(tools: DeliveryTools): DeliveryTools {
  return tools.reserve === null ? tools : { ...tools, reserve: null };
}

/** Finds out how a row stands at the service where its record alone does not tell. */
async function look(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { stage, rebuiltAt } = due.row.progress;
  const hasTransfer = stage === 'created' || stage === 'confirming';
  // An earlier look may have missed what a lost ledger knew.
  if (!mustLook(due) && !hasTransfer && rebuiltAt === null) return { kind: 'advanced', stage, learned: {} };
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
  // What stood as an intent on record has to be remembered beyond the stage.
  const confirm = mayHaveBeenConfirmed(row.progress) ? furthest(after.confirm, 'sent') : after.confirm;
  const learned = { ...verdict.learned, confirm };
  if (transfer === null || mayConfirm(transfer, latestNow)) return { ...verdict, stage: 'created', learned };
  // Too late: the proof of death, or a person, has to come before anything else.
  const provable = provableAt(attemptOf({ ...after, confirm }), run, after.rebuiltAt);
  // What never passes is for a person, whom the next look asks.
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

/** Never look again sooner than this at what only time can decide. */
const LOOK_LEAST_MS = 1_000;
