// The durable memory, as an interface: a write has reached the disk when its promise resolves. It is a memory, not the guarantee: exactly-once
// rests on the ids and on looking before acting, so a lost ledger is an inconvenience.
import type { DecimalText } from '../base/decimal.ts';
import type { RefusalCounts, LimitHit, Limits } from '../payouts/limits.ts';
import type { Payout } from '../payouts/payout.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Rejection } from '../payouts/rejection.ts';
import type { CountedAs, Stage, StageOrHeld } from '../payouts/lifecycle.ts';
import type { Asked } from './approval.ts';
import { mayMoveOn } from './batch-rules.ts';
import type { BatchState } from './batch-states.ts';
import type { Exchange } from './exchange.ts';
import type { LedgerHistory } from './history.ts';
import type { Notices } from './notices.ts';
import type { Orders } from './orders.ts';
import type { Runs } from './runs.ts';
import type {
  BatchChange,
  BatchRecord,
  Encounter,
  LeasedBatch,
  NamedTransfer,
  NewRow,
  PaidBefore,
  Repeats,
  RowRecord,
  WholeState,
} from './records.ts';

/** Which rows of a batch its owner takes up next. */
export type DueRequest = {
  readonly now: number;
  readonly limit: number;
  /** Only rows in these stages. */
  readonly stages: readonly Stage[];
  /** Leave out rows of these source currencies that are not created yet (their funds are out). */
  readonly withoutFunds: readonly string[];
  /** Leave out the rows at these positions: they are under way. */
  readonly except: readonly number[];
  /** Also those of days to come: for a run that sends nothing. */
  readonly early?: boolean;
};

/** As in `DueRequest`. */
export type NextDue = Partial<Pick<DueRequest, 'except' | 'early'>>;

/**
 * Which rows are made due: `open`: all but those of days to come, which wait for nothing else from then on; `waiting`: those that wait for a time; all up to a
 * day (`yyyy-mm-dd`), which has come.
 */
export type WhichRows = 'all' | 'open' | 'waiting' | { readonly upToDay: string };

export type RowChange = {
  readonly progress: Progress;
  /** Local time in ms at which the row is due again; null when nothing more is to be done. */
  readonly dueAt: number | null;
  readonly rejections?: readonly Rejection[];
  /** The id of the row's transfer, where a notification may come that names it: from here on `transferOf` finds the row. */
  readonly transferExternalId?: string;
  /** What the history says of this change. */
  readonly event: string;
};

/** A row as it was read, and when it is due again. */
export type Rescheduled = { readonly row: RowRecord } & Pick<RowChange, 'dueAt'>;

export type RecordResult = {
  /** False when the batch has another owner by now, or the row was written since it was read: leave it alone. */
  readonly written: boolean;
  /** The batch is paused, or has orders: make no further call. */
  readonly isHalted: boolean;
};

/** Null: the row counts for the amount now. `gone`: it is no longer as it was seen, or its batch has another owner by now. `unapproved`: the batch's approval does not cover it. */
export type Reservation = LimitHit | 'gone' | 'unapproved' | null;

/** Sums of what was paid or reserved, in one currency. */
type Spent = { readonly file: DecimalText; readonly day: DecimalText };

/** `amount`: with fees where the row is priced; the row's own amount where it is not priced and names the amount to send; nothing for the others. */
export type LeftToSend = { readonly rows: number; readonly unpriced: number; readonly amount: DecimalText };

/** What a row of a registered batch has in common with others. */
export type Met = {
  /** Rows with the same reference or, without references, the same payment. */
  readonly encounters: readonly Encounter[];
  /** The oldest batch with the same content. */
  readonly sameContent: BatchRecord | null;
};

/** `repeats`: the batch in which the row was paid before. */
export type Judged = { readonly progress: Progress; readonly event: string; readonly repeats?: string };

