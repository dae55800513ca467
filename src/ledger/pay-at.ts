// The time at which a batch is to be paid, as it was decided when the file was taken. A config that changes later does not change it.

export type PayAt = {
  /** ISO. */
  readonly at: string;
  /** In which the time is told to people. */
  readonly timeZone: string;
  /** What becomes of the batch when that time has passed without it; `hold` too once a person was asked about it. */
  readonly missed: 'pay' | 'hold';
  /** A file that stands in its folder and is paid at every time of its schedule; absent for any other. */
  readonly standing?: {
    /** Its name below the inbox: the batches of one series are paid one after the other, on purpose. */
    readonly series: string;
    /** The next time of the series, ISO. */
    readonly next: string;
    /** The file was taken away, or replaced, before its time. */
    readonly withdrawn?: boolean;
  };
};
