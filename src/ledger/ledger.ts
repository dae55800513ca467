// The durable memory, as an interface: a write has reached the disk when its promise resolves. It is a memory, not the guarantee: exactly-once
// rests on the ids and on looking before acting, so a lost ledger is an inconvenience.
import type { DecimalText } from '../base/decimal.ts';
import type { RefusalCounts, LimitHit, Limits } from '../payouts/limits.ts';
import type { Payout } from '../payouts/payout.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Rejection } from '../payouts/row-reader.ts';
import type { Stage, StageOrHeld } from '../payouts/lifecycle.ts';
import type { Asked } from './approval.ts';
import { mayMoveOn } from './batch-rules.ts';
import type { BatchState } from './batch-states.ts';
import type { Exchange } from './exchange.ts';
import type { EventCursor, EventPage, HistoryReport } from './history.ts';
import type { Notices } from './notices.ts';
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

export type ClaimRequest = {
  readonly batch: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** Only rows in these stages. */
  readonly stages: readonly Stage[];
  /** Leave out rows of these source currencies that are not created yet (their funds are out). */
  readonly withoutFunds: readonly string[];
};

export type RowChange = {
  readonly progress: Progress;
  /** Local time in ms at which the row is due again; null when nothing more is to be done. */
  readonly dueAt: number | null;
  /** True to keep the claim for the next step. */
  readonly keepClaim: boolean;
  readonly rejections?: readonly Rejection[];
  /** The id of the row's transfer, where a notification may come that names it: from here on `transferOf` finds the row. */
  readonly transferExternalId?: string;
  /** What the history says of this change. */
  readonly event: string;
  /** Called when the batch is paused, as soon as that is seen: make no further call. */
  readonly onPaused?: () => void;
};

export type Schedule = {
  readonly now: number;
  /** As `RowChange.dueAt`. */
  readonly dueAt: number | null;
  /** What the history says about it; null where nothing has to be remembered. */
  readonly event: string | null;
};

export type RecordResult = {
  /** False when somebody else has written the row since it was claimed: leave it alone. */
  readonly written: boolean;
};

/** Null: the row counts for the amount now. `gone`: it has changed since it was seen. `unapproved`: the batch's approval does not cover it. */
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
  /** The sum of the versions of all rows, as they were read for it: any row that was written since has a higher one. */
  readonly versions: number;
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
export type FoundBatch<Which> = Which extends UnknownAmong ? string : BatchRecord;

