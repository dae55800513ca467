// The inbox may lie on another disk, where a rename does not reach. The claim is then a rename within the inbox, and what follows a copy.
import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import { readBytes } from '../base/read-bytes.ts';
import { hashFile } from './hash-file.ts';

/** What a file is called between the two: a dot file, which nobody takes for a dropped one. `claim` tells it from those of others, and the name may be as long as there are any. */
export function nameBetween(claim: string, name: string): string {
  return `.paydrop${claim}-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

/** False when the file has gone. Throws, with the file back in its place, when the copy is not what was copied. */
export async function moveAcross(from: string, to: string): Promise<boolean> {
  const claimed = join(dirname(from), nameBetween(basename(dirname(to)), basename(from)));
  try {
    await rename(from, claimed);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  try {
    await publishFile(to, readBytes(claimed));
    if ((await hashFile(to)) !== (await hashFile(claimed)))
      throw new Error('The file changed while it was moved.');
  } catch (error) {
    await rename(claimed, from);
    throw error;
  }
  await rm(claimed);
  return true;
}
