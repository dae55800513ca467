// The result of one step. The list is closed, and each kind says what the runner does next; no step acts on its own verdict.
import { joinWords, sameWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { ERROR_CODES, type ErrorCode, STATUS_CODES, type Transfer } from '../service/wire.ts';
import { type HoldCode, newHold } from './hold.ts';
import { FINAL, type Stage, mayMove, stageUnderHold } from './lifecycle.ts';
import {
  attemptNumberOf,
  type KnownTransfer,
  type Progress,
  furthest,
  mayHaveBeenConfirmed,
  withForeign,
} from './progress.ts';

/** What a verdict may change besides the stage, which `applyVerdict` sets. */
export type Learned = Partial<Omit<Progress, 'stage' | 'hold'>>;

/** What stops a file until a person has decided: a limit of the file or the day, too many refusals, a missing approval, the file `STOP` in the inbox, or a missed time for paying. */
export type StoppedBy = 'limits' | 'refusals' | 'approval' | 'stop-file' | 'missed-time';

/** With plain words for it. */
export type Stop = { readonly by: StoppedBy; readonly words: Words };

export const BREAKERS = ['funds', 'credentials', 'service'] as const;
export type Breaker = (typeof BREAKERS)[number];

export type Verdict =
  /** The next step can follow at once. */
  | {
      readonly kind: 'advanced';
      readonly stage: Stage;
      readonly learned: Learned;
      /** A pause before the next step, where going on at once would only repeat the same steps. */
      readonly afterMs?: number;
    }
  /** Nothing to do before `lookAgainMs` from now; costs no try. */
  | { readonly kind: 'waiting'; readonly lookAgainMs: number; readonly learned: Learned }
  /** The step is tried again after a back-off, or after the delay that the service asked for; costs a try. */
  | {
      readonly kind: 'later';
      readonly retryAfterMs: number | null;
      /** True when the call got no usable response, which may say something about the service. */
      readonly isUnanswered: boolean;
      /** The response in short, when it may concern this payout alone: the interface does not describe it. */
      readonly oddity?: string;
      readonly learned: Learned;
    }
  /** The service's final no: `failed` when a transfer ended so, `rejected` when none was ever created. */
  | { readonly kind: 'refused'; readonly stage: 'failed' | 'rejected'; readonly learned: Learned }
  /** A person has to look. An end is not believed here, and nothing that was learned says why. */
  | {
      readonly kind: 'held';
      readonly code: HoldCode;
      /** Absent: the words of the code. */
      readonly reason?: Words;
      /** The service's own code, where that code is the cause of the hold. */
      readonly errorCode?: string;
      readonly learned: Learned;
      /** The transfer under the row's id, where it differs from the row. */
      readonly foreign?: KnownTransfer;
      /** The stage in which the look found the row; absent: the row's stage stays. */
      readonly stage?: Stage;
    }
  /** A person has to decide about the file before more of it is sent; the payout stays where it is. */
  | { readonly kind: 'stopped'; readonly stop: Stop; readonly learned: Learned }
  /** We are stopping; costs nothing. */
  | { readonly kind: 'interrupted' }
  /** Something beyond this payout is missing: the batch stops, the payout stays where it is. `final`: waiting does not help. */
  | {
      readonly kind: 'breaker';
      readonly breaker: Breaker;
      readonly retryAfterMs: number | null;
      readonly final: boolean;
      readonly learned: Learned;
      /** True for a confirm that was certainly not executed. */
      readonly isUnsentConfirm?: true;
    };

// The one place where a verdict becomes progress.

/** The progress after a verdict; `now` (our time, in ms) is since when it is held. A move that the lifecycle does not have is a bug, and throws. */
export function applyVerdict(progress: Progress, verdict: Exclude<Verdict, { kind: 'held' }>): Progress;
export function applyVerdict(progress: Progress, verdict: Verdict, now: number): Progress;
export function applyVerdict(progress: Progress, verdict: Verdict, now = 0): Progress {
  if (verdict.kind === 'interrupted') return progress;
  const after = verdict.kind === 'held' ? held(progress, verdict, now) : applied(progress, verdict);
  return attemptNumberOf(after) === attemptNumberOf(progress) ? keepingDoubts(progress, after) : after;
}

/** Within one attempt, the fact that a confirm may have arrived is never dropped. */
function keepingDoubts(before: Progress, after: Progress): Progress {
  // The stage recorded the intent to confirm; the hold or the next stage must remember it.
  const wasIntended = after.hold !== null && mayHaveBeenConfirmed(before);
  const known = furthest(before.confirm, after.confirm);
  const confirm = wasIntended ? furthest(known, 'sent') : known;
  return confirm === after.confirm ? after : { ...after, confirm };
}

function applied(
  progress: Progress,
  verdict: Exclude<Verdict, { kind: 'interrupted' } | { kind: 'held' }>,
): Progress {
  switch (verdict.kind) {
    case 'advanced':
    case 'refused':
      return moved(progress, verdict.learned, verdict.stage);
    case 'waiting':
    case 'later':
    case 'breaker':
    case 'stopped':
      return { ...progress, ...verdict.learned };
  }
}

/** The hold is laid over the stage, and nothing else of the row is lost. */
function held(progress: Progress, verdict: Verdict & { readonly kind: 'held' }, now: number): Progress {
  const { code, foreign, reason, errorCode = null, learned } = verdict;
  const plain = { ...newHold(code, now, reason), errorCode };
  const hold = foreign === undefined ? plain : { ...plain, foreign };
  const stage = stageUnderHold(verdict.stage ?? progress.stage);
  // When the service takes an end back, what it said about that end is no longer true.
  const why = stage === progress.stage ? progress.why : null;
  const isNew = progress.hold === null && !isContradicted({ ...progress, ...learned });
  const doubts = isNew ? 0 : (learned.doubts ?? progress.doubts);
  return { ...progress, ...learned, why, stage, hold, doubts };
}

function moved(before: Progress, learned: Learned, to: Stage): Progress {
  const from = before.stage;
  if (!mayMove(from, to)) throw new Error(`A payout cannot go from ${from} to ${to}.`);
  const after = { ...before, ...learned, stage: to };
  // A final stage wins over a hold.
  const hold = FINAL.has(to) ? null : before.hold;
  const doubts = from === to || isContradicted(after) ? after.doubts : 0;
  return hold === after.hold && doubts === after.doubts ? after : { ...after, hold, doubts };
}

/** The service has said that the transfer exists, yet does not show it: a new price does not change that, however often it is requested. */
function isContradicted({ transfer, confirm, mayArriveUntil }: Progress): boolean {
  return transfer === null && confirm !== 'none' && mayArriveUntil !== null;
}

// The end of a row that a person decided not to pay; its code names the decision.

/** `cancelled` by `release --skip`; `declined` with its whole batch. */
type Cancellation = 'cancelled' | 'declined';

/** The recorded intent to confirm survives the change of stage, and the transfer under the row's id survives the hold: the row acts on neither any more. */
export function cancelled(progress: Progress, code: Cancellation, reason: Words): Progress {
  const confirm = mayHaveBeenConfirmed(progress) ? furthest(progress.confirm, 'sent') : progress.confirm;
  return {
    ...withForeign(progress),
    stage: 'rejected',
    hold: null,
    why: { errorCode: code, reason },
    confirm,
  };
}

export function isCancelled({ why }: Pick<Progress, 'why'>): boolean {
  return why?.errorCode === 'cancelled' || why?.errorCode === 'declined';
}

// The meaning of the service's codes, for the owner of a file.

type StatusCode = keyof typeof STATUS_CODES;

/** A code that the interface does not show keeps its number. */
export function statusWords(statusCode: string): Words {
  if (Object.hasOwn(STATUS_CODES, statusCode)) return sentence(`service.status.${statusCode as StatusCode}`);
  return sentence('service.status.statusCodeWhich', { statusCode });
}

/** A person reads what the code means; its number helps to ask the service about a failure, or where it does not fit the status. */
export function shownStatus({ status, statusCode }: Pick<Transfer, 'status' | 'statusCode'>): Words {
  const fits = Object.hasOwn(STATUS_CODES, statusCode) && !contradicts({ status, statusCode });
  if (!fits) return sameWords(`${status} (${statusCode})`);
  const meaning = statusWords(statusCode);
  return status === 'failed' ? joinWords([meaning, sameWords(`(${statusCode})`)]) : meaning;
}

/** The service's own words stand behind the meaning of the code, because they name the field. */
export function refusalWords(errorCode: ErrorCode, said: string): Words {
  const more = said === '' || said === ERROR_CODES[errorCode] ? sameWords('') : sameWords(` (${said})`);
  return sentence('service.refusal', { meaning: sentence(`service.error.${errorCode}`), more });
}

/** A known code belongs to one status; `failed` with a code that we do not know is still failed. */
export function contradicts({ status, statusCode }: Pick<Transfer, 'status' | 'statusCode'>): boolean {
  return (
    Object.hasOwn(STATUS_CODES, statusCode) &&
    STATUS_CODES[statusCode as keyof typeof STATUS_CODES].status !== status
  );
}
