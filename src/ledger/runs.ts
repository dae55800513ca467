// The runs on a ledger: every process that writes to one is a run, from its first write until it is closed, or found dead. A death is recorded
// once and for good, and the id never comes back: so others can continue the work of a dead run, even if its process should wake up.
import type { RunId } from '../payouts/progress.ts';
import type { Plan } from './plan.ts';

/** The place of a process. Process numbers are reused, above all after a reboot: what distinguishes them is null where the system has none of it. */
export type ProcessPlace = {
  readonly host: string;
  /** The boot of the machine, and the namespace in which its processes are numbered. */
  readonly boot: string | null;
  readonly namespace: string | null;
  readonly pid: number;
  /** When it started, since the boot. */
  readonly start: string | null;
};

export type RunRecord = ProcessPlace & {
  readonly run: RunId;
  /** ISO. */
  readonly startedAt: string;
  /** In ms: when it last said that it lives, to those who cannot see its process. */
  readonly beatAt: number;
  /** The run's own statement, as text; null where it makes none. */
  readonly note: string | null;
};

/** What this process knows of itself and of the others on its machine. */
export type Machine = {
  readonly own: ProcessPlace;
  /** The runs of this very process that are open. */
  readonly runs: Set<RunId>;
  /** Calls at intervals of real time until the returned function is called. */
  readonly repeatEvery: (ms: number, call: () => void) => () => void;
  /** Whether that very process is there; asked only of one that can be seen from here. */
  readonly isThere: (process: ProcessPlace & { readonly run: RunId }) => boolean;
};

/** The last statement of a run that makes no more, and for how many ms: a run that is dead and has not been ended yet counts from this moment. */
export type Parted = { readonly said: string; readonly agoMs: number };

/** How long the last statements of ended runs are still shown. */
export const PARTED_MS = 15_000;

/** A run that begins: its id, which no other has, and what its process knows of its machine. */
export type NewRun = { readonly run: RunId; readonly machine: Machine };

export interface Runs {
  /** Fires once this run was given up by another one: nothing that it writes is taken any more. */
  readonly ended: AbortSignal;
  /** True while another process works under this id: its unfinished work is left to it. False is final, except for another run of this very process. */
  isElsewhere(run: RunId | null): boolean;
  /** The runs that are alive, this one among them once it has written, oldest first. */
  alive(): Promise<readonly RunRecord[]>;
  /** Ends each run that is dead, in one commit with all that it held. */
  endDead(): Promise<void>;
  /** The statement of this run from now on. */
  tell(note: string | null): Promise<void>;
  /**
   * Replaces this run's statement to the other runs, in one commit that no other's comes between.
   * @param say is given the statements of the other living runs, and the last ones of runs that are dead or have ended within `PARTED_MS`; pure, and
   * it may be asked twice.
   */
  confer(
    say: (others: ReadonlyMap<RunId, string>, parted: ReadonlyMap<RunId, Parted>) => string,
  ): Promise<void>;
  /** Whether this run may call the service at this moment: not once it was given up, nor while it cannot know that it was not. Asked before each call. */
  mayCall(): boolean;
}

/** Four beats in a minute; the last may be this old. After that, the work of a lost host is taken up. */
export const BEAT_MS = 15_000;
const FRESH_MS = 60_000;

/**
 * Whether a run that has not ended still lives. A process that can be seen is dead when it is gone, and never for a late beat. Of one on another host, or
 * in another container, only the beats are seen.
 * @param now by real time: a run beats for other processes.
 */
export function isAlive(known: RunRecord, machine: Machine, now: number): boolean {
  const { own, runs } = machine;
  if (runs.has(known.run)) return true;
  // A clock that was set back must not keep the dead alive until it is as late again.
  if (known.host !== own.host) return Math.abs(now - known.beatAt) < FRESH_MS;
  // The machine has started again since.
  if (known.boot !== null && own.boot !== null && known.boot !== own.boot) return false;
  if (known.namespace !== own.namespace) return Math.abs(now - known.beatAt) < FRESH_MS;
  // Our own number under another run: a process before us had it, as in a container that starts again.
  return known.pid !== own.pid && machine.isThere(known);
}

/** What the tables ask of the runs inside a commit. */
export type RunsInPlans = Pick<Runs, 'isElsewhere'> & {
  /** Ends a run that is dead; true where it has ended. */
  readonly endIfDead: (run: RunId) => Plan<boolean>;
};