export type CrossCheck = {
  /** The most rows that are held against the others in one commit. */
  readonly limit: number;
  /** The service's time (ISO), kept with a batch whose check begins; null where it is not known, or says nothing of when the batch came. */
  readonly at: string | null;
  /** Earliest acceptance (ISO, the service's time) of another batch that is recent: the start of the window for duplicates. */
  readonly since: string;
  /** Also those of lost batches that nothing is seen of yet count: which of two was paid is not known then. */
  readonly countsUnseen?: boolean;
  /** Also asks for rows that met nothing. */
  readonly everyRow: boolean;
  /** The new progress of a row, with the event that its history tells; null to leave it as it is. Pure, and it may be asked twice: a commit that meets another is made again. */
  readonly judge: (row: RowRecord, met: Met) => Judged | null;
  /** Like `judge`, for the unsent rows of a file most of whose rows meet one earlier batch; absent where that does not matter. */
  readonly judgeRest?: (row: RowRecord, repeats: Repeats) => Judged | null;
  /** Changes the batch in the commit of its last rows. */
  readonly change: BatchChange;
};

export type WholeDecision = {
  readonly to: Exclude<WholeState, 'reserving'>;
  /** Rows that change with the decision; the others stay as they are. */
  readonly judged: readonly {
    readonly row: RowRecord;
    readonly progress: Progress;
    readonly event: string;
  }[];
};

/** A change of a batch, and what the history says of it. */
export type BatchRevision = { readonly change: BatchChange; readonly event: string };

/** Other batches as they stand at the moment of a decision. */
export type BatchesNow = (which: WhichBatches) => readonly BatchRecord[];

/** A batch as the run that takes it over has seen it. */
export type SeenBatch = Pick<BatchRecord, 'id' | 'state' | 'token' | 'decisions'>;

/** A batch that was announced, under a lease of this run; or the other one that stands in its way. */
export type Announced = { readonly added: BatchRecord } | { readonly earlier: BatchRecord };

/** Which batches are asked for; all of them, oldest first, where nothing is said. */
export type WhichBatches =
  /** Those that may need work by this time (ms): each that is neither closed nor refused, and of the closed those with an ended row that is due by then, with answers due, or waiting for somebody. The cost does not grow with the others. */
  | { readonly toLookAt: number }
  /** The newest first, those accepted before this one; null from the newest of all. */
  | { readonly before: Pick<BatchRecord, 'acceptedAt' | 'id'> | null; readonly limit: number }
  /** Those of these bytes. */
  | { readonly sha256: string }
  /** Those with this content: see `Content`. */
  | { readonly content: string }
  /** Those of messages, read, and accepted at this time (ISO) or later. */
  | { readonly messagesSince: string }
  /** Those that went without approval on this day. */
  | { readonly dispensedOn: string };

/** Names, of which those are asked for that no batch has: a look at all folders costs nothing for those that are known. */
export type UnknownAmong = { readonly unknownAmong: readonly string[] };
/** How many batches there are in each state: the cost hardly grows with them. */
export type CountedBy = { readonly countedBy: 'state' };
export type CountedBatches = { readonly state: BatchState; readonly batches: number };

export type FoundBatch<Which> = Which extends UnknownAmong
  ? string
  : Which extends CountedBy
    ? CountedBatches
    : BatchRecord;

/** Which rows of a batch are asked for: those for which all of it holds. */
export type RowFilter = {
  readonly stages?: readonly StageOrHeld[] | undefined;
  /** The service's or ours: of its hold, of what ended it, or of one of its rejections. */
  readonly code?: string | undefined;
  /** Words, each of which stands in the reference or the receiver's name, or is the row's own name; capitals count for nothing. */
  readonly text?: string | undefined;
};

interface AccountBinding {
  /** As text; null where nobody has bound the ledger yet. */
  bound(): Promise<string | null>;
  /** Binds it to another one, by compare-and-set: false where it is no longer bound as it was seen. */
  bind(account: string, seen: string | null): Promise<boolean>;
}

export interface Ledger {
  /** Made with the ledger, and of no other: a copy has it too, and so has the one that it moved to. */
  readonly id: string;
  /** The id of this process' run; rows that it wrote carry it. */
  readonly run: string;
  /** Which runs are alive. */
  readonly runs: Runs;
  /** The notices about it. */
  readonly notices: Notices;
  /** Files that are fetched from other houses, and answers that are brought there. */
  readonly exchange: Exchange;
  /** The account of the service that it belongs to. */
  readonly account: AccountBinding;
  /** What people want of batches that others carry. */
  readonly orders: Orders;
  /** All that ever happened in it. */
  readonly history: LedgerHistory;

