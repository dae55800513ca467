// What a command knows of a batch when it ends, and the exit code that scripts act on.
import { EXIT, type ExitCode } from '../../base/exit-codes.ts';
import type { RowStatus, Summary } from '../../results/summary.ts';

export type BatchResult = {
  readonly summary: Summary;
  /** What to know and what to do, without a word of the file or the service in it. */
  readonly words: readonly string[];
  /** What the file says of itself below its rows. It may quote the file, so it is for whoever may see that. */
  readonly about?: readonly string[];
  /** The rows that were not paid, for whoever may see the file. */
  readonly attention?: readonly RowStatus[];
  /** The same bytes were taken before: nothing was done. */
  readonly isRepeated?: boolean;
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
