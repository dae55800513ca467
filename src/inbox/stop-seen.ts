// Whether STOP stood in the inbox when that was last seen. An inbox that is away, or an empty mount point in its place, says nothing of it, and
// nobody who halted everything wants it to go on because a share has failed.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Workspace } from './workspace.ts';

type Place = Pick<Workspace, 'root' | 'inbox'>;

/** Where it is remembered, for every process of the workspace and across restarts. */
export function stopSeenPath({ root }: Pick<Place, 'root'>): string {
  return join(root, '.stop-seen');
}

/** Remembers the inbox that has STOP in it. */
export function rememberStop(place: Place): void {
  const inbox = identityOf(place.inbox);
  if (inbox === null || seenIn(place) === inbox) return;
  const path = stopSeenPath(place);
  // Under its name it is whole, whoever reads it or writes it too meanwhile.
  const next = `${path}.${randomUUID()}`;
  try {
    writeFileSync(next, inbox, { mode: 0o600, flush: true });
    renameSync(next, path);
  } catch {
    // A full disk: STOP itself still stands in the inbox, and is seen there.
    rmSync(next, { force: true });
  }
}

/** To be called when the inbox in which it was seen is there without it. */
export function forgetStop(place: Pick<Place, 'root'>): void {
  rmSync(stopSeenPath(place), { force: true });
}

/** Whether STOP was seen in an inbox, and that one is here now, or is away. */
export function stopSeen(place: Place): 'never' | 'here' | 'away' {
  const seen = seenIn(place);
  if (seen === null) return 'never';
  return seen === identityOf(place.inbox) ? 'here' : 'away';
}

function seenIn(place: Place): string | null {
  try {
    return readFileSync(stopSeenPath(place), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The number of the folder itself on its disk: a mount point has another one than what is mounted there, and that keeps it when it comes back. */
function identityOf(inbox: string): string | null {
  try {
    const found = statSync(inbox, { bigint: true });
    return found.isDirectory() ? String(found.ino) : null;
  } catch {
    // Not there, or on a share that answers with an error.
    return null;
  }
}
