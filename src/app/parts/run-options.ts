// What the caller of a run asks for, and how it watches and bounds it.
import type { Words } from '../../base/language.ts';
import type { EndedRows } from '../../delivery/poll-by-list.ts';
import type { BatchRecord } from '../../ledger/records.ts';

/** Receives events for a progress bar; it decides nothing. */
export type ProgressView = {
  /** Work on a batch of so many rows begins; `done` of them are settled already. `name` is its file's name. */
  readonly start: (batch: string, rows: number, done: number, name?: string) => void;
  /** One more row has reached its end, or waits for a person. */
  readonly settled: () => void;
  /** For rows that are paid: the counts after each change. */
  readonly moved?: (counts: ProgressCounts) => void;
  /** What holds the rows up now, in a few words; null once nothing does. */
  readonly halted?: (words: Words | null) => void;
  readonly end: () => void;
};

export type ProgressCounts = {
  /** Confirmed to the service, including those that are final now. */
  readonly sent: number;
  readonly final: number;
  /** Held, failed, rejected or a duplicate. */
  readonly toLookAt: number;
  /** Still to be sent. */
  readonly open: number;
};

export type RunControl = {
  /** How long to wait for final statuses, funds and an unreachable service; 0 to leave once everything is submitted. */
  readonly waitMs: number;
  /** Fires when the process is asked to stop. */
  readonly signal: AbortSignal;
  readonly view: ProgressView;
  /** Called when everything that can be sent of a batch is on its way; from then on it is only followed. */
  readonly onSent?: () => void;
  /**
   * True in the daemon, where no person asked: a closed batch is looked at when it is due, and reports nothing before that; what another living run has
   * taken since the daemon looked is left to it.
   */
  readonly isRound?: boolean;
  /** The ended rows of a batch, and what the list of a whole round shows of them; where there is none, the batch has its own. */
  readonly endedOf?: (batch: BatchRecord) => Promise<EndedRows | null>;
  /** True for a command about several files: an unexpected error is the fault of one of them, and the others go on. */
  readonly keepsGoing?: boolean;
};

/** For a caller that shows nothing during the run. */
export const SILENT_VIEW: RunControl['view'] = {
  start: () => undefined,
  settled: () => undefined,
  end: () => undefined,
};

/** What is asked of a run. */
export type RunOrder = {
  /** Bytes that were paid before are paid once more. */
  readonly again: boolean;
  /** The people known to bring the files. */
  readonly by: readonly string[];
  /** What a person has agreed to pay: the SHA-256 (hex) of each file by its path. A file that is another one by now is refused. */
  readonly agreed?: ReadonlyMap<string, string>;
};
