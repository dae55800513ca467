// When a final no may be believed. A create that got no answer may have landed, or may land as long as its quotation lives; a row that is called
// rejected before that is certain would leave a reservation behind that nobody names. And whoever lost the ledger may be refused what was paid
// before: reads that lag hide it, and who is told that a row was rejected pays it again.
import { attemptOf, canStillPay, silentAfter, untilLookAgainMs } from '../payouts/attempt.ts';
import type { Progress, RunId } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import type { LookedAt } from './judge-expiry.ts';

type Refusal = NonNullable<Progress['refusal']>;

/** A no while a transfer may still arrive, or be hidden, is kept on record until looks have shown that there is none; any other stands at once. */
export function unlessCreated(verdict: Verdict, progress: Progress, run: RunId): Verdict {
  const isForGood = verdict.kind === 'refused' && verdict.stage === 'rejected';
  if (!isForGood || !mayStand(progress, run)) return verdict;
  const { errorCode, reason } = verdict.learned;
  if (typeof errorCode !== 'string' || reason === undefined || reason === null) return verdict;
  const refusal = { errorCode, words: reason };
  const learned = { lookedBy: null, refusal, rebuiltAt: progress.rebuiltAt };
  return { kind: 'later', retryAfterMs: 0, isUnanswered: false, learned };
}

/** What it means that a row was refused for good and no transfer of it is found. */
export function judgeRefusal(progress: Progress, refusal: Refusal, { run, serverTime }: LookedAt): Verdict {
  const { errorCode, words } = refusal;
  const rejected: Verdict = {
    kind: 'refused',
    stage: 'rejected',
    learned: { errorCode, reason: words, lookedBy: run },
  };
  if (!mayStand(progress, run)) return rejected;
  const attempt = attemptOf(progress);
  const evidence = [attempt, { transfer: null, at: serverTime }, run, progress.rebuiltAt] as const;
  const mayPay = canStillPay(...evidence);
  if (mayPay === 'no') return rejected;
  // Its time cannot be read, and never passes.
  if (typeof mayPay === 'string')
    return { kind: 'held', code: 'unexpected_refusal', learned: { errorCode, reason: words } };
  return {
    kind: 'waiting',
    lookAgainMs: untilLookAgainMs(mayPay, serverTime),
    // What another run has sent, and nobody knows until when, is in doubt from the first look that asks.
    learned: {
      lookedBy: null,
      rebuiltAt: progress.mayArriveUntil === null ? (progress.rebuiltAt ?? serverTime) : progress.rebuiltAt,
      silentAt: silentAfter(...evidence),
    },
  };
}

/** A create got no answer, or the ledger was lost, or another run had a price that it may have used: a transfer may arrive, or be hidden. */
function mayStand(progress: Progress, run: RunId): boolean {
  const { mayArriveUntil, rebuiltAt, begunBy, price, quotationAttempt, transferAttempt } = progress;
  const wasPriced = price !== null || quotationAttempt > 1 || transferAttempt > 1;
  return mayArriveUntil !== null || rebuiltAt !== null || (begunBy !== run && wasPriced);
}
