// What tells that a file was written, or another put in its place, without reading it: its size, its time and which file it is. A rename keeps
// all three, so that a file can be known again where it was moved to.
import { lstat } from 'node:fs/promises';

import type { InboxEntry } from './inbox-entries.ts';

/** Signatures of files by their paths, as they were when they were looked at. */
export type Seen = ReadonlyMap<string, string>;

export function signatureOf({
  bytes,
  modifiedMs,
  inode,
}: Pick<InboxEntry, 'bytes' | 'modifiedMs' | 'inode'>): string {
  return `${String(bytes)} ${String(modifiedMs)} ${String(inode)}`;
}

/** The same of what lies there now; null when nothing does. */
export async function signatureAt(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found === null
    ? null
    : signatureOf({ bytes: found.size, modifiedMs: found.mtimeMs, inode: found.ino });
}

/** True when it is the same file that was written meanwhile, as against another one, such as a copy on another disk. */
export function wasWritten(before: string, now: string): boolean {
  return before !== now && before.split(' ').at(-1) === now.split(' ').at(-1);
}

/** True while each of them is what it was. */
export async function areAsSeen(seen: Seen): Promise<boolean> {
  for (const [path, signature] of seen) if ((await signatureAt(path)) !== signature) return false;
  return true;
}
