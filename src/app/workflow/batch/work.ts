// What the gates and the work of every batch state receive and return.
import type { Paydrop } from '../../parts.ts';
import type { RunControl } from '../../parts/run-options.ts';
import type { OpenedFile } from './profile-for.ts';
import { EXIT, type ExitCode } from '../../../base/exit-codes.ts';
import type { Words } from '../../../base/language.ts';
import type { Pace } from '../../../delivery/quotations.ts';
import type { BatchRecord, LeasedBatch } from '../../../ledger/records.ts';
import type { RowStatus, Summary } from '../../../results/summary.ts';

/** The batch as the ledger had it when this state began, its file, and the time that may be waited. */
export type Work = {
  readonly paydrop: Paydrop;
  readonly batch: BatchRecord;
  readonly control: RunControl;
  /** Its taken file, which is read once in each go. Throws `FileRefused`, or where the file is gone. */
  readonly open: () => Promise<OpenedFile>;
  /** Throws where that file is gone. */
  readonly find: () => Promise<void>;
  /** How fast the service answered when this very go priced the batch; null when that was not measured. */
  readonly pace: Pace | null;
};

/** Null where nothing blocks the work; else the report, and the batch comes back to this gate. */
export type Gate = (work: Work) => Promise<BatchResult | null>;

/** `go-ended`: nothing more is done in this go, and null means nothing to report; `again`: repeats this state, including its gates. */
export type Step =
  | { readonly kind: 'moved'; readonly pace?: Pace | null }
  | { readonly kind: 'again' }
  | { readonly kind: 'go-ended'; readonly result: BatchResult | null };

export const MOVED: Step = { kind: 'moved' };
export const AGAIN: Step = { kind: 'again' };

export function goEnded(result: BatchResult | null): Step {
  return { kind: 'go-ended', result };
}

/** The present record; for a lease, with that lease, because another run may have taken the batch over since. */
export async function batchOf(
  { ledger }: Pick<Paydrop, 'ledger'>,
  of: string | LeasedBatch,
): Promise<BatchRecord> {
  const id = typeof of === 'string' ? of : of.id;
  const batch = await ledger.batch(id);
  if (batch === null) throw new Error(`Batch ${id} has vanished from the ledger.`);
  return typeof of === 'string' ? batch : { ...batch, owner: of.owner, token: of.token };
}

// What a command knows of a batch at its end, and the exit code on which scripts rely.

export type BatchResult = {
  readonly summary: Summary;
  /** What to know and what to do, without any words of the file or the service. */
  readonly words: readonly Words[];
  /** What the file says about itself below its rows. It may quote the file, so only people who may see the file get it. */
  readonly about?: readonly string[];
  /** The rows that were not paid, for people who may see the file. */
  readonly attention?: readonly RowStatus[];
  /** The same bytes were taken before: nothing was done. */
  readonly isRepeated?: boolean;
  /** For repeated bytes: the name under which they came this time. */
  readonly brought?: string;
  /** The work ended before it was done, and nothing is left to continue: it has to be requested again. */
  readonly isStopped?: boolean;
  /** Another process works on it. */
  readonly isElsewhere?: boolean;
  /** A fault of this batch that is no row's fault. */
  readonly isBroken?: boolean;
};

/** The exit code of one batch. Without waiting, a submitted row counts as done. */
export function exitCodeOf(
  { summary, isRepeated, isBroken, isStopped }: BatchResult,
  waitMs: number,
): ExitCode {
  const { outcomes, state, check } = summary;
  if (isBroken === true) return EXIT.bug;
  if (state === 'refused' || isRepeated === true) return EXIT.refused;
  if (isStopped === true) return EXIT.unfinished;
  const open = outcomes.pending + outcomes.held + (waitMs === 0 ? 0 : outcomes.submitted);
  // Of a file that was only looked at, what a run would hold.
  if ((check === undefined ? open : outcomes.held) > 0) return EXIT.unfinished;
  return outcomes.rejected + outcomes.failed + outcomes.duplicate > 0 ? EXIT.differences : EXIT.done;
}
