// Whether the folder of an approver can be believed: whoever could write into it, or put another in its place, could approve in that name.
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getuid } from 'node:process';

/** Others than owner and group. */
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_OTHERS = 0o022;
/** In such a folder nobody moves what is not his. */
const STICKY = 0o1000;
const ROOT = 0;

/** The group may write into it: paydrop itself has to take the file away. False when it is not there. */
export async function isFirmFolder(folder: string): Promise<boolean> {
  const path = await realpath(folder).catch(() => null);
  if (path === null) return false;
  const own = await stat(path);
  if ((own.mode & WRITABLE_BY_ALL) !== 0) return false;
  for (let above = dirname(path); ; above = dirname(above)) {
    if (!(await isFirmAbove(above))) return false;
    if (above === dirname(above)) return true;
  }
}

async function isFirmAbove(folder: string): Promise<boolean> {
  const { mode, uid } = await stat(folder);
  const isOurs = uid === ROOT || uid === getuid?.();
  return isOurs && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0);
}
