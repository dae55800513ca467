// The state of a payout so far: the part of its record that changes with every step.
import type { Words } from '../base/language.ts';
import type { DecimalText } from '../base/decimal.ts';
import type { Hold, LimitCode } from './hold.ts';
import { BEFORE_CONFIRM, type Stage, type StageOrHeld } from './lifecycle.ts';

/** The price that the next create uses; amounts in major units, times as the service wrote them. */
export type QuotedPrice = {
  readonly quotationId: string;
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
  readonly createdAt: string;
  readonly expiredAt: string;
};

/** What a person was shown of a price, in major units: what leaves the account, fees included, and what arrives. */
export type ShownPrice = {
  readonly debit: DecimalText;
  readonly receiveAmount: DecimalText;
  /** The number of the question that stood when a person released the row from its hold at this price, 0 where none was asked: only a later question covers it. Absent where nobody did. */
  readonly askedAfter?: number;
};

/** A row, by its place. */
export type RowPlace = { readonly batch: string; readonly position: number };

/** The transfer of the current attempt, as the service last showed it. */
export type KnownTransfer = {
  readonly transferId: string;
  readonly externalId: string;
  readonly quotationId: string;
  readonly status: string;
  readonly statusCode: string;
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
  readonly createdAt: string;
  readonly expiredAt: string;
  /** Kept only of a row that cannot be read as a payment, and so names none itself. */
  readonly sourceCurrency?: string;
  readonly destinationCurrency?: string;
};

/** A transfer that can never pay any more, and how that was proved. Its reservation may still stand at the service. */
export type DeadAttempt = {
  readonly attempt: number;
  readonly transfer: KnownTransfer;
  readonly proof: 'expired-unconfirmed' | 'expired-confirm-refused' | 'later-attempt-exists';
  /** The service has brought it back: it was seen so, or a person has decided about the row anyway. Absent while it stays dead. */
  readonly revived?: 'seen' | 'decided';
};

/** One limit that a person lifted for a row, and the row's amount at that time. */
export type Lifted = {
  readonly code: LimitCode;
  /** The amount that would have left the account, fees included. */
  readonly debit: DecimalText;
  readonly receiveAmount: DecimalText;
};

/** What the price and the amounts of a row are compared with before it is sent. */
export type Comparison = {
  /** The limits that a person lifted for this row, each with the row's amount at that time. */
  readonly lifted: readonly Lifted[];
  /** The price that was shown last, or else quoted first. Null where that is the present price, or there was none. */
  readonly shownPrice: ShownPrice | null;
  /** Rows of other files to the same account that ask for their amount in another currency: whether they are the same payment only prices tell. Null where there are none, or a person was asked. */
  readonly otherWays: readonly RowPlace[] | null;
};

/** `sent`: one may have arrived; `refused-late`: the service has answered that it is too late (10016). */
const CONFIRM_SENT = ['none', 'sent', 'refused-late'] as const;
export type ConfirmSent = (typeof CONFIRM_SENT)[number];

/** A hold, and the foreign transfer that caused it: it stands under the row's id and differs from the row. It is never the row's own transfer, so no step can go on with it. */
type RowHold = Hold & { readonly foreign?: KnownTransfer };

/** The service's error code or our own, and plain words to it. */
export type Why = { readonly errorCode: string; readonly reason: Words };

/** The service's answer about the document of an attempt: taken; missed at the confirm; taken once more. A second demand is for a person. */
type DocumentAtService = 'none' | 'attached' | 'demanded' | 'attached-again';

export function isAttached({ document }: Pick<Progress, 'document'>): boolean {
  return document === 'attached' || document === 'attached-again';
}

/** The run of paydrop that did something: unique to its process. */
export type RunId = string;

/** A run under one lease of a batch, `<run>/<token>`; under none, the run alone. A run does not vouch for its own steps under an earlier lease. */
export type Tenure = string;

export function isTenureOf(tenure: Tenure, run: RunId): boolean {
  return tenure === run || tenure.startsWith(`${run}/`);
}

export type Progress = {
  readonly stage: Stage;
  /** Number of the quotation that is used or asked for next, from 1. */
  readonly quotationAttempt: number;
  readonly price: QuotedPrice | null;
  readonly transfer: KnownTransfer | null;
  /** The facts about a confirm of this attempt, apart from the intent, which is the stage; it only moves to the right within the attempt. See `mayHaveBeenConfirmed`. */
  readonly confirm: ConfirmSent;
  /** Until then (ISO, the service's time) a transfer of this attempt may arrive, even if a look shows none: the end of the quotation of a create that got no answer, or was told that it exists; else when somebody else may have had the row last, as before the ledger was lost. */
  readonly mayArriveUntil: string | null;
  /** The tenure that has known this attempt from its beginning; null where nobody vouches for it: a ledger that was put back knows less than the run before did. See `stateOf`. */
  readonly begunBy: Tenure | null;
  /** The tenure that knows how it stands at the service; null where the last call got no usable answer: every other tenure looks before it acts. */
  readonly lookedBy: Tenure | null;
  /** The service's time (ms) of the first read that might have shown more, and did not: `created` beyond the fence, or no later attempt behind a failure. */
  readonly silentAt: number | null;
  readonly document: DocumentAtService;
  /** They alone say which attempt the row stands at; see `attemptNumberOf`. */
  readonly deadAttempts: readonly DeadAttempt[];
  /** Lies over the stage while the row waits. */
  readonly hold: RowHold | null;
  /** The end of the payout. Before its confirm: a final no, which ends it once looks have found no transfer, because an earlier try may have landed. */
  readonly why: Why | null;
  readonly comparison: Comparison;
  /** ISO times: our confirm was taken; the final status was seen. */
  readonly confirmedAt: string | null;
  readonly finalAt: string | null;
  /** Answers in this stage that contradict each other, or that a moment may cure; too many of them need a person. */
  readonly doubts: number;
};

