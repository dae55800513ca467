// The one table that turns a fault of a call into a verdict. Pure: where an answer needs a second look, the verdict says that nobody has looked, and the
// next step looks before it acts.
import { joinWords, type Words } from '../base/language.ts';
import { isoTime } from '../base/clock.ts';
import type { Progress, Why } from '../payouts/progress.ts';
import { type Learned, refusalWords, type Verdict } from '../payouts/verdict.ts';
import {
  OPERATIONS,
  Refused,
  Unavailable,
  type Fault,
  type Operation,
  type Unanswered,
} from '../service/errors.ts';
import type { ErrorCode } from '../service/wire.ts';
import { ENDED, expiryOf } from './time-left.ts';
import { requote } from './calls.ts';
import { sentence } from '../messages/messages.ts';
import {
  evidenceOf,
  isCertainlyUnpaid,
  isVouched,
  landsUntil,
  proving,
  unseenUntil,
  untilReadMs,
} from '../payouts/proof.ts';
import type { LookedAt } from './next-attempt.ts';
import type { Asker, DueRow } from './tools.ts';

/** A refusal that a moment may cure (a corridor switched off and on, a read that lags) is met this often before it counts. */
const PATIENCE = 3;

/** Contradictory answers are asked for again this often, ever more rarely: reads may lag by minutes. */
const LOOKS_MOST = 10;

/** Who asked, and our wall time in ms, for the record only. */
export type Judging = Asker & { readonly now: number };

type Rule = (fault: Refused, progress: Progress, judging: Judging) => Verdict;

/** The verdict on a fault. */
export function judge(fault: Fault, progress: Progress, judging: Judging): Verdict {
  if (fault instanceof Unavailable) return judgeUnavailable(fault);
  if (fault instanceof Refused)
    return (RULES[fault.context.operation][fault.errorCode] ?? unexpected)(fault, progress, judging);
  return judgeUnanswered(fault, progress);
}

function judgeUnavailable({ reason, context }: Unavailable): Verdict {
  const { retryAfterMs } = context;
  const learned = {};
  switch (reason) {
    case 'credentials':
      return {
        kind: 'breaker',
        breaker: 'credentials',
        retryAfterMs,
        final: true,
        learned,
        ...unsent(context),
      };
    case 'redirected':
      // Configuration or an attack: the key goes nowhere else, and nothing more is sent until somebody has looked.
      return { kind: 'breaker', breaker: 'service', retryAfterMs, final: true, learned };
    case 'unreachable':
      return { kind: 'breaker', breaker: 'service', retryAfterMs, final: false, learned, ...unsent(context) };
    case 'throttled':
    case 'overloaded':
      return { kind: 'breaker', breaker: 'service', retryAfterMs, final: false, learned };
  }
}

function unsent({ operation }: Unavailable['context']): { readonly isUnsentConfirm?: true } {
  return operation === 'confirmTransfer' ? { isUnsentConfirm: true } : {};
}

function judgeUnanswered(fault: Unanswered, progress: Progress): Verdict {
  const { context } = fault;
  // A document that is too large for the way to the service will be so every time.
  if (context.operation === 'uploadAttachment' && context.httpStatus === 413) return held('document_refused');
  const learned = learnedWithoutAnswer(context.operation, progress);
  const oddity = fault.isOdd ? { oddity: fault.said } : {};
  return { kind: 'later', retryAfterMs: context.retryAfterMs, isUnanswered: true, learned, ...oddity };
}

function learnedWithoutAnswer(operation: Operation, progress: Progress): Learned {
  if (operation === 'confirmTransfer') return { lookedBy: null, confirm: 'sent' };
  if (operation === 'createTransfer') return { lookedBy: null, mayArriveUntil: arrivesUntil(progress) };
  return OPERATIONS[operation] === 'mutation' ? { lookedBy: null } : {};
}

/** A time that cannot be read stays as it was written: it never passes. */
function arrivesUntil(progress: Progress): string | null {
  const { price, mayArriveUntil } = progress;
  const until = landsUntil({ ...evidenceOf(progress), price });
  if (until !== Infinity) return until === null ? null : isoTime(until);
  return price !== null && expiryOf(price) === null ? price.expiredAt : mayArriveUntil;
}

