// When a final no may be believed. A create that got no answer may have landed, or may land as long as its quotation lives; a row that is called
// rejected before that is certain would leave a reservation behind that nobody names. And whoever lost the ledger may be refused what was paid
// before: reads that lag hide it, and who is told that a row was rejected pays it again.
import { parseIsoTime } from '../base/clock.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { afterFence, FENCE_CONFIRMED_MS, SECOND_READ_MS } from './judge-expiry.ts';

type Refusal = NonNullable<Progress['refusal']>;

/** A no while a transfer may still arrive, or be hidden, is kept on record until looks have shown that there is none; any other stands at once. */
export function unlessCreated(verdict: Verdict, { mayArriveUntil, rebuiltAt }: Progress): Verdict {
  const isForGood = verdict.kind === 'refused' && verdict.stage === 'rejected';
  const mayStand = mayArriveUntil !== null || rebuiltAt !== null;
  if (!isForGood || !mayStand) return verdict;
  const { errorCode, reason } = verdict.learned;
  if (typeof errorCode !== 'string' || reason === undefined || reason === null) return verdict;
  const refusal = { errorCode, words: reason };
  const learned = { unsure: true, refusal, rebuiltAt };
  return { kind: 'later', retryAfterMs: 0, isUnanswered: false, learned };
}

/**
 * What it means that a row was refused for good and no transfer of it is found.
 * @param serverTime the `Date` of that very look, in ms; null when it had none, which proves nothing.
 */
export function judgeRefusal(progress: Progress, refusal: Refusal, serverTime: number | null): Verdict {
  const waitMs = hiddenForMs(progress, serverTime);
  const { rebuiltAt } = progress;
  if (waitMs > 0) return { kind: 'waiting', lookAgainMs: waitMs, learned: { unsure: true, rebuiltAt } };
  const { errorCode, words } = refusal;
  return { kind: 'refused', stage: 'rejected', learned: { errorCode, reason: words, unsure: false } };
}

/** Beyond the expiry of its quotation no create can land, and beyond the fence no read is so stale that it hides what did, or what an earlier ledger knew. */
function hiddenForMs({ mayArriveUntil, rebuiltAt }: Progress, serverTime: number | null): number {
  const expiredAt = mayArriveUntil === null ? null : parseIsoTime(mayArriveUntil);
  const latest = Math.max(expiredAt ?? -Infinity, rebuiltAt ?? -Infinity);
  if (latest === -Infinity) return 0;
  if (serverTime === null) return SECOND_READ_MS;
  const fence = latest + FENCE_CONFIRMED_MS;
  return serverTime > fence ? 0 : afterFence(fence - serverTime);
}
