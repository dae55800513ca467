// Who vouches for an attempt: a tenure for what it began or saw itself, and nobody for what another one did.
import { furthest, type Progress, type Tenure } from './progress.ts';

/**
 * A row as a run takes it up under its lease, and records that it did. The run vouches for nothing that was begun or seen last under another lease, its
 * own earlier one or another run's: it does not know what happened in between. A confirm that was intended then may have been sent.
 */
export function takenUp(progress: Progress, run: Tenure): Progress {
  const { begunBy, lookedBy, stage, confirm } = progress;
  // Its own row: nothing has to be forgotten.
  if (begunBy === run && (lookedBy === run || lookedBy === null)) return progress;
  const isOthersIntent = stage === 'confirming' && begunBy !== run && lookedBy !== run;
  return {
    ...progress,
    begunBy: begunBy === run ? run : null,
    lookedBy: lookedBy === run ? run : null,
    confirm: isOthersIntent ? furthest(confirm, 'sent') : confirm,
  };
}