  /** Announces a batch, and makes it this run's own. Gives the batch that already holds this file id, unless it still stands as `replaces` was seen: then it is replaced; or else the batch of another file that has this name. */
  addBatch(batch: BatchRecord, replaces?: BatchRecord): Promise<Announced>;
  /**
   * Changes a batch as it stands at this very moment, in one commit with the event that tells of it; null from `decide` leaves it. Gives what it decided on.
   * A batch that is refused loses its rows with that. Throws when it may not go to that state from where it stands, and as every write of a batch `LeaseLost`
   * where it has been taken over since. What a person decides any run may write: then the batch is given by its id.
   */
  revise(
    of: string | LeasedBatch,
    decide: (batch: BatchRecord, others: BatchesNow) => BatchRevision | null,
  ): Promise<BatchRecord | null>;
  /** Asks for the approval of exactly these rows, given by their positions; false when another question was asked meanwhile. */
  askApproval(
    leased: LeasedBatch,
    asked: Omit<Asked, 'coverage'>,
    positions: readonly number[],
  ): Promise<boolean>;
  /** How many rows that may still be sent the last question did not know; 0 where none was asked. */
  uncovered(id: string): Promise<number>;
  /**
   * Makes a batch that was seen so this run's own (lease), under a fencing token that no owner had before; its pause stays. A dead owner is ended in the same
   * commit. Null when it has moved on, was paused, let go on or taken over meanwhile, or when another process has it.
   */
  takeOver(seen: SeenBatch): Promise<BatchRecord | null>;
  /** Ends the lease at the end of a go: whoever comes next may take the batch over. False while it has orders that nobody has carried out, unless they are `left` to that one. */
  giveBack(leased: LeasedBatch, left?: boolean): Promise<boolean>;
  /** Forgets a batch that was never fully taken. Throws for any other. */
  dropBatch(leased: LeasedBatch): Promise<void>;
  /** One batch by its id, or by the id of its file. */
  batch(which: string | { readonly fileId: string }): Promise<BatchRecord | null>;
  batches<Which extends WhichBatches | UnknownAmong | CountedBy = WhichBatches>(
    which?: Which,
  ): Promise<readonly FoundBatch<Which>[]>;

