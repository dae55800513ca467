// Whether the folder of an approver can be believed: whoever could write into it, or put another in its place, could approve in that name.
import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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
  if (path === null || ((await stat(path)).mode & WRITABLE_BY_ALL) !== 0) return false;
  // Behind a link too: neither the link nor what it leads to may be anybody's to replace.
  return (await isFirmAbove(resolve(folder))) && isFirmAbove(path);
}

async function isFirmAbove(path: string): Promise<boolean> {
  const above = dirname(path);
  if (above === path) return true;
  const { mode, uid } = await stat(above);
  const isOurs = uid === ROOT || uid === getuid?.();
  const isKept = (mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0;
  return isOurs && isKept && isFirmAbove(above);
}
