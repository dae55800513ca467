// How a run is watched and bounded by whoever started it.
/** Told what happens, for a progress bar; it decides nothing. */
export type ProgressView = {
  /** A batch of so many rows is worked on; `done` of them are settled already. `name` is that of its file. */
  readonly start: (batch: string, rows: number, done: number, name?: string) => void;
  /** One more row has reached its end, or waits for a person. */
  readonly settled: () => void;
  /** Of rows that are paid: how they stand after each change. */
  readonly moved?: (counts: ProgressCounts) => void;
  readonly end: () => void;
};

export type ProgressCounts = {
  /** Confirmed to the service, those that are final now too. */
  readonly sent: number;
  readonly final: number;
  /** Held, failed, rejected or a duplicate. */
  readonly toLookAt: number;
  /** Still to be sent. */
  readonly open: number;
};

export type RunControl = {
  /** How long to wait for final statuses, funds and a service out of reach; 0 to leave once all is submitted. */
  readonly waitMs: number;
  /** Fires when the process is asked to stop. */
  readonly signal: AbortSignal;
  readonly view: ProgressView;
  /** Called once all of a batch that can be sent is on its way, and it is only followed from then on. */
  readonly onSent?: () => void;
  /** True in the rounds of a daemon, which nobody asked for: a closed batch is looked at when it is due, and has nothing to say until it is. */
  readonly isRound?: boolean;
};

/** For whoever shows nothing while it runs. */
export const SILENT_VIEW: RunControl['view'] = {
  start: () => undefined,
  settled: () => undefined,
  end: () => undefined,
};
