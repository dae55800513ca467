// Everything that is known of one row on its way: evidence, never a conclusion that stands beside it. The stage that people see follows from the evidence.
import type { DecimalText } from '../../base/decimal.ts';
import type { Words } from '../../base/language.ts';
import type { Hold } from '../hold.ts';
import type { Stage } from '../lifecycle.ts';
import type { Fence, ServiceTime } from '../proof.ts';
import {
  attemptNumberOf,
  type Comparison,
  type DeadAttempt,
  type KnownTransfer,
  laterNumberOf,
  type QuotedPrice,
  type Why,
} from '../progress.ts';

/** Our own time, in ms since 1970. */
type LocalTime = number;

/** The right to write the row, under a name that is unique in all histories of the ledger (fencing token). */
export type Lease = string;

/** How a row can end unpaid, and how it can end. */
export type UnpaidEnd = 'failed' | 'rejected' | 'cancelled';
export type RowEnd = UnpaidEnd | 'paid' | 'duplicate';

/** The row is to end unpaid, and is told so once nothing of it can pay. `isOwnOver`: that is proved of the present attempt. */
export type Closing = {
  readonly as: UnpaidEnd;
  readonly why: Why;
  readonly isOwnOver: boolean;
  /** A next attempt may exist that the ledger does not know: it is looked for, too. */
  readonly mayHaveNext: boolean;
  /** The failure is shown as open again: a read that lags, or the service has taken it back. */
  readonly isTakenBack?: true;
  /** A person has asked the operator about what no look can settle. */
  readonly isAskedFor?: true;
};

export type RowState = {
  /** Number of the quotation that is used or asked for next, from 1. */
  readonly quotation: number;
  /** The service has said that this quotation exists (10002): it is read, not asked for. */
  readonly isQuotationThere: boolean;
  readonly price: QuotedPrice | null;
  /** The attempts that were proved dead; the present one is the next. */
  readonly deadAttempts: readonly DeadAttempt[];
  /** So many of them were looked at since the last create, intent or order: one that was reinstated is seen before money moves. */
  readonly deadLooked: number;
  /** The lease that knows the present attempt from its beginning: nothing of it existed before, and a transfer of it came with a 2xx for this lease's own create. Null where nobody vouches. */
  readonly vouchedBy: Lease | null;
  /** The transfer of the present attempt, as the service last showed it. */
  readonly transfer: KnownTransfer | null;
  /** The first read that might have shown more and did not: `created` beyond every fence, or no next attempt behind a failure. */
  readonly silentAt: ServiceTime | null;
  /** A create without an answer may land until then. */
  readonly mayLandUntil: ServiceTime | null;
  /** Whoever had the row before, or another program on the account, may have made a transfer of the present attempt, and have confirmed it. */
  readonly mayBeAnothers: boolean;
  /** A confirm may be sent: durable before the first one is, and true until the attempt is dead or this lease takes it back unsent. */
  readonly isIntended: boolean;
  /** A confirm was answered 10016: none is sent again, and only a look can prove more. */
  readonly isRefusedLate: boolean;
  /** Proved dead: nothing but a new attempt is left. */
  readonly isDead: boolean;
  /** Look before anything else. */
  readonly mustLook: boolean;
  /** `demanded`: the service missed it at the confirm (10022). */
  readonly document: 'none' | 'attached' | 'demanded' | 'attached-again';
  /** What limits count for the row: durable before the call that it allows. */
  readonly counted: DecimalText | null;
  /** What its price and its amounts are compared with before it is sent. */
  readonly comparison: Comparison;
  /** Lies over the row, and destroys nothing of it. `foreign`: the transfer under its id that differs from it. */
  readonly hold: (Hold & { readonly foreign?: KnownTransfer }) | null;
  readonly closing: Closing | null;
  /** The payout network refused the confirm (10027): never confirmed again, and only the service's record says how it ended. */
  readonly networkRefusal: Why | null;
  readonly end: RowEnd | null;
  readonly why: Why | null;
  readonly confirmedAt: LocalTime | null;
  readonly finalAt: LocalTime | null;
  /** Nothing is to be done before; 0 for at once. */
  readonly due: LocalTime;
  /** Tries in a row that led nowhere: they lengthen the pause. */
  readonly tries: number;
  /** Answers in this stage that contradict each other, or that a moment may cure: at their bound a person looks. */
  readonly doubts: number;
};

