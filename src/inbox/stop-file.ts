// The file `STOP` in the inbox: anybody who can drop files can halt everything, without knowing a command.
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

type StopFolders = Pick<Workspace, 'root' | 'inbox' | 'node'>;

/** As people and their text editors write it; a desktop that hides the end of a name makes the third of the second. */
const NAMES = [
  'STOP',
  'STOP.txt',
  'STOP.txt.txt',
  'stop',
  'stop.txt',
  'Stop',
  'Stop.txt',
  'STOP.TXT',
] as const;

/** Whether an entry of the inbox itself, by its name, is the stop file: it is no file of payments, whatever it says. */
export function isStopName(name: string): boolean {
  return NAMES.some((each) => each === name);
}

/** So often at most is the disk or share asked; a person cannot notice the delay. */
const LOOK_EVERY_MS = 300;

/** The words for a stop file that is in the inbox, or was there when the inbox went away; null when there is none. Changes nothing. */
export function stopFileWords(place: StopFolders): Words | null {
  return standingWords(place) ?? stopAwayWords(place) ?? stopElsewhereWords(place);
}

/** The words for a stop file that was there when the inbox went away. */
export function stopAwayWords(place: StopFolders): Words | null {
  return stopSeen(place) === 'away' ? awayWords(place) : null;
}

/** The words for a stop file that another machine has seen in its own inbox. */
function stopElsewhereWords({ root, node }: StopFolders): Words | null {
  if (typeof node !== 'string') return null;
  const seen = readdirSync(root).find((name) => name.startsWith(SEEN_AT) && name !== SEEN_AT + node);
  if (seen === undefined) return null;
  return sentence('stopFile.elsewhere', { node: seen.slice(SEEN_AT.length), path: join(root, seen) });
}

/** The same for a process that pays: it also remembers what it saw, for the time when the inbox is away. */
export function lookForStop(place: StopFolders): Words | null {
  const standing = standingWords(place);
  if (standing !== null) {
    rememberStop(place);
    return standing;
  }
  const seen = stopSeen(place);
  if (seen === 'away') return awayWords(place);
  if (seen === 'here') {
    // The share may have come back between the two looks.
    const again = standingWords(place);
    if (again !== null) return again;
    forgetStop(place);
  }
  return stopElsewhereWords(place);
}

/** The same, for a caller that asks before every call to the service; the first look is never skipped. */
export function watchStopFile(workspace: Workspace, clock: Clock): () => Words | null {
  let lookAgainAt = -Infinity;
  let words: Words | null = null;
  return () => {
    // Wall time may be set back, which would hide the file for as long.
    const now = clock.monotonic();
    if (now >= lookAgainAt) {
      words = lookForStop(workspace);
      lookAgainAt = now + LOOK_EVERY_MS;
    }
    return words;
  };
}

/** Writes the stop file; an existing one stays, because it already says who and why. */
export function writeStop({ inbox }: StopFolders, said: string): void {
  try {
    writeFileSync(join(inbox, NAMES[0]), `${said}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** True when there was one to remove. */
export function removeStop({ inbox }: StopFolders): boolean {
  const standing = NAMES.map((name) => join(inbox, name)).filter(
    (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  );
  for (const path of standing) rmSync(path, { force: true });
  return standing.length > 0;
}

/** The stop file in the inbox itself: since when, and its text; null where there is none. */
export function standingStop({ inbox }: Pick<StopFolders, 'inbox'>): {
  readonly name: string;
  readonly since: string;
  readonly said: string | null;
} | null {
  for (const name of NAMES) {
    // `lstat`: a link counts wherever it leads, even nowhere, because its author wants everything halted.
    const found = lstatSync(join(inbox, name), { throwIfNoEntry: false });
    if (found === undefined) continue;
    return { name, since: isoTime(Math.floor(found.mtimeMs)), said: saidIn(join(inbox, name)) };
  }
  return null;
}

function standingWords({ inbox }: StopFolders): Words | null {
  const standing = standingStop({ inbox });
  return standing === null ? null : sentence('stopFile.standing', { ...standing, inbox });
}

/** A name and a reason fit into one line; a longer text is something else. */
const SAID_BYTES_MOST = 1_000;
const SAID_MOST = 300;

/** The text in it, such as who put it there and why; null when it is empty or not a line of text. No link is followed, and no pipe waited for. */
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

function awayWords(place: StopFolders): Words {
  const { inbox } = place;
  const path = stopSeenPath(place);
  return sentence('stopFile.away', { inbox, path });
}

// Remembers whether STOP was in the inbox when the inbox was last seen. An inbox that is away, or an empty mount point in its place, says
// nothing; somebody who halted everything does not want it to go on because a share has failed.

type StopSight = StopFolders;

const SEEN = '.stop-seen';

/** Stands before the name of the machine that owns the inbox. */
const SEEN_AT = `${SEEN}@`;

/** Where it is remembered, for every process of the workspace and across restarts. */
function stopSeenPath({ root, node }: Pick<StopSight, 'root' | 'node'>): string {
  return join(root, typeof node === 'string' ? SEEN_AT + node : SEEN);
}

/** Remembers that this inbox has STOP in it. */
function rememberStop(place: StopSight): void {
  const inbox = identityOf(place.inbox);
  if (inbox === null || seenIn(place) === inbox) return;
  const path = stopSeenPath(place);
  // Written under another name first, so that every other reader or writer sees a whole file.
  const next = join(place.root, `.next-${basename(path)}.${randomUUID()}`);
  try {
    writeFileSync(next, inbox, { mode: 0o600, flush: true });
    renameSync(next, path);
  } catch {
    // The disk is full. STOP itself is still in the inbox, and is seen there.
    rmSync(next, { force: true });
  }
}

/** Call it when the inbox in which STOP was seen is there without it. */
function forgetStop(place: Pick<StopSight, 'root' | 'node'>): void {
  rmSync(stopSeenPath(place), { force: true });
}

/** Whether STOP was seen in an inbox, and whether that inbox is here now, or away. */
function stopSeen(place: StopSight): 'never' | 'here' | 'away' {
  const seen = seenIn(place);
  if (seen === null) return 'never';
  return seen === identityOf(place.inbox) ? 'here' : 'away';
}

function seenIn(place: StopSight): string | null {
  try {
    return readFileSync(stopSeenPath(place), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The device and inode of the folder: a mount point has other numbers than the folder mounted on it, which keeps its own when it returns. */
function identityOf(inbox: string): string | null {
  try {
    const found = statSync(inbox, { bigint: true });
    return found.isDirectory() ? String(found.ino) : null;
  } catch {
    // Not there, or on a share that answers with an error.
    return null;
  }
}
