// What a command knows of a batch when it ends, and the exit code that scripts act on.
import type { Summary } from '../results/summary.ts';

export type BatchResult = {
  readonly summary: Summary;
  /** For the person at the terminal: what to know and what to do. */
  readonly words: readonly string[];
  /** The same bytes were taken before: nothing was done. */
  readonly isRepeated?: boolean;
};

export const EXIT = { done: 0, bug: 1, usage: 2, refused: 3, differences: 4, unfinished: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code of one batch. Without waiting, a row that is submitted is where it should be. */
export function exitCodeOf({ summary, isRepeated }: BatchResult, waitMs: number): ExitCode {
  const { outcomes, state } = summary;
  if (state === 'refused' || isRepeated === true) return EXIT.refused;
  const open = outcomes.pending + outcomes.held + (waitMs === 0 ? 0 : outcomes.submitted);
  if (state !== 'checked' && open > 0) return EXIT.unfinished;
  return outcomes.rejected + outcomes.failed + outcomes.duplicate > 0 ? EXIT.differences : EXIT.done;
}

/** With several batches, the highest. */
export function highestExit(codes: readonly ExitCode[]): ExitCode {
  return codes.reduce((highest, code) => (code > highest ? code : highest), EXIT.done);
}
