// The meaning of a transfer for its payout: the service's status against our stage. Pure.
import { isoTime } from '../base/clock.ts';
import type { Words } from '../base/language.ts';
import type { HoldCode } from '../payouts/hold.ts';
import type { KnownTransfer, Progress } from '../payouts/progress.ts';
import { isLongOver, isPastAnyLag, withLaterExpiry } from '../payouts/proof.ts';
import { contradicts, shownStatus, statusWords, type Verdict } from '../payouts/verdict.ts';
import type { Transfer } from '../service/wire.ts';
import { judgeExpiry, type LookedAt } from './next-attempt.ts';
import { expiryOf, mayConfirm } from './time-left.ts';
import { sentence } from '../messages/messages.ts';

/** One read: who asked, and the times at its moment: ours (ms), the read's own `Date`, and the latest that it can be at the service. */
export type Look = LookedAt & {
  readonly now: number;
  readonly latestNow: number | null;
  readonly pollEveryMs: number;
};

/** A status that contradicts its code is read this often before a person is asked. */
const CONTRADICTIONS_MOST = 3;

/** The first look after a confirm; wallets pay within seconds. */
const POLL_FIRST_MS = 500;

export function judgeTransfer(progress: Progress, transfer: Transfer, look: Look): Verdict {
  const known = withLaterExpiry(progress, toKnownTransfer(transfer));
  if (contradicts(transfer)) return doubtful(progress, known, 'unknown_status');
  if (progress.stage === 'failed') return judgeAfterFailure(progress, known, look);
  switch (transfer.status) {
    case 'created':
      return judgeCreated(progress, known, look);
    case 'submitted':
      return judgeSubmitted(progress, known, look);
    case 'paid':
      return progress.stage === 'paid'
        ? pollAgain(progress, known, look)
        : {
            kind: 'advanced',
            stage: 'paid',
            learned: { ...ended(progress, known, look), why: null },
          };
    case 'failed':
      return judgeFailed(progress, known, look);
    default:
      return { kind: 'held', code: 'unknown_status', learned: { transfer: known } };
  }
}

/** The kept fields of a transfer. */
export function toKnownTransfer(transfer: Transfer): KnownTransfer {
  return {
    transferId: transfer.id,
    externalId: transfer.externalId,
    quotationId: transfer.quotationId,
    status: transfer.status,
    statusCode: transfer.statusCode,
    sendAmount: transfer.sendAmount,
    feeAmount: transfer.feeAmount,
    receiveAmount: transfer.receiveAmount,
    createdAt: transfer.createdAt,
    expiredAt: transfer.expiredAt,
  };
}

/** The kept fields of a transfer whose row does not tell its currencies. */
export function toTransferOfUnread(transfer: Transfer): KnownTransfer {
  const { sourceCurrency, destinationCurrency } = transfer;
  return { ...toKnownTransfer(transfer), sourceCurrency, destinationCurrency };
}

function judgeCreated(progress: Progress, known: KnownTransfer, look: Look): Verdict {
  switch (progress.stage) {
    case 'paid':
      return earlierAfterEnd(progress, known, look);
    case 'confirmed':
      return judgeCreatedAfterConfirm(progress, known, look);
    case 'created':
    case 'confirming': {
      const isOver = look.serverTime !== null && look.serverTime > (expiryOf(known) ?? Infinity);
      const isRefused = progress.confirm === 'refused-late';
      if (isOver || isRefused || !mayConfirm(known, look.latestNow))
        return judgeExpiry(progress, known, look);
      return { kind: 'advanced', stage: progress.stage, learned: { transfer: known, lookedBy: look.run } };
    }
    default:
      throw new Error(`A payout in stage ${progress.stage} has no transfer to follow.`);
  }
}

/** The confirm was taken, or refused by the network, and the read still says `created`: it may be stale for a while, never for long. */
function judgeCreatedAfterConfirm(progress: Progress, known: KnownTransfer, look: Look): Verdict {
  if (progress.why?.errorCode === '10027') return judgeAfterRefusal(progress, known, look);
  if (isLongAfterConfirm(progress, expiryOf(known), look))
    return { kind: 'held', code: 'status_went_back', learned: { transfer: known } };
  if (!isUnheard(progress, known, look)) return pollAgain(progress, progress.transfer ?? known, look);
  // A transfer that still shows as `created` after its confirm is confirmed again by the next step.
  const learned = { transfer: known, lookedBy: look.run, doubts: progress.doubts + 1 };
  return { kind: 'waiting', lookAgainMs: 0, learned };
}

/** Long enough that nearly every read has caught up with the confirm. */
const UNHEARD_MS = 60_000;

/** So often a confirm is repeated before its silence is left to time, and then to a person. */
const CONFIRMS_AGAIN_MOST = 3;

/**
 * The confirm was answered, and may never have happened: something in between answered it. Confirming the same transfer can only ever pay it once, while
 * it lives. One whose end was told, or whose ledger is in doubt, is not touched again.
 */
function isUnheard(progress: Progress, known: KnownTransfer, { now, latestNow, doubtSince }: Look): boolean {
  const { confirm, confirmedAt, finalAt, why, doubts } = progress;
  if (
    confirm === 'refused-late' ||
    confirmedAt === null ||
    finalAt !== null ||
    why !== null ||
    doubtSince !== null
  )
    return false;
  // A clock that was set since tells nothing of how long it was.
  const isOld = Math.abs(now - Date.parse(confirmedAt)) > UNHEARD_MS;
  return isOld && doubts < CONFIRMS_AGAIN_MOST && latestNow !== null && mayConfirm(known, latestNow);
}

