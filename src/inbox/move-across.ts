// The inbox may lie on another disk, where a rename does not reach. The claim is then a rename within the inbox, and what follows a copy.
import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import { readBytes } from '../base/plain-file.ts';
import { hashFile } from './hash-file.ts';
import { signatureAt } from './signature.ts';

/** What a file is called between the two: a dot file, which nobody takes for a dropped one. `claim` tells it from those of others, and the name may be as long as there are any. */
export function nameBetween(claim: string, name: string): string {
  return `.paydrop${claim}-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

/**
 * False when the file has gone, or is no more as it was seen; then it lies in its place again. Throws, with the file back in its place,
 * when the copy is not what was copied.
 * @param seen its signature; null where nobody looked.
 */
export async function moveAcross(from: string, to: string, seen: string | null): Promise<boolean> {
  const claimed = join(dirname(from), nameBetween(basename(dirname(to)), basename(from)));
  try {
    await rename(from, claimed);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  try {
    if (await copyWhole(claimed, to, seen)) {
      await rm(claimed);
      return true;
    }
  } catch (error) {
    await undo(claimed, from, to);
    throw error;
  }
  await undo(claimed, from, to);
  return false;
}

/** False when somebody has written the original since it was seen. */
async function copyWhole(claimed: string, to: string, seen: string | null): Promise<boolean> {
  await publishFile(to, readBytes(claimed));
  const isSame = (await hashFile(to)) === (await hashFile(claimed));
  if (seen !== null && (await signatureAt(claimed)) !== seen) return false;
  if (!isSame) throw new Error('The file changed while it was moved.');
  return true;
}

/** Half a file in a claim would pass for the whole one. */
async function undo(claimed: string, from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  // Another of its name may have come: then it stays, for whoever ends the claim to put it back with what belongs to it.
  if ((await signatureAt(from)) === null) await rename(claimed, from);
}
