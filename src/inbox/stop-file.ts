// The file `STOP` in the inbox: whoever can drop files can also halt everything, without knowing a command.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

import { type Clock, isoTime } from '../base/clock.ts';
import type { Words } from '../base/language.ts';
import { oneLine } from '../base/person-name.ts';
import { sentence } from '../messages/messages.ts';
import type { Workspace } from './workspace.ts';

type Place = Pick<Workspace, 'root' | 'inbox' | 'node'>;

/** The second is what a program for texts makes of the first. */
const NAMES = ['STOP', 'STOP.txt'] as const;

/** A look at a disk or a share, a few times a second at most; a person cannot tell the difference. */
const LOOK_EVERY_MS = 300;

/** The words to a stop file that stands in the inbox, or stood there when the inbox went away; null when there is none. Changes nothing. */
export function stopFileWords(place: Place): Words | null {
  return standingWords(place) ?? stopAwayWords(place) ?? stopElsewhereWords(place);
}

/** Those to one that stood there when the inbox went away. */
export function stopAwayWords(place: Place): Words | null {
  return stopSeen(place) === 'away' ? awayWords(place) : null;
}

/** Those to one that another machine has seen in an inbox of its own. */
function stopElsewhereWords({ root, node }: Place): Words | null {
  if (typeof node !== 'string') return null;
  const seen = readdirSync(root).find((name) => name.startsWith(SEEN_AT) && name !== SEEN_AT + node);
  if (seen === undefined) return null;
  return sentence('stopFile.elsewhere', { node: seen.slice(SEEN_AT.length), path: join(root, seen) });
}

/** The same for whoever pays: what is seen is remembered for the time when the inbox is away. */
export function lookForStop(place: Place): Words | null {
  const standing = standingWords(place);
  if (standing !== null) {
    rememberStop(place);
    return standing;
  }
  const seen = stopSeen(place);
  if (seen === 'away') return awayWords(place);
  if (seen === 'here') {
    // A share may have come back between the two looks.
    const again = standingWords(place);
    if (again !== null) return again;
    forgetStop(place);
  }
  return stopElsewhereWords(place);
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

/** Puts the file that stops everything; one that stands there says already who and why. */
export function writeStop({ inbox }: Place, said: string): void {
  try {
    writeFileSync(join(inbox, NAMES[0]), `${said}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** True where there was one to remove. */
export function removeStop({ inbox }: Place): boolean {
  const standing = NAMES.map((name) => join(inbox, name)).filter(
    (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  );
  for (const path of standing) rmSync(path, { force: true });
  return standing.length > 0;
}

/** The one that stands in the inbox itself: since when, and what was written into it; null where none does. */
export function standingStop({ inbox }: Pick<Place, 'inbox'>): {
  readonly name: string;
  readonly since: string;
  readonly said: string | null;
} | null {
  for (const name of NAMES) {
    // As it stands there: where a link leads, or that it leads nowhere, makes no difference to whoever wants everything halted.
    const found = lstatSync(join(inbox, name), { throwIfNoEntry: false });
    if (found === undefined) continue;
    return { name, since: isoTime(Math.floor(found.mtimeMs)), said: saidIn(join(inbox, name)) };
  }
  return null;
}

function standingWords({ inbox }: Place): Words | null {
  const standing = standingStop({ inbox });
  return standing === null ? null : sentence('stopFile.standing', { ...standing, inbox });
}

/** A name and a reason fit into one line; a longer text is something else. */
const SAID_BYTES_MOST = 1_000;
const SAID_MOST = 300;

/** What was written into it, be it who put it there and why; null where that is nothing, or no line of text. A link is not followed, nor a pipe waited for. */
function saidIn(path: string): string | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    if (!lstatSync(path).isFile()) return null;
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const bytes = new Uint8Array(SAID_BYTES_MOST);
      const read = readSync(file, bytes);
      return oneLine(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, read)), SAID_MOST);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

function awayWords(place: Place): Words {
  const { inbox } = place;
  const path = stopSeenPath(place);
  return sentence('stopFile.away', { inbox, path });
}

// Whether STOP stood in the inbox when that was last seen. An inbox that is away, or an empty mount point in its place, says nothing of it, and
// nobody who halted everything wants it to go on because a share has failed.

type Seen = Place;

const SEEN = '.stop-seen';

/** Before the name of the machine whose inbox it is. */
const SEEN_AT = `${SEEN}@`;

/** Where it is remembered, for every process of the workspace and across restarts. */
function stopSeenPath({ root, node }: Pick<Seen, 'root' | 'node'>): string {
  return join(root, typeof node === 'string' ? SEEN_AT + node : SEEN);
}

/** Remembers the inbox that has STOP in it. */
function rememberStop(place: Seen): void {
  const inbox = identityOf(place.inbox);
  if (inbox === null || seenIn(place) === inbox) return;
  const path = stopSeenPath(place);
  // Under its name it is whole, whoever reads it or writes it too meanwhile.
  const next = join(place.root, `.next-${basename(path)}.${randomUUID()}`);
  try {
    writeFileSync(next, inbox, { mode: 0o600, flush: true });
    renameSync(next, path);
  } catch {
    // A full disk: STOP itself still stands in the inbox, and is seen there.
    rmSync(next, { force: true });
  }
}

/** To be called when the inbox in which it was seen is there without it. */
function forgetStop(place: Pick<Seen, 'root' | 'node'>): void {
  rmSync(stopSeenPath(place), { force: true });
}

/** Whether STOP was seen in an inbox, and that one is here now, or is away. */
function stopSeen(place: Seen): 'never' | 'here' | 'away' {
  const seen = seenIn(place);
  if (seen === null) return 'never';
  return seen === identityOf(place.inbox) ? 'here' : 'away';
}

function seenIn(place: Seen): string | null {
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
