// The file `STOP` in the inbox: whoever can drop files can also halt everything, without knowing a command.
import { statSync } from 'node:fs';
import { join } from 'node:path';

import type { Words } from '../base/language.ts';
import { isoTime, type Clock } from '../base/clock.ts';
import { forgetStop, rememberStop, stopSeen, stopSeenPath } from './stop-seen.ts';
import type { Workspace } from './workspace.ts';
import { sentence } from '../messages/messages.ts';

type Place = Pick<Workspace, 'root' | 'inbox'>;

/** The second is what a program for texts makes of the first. */
const NAMES = ['STOP', 'STOP.txt'] as const;

/** A look at a disk or a share, a few times a second at most; a person cannot tell the difference. */
const LOOK_EVERY_MS = 300;

/** The words to a stop file that stands in the inbox, or stood there when the inbox went away; null when there is none. Changes nothing. */
export function stopFileWords(place: Place): Words | null {
  return standingWords(place) ?? stopAwayWords(place);
}

/** Those to one that stood there when the inbox went away. */
export function stopAwayWords(place: Place): Words | null {
  return stopSeen(place) === 'away' ? awayWords(place) : null;
}

/** The same for whoever pays: what is seen is remembered for the time when the inbox is away. */
export function lookForStop(place: Place): Words | null {
  const standing = standingWords(place);
  if (standing !== null) {
    rememberStop(place);
    return standing;
  }
  const seen = stopSeen(place);
  if (seen === 'never') return null;
  if (seen === 'away') return awayWords(place);
  // A share may have come back between the two looks.
  const again = standingWords(place);
  if (again === null) forgetStop(place);
  return again;
}

/** The same, for whoever asks before every call: the first look is always taken. */
export function watchStopFile(workspace: Workspace, clock: Clock): () => Words | null {
  let lookAgainAt = -Infinity;
  let words: Words | null = null;
  return () => {
    // Wall time may be set back, and would then hide the file for as long.
    const now = clock.monotonic();
    if (now >= lookAgainAt) {
      words = lookForStop(workspace);
      lookAgainAt = now + LOOK_EVERY_MS;
    }
    return words;
  };
}

function standingWords({ inbox }: Place): Words | null {
  for (const name of NAMES) {
    const found = statSync(join(inbox, name), { throwIfNoEntry: false });
    if (found === undefined) continue;
    const since = isoTime(Math.floor(found.mtimeMs));
    return sentence('stopFile.standing', { name, inbox, since });
  }
  return null;
}

function awayWords(place: Place): Words {
  const { inbox } = place;
  const path = stopSeenPath(place);
  return sentence('stopFile.away', { inbox, path });
}
