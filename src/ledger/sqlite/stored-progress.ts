// Progress as it is stored: only what is no longer as before the first step. Every step writes, seals and reads it again, and most of it never
// changes. What `FRESH` says of a field that is missing here must therefore stay as it is.
import { takenUp } from '../../payouts/attempt.ts';
import { FRESH, type Progress, type RunId } from '../../payouts/progress.ts';
import { readRecord } from '../ledger-unusable.ts';

const FIELDS = Object.keys(FRESH) as readonly (keyof Progress)[];

/** Run ids, which are long: only the one that writes the record ever stands in it, and it has a column of its own. */
const RUNS = ['begunBy', 'lookedBy'] as const;
type Stored = Partial<Omit<Progress, (typeof RUNS)[number]> & Record<(typeof RUNS)[number], true>>;

/** What the run that writes it may say of it; see `takenUp`. */
export function storeProgress(progress: Progress, writtenBy: RunId): string {
  const written = takenUp(progress, writtenBy);
  const changed: Partial<Record<keyof Progress, unknown>> = { stage: written.stage };
  for (const field of FIELDS) if (written[field] !== FRESH[field]) changed[field] = written[field];
  for (const field of RUNS) if (written[field] !== null) changed[field] = true;
  return JSON.stringify(changed);
}

export function readProgress(stored: string, writtenBy: RunId): Progress {
  const { begunBy, lookedBy, ...known } = readRecord(stored) as Stored;
  return {
    ...FRESH,
    ...known,
    begunBy: begunBy === true ? writtenBy : null,
    lookedBy: lookedBy === true ? writtenBy : null,
  };
}
