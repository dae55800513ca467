// The durable memory, as an interface: what is written here has reached the disk when the promise resolves. It is a memory, not the
// guarantee: exactly-once rests on the ids and on looking before acting, so a lost ledger is an inconvenience.
import type { Progress } from '../payouts/progress.ts';
import type { Rejection } from '../payouts/rejection.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import type { BatchState } from './batch-states.ts';
import type { BatchChange, BatchRecord, Encounter, NewRow, PaidBefore, RowRecord } from './records.ts';

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
  /** What the history says of this change. */
  readonly event: string;
};

export type Schedule = {
  readonly now: number;
  /** As `RowChange.dueAt`. */
  readonly dueAt: number | null;
  /** What the history says of it; null where nothing has to be remembered. */
  readonly event: string | null;
};

export type RecordResult = {
  /** False when somebody else has written the row since it was claimed: leave it alone. */
  readonly written: boolean;
  /** True when the batch was paused: make no further call. */
  readonly paused: boolean;
};

/** What a row of a registered batch was found to have in common with others. */
export type Met = {
  /** Rows with the same reference or, without references, the same payment. */
  readonly encounters: readonly Encounter[];
  /** The oldest batch with the same content. */
  readonly sameContent: BatchRecord | null;
};

export type CrossCheck = {
  /** Earliest acceptance (ISO) of another batch whose paid rows count for rows without a reference. */
  readonly since: string;
  /** Also asks for rows that met nothing. */
  readonly everyRow: boolean;
  /** The new progress of a row, with the event that its history tells; null to leave it as it is. */
  readonly judge: (
    row: RowRecord,
    met: Met,
  ) => { readonly progress: Progress; readonly event: string } | null;
  /** Changes the batch in the same commit. */
  readonly change: BatchChange;
};

export interface Ledger {
  /** The id of this process' run; rows that it wrote carry it. */
  readonly run: string;

  /** Announces a batch. Gives the batch that already holds this file id, unless `mayReplace` says that it counts for nothing: then it is replaced. */
  addBatch(batch: BatchRecord, mayReplace: (earlier: BatchRecord) => boolean): Promise<BatchRecord | null>;
  /** Changes a batch; durable when it resolves. Throws when it may not go to that state from where it stands. */
  changeBatch(id: string, change: BatchChange): Promise<void>;
  /** Makes a batch that was seen so this run's own, and ends its pause. Null when it has moved on meanwhile. */
  takeOver(
    id: string,
    seen: { readonly state: BatchState; readonly takenBy: string },
  ): Promise<BatchRecord | null>;
  /** Refuses a batch of this run and removes its rows, both or neither; false when it is not this run's to refuse. */
  refuseBatch(id: string, finishedAt: string): Promise<boolean>;
  /** Forgets a batch of this run that was never fully taken. Throws for any other. */
  dropBatch(id: string): Promise<void>;
  /** One batch by its id, or by the id of its file. */
  batch(id: string): Promise<BatchRecord | null>;
  batchOfFile(fileId: string): Promise<BatchRecord | null>;
  /** All batches, oldest first. */
  batches(): Promise<readonly BatchRecord[]>;

  /** Adds rows to a batch that this run registers, all or none. Throws when it is not. */
  addRows(batch: string, rows: readonly NewRow[]): Promise<void>;
  /** Removes all rows of a batch that this run reads again from the start. Throws when it is not. */
  clearRows(batch: string): Promise<void>;
  /** Up to `limit` rows from a position on, in the file's order. */
  rows(batch: string, from: number, limit: number): Promise<readonly RowRecord[]>;
  /** Holds the rows of a registered batch against all that are paid or under way in batches of other bytes, and changes them and the batch in one commit: of two batches that meet, exactly one sees the other. */
  crossCheck(batch: string, check: CrossCheck): Promise<void>;
  /** The row that a new one with this very reference would meet in `crossCheck`, the last accepted of several; null when there is none. */
  standing(reference: string): Promise<Encounter['other'] | null>;
  /** The last payments to a payee (see `payeeKey`) that were paid, newest first, of whatever batch. */
  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]>;
  /** How many rows stand in each stage. */
  stageCounts(batch: string): Promise<ReadonlyMap<Stage, number>>;

  /** Claims due rows for `leaseMs`; no two runs hold a row at once while their clocks agree. Nothing of a paused batch is claimed. */
  claim(request: ClaimRequest): Promise<readonly RowRecord[]>;
  /** The earliest time at which a row in one of these stages is due or its claim ends; null when there is none. */
  nextDueAt(batch: string, stages: readonly Stage[]): Promise<number | null>;
  /** Writes a claimed row by compare-and-set on its version, together with its event; writes that wait at the same moment share one durable commit. */
  record(row: RowRecord, change: RowChange): Promise<RecordResult>;
  /** Gives a claimed row back untouched. */
  unclaim(row: RowRecord): Promise<void>;
  /** Says when a row is looked at next, and changes nothing else of it; our claim on it ends. False when it was written meanwhile, or another run holds it. */
  schedule(row: RowRecord, next: Schedule): Promise<boolean>;
  /** Makes every row of a batch that is not settled due at once. */
  makeDue(batch: string): Promise<void>;
  /** Ends the claims of runs that are no longer alive, as told by `isAlive`. */
  endClaims(isAlive: (owner: string) => boolean): Promise<void>;

  /** The service that this ledger belongs to; the first caller binds it. Gives what it is bound to. */
  bindTo(service: string): Promise<string>;
  close(): Promise<void>;
}
