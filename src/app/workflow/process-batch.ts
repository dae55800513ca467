// From a path to its answers: the file is taken, or refused at the door, and its batch is carried as far as it comes. `states.ts` has all that follows.
import { inPlace, type DroppedFile } from '../../inbox/take-file.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import { advance } from './advance.ts';
import type { BatchResult } from './batch-result.ts';
import { refusedAs, refuseFile, refuseUntaken, unreadable } from './take/refuse-file.ts';
import { announced, takeBatch, type Taken } from './take/take-batch.ts';
import { repeated, unfinished } from './tell.ts';

/** Pays one file, exactly once whatever happens, and answers it. `again`: bytes that were paid before are paid once more; `by`: who is known to bring it. */
export async function processBatch(
  paydrop: Paydrop,
  path: string,
  control: RunControl,
  again = false,
  by: readonly string[] = [],
): Promise<BatchResult> {
  return carryTaken(paydrop, path, await takeOrRefuse(paydrop, inPlace(path, by), again), control);
}

export type TakenOrRefused = Taken | { readonly kind: 'refused'; readonly refusal: FileRefused };

/** Takes a file, or says why it cannot be taken. */
export function takeOrRefuse(paydrop: Paydrop, file: DroppedFile, again = false): Promise<TakenOrRefused> {
  return takeBatch(paydrop, file, again).catch((error: unknown) => {
    if (error instanceof FileRefused) return { kind: 'refused', refusal: error } as const;
    throw error;
  });
}

/** Goes on with what became of a file at the door; `path` is where the file that was refused lies. */
export async function carryTaken(
  paydrop: Paydrop,
  path: string,
  taken: TakenOrRefused,
  control: RunControl,
): Promise<BatchResult> {
  switch (taken.kind) {
    case 'refused':
      return refuseAtDoor(paydrop, path, taken.refusal);
    case 'repeated':
      return repeated(paydrop, taken.batch);
    case 'taken':
      return (await advance(paydrop, taken.batch, control)) ?? unfinished(paydrop, taken.batch);
  }
}

/** What was wrong may have shown before anything was taken, or while the documents were. */
async function refuseAtDoor(paydrop: Paydrop, path: string, refusal: FileRefused): Promise<BatchResult> {
  const first = await announced(paydrop, path, null);
  // A neighbour of the same bytes may be taken at this moment: that one is not refused.
  return paydrop.takes.run(first.sha256, async () => {
    const { batch, isTaken } = await refusedAs(paydrop, first);
    return isTaken
      ? refuseFile(paydrop, batch, unreadable(refusal))
      : refuseUntaken(paydrop, path, batch, unreadable(refusal));
  });
}
