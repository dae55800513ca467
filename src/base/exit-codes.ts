// The exit codes of the commands, on which scripts rely.

export const EXIT = { done: 0, bug: 1, usage: 2, refused: 3, differences: 4, unfinished: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** With several batches, the highest. */
export function highestExit(codes: readonly ExitCode[]): ExitCode {
  return codes.reduce((highest, code) => (code > highest ? code : highest), EXIT.done);
}