/** The network refused, and the record does not say so: nobody may tell its owner for long that it is on its way. */
function judgeAfterRefusal(progress: Progress, known: KnownTransfer, look: Look): Verdict {
  if (progress.doubts >= LOOKS_AFTER_REFUSAL)
    return { kind: 'held', code: 'network_undecided', learned: { transfer: known } };
  const again = pollAgain(progress, known, look);
  return { ...again, learned: { ...again.learned, doubts: progress.doubts + 1 } };
}

/** Looks for the end that a refusal leads to, over some seconds; a later one is found by `resume`. */
const LOOKS_AFTER_REFUSAL = 6;

/** By the service's own time; where it tells none, by how long we have been waiting, which decides nothing but that a person looks. */
function isLongAfterConfirm(progress: Progress, expiredAt: number | null, look: Look): boolean {
  if (look.serverTime !== null && expiredAt !== null) return isLongOver(expiredAt, look.serverTime);
  return progress.confirmedAt !== null && look.now - Date.parse(progress.confirmedAt) > WAIT_WITHOUT_TIME_MS;
}

/** Longer than any quotation is known to live, and the fence behind it. */
const WAIT_WITHOUT_TIME_MS = 60 * 60_000;

function judgeSubmitted(progress: Progress, known: KnownTransfer, look: Look): Verdict {
  switch (progress.stage) {
    case 'paid':
      return earlierAfterEnd(progress, known, look);
    case 'confirmed':
      return pollAgain(progress, known, look);
    default:
      return {
        kind: 'advanced',
        stage: 'confirmed',
        learned: { transfer: known, lookedBy: look.run, ...confirmedNow(progress, look) },
      };
  }
}

function judgeFailed(progress: Progress, known: KnownTransfer, look: Look): Verdict {
  // The one way out of `paid` is a reversal; any other is for a person to look at.
  if (progress.stage === 'paid' && known.statusCode !== '100001') return endChanged(progress, known);
  const learned = {
    ...ended(progress, known, look),
    why: {
      errorCode: progress.why?.errorCode ?? known.statusCode,
      reason: failureWords(known.statusCode),
    },
  };
  return { kind: 'refused', stage: 'failed', learned };
}

function failureWords(statusCode: string): Words {
  const meaning = statusWords(statusCode);
  return sentence('judgeTransfer.failure', { meaning });
}

/** A failure may be explained otherwise later; that the money went out after all is for a person, who may have paid it again. */
function judgeAfterFailure(progress: Progress, known: KnownTransfer, look: Look): Verdict {
  if (known.status === 'created' || known.status === 'submitted')
    return earlierAfterEnd(progress, known, look);
  if (known.status !== 'failed') return endChanged(progress, known);
  const { statusCode } = known;
  const isExplained = statusCode !== progress.transfer?.statusCode;
  const why = isExplained ? { why: { errorCode: statusCode, reason: failureWords(statusCode) } } : {};
  return {
    kind: 'waiting',
    lookAgainMs: look.pollEveryMs,
    learned: { transfer: known, lookedBy: look.run, ...why },
  };
}

/** A read that lags may show an earlier status after the end. Once no read can be so old, the end has been taken back. */
function earlierAfterEnd(progress: Progress, known: KnownTransfer, look: Look): Verdict {
  const { finalAt } = progress;
  // A clock that was set back since does not tell how long it was: then a person looks.
  const sinceMs = finalAt === null ? Infinity : Math.abs(look.now - Date.parse(finalAt));
  if (isPastAnyLag(sinceMs)) return endChanged(progress, known);
  return { kind: 'waiting', lookAgainMs: look.pollEveryMs, learned: {} };
}

/** The service has taken back an end that it had told, and not by a reversal. */
function endChanged({ stage }: Progress, known: KnownTransfer): Verdict {
  const before = sentence(stage === 'paid' ? 'standing.paid' : 'standing.failed');
  const reason = sentence('judgeTransfer.endChanged', { before, now: shownStatus(known) });
  return { kind: 'held', code: 'status_went_back', reason, learned: { transfer: known } };
}

function ended(progress: Progress, known: KnownTransfer, look: Look) {
  return {
    transfer: known,
    lookedBy: look.run,
    finalAt: isoTime(look.now),
    ...(known.status === 'paid' ? confirmedNow(progress, look) : {}),
  };
}

function confirmedNow(progress: Progress, look: Look): { confirmedAt: string } {
  return { confirmedAt: progress.confirmedAt ?? isoTime(look.now) };
}

/** Each look waits half as long again as the payout has been on its way, up to the configured period. */
function pollAgain(
  progress: Progress,
  known: KnownTransfer,
  look: Look,
): Extract<Verdict, { kind: 'waiting' }> {
  // A released payout was on its way long before, and its start is unknown here: nothing about it is urgent.
  const since = progress.confirmedAt === null ? Infinity : look.now - Date.parse(progress.confirmedAt);
  // A confirm in the future was noted by a clock that has been set since: it must not be polled at the shortest wait until that time comes.
  const lookAgainMs = Math.min(look.pollEveryMs, Math.max(POLL_FIRST_MS, Math.abs(since) / 2));
  return { kind: 'waiting', lookAgainMs, learned: { transfer: known, lookedBy: look.run } };
}

/** Read again a few times; what goes on contradicting itself, or what was asked, is for a person. */
export function doubtful(progress: Progress, known: KnownTransfer | null, code: HoldCode): Verdict {
  return progress.doubts < CONTRADICTIONS_MOST
    ? {
        kind: 'later',
        retryAfterMs: null,
        isUnanswered: false,
        learned: { lookedBy: null, doubts: progress.doubts + 1 },
      }
    : { kind: 'held', code, learned: known === null ? {} : { transfer: known } };
}
