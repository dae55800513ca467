// Several processes may answer one batch, and one of them may be slow between the writing of an answer and the rename that publishes it. What
// it wrote is older than what the others have told since: it must not stand for ever over the final answers of a batch that nobody looks at again.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { discardMarked } from '../../../base/atomic-file.ts';
import { hashFile } from '../../../inbox/hash-file.ts';
import { readManifest } from '../../../inbox/manifest.ts';
import { publishKept, type AnswerPlace } from '../../../results/write-results.ts';

/** Once archived, nobody else writes to the folder under the name he knows: a second writing meets only another process that mends the same. */
const TRIES = 3;

/**
 * To be called once the batch lies in the archive: from then on an answer begun before finds neither its folder nor its temporary file, and so
 * cannot be renamed over these any more. What was renamed before that is written again: `rewrite` the batch's own copies, and of the outbox what
 * still lies there, because what was collected is not put there again.
 */
export async function holdAnswers(place: AnswerPlace, rewrite: () => Promise<unknown>): Promise<void> {
  const { folder, outbox } = place;
  if (folder === null) return;
  for (let tries = TRIES; tries > 0 && (await othersIn(folder, folder)).length > 0; tries -= 1)
    await rewrite();
  // Only now: an answer that is begun from here on is read from what has just been made sure of.
  await discardMarked(outbox, folder);
  for (const name of await othersIn(outbox, folder))
    if (await isThere(join(outbox, name))) await publishKept(place, name);
}

/** The answers that are not in `where` as they were told last. */
async function othersIn(where: string, folder: string): Promise<readonly string[]> {
  const others: string[] = [];
  for (const [name, sha256] of Object.entries(await told(folder)))
    if (!(await isThere(join(where, name))) || (await hashFile(join(where, name))) !== sha256)
      others.push(name);
  return others;
}

async function told(folder: string): Promise<Readonly<Record<string, string>>> {
  return (await readManifest(folder))?.answered?.answers ?? {};
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}
