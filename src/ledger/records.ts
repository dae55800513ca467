// The records that the ledger keeps: one for a batch, one for each of its rows.
import { type DecimalText, addDecimals } from '../base/decimal.ts';
import type { Words } from '../base/language.ts';
import type { Stage, StageOrHeld } from '../payouts/lifecycle.ts';
import type { PaymentKeys } from '../payouts/payment-keys.ts';
import type { Payout } from '../payouts/payout.ts';
import { type Progress, type RunId, type Tenure, withForeign } from '../payouts/progress.ts';
import type { RefusalCounts as RefusalCounts } from '../payouts/limits.ts';
import type { Rejection } from '../payouts/rejection.ts';
import type { Approval } from './approval.ts';
import type { BatchState } from './batch-states.ts';
import type { Wait } from './wait.ts';

export const INVALID_ROWS_POLICIES = ['refuse-file', 'skip-rows'] as const;
export type InvalidRowsPolicy = (typeof INVALID_ROWS_POLICIES)[number];

export const STRATEGIES = ['row-by-row', 'reserve-then-confirm'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/**
 * Where a batch stands that is paid whole or not at all: `reserving`, nothing may be confirmed; `confirming`, decided: every row goes on to its
 * end; `stopped`: it cannot be whole any more, and a person decides row by row.
 */
export type WholeState = 'reserving' | 'confirming' | 'stopped';

/** How far a batch has been held against all others. */
export type Checked = {
  /** The service's time (ISO) at which it began; null where the service tells none, or the ledger was lost since. */
  readonly at: string | null;
  /**
   * Rows before this position have been checked; rows that are checked from here on are compared with them. Null once all have: another check
   * begins at the first row.
   */
  readonly to: number | null;
  /** True where the price of a row may still refuse the whole file, as it was found when the check began. */
  readonly pricesDecide: boolean;
  /** The batch with the same content, as it was found when the first row was checked: the later of two sees the earlier. */
  readonly sameContent: string | null;
  /** How many of them meet each other batch as a payment that was made before. */
  readonly repeats?: Readonly<Record<string, number>>;
  /** Once all were checked, and most of them meet one batch: the rows before this position wait with them. */
  readonly waitingTo?: number;
};

/** The one earlier batch that paid most rows of a file, and how many. */
export type Repeats = { readonly batch: string; readonly rows: number };

/**
 * A named person's decision about a whole batch, which stays: to let it exceed the limits of a file and a day, to go on although so many rows were
 * refused (`saw`: how many by then), to pay it although its time has passed, or to cancel it before; to pause it (`words`: what others are told
 * while it stands still), and to let it go on.
 */
export type Decision = {
  readonly by: string;
  /** Null where no reason was asked for, and none given. */
  readonly reason: string | null;
  /** ISO. */
  readonly at: string;
  /** The token of the batch then: the decision is news as long as no run has taken the batch over since. Absent where that does not matter. */
  readonly token?: number;
  /** The day of a message that it is about (`yyyy-mm-dd`); absent where its file names no more than one. */
  readonly day?: string;
} & (
  | { readonly about: 'limits' | 'time' | 'resume' }
  /** Held rows that go on, or are cancelled, by name; of many the first. */
  | { readonly about: 'release' | 'cancel'; readonly rows: readonly string[] }
  | { readonly about: 'refusals'; readonly saw: RefusalCounts }
  | { readonly about: 'pause'; readonly words: Words }
);

export type Pause = Decision & { readonly about: 'pause' };

/** The last decision about such a question; null while there is none. */
export function decisionAbout<About extends Decision['about']>(
  { decisions }: { readonly decisions: readonly Decision[] },
  about: About,
): (Decision & { readonly about: About }) | null {
  type Found = Decision & { readonly about: About };
  return decisions.findLast((decision): decision is Found => decision.about === about) ?? null;
}

/** The facts about a batch since its file was taken, which never change. */
type BatchOrigin = {
  readonly id: string;
  readonly fileId: string;
  readonly sha256: string;
  /** The file's own name, as its owner knows it. */
  readonly fileName: string;
  /** SHA-256 (hex) of the profile and the folder policy by which it was read, as both are kept in its folder; null when it was read by none. */
  readonly profileDigest?: string | null;
  readonly onInvalidRows: InvalidRowsPolicy;
  readonly sandbox: boolean;
  readonly rows: number;
  /** ISO. */
  readonly acceptedAt: string;
};

/** Who may write it. */
type BatchLease = {
  /** The run that has it, or had it last; null once that run has ended by its own word: one that was found dead has not. */
  readonly owner: RunId | null;
  /** True once its owner has given it back at the end of a go; until then that run alone may write it. */
  readonly isFree?: boolean;
  /** Grows with every take-over, also by the same run: of two carriers only the last one's writes are taken. */
  readonly token: number;
};

/** A run's signature on its work on a batch: its lease, or its name alone where another run has that. */
export function tenureOf({ owner, token }: BatchLease, run: RunId): Tenure {
  return owner === run ? `${run}/${String(token)}` : run;
}

/**
 * It is uncertain what was sent of a batch: the ledger was lost, or the run that had the batch last did not give it back. `since`: when the doubt began, in
 * the service's time (ms); null until the service has shown its time. Where it answers and shows none, our clock serves until it does.
 */
export type Doubt = { readonly since: number | null; readonly isOwnTime?: boolean };

/** What the rows of a file say together. */
export type Content = {
  /** Hash of their content, independent of the file's form; null where another file may say the same. */
  readonly fingerprint: string | null;
  /** How many can be read as payments, and how much they ask for in each currency. */
  readonly requested: readonly {
    readonly currency: string;
    readonly rows: number;
    readonly amount: DecimalText;
  }[];
  /** By which a message is known again; absent where the file is none. */
  readonly message?: string;
};

/** The end of a batch, and what its answers still lack. */
export type Finished = {
  /** When it was answered for the first time, ISO. */
  readonly at: string;
  /**
   * `changed`: a closed batch may have changed since it was answered, set before its rows are looked at again; `followed`: its state is answered, and
   * only the end of a row is missing that a person made paydrop follow again; null once all is answered.
   */
  readonly due: 'changed' | 'followed' | null;
};

/** What becomes of it. */
type BatchFlags = {
  readonly state: BatchState;
  readonly wait: Wait | null;
  /** Absent before the first of its rows was checked. */
  readonly checked?: Checked | undefined;
  /** Absent where there is none: no read can hide what was sent before, and its rows were looked for after that. */
  readonly doubt?: Doubt | undefined;
  /** Null for a batch that is paid row by row. */
  readonly whole: WholeState | null;
  /** Oldest first. */
  readonly decisions: readonly Decision[];
  /** The state of its approval; absent before the question came up. */
  readonly approval?: Approval | undefined;
  /** Names of those who are known to have brought the file; absent when nobody is. */
  readonly submittedBy?: readonly string[];
  /** When it is to be paid; absent for one that is paid as soon as it can be. */
  readonly payAt?: PayAt;
  /** What its rows say; null until they are registered. */
  readonly content: Content | null;
  /** Null until it is closed or refused. */
  readonly finished: Finished | null;
  /** Rises with every go that may send, every decision of a person, and every step that permits or concludes; its manifest has the same. Absent before that is first written. */
  readonly epoch?: number;
};

export type BatchRecord = BatchOrigin & BatchLease & BatchFlags;

/** The right to write a batch: its owner and token as they were when it was taken over. */
export type LeasedBatch = Pick<BatchOrigin, 'id'> & BatchLease;

export type BatchChange = Partial<BatchFlags>;

/** A row as it is registered. */
export type NewRow = {
  readonly position: number;
  readonly row: string;
  /** Null when the row is rejected. */
  readonly payout: Payout | null;
  readonly rejections: readonly Rejection[];
  readonly reference: string | null;
  /** The row of an earlier batch that this one comes from, by its `payout.batch` and `payout.row`: `<batch>/<row>`. */
  readonly lineage: string | null;
  /** Null when the row is rejected. */
  readonly keys: PaymentKeys | null;
  readonly progress: Progress;
  /** False for a row that nothing is to be done for yet. */
  readonly isDue: boolean;
  /** The day (`yyyy-mm-dd`) on which it is paid, where that has not come; absent for any other row. */
  readonly payOn?: string;
};

export type RowRecord = Omit<NewRow, 'isDue' | 'keys' | 'payOn'> & {
  /** See `PaymentKeys`. */
  readonly fingerprint: string | null;
  readonly batch: string;
  /** Grows with every write; a record is only overwritten by somebody who has seen its last version. */
  readonly version: number;
  /** How many hints had come when it was read (see `Ledger.hint`): one that came since makes it due again. */
  readonly hints: number;
};

/** One attempt of a row, found by the id of its transfer. */
export type NamedTransfer = { readonly row: RowRecord; readonly attempt: number };

/** A payment that was made to a payee. */
export type PaidBefore = {
  /** What the payee got, in `targetCurrency`. */
  readonly receiveAmount: DecimalText;
  readonly targetCurrency: string;
  /** See `accountKey`. */
  readonly account: string | null;
  /** Its masked end, as people see it. */
  readonly shownAccount: string | null;
  readonly acceptedAt: string;
};

/** `same-row`: one comes from an answer about the other, or both from the same answer; `similar-reference`: the same payment under a reference that differs in nothing but case, spaces, punctuation or leading zeros; `other-reference`: account, amount and currency of a row of another file that has another reference, or none. */
type EncounterKind =
  | 'same-reference'
  | 'similar-reference'
  | 'same-row'
  | 'same-payment'
  | 'other-reference'
  /** To the same account, with the amount in another currency: perhaps the same payment. */
  | 'other-way';

/** One row met again: in the same file, or in another batch. */
export type Encounter = {
  readonly position: number;
  readonly kind: EncounterKind;
  readonly other: {
    readonly batch: string;
    readonly position: number;
    readonly row: string;
    readonly fingerprint: string | null;
    /** `held` also where nobody has decided yet that it is sent. */
    readonly stage: StageOrHeld;
    /** Held itself. */
    readonly isHeld: boolean;
    readonly acceptedAt: string;
    /** Accepted within the window for duplicates, by the time of the service. */
    readonly isRecent: boolean;
    /** It may have been sent before its ledger was lost, and reads may still hide that. */
    readonly isUnseen: boolean;
  };
};

// The time at which a batch is to be paid, as it was decided when the file was taken. A config that changes later does not change it.

export type PayAt = {
  /** ISO. Of a message that names several days: of the first that has not come. */
  readonly at: string;
  /** In which the time is told to people. */
  readonly timeZone: string;
  /** What happens to the batch when that time has passed without it; `hold` too once a person was asked about it. */
  readonly missed: 'pay' | 'hold';
  /** Whose schedule has set it, below the inbox; absent where the file itself names a day. */
  readonly folder?: string;
  /** A file that stands in its folder and is paid at every time of its schedule; absent for any other. */
  readonly standing?: {
    /** Its name below the inbox: the batches of one series are paid one after the other, on purpose. */
    readonly series: string;
    /** The next time of the series, ISO. */
    readonly next: string;
    /** The file was taken away, or replaced, before its time. */
    readonly withdrawn?: boolean;
  };
  /** Of a message that names several days: each day (`yyyy-mm-dd`) with its time (ISO), in their order; absent of any other file. */
  readonly days?: readonly { readonly day: string; readonly at: string }[];
  /** The last of them that has come; absent before the first. */
  readonly openTo?: string;
};

// The amount that a row counts for against the limits in its present state: from its reservation on or, if there was none, from its transfer, so
// that a limit that is set at noon counts the morning.

/** An amount on a day (`yyyy-mm-dd`, UTC). */
export type Counted = { readonly day: string; readonly amount: DecimalText };

/** `kept`: what was reserved still counts; `transfer`: a transfer counts; `nothing`: no money can go out. */
const COUNTS: Readonly<Record<Stage, 'kept' | 'transfer' | 'nothing'>> = {
  // Its next amount is asked for again before it is created or confirmed.
  ready: 'nothing',
  quoted: 'kept',
  created: 'transfer',
  confirming: 'transfer',
  confirmed: 'transfer',
  paid: 'transfer',
  failed: 'nothing',
  rejected: 'nothing',
  duplicate: 'nothing',
};

export function countedAfter(progress: Progress, before: Counted | null): Counted | null {
  const { stage, transfer, hold } = withForeign(progress);
  // A held row counts with its transfer, if it has one; so does a cancelled row while its transfer may still pay.
  const mayStillPay = stage === 'rejected' && transfer !== null && progress.confirm !== 'none';
  const counts = mayStillPay || hold !== null ? 'transfer' : COUNTS[stage];
  if (counts === 'nothing') return null;
  if (counts === 'kept' || (before !== null && transfer !== null)) return before;
  return transfer === null
    ? null
    : { day: transfer.createdAt.slice(0, 10), amount: addDecimals(transfer.sendAmount, transfer.feeAmount) };
}