/** Which rows of a batch are asked for: those for which all of it holds. */
export type RowFilter = {
  readonly stages?: readonly StageOrHeld[] | undefined;
  /** The service's or ours: of its hold, of what ended it, or of one of its rejections. */
  readonly code?: string | undefined;
  /** Words, each of which stands in the reference or the receiver's name, or is the row's own name; capitals count for nothing. */
  readonly text?: string | undefined;
};

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
  /** Makes a batch that was seen so this run's own, under a fencing token that no carrier had before; its pause stays. A dead owner is ended in the same commit. Null when it has moved on, was paused, let go on or taken over meanwhile, or when another process has it that is not paying it yet. */
  takeOver(seen: SeenBatch): Promise<BatchRecord | null>;
  /** Forgets a batch that was never fully taken. Throws for any other. */
  dropBatch(leased: LeasedBatch): Promise<void>;
  /** One batch by its id, or by the id of its file. */
  batch(which: string | { readonly fileId: string }): Promise<BatchRecord | null>;
  batches<Which extends WhichBatches | UnknownAmong = WhichBatches>(
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
  /**
   * Takes the one decision on a batch that is `reserving` and not paused, over all its rows and in one commit; returns its state then, whichever
   * run decided. `moved`: a row was written since it was read, and nothing is decided.
   */
  decideWhole(leased: LeasedBatch, decision: WholeDecision): Promise<WholeState | 'moved' | null>;
  /**
   * The row that a new row would meet in `crossCheck`: by its exact reference, else as the same payment; by a reference alone, where no more is
   * known of it. Of several the last accepted, null when there is none. `since`: see `CrossCheck`.
   */
  duplicateOf(payout: Payout | string, since: string): Promise<Pick<Encounter, 'kind' | 'other'> | null>;
  /** The last payments to a payee (see `payeeKey`) that were paid, newest first, in all batches. */
  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]>;
  /** How many rows stand in each stage, those that are held apart; of a large batch, each when its turn to be counted comes. */
  stageCounts(batch: string): Promise<ReadonlyMap<StageOrHeld, number>>;

  /** Claims due rows for `leaseMs`; no two runs hold a row at once while their clocks agree. Nothing of a paused batch is claimed. */
  claim(request: ClaimRequest): Promise<readonly RowRecord[]>;
  /** The earliest time at which a row in one of these stages is due or its claim ends; null when there is none. */
  nextDueAt(batch: string, stages: readonly Stage[]): Promise<number | null>;
  /** Writes a claimed row by compare-and-set on its version, together with its event; writes that wait at the same moment share one durable commit. */
  record(row: RowRecord, change: RowChange): Promise<RecordResult>;
  /** Counts a claimed row for an amount on a day (`yyyy-mm-dd`, UTC; today by our own clock where none is given) before its transfer is created or confirmed, in one commit with the check of the limits: of two processes that would exceed one together, the second is refused. */
  reserve(row: RowRecord, amount: DecimalText, limits: Limits, day?: string): Promise<Reservation>;
  /** How many rows of a batch the service or the network has decided, and refused. */
  refusalCounts(batch: string): Promise<RefusalCounts>;
  /** The unsent amount of a batch that does not count yet, by source currency: ready and quoted rows. */
  leftToSend(batch: string): Promise<ReadonlyMap<string, LeftToSend>>;
  /** The amounts that count for a batch, and for a day (`yyyy-mm-dd`, UTC) over all batches. */
  spent(batch: string, currency: string, day: string): Promise<Spent>;
  /** Gives a claimed row back untouched. */
  unclaim(row: RowRecord): Promise<void>;
  /** The row whose transfer bears this id, and which of its attempts that is; null when none was recorded or registered with it. */
  transferOf(externalId: string): Promise<NamedTransfer | null>;
  /** Makes a row due at once: a claim that holds it at this moment does not count as the look. False for one that has no next call. */
  hint(row: Pick<RowRecord, 'batch' | 'position'>): Promise<boolean>;
  /** Says when a row is looked at next, and changes nothing else of it; our claim on it ends. False when it was written meanwhile, or another run holds it. */
  schedule(row: RowRecord, next: Schedule): Promise<boolean>;
  /** Makes every row of a batch that is not settled due at once, or only those that wait for a time; some rows a commit. `stages`: of these alone; rows of others may be made due with them. */
  makeDue(batch: string, which: 'all' | 'waiting', stages?: readonly Stage[]): Promise<void>;

  /** Up to `limit` events behind a place in the history, in the order of their commits: of one row, of a batch itself (`position: null`), or of everything. A place that is not of this ledger counts as `FROM_START`. */
  events(
    of: { readonly batch: string; readonly position: number | null } | null,
    after: EventCursor,
    limit: number,
  ): Promise<EventPage>;
  /** Reads the whole history and says where it, or a record that it vouches for, was changed by anybody but the ledger. Others may write meanwhile. */
  verifyHistory(): Promise<HistoryReport>;

  /** The account of the service that this ledger belongs to, as text; null where nobody has bound it yet. */
  boundTo(): Promise<string | null>;
  /** Binds it to another account, by compare-and-set: false where it is no longer bound as it was seen. */
  bindTo(account: string, seen: string | null): Promise<boolean>;
  close(): Promise<void>;
}

// The two usual ways to revise a batch.

type Revises = Pick<Ledger, 'revise'>;

/** Changes a batch, however it stands by now. */
export async function changeBatch(ledger: Revises, leased: LeasedBatch, change: BatchChange): Promise<void> {
  await ledger.revise(leased, () => ({ change, event: 'batch changed' }));
}

/** Moves a batch on from where it was seen to stand; false when it stands elsewhere by now, or waits for an approval. */
export async function moveOn(
  ledger: Revises,
  leased: LeasedBatch,
  from: BatchState,
  to: BatchState,
): Promise<boolean> {
  const seen = await ledger.revise(leased, (batch) =>
    mayMoveOn(batch, from, to) ? { change: { state: to }, event: 'batch changed' } : null,
  );
  return seen !== null && mayMoveOn(seen, from, to);
}
