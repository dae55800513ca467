// The one switch on stage: which call a payout needs next. Every call of a payout starts here, and every fault of one ends in `judge`.
import { isFault } from '../service/errors.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { attach } from './attach.ts';
import { confirm } from './confirm.ts';
import { create } from './create.ts';
import { judge } from './judge.ts';
import { unlessCreated } from './judge-refusal.ts';
import { quote } from './quote.ts';
import { heldForRevived, lookAtRow, unlessLaterAttempt } from './reconcile.ts';
import { mustLook, type DeliveryTools, type DueRow } from './tools.ts';
import { heldBeforeConfirm, stoppedBeforeCreate } from './within-limits.ts';

/** Makes the next call for a due row and says what came of it. It changes nothing but the service. */
export async function step(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { clock, rateControl } = tools;
  const startedAt = clock.monotonic();
  try {
    const verdict =
      (await heldForRevived(due, tools)) ??
      (await stoppedBeforeCreate(due, tools)) ??
      (await unlessLaterAttempt(await nextCall(due, tools), due, tools));
    // What only looked says nothing of how long the way to the confirm is.
    if (verdict.kind === 'advanced' && !mustLook(due))
      rateControl.times.took(due.row.progress.stage, verdict.stage, clock.monotonic() - startedAt);
    return await heldBeforeConfirm(due, unlessCreated(verdict, due.row.progress, due.run), tools);
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
    case 'paid':
    case 'failed':
      return lookAtRow(due, tools);
    case 'rejected':
    case 'duplicate':
      throw new Error(`A payout in stage ${stage} has no next call.`);
  }
}