/** The meaning of each code on each operation. A code that is not listed for its operation is `unexpected`. */
const RULES: Readonly<Record<Operation, Partial<Record<ErrorCode, Rule>>>> = {
  payoutCorridors: {},
  quotation: {
    // The quotation of a transfer that was found: the read may lag, but a transfer without one is not ours.
    10007: (_fault, progress) =>
      progress.doubts < PATIENCE ? doubtful(progress, { lookedBy: null }) : held('id_collision'),
  },
  transfers: {},
  balances: {},

  createQuotation: {
    10001: rejectNow,
    // A quotation of this id exists; it cannot be read yet. `quote` looks it up itself, so here it could not be found.
    10002: (_fault, progress) => (progress.doubts < PATIENCE ? doubtful(progress) : requote(progress)),
    10003: (fault, progress) => (progress.doubts < PATIENCE ? doubtful(progress) : rejectNow(fault)),
    10024: fundsOut,
  },
  quotationByExternalId: {
    // The read lags behind the write that it was refused for; after that a new quotation id is harmless.
    10008: (_fault, progress) => (progress.doubts < PATIENCE ? doubtful(progress) : requote(progress)),
  },

  createTransfer: {
    // An earlier try of this very id may have landed all the same: every no to a create is believed after one look.
    10001: refusedUnlessFound,
    10003: (fault, progress) =>
      progress.doubts < PATIENCE ? doubtful(progress, { lookedBy: null }) : refusedUnlessFound(fault),
    10018: refusedUnlessFound,
    10019: refusedUnlessFound,
    // The quotation is gone; the transfer keeps its id.
    10007: (_fault, progress) => requote(progress),
    10009: (_fault, progress) => requote(progress),
    10011: (_fault, progress) => standsAlready(progress),
    10024: fundsOut,
  },
  transferByExternalId: {
    10013: notFound,
  },
  transfer: {
    // A transfer that we know is gone: another key or environment, or a restore at the provider. Nothing is concluded from it.
    10014: (fault, progress) => (ENDED.includes(progress.stage) ? AS_IT_WAS : lookAgain(fault, progress)),
  },

  uploadAttachment: {
    10001: () => held('document_refused'),
    10014: lookAgain,
    // No longer `created`, most likely, by a confirm that we know nothing of: the transfer itself tells, as soon as no read lags.
    10015: (fault, progress) => untilTooOften(fault, progress, { lookedBy: null, confirm: 'sent' }),
    10016: lookAgain,
  },

  confirmTransfer: {
    10014: lookAgain,
    // Confirmed already: by a confirm of ours whose answer was lost. From here on it is only followed.
    10015: (_fault, progress, { now }) => followed(progress, now, {}),
    // No proof: another copy of the confirm may have been taken before. None is sent again.
    10016: () => later({ lookedBy: null, confirm: 'refused-late' }, 0),
    10022: (_fault, progress) =>
      // No step leads back from where its owner was told that it is on its way.
      progress.stage !== 'confirmed' && (progress.document === 'none' || progress.document === 'attached')
        ? {
            kind: 'advanced',
            stage: 'created',
            // Another copy of that very confirm may arrive once the document is there.
            learned: { lookedBy: null, confirm: 'sent', document: 'demanded' },
          }
        : held('document_demanded'),
    10024: fundsOut,
    // Never confirmed again: the network may have half accepted it. Its record says how it ended; no notification will come.
    10027: (_fault, progress, { now }) =>
      followed(progress, now, { why: { errorCode: '10027', reason: NETWORK_REFUSED } }),
  },
};

/**
 * The transfer exists: look, compare, adopt. Who made it may have confirmed it too, and a read may hide it as it may hide one that is yet to
 * arrive.
 */
function standsAlready(progress: Progress): Verdict {
  const mayArriveUntil = arrivesUntil(progress);
  return doubtful(progress, { lookedBy: null, confirm: 'sent', mayArriveUntil }, everMoreRarely(progress));
}

/** At once, then after 3, 6, 12 s and so on: together longer than the quarter of an hour for which a read may lag, so that what it hides is no contradiction. */
function everMoreRarely({ doubts }: Progress): number {
  return doubts === 0 ? 0 : Math.min(3_000 * 2 ** (doubts - 1), 300_000);
}

/** A payout that had ended stays ended, even if the service no longer knows it: its owner was told, and there is nothing to do. */
const AS_IT_WAS: Verdict = { kind: 'waiting', lookAgainMs: 0, learned: {} };

export const NETWORK_REFUSED: Words = sentence('judge.networkRefused');

function rejectNow(fault: Refused): Verdict {
  return { kind: 'refused', stage: 'rejected', learned: { why: noOf(fault) } };
}

function noOf({ errorCode, words }: Refused): Why {
  return { errorCode: String(errorCode), reason: refusalWords(errorCode, words) };
}

function refusedUnlessFound(fault: Refused): Verdict {
  return later({ lookedBy: null, why: noOf(fault) }, 0);
}