  /** Adds rows to a batch that is being read, all or none; they have reached the disk when its check is done, or anything else was written since. Throws for any other. */
  addRows(leased: LeasedBatch, rows: readonly NewRow[]): Promise<void>;
  /** Removes all rows of a batch that is read again from the start. Throws for any other. */
  clearRows(leased: LeasedBatch): Promise<void>;
  /** Up to `limit` rows from a position on, in the file's order. */
  rows(batch: string, from: number, limit: number, filter?: RowFilter): Promise<readonly RowRecord[]>;
  /**
   * Compares the next rows of a batch of this run, all of them registered, with two kinds of rows: those that are paid or in progress in batches
   * of other bytes, and those already checked of batches that are being checked. Of two rows that meet, the one that is checked later sees the
   * other. True when it was the last: then all of it has reached the disk.
   */
  crossCheck(leased: LeasedBatch, check: CrossCheck): Promise<boolean>;
  /** Takes the one decision on a batch that is `reserving` and not paused, over all its rows and in one commit; returns its state then. */
  decideWhole(leased: LeasedBatch, decision: WholeDecision): Promise<WholeState | null>;
  /**
   * The row that a new row would meet in `crossCheck`: by its exact reference, else as the same payment; by a reference alone, where no more is
   * known of it. Of several the last accepted, null when there is none. `since`: see `CrossCheck`.
   */
  duplicateOf(payout: Payout | string, since: string): Promise<Pick<Encounter, 'kind' | 'other'> | null>;
  /** The last payments to a payee (see `payeeKey`) that were paid, newest first, in all batches. */
  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]>;
  /** How many rows stand in each stage, those that are held apart, and those of a day to come as `scheduled`; of a large batch, each when its turn to be counted comes. */
  stageCounts(batch: string): Promise<ReadonlyMap<CountedAs, number>>;

  /** Rows that are due, those closest to their confirm first. None of a batch that is paused or has orders, nor of one that this run has no more. */
  dueRows(leased: LeasedBatch, request: DueRequest): Promise<readonly RowRecord[]>;
  /** The earliest time at which a row in one of these stages is due; null when there is none. */
  nextDueAt(batch: string, stages: readonly Stage[], which?: NextDue): Promise<number | null>;
  /** Writes a row of a batch of this run by compare-and-set on its version, together with its event; writes that wait at the same moment share one durable commit (group commit). */
  record(leased: LeasedBatch, row: RowRecord, change: RowChange): Promise<RecordResult>;
  /** Counts a row for an amount on a day (`yyyy-mm-dd`, UTC; today by our own clock where none is given) before its transfer is created or confirmed, in one commit with the check of the limits: of two processes that would exceed one together, the second is refused. */
  reserve(
    leased: LeasedBatch,
    row: RowRecord,
    amount: DecimalText,
    limits: Limits,
    day?: string,
  ): Promise<Reservation>;
  /** How many rows of a batch the service or the network has decided, and refused. */
  refusalCounts(batch: string): Promise<RefusalCounts>;
  /** The unsent amount of a batch that does not count yet, by source currency: ready and quoted rows, with or without those of days to come. */
  leftToSend(batch: string, which: 'all' | 'open'): Promise<ReadonlyMap<string, LeftToSend>>;
  /** The amounts that count for a batch, and for a day (`yyyy-mm-dd`, UTC) over all batches. */
  spent(batch: string, currency: string, day: string): Promise<Spent>;
  /** The row whose transfer bears this id, and which of its attempts that is; null when none was recorded or registered with it. */
  transferOf(externalId: string): Promise<NamedTransfer | null>;
  /** Makes a row due at once, whoever has its batch: a look that is under way at this moment does not count. `event`: what the history says of it. False for one that has no next call. */
  hint(row: Pick<RowRecord, 'batch' | 'position'>, event?: string): Promise<boolean>;
  /** Says when rows of a batch of this run are looked at next, and changes nothing else of them. `dueAt`: as in `RowChange`. */
  reschedule(leased: LeasedBatch, rows: readonly Rescheduled[]): Promise<void>;
  /** Makes rows of a batch that are not settled due at once; some rows a commit. `stages`: of these alone; rows of others may be made due with them. */
  makeDue(batch: string, which: WhichRows, stages?: readonly Stage[]): Promise<void>;

  close(): Promise<void>;
}

// The usual ways to work on a batch and to revise it.

type Revises = Pick<Ledger, 'revise'>;

/** Changes a batch, however it stands by now. */
export async function changeBatch(ledger: Revises, leased: LeasedBatch, change: BatchChange): Promise<void> {
  await ledger.revise(leased, () => ({ change, event: 'batch changed' }));
}

/** Work on a batch under its lease, which is given back behind it; one that this run has is worked on beside its go, and kept. Null where another process has it. */
export async function underLease<T>(
  ledger: Pick<Ledger, 'run' | 'takeOver' | 'giveBack'>,
  seen: BatchRecord,
  work: (batch: BatchRecord) => Promise<T>,
): Promise<T | null> {
  if (seen.owner === ledger.run && seen.isFree !== true) return work(seen);
  const batch = await ledger.takeOver(seen);
  if (batch === null) return null;
  try {
    return await work(batch);
  } finally {
    await ledger.giveBack(batch, true);
  }
}

/** Moves a batch on from where it was seen to stand; false when it stands elsewhere by now, or waits for an approval. */
export async function moveOn(
  ledger: Revises,
  leased: LeasedBatch,
  from: BatchState,
  to: BatchState,
  also: BatchChange = {},
): Promise<boolean> {
  const seen = await ledger.revise(leased, (batch) =>
    mayMoveOn(batch, from, to) ? { change: { ...also, state: to }, event: 'batch changed' } : null,
  );
  return seen !== null && mayMoveOn(seen, from, to);
}
