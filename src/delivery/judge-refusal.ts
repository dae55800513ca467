// When a final no may be believed. A create that got no answer may have landed, or may land as long as its quotation lives; a row that is called
// rejected before that is certain would leave a reservation behind that nobody names. And whoever lost the ledger may be refused what was paid
// before: reads that lag hide it, and who is told that a row was rejected pays it again.
import { attemptOf, canStillPay, silentAfter, untilLookAgainMs, type MayPay } from '../payouts/attempt.ts';
import type { Progress, Tenure } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import type { LookedAt } from './next-attempt.ts';

/** A no while a transfer may still arrive, or be hidden, is kept on record until looks have shown that there is none; any other stands at once. */
export function unlessCreated(verdict: Verdict, progress: Progress, run: Tenure): Verdict {
  const isForGood = verdict.kind === 'refused' && verdict.stage === 'rejected';
  if (!isForGood || mayPayUnseen(progress, { run, serverTime: null }) === 'no') return verdict;
  const learned = { ...verdict.learned, lookedBy: null, rebuiltAt: progress.rebuiltAt };
  return { kind: 'later', retryAfterMs: 0, isUnanswered: false, learned };
}

/** What it means that a row was refused for good, with the code on record, and no transfer of it is found. */
export function judgeRefusal(progress: Progress, looked: LookedAt): Verdict {
  const { run, serverTime } = looked;
  const mayPay = mayPayUnseen(progress, looked);
  if (mayPay === 'no') return { kind: 'refused', stage: 'rejected', learned: { lookedBy: run } };
  // Its time cannot be read, and never passes.
  if (typeof mayPay === 'string')
    return { kind: 'held', code: 'unexpected_refusal', ...progress.why, learned: {} };
  return {
    kind: 'waiting',
    lookAgainMs: untilLookAgainMs(mayPay, serverTime),
    learned: {
      lookedBy: null,
      // What another run may have sent, and nobody knows until when, is in doubt from the first look that asks.
      rebuiltAt: progress.mayArriveUntil === null ? (progress.rebuiltAt ?? serverTime) : progress.rebuiltAt,
      silentAt: silentAfter(...unseen(progress, looked)),
    },
  };
}

function mayPayUnseen(progress: Progress, looked: LookedAt): MayPay {
  return canStillPay(...unseen(progress, looked));
}

/** The evidence of a look that found no transfer. */
function unseen(progress: Progress, { run, serverTime }: LookedAt): Parameters<typeof canStillPay> {
  return [attemptOf(progress), { transfer: null, at: serverTime }, run, progress.rebuiltAt];
}
