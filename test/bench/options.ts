// What may be said to `npm run trial -- bench`.

export type BenchOptions = {
  /** Rows of a usual run. */
  readonly rows: number;
  readonly runs: number;
  /** Whether `--rows` or `--quick` said so. */
  readonly isScaled: boolean;
  /** One case of each group, to see that it works. */
  readonly isQuick: boolean;
};
