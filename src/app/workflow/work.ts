// What the gates and the work of every state of a batch are given, and what they give back.
import type { Paydrop } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import type { OpenedFile } from './take/profile-for.ts';
import { EXIT, type ExitCode } from '../../base/exit-codes.ts';
import type { Pace } from '../../delivery/calls.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { RowStatus, Summary } from '../../results/summary.ts';

/** The batch as the ledger had it when this state began, its file, and how long may be waited. */
export type Work = {
  readonly paydrop: Paydrop;
  readonly batch: BatchRecord;
  readonly control: RunControl;
  /** Its taken file, which is read once a go. Throws `FileRefused`, or where it is gone. */
  readonly open: () => Promise<OpenedFile>;
  /** How fast the service answered when the batch was priced in this very go; null when that was not measured. */
  readonly pace: Pace | null;
};

/** Null where nothing stands in the way of the work; else what is told, and the batch comes back here. */
export type Gate = (work: Work) => Promise<BatchResult | null>;

/** `told`: nothing more is done in this go, and null is nothing to tell; `again`: all of this state once more, its gates too. */
export type Step =
  | { readonly kind: 'moved'; readonly pace?: Pace | null }
  | { readonly kind: 'again' }
  | { readonly kind: 'told'; readonly result: BatchResult | null };

export const MOVED: Step = { kind: 'moved' };
export const AGAIN: Step = { kind: 'again' };

export function told(result: BatchResult | null): Step {
  return { kind: 'told', result };
}

// What a command knows of a batch when it ends, and the exit code that scripts act on.

export type BatchResult = {
  readonly summary: Summary;
  /** What to know and what to do, without a word of the file or the service in it. */
  readonly words: readonly string[];
  /** What the file says of itself below its rows. It may quote the file, so it is for whoever may see that. */
  readonly about?: readonly string[];
  /** The rows that were not paid, for whoever may see the file. */
  readonly attention?: readonly RowStatus[];
  /** Of the other days of the same message. */
  readonly others?: readonly BatchResult[];
  /** The same bytes were taken before: nothing was done. */
  readonly isRepeated?: boolean;
  /** Of the same bytes: the name under which they came this time. */
  readonly brought?: string;
  /** The work ended before it was done, and nothing is left to go on with: it is to be asked for again. */
  readonly isStopped?: boolean;
  /** Something went wrong with this batch that no row is to blame for. */
  readonly isBroken?: boolean;
};

/** The exit code of one batch. Without waiting, a row that is submitted is where it should be. */
export function exitCodeOf(
  { summary, isRepeated, isBroken, isStopped }: BatchResult,
  waitMs: number,
): ExitCode {
  const { outcomes, state } = summary;
  if (isBroken === true) return EXIT.bug;
  if (state === 'refused' || isRepeated === true) return EXIT.refused;
  if (isStopped === true) return EXIT.unfinished;
  const open = outcomes.pending + outcomes.held + (waitMs === 0 ? 0 : outcomes.submitted);
  if (state !== 'checked' && open > 0) return EXIT.unfinished;
  return outcomes.rejected + outcomes.failed + outcomes.duplicate > 0 ? EXIT.differences : EXIT.done;
}