/** Number of the transfer externalId that is used, from 1: the first that was not given up. Without proof that an attempt is dead there is no other. */
export function attemptNumberOf({ deadAttempts }: Pick<Progress, 'deadAttempts'>): number {
  return notGivenUp(deadAttempts, 1);
}

/** The number of the attempt after that one, of which this ledger knows nothing. */
export function laterNumberOf({ deadAttempts }: Pick<Progress, 'deadAttempts'>): number {
  return notGivenUp(deadAttempts, attemptNumberOf({ deadAttempts }) + 1);
}

/** An attempt that was brought back comes before others that were given up. */
function notGivenUp(deadAttempts: readonly DeadAttempt[], from: number): number {
  let number = from;
  while (deadAttempts.some(({ attempt }) => attempt === number)) number += 1;
  return number;
}

/** True when a confirm of this attempt may have arrived: one had no answer, or the intent to send one stands on record. */
export function mayHaveBeenConfirmed({ stage, confirm }: Progress): boolean {
  return confirm !== 'none' || stage === 'confirming';
}

/** Of two facts about a confirm, the one that cannot be taken back. */
export function furthest(one: ConfirmSent, other: ConfirmSent): ConfirmSent {
  return CONFIRM_SENT.indexOf(one) > CONFIRM_SENT.indexOf(other) ? one : other;
}

/** True when money is on its way by it, or has arrived. */
export function hasGoneOn({ status }: Pick<KnownTransfer, 'status'>): boolean {
  return status === 'submitted' || status === 'paid';
}

/** The row with the transfer under its id as its own, for code that counts money, compares or closes: never for code that pays. */
export function withForeign(progress: Progress): Progress {
  const foreign = progress.hold?.foreign;
  return foreign === undefined ? progress : { ...progress, transfer: foreign };
}

/** The row without it, for questions about anything but the transfer under its present id. */
export function withoutForeign(progress: Progress): Progress {
  if (progress.hold?.foreign === undefined) return progress;
  const { code, reason, errorCode, since } = progress.hold;
  return { ...progress, hold: { code, reason, errorCode, since } };
}

/** The row's stage for everybody who does not carry it: a held row goes no further in any stage. */
export function stageOrHeld({ stage, hold }: Pick<Progress, 'stage' | 'hold'>): StageOrHeld {
  return hold === null ? stage : 'held';
}

/** The code and the words that say why the row waits or how it ended. A no that is not believed yet says neither. */
export function whyOf({ stage, hold, why }: Progress): Why | null {
  if (hold !== null) return { errorCode: hold.errorCode ?? hold.code, reason: hold.reason };
  return BEFORE_CONFIRM.has(stage) ? null : why;
}

/** A payout before its first step, which nobody has begun yet. */
export const FRESH: Progress = {
  stage: 'ready',
  quotationAttempt: 1,
  price: null,
  transfer: null,
  confirm: 'none',
  mayArriveUntil: null,
  begunBy: null,
  lookedBy: null,
  silentAt: null,
  document: 'none',
  deadAttempts: [],
  hold: null,
  why: null,
  comparison: { lifted: [], shownPrice: null, otherWays: null },
  confirmedAt: null,
  finalAt: null,
  doubts: 0,
};

/** The same, of a tenure that has the row from its beginning: nothing of it can be at the service. */
export function begunBy(tenure: Tenure): Progress {
  return { ...FRESH, begunBy: tenure, lookedBy: tenure };
}

// What no person decides about a row, because only the service knows how it ended.

/**
 * A confirmed or ended transfer keeps the service's status: paydrop follows it, and no person's word confirms it again or cancels it. The same
 * holds for one that may have been confirmed, when an earlier transfer of the row is reinstated. Only if the service shows the transfer as never
 * taken may a person say that it will not be paid (`isToClose`): nobody else ever would.
 */
export function isServicesWord(progress: Progress, isToClose: boolean): boolean {
  const { hold, transfer, finalAt, confirmedAt, confirm } = progress;
  if (transfer === null) return false;
  if (finalAt !== null) return true;
  if (confirmedAt !== null) return !isToClose || !isForPerson(progress);
  return hold?.code === 'transfer_reinstated' && confirm !== 'none';
}

/** The service shows it as never taken, or in an unknown state. A transfer that it does not show at all may have been confirmed. */
function isForPerson({ hold, transfer }: Progress): boolean {
  return transfer?.status === 'created' || hold?.code === 'unknown_status';
}