/** A row of which nothing was sent. @param lease null where another ledger may have known more. */
export function freshRow(lease: Lease | null): RowState {
  return {
    quotation: 1,
    isQuotationThere: false,
    price: null,
    deadAttempts: [],
    deadLooked: 0,
    vouchedBy: lease,
    transfer: null,
    silentAt: null,
    mayLandUntil: null,
    mayBeAnothers: false,
    isIntended: false,
    isRefusedLate: false,
    isDead: false,
    mustLook: false,
    document: 'none',
    counted: null,
    comparison: { lifted: [], shownPrice: null, otherWays: null },
    hold: null,
    closing: null,
    networkRefusal: null,
    end: null,
    why: null,
    confirmedAt: null,
    finalAt: null,
    due: 0,
    tries: 0,
    doubts: 0,
  };
}

/** Number of the present attempt, from 1: the ids that the service sees follow from it. */
export const attemptOf: (row: Pick<RowState, 'deadAttempts'>) => number = attemptNumberOf;

/** Number of the attempt after it. */
export const nextAttemptOf: (row: Pick<RowState, 'deadAttempts'>) => number = laterNumberOf;

/** Where the row stands for people. A recorded intent is a stage of its own only while nothing but the confirm is missing. */
export function stageOf(row: RowState): Stage {
  if (row.end !== null) return row.end === 'cancelled' ? 'rejected' : row.end;
  if (row.confirmedAt !== null) return 'confirmed';
  if (row.transfer !== null) return row.isIntended ? 'confirming' : 'created';
  return row.price === null ? 'ready' : 'quoted';
}

// What `next` answers: a call of the service, a change of the row that is made without one, or that there is nothing to do.

export type RowCall =
  | { readonly do: 'quote' | 'read-quotation'; readonly number: number }
  | { readonly do: 'create'; readonly attempt: number }
  /** By the row's own id (`ext-…`): also for the attempt after the present one. */
  | { readonly do: 'find'; readonly attempt: number }
  /** By the service's id. */
  | { readonly do: 'look'; readonly attempt: number; readonly transferId: string }
  | { readonly do: 'attach'; readonly transferId: string }
  | { readonly do: 'confirm'; readonly transferId: string };

export type RowStep =
  | RowCall
  /** Under the lease and durable, before the call that it allows: `apply` gives the row for the event of the same name. */
  | { readonly do: 'intend' | 'raise' }
  /** Limits count this amount, or the ledger says that there is no room for it. Durable. */
  | { readonly do: 'count'; readonly debit: DecimalText }
  /** The price is gone or too old: another is asked for. Costs nothing, and needs no record. */
  | { readonly do: 'requote' }
  /** The price is one that a person has to accept. */
  | { readonly do: 'stop-at-price'; readonly stop: PriceStop }
  | { readonly do: 'wait'; readonly until: LocalTime }
  /** `reserved`: nothing but its confirm is missing, and the file may not be confirmed yet. */
  | { readonly do: 'held' | 'reserved' | 'ended' };

/** The code of a hold, and why. */
export type PriceStop = {
  readonly code: Hold['code'];
  readonly reason: Words;
  /** What has been asked about once is not asked again. */
  readonly comparison?: Comparison;
};

/** What a step may know besides the row: under which lease it is made, when, and the rules of the batch. */
export type Now = {
  readonly lease: Lease;
  readonly local: LocalTime;
  /** From 0 to 1, drawn anew: what waits together does not come back together. */
  readonly random: number;
  /** The latest that it can be at the service; null before it has told. */
  readonly service: ServiceTime | null;
  /** The service's time since which the ledger may not know what was sent (lost, or an older copy); null where it does. */
  readonly doubtSince: ServiceTime | null;
  readonly fence: Fence;
  readonly terms: Terms;
};

/** The rules of the batch for one row. */
export type Terms = {
  readonly needsDocument: boolean;
  /** Nothing is confirmed while false: the file is paid whole or not at all, and some row is not reserved yet. */
  readonly mayConfirm: boolean;
  /** Limits count rows before they are created. */
  readonly areLimited: boolean;
  /** What create, upload and confirm together may take. */
  readonly neededMs: number;
  readonly pollEveryMs: number;
  /** The first stop at this price that nobody has lifted for the row. */
  readonly priceStop: (row: RowState, price: QuotedPrice) => PriceStop | null;
  /** So many answers that lead nowhere are met before a person looks; see `PATIENCE`. */
  readonly patience: Patience;
};

export type Patience = {
  /** What a moment may cure: a corridor switched off and on. */
  readonly moments: number;
  /** Answers that contradict each other: reads lag by minutes. */
  readonly looks: number;
  readonly confirmsAgain: number;
  readonly attempts: number;
  readonly quotations: number;
};

/** A row that expired five times has a cause that another attempt does not cure, and each leaves a reservation behind. Quotations cost nothing, and a file that waits for funds for weeks gets a new one at each resume. */
export const PATIENCE: Patience = { moments: 3, looks: 10, confirmsAgain: 3, attempts: 5, quotations: 1_000 };