function fundsOut({ context }: Refused): Verdict {
  return {
    kind: 'breaker',
    breaker: 'funds',
    retryAfterMs: context.retryAfterMs,
    final: false,
    learned: { lookedBy: null },
  };
}

/** No transfer under this id is visible: send again under the same id, unless the service has refused it for good. */
function notFound({ context }: Refused, progress: Progress, { run, doubtSince }: Judging): Verdict {
  const { serverTime } = context;
  if (progress.why !== null) return judgeRefusal(progress, { run, doubtSince, serverTime });
  if (progress.doubts >= LOOKS_MOST) return held('id_collision');
  return { kind: 'advanced', stage: progress.stage, learned: { lookedBy: run } };
}

function followed(progress: Progress, now: number, learned: Learned): Verdict {
  const confirmedAt = progress.confirmedAt ?? isoTime(now);
  return { kind: 'advanced', stage: 'confirmed', learned: { lookedBy: null, confirmedAt, ...learned } };
}

function later(learned: Learned, retryAfterMs: number | null = null): Verdict {
  return { kind: 'later', retryAfterMs, isUnanswered: false, learned };
}

/** Asked again, and counted: what contradicts itself too often is for a person. */
function doubtful(progress: Progress, learned: Learned = {}, retryAfterMs: number | null = null): Verdict {
  return later({ ...learned, doubts: progress.doubts + 1 }, retryAfterMs);
}

/** A doubt that a look at the transfer should end; if it repeatedly does not, a person has to decide. */
function lookAgain(fault: Refused, progress: Progress): Verdict {
  return untilTooOften(fault, progress, { lookedBy: null });
}

function untilTooOften(
  fault: Refused,
  progress: Progress,
  learned: Learned,
  retryAfterMs: number | null = null,
): Verdict {
  return progress.doubts < LOOKS_MOST ? doubtful(progress, learned, retryAfterMs) : unexpected(fault);
}

function held(code: Extract<Verdict, { kind: 'held' }>['code']): Verdict {
  return { kind: 'held', code, learned: {} };
}

function unexpected(fault: Refused): Verdict {
  return {
    kind: 'held',
    code: 'unexpected_refusal',
    errorCode: String(fault.errorCode),
    reason: joinWords([refusalWords(fault.errorCode, fault.words), LOOK_IT_UP]),
    learned: {},
  };
}

const LOOK_IT_UP: Words = sentence('judge.lookItUp');

// When a final no may be believed. A create that got no answer may have landed, or may land as long as its quotation lives; a row that is called
// rejected too early would leave a reservation behind that no answer names. After a lost ledger the service may also refuse a row that was paid
// before: reads that lag hide it, and an owner who is told that the row was rejected pays it again.

/** A no while a transfer may still arrive, or be hidden, is kept on record until looks have shown that there is none; any other stands at once. */
export function unlessCreated(verdict: Verdict, { row: { progress }, run, doubtSince }: DueRow): Verdict {
  const isForGood = verdict.kind === 'refused' && verdict.stage === 'rejected';
  if (!isForGood || isCertainlyUnpaid({ ...progress, ...evidenceOf(progress) }, proving(run, doubtSince)))
    return verdict;
  const learned = { ...verdict.learned, lookedBy: null };
  return { kind: 'later', retryAfterMs: 0, isUnanswered: false, learned };
}

/** The meaning of a final refusal, with its code on record, when no transfer of the row is found. */
function judgeRefusal(progress: Progress, { run, doubtSince, serverTime }: LookedAt): Verdict {
  const attempt = evidenceOf(progress);
  const by = proving(run, doubtSince);
  // Another run may have sent something at an unknown time: at the latest when it was first looked for.
  const isFirst = !isVouched(attempt, by) && attempt.mayLandUntil === null;
  const mayLandUntil = isFirst ? serverTime : attempt.mayLandUntil;
  const until = unseenUntil({ ...attempt, mayLandUntil }, serverTime, by);
  const isTold = until === null && (!isFirst || serverTime !== null);
  if (isTold) return { kind: 'refused', stage: 'rejected', learned: { lookedBy: run } };
  // Its time cannot be read, and never passes.
  if (until === Infinity) return { kind: 'held', code: 'unexpected_refusal', ...progress.why, learned: {} };
  const since = isFirst && serverTime !== null ? isoTime(serverTime) : progress.mayArriveUntil;
  return {
    kind: 'waiting',
    lookAgainMs: untilReadMs(until ?? Infinity, serverTime),
    learned: { lookedBy: null, mayArriveUntil: since },
  };
}
