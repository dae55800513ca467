// What the tables ask of the runs inside a commit.
import type { RunId } from '../../payouts/progress.ts';
import type { Plan } from '../plan.ts';
import type { Runs } from '../runs.ts';

export type RunsInPlans = Pick<Runs, 'isElsewhere'> & {
  /** Ends a run that is dead; true where it has ended. */
  readonly endIfDead: (run: RunId) => Plan<boolean>;
};
