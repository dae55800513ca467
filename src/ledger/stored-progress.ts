// Progress as it is stored: only what is no longer as before the first step. Every step writes, seals and reads it again, and most of it never
// changes. What `FRESH` says of a field that is missing here must therefore stay as it is.
import { takenUp } from '../payouts/attempt.ts';
import { FRESH, isTenureOf, type Progress, type RunId, type Tenure } from '../payouts/progress.ts';
import { readRecord } from './ledger-unusable.ts';

const FIELDS = Object.keys(FRESH) as readonly (keyof Progress)[];

/** Their ids are long: only one of the run that writes the record ever stands in it, and it has a column of its own. */
const RUNS = ['begunBy', 'lookedBy'] as const;
type Stored = Partial<Omit<Progress, (typeof RUNS)[number]> & Record<(typeof RUNS)[number], true>>;

/** The tenure that a record vouches for, as `run` may write it down: one of its own. */
export function writerOf({ lookedBy, begunBy }: Progress, run: RunId): Tenure {
  return [lookedBy, begunBy].find((each) => each !== null && isTenureOf(each, run)) ?? run;
}

/** What the tenure that writes it may say of it; see `takenUp`. */
export function storeProgress(progress: Progress, writtenBy: Tenure): string {
  const written = takenUp(progress, writtenBy);
  const changed: Partial<Record<keyof Progress, unknown>> = { stage: written.stage };
  for (const field of FIELDS) if (written[field] !== FRESH[field]) changed[field] = written[field];
  for (const field of RUNS) if (written[field] !== null) changed[field] = true;
  return JSON.stringify(changed);
}

export function readProgress(stored: string, writtenBy: Tenure): Progress {
  const { begunBy, lookedBy, ...known } = readRecord(stored) as Stored;
  return {
    ...FRESH,
    ...known,
    begunBy: begunBy === true ? writtenBy : null,
    lookedBy: lookedBy === true ? writtenBy : null,
  };
}
