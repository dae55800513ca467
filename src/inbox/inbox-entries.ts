// The entries of the inbox. paydrop ignores names by which programs mark unfinished and private files, and never opens anything but a plain
// file.
import { closeSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

import { openPlainFile, readInto } from '../base/plain-file.ts';
import { beginsAsPayments, holdsPayments, isNameOpen } from '../rows/formats.ts';
import { approvedIn } from './answer-name.ts';
import { isStopName } from './stop-file.ts';

export type EntryKind = 'spreadsheet' | 'document' | 'control' | 'approval' | 'other';

/** Why an entry is left alone: its name, no plain file, a second link to the file, too deep, a name that is not UTF-8, or no right to see it. */
export type LeftAlone = 'name' | 'no-file' | 'linked' | 'too-deep' | 'not-utf8' | 'unreadable';

type LeftEntry = { readonly name: string; readonly why: LeftAlone };

export type InboxEntry = {
  readonly path: string;
  /** Relative to the inbox, for people. */
  readonly name: string;
  readonly kind: EntryKind;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly inode: number;
};

const DOCUMENTS: readonly string[] = ['.pdf', '.png', '.jpg', '.jpeg'];

/** Dot files, lock files of spreadsheet programs, uploads under way, and what desktops leave behind. */
export const IGNORED =
  /^(?:\.|~\$)|\.(?:tmp|part|partial|filepart|crdownload|incomplete)$|^(?:thumbs\.db|desktop\.ini)$/i;

/** Folders for tenants and months need fewer levels; deeper ones are a mistake, or a loop. */
const DEPTH_MOST = 8;

/** Every plain file of the inbox and its folders. Throws when the inbox itself cannot be read: that is not an empty inbox. */
export async function inboxEntries(inbox: string): Promise<readonly InboxEntry[]> {
  return (await lookInto(inbox)).entries;
}

/** The same, with everything that is left alone. */
export async function lookInto(inbox: string): Promise<Look> {
  const look: Look = { entries: [], left: [] };
  await walk(inbox, '', look);
  return look;
}

type Look = { readonly entries: InboxEntry[]; readonly left: LeftEntry[] };

async function walk(folder: string, prefix: string, look: Look): Promise<void> {
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  const found = await readdir(folder, options).catch((error: unknown) => {
    if (prefix === '') throw error;
    leaveUnseen(error, prefix.slice(0, -1), look);
    return [];
  });
  for (const entry of found) {
    const own = entry.name.toString('utf8');
    const name = prefix + own;
    if (IGNORED.test(own)) look.left.push({ name, why: 'name' });
    // Not UTF-8: no path that we could write leads there.
    else if (!Buffer.from(own).equals(entry.name)) look.left.push({ name, why: 'not-utf8' });
    else if (entry.isDirectory()) await walkInto(join(folder, own), name, look);
    else await seeFile(join(folder, own), name, look);
  }
}

/** What was removed while we read its neighbours is nothing to tell. */
function leaveUnseen(error: unknown, name: string, look: Look): null {
  const isGone = error instanceof Error && 'code' in error && GONE.includes(String(error.code));
  if (!isGone) look.left.push({ name, why: 'unreadable' });
  return null;
}

const GONE: readonly string[] = ['ENOENT', 'ENOTDIR'];

async function walkInto(path: string, name: string, look: Look): Promise<void> {
  // Somebody who gives a folder such a name takes it for a file.
  if (kindOf(name) === 'spreadsheet') look.left.push({ name, why: 'no-file' });
  if (name.split('/').length > DEPTH_MOST) look.left.push({ name, why: 'too-deep' });
  else await walk(path, `${name}/`, look);
}

async function seeFile(path: string, name: string, look: Look): Promise<void> {
  const seen = await lstat(path).catch((error: unknown) => leaveUnseen(error, name, look));
  if (seen === null) return;
  // Some programs put an upload in place by a second link and then remove the first. While both exist, the file can be written under the other.
  if (!seen.isFile() || seen.nlink > 1) {
    look.left.push({ name, why: seen.isFile() ? 'linked' : 'no-file' });
    return;
  }
  const { size: bytes, mtimeMs: modifiedMs, ino: inode } = seen;
  const kind = isNameOpen(name) && !(await beginsAsOurs(path, name)) ? 'other' : kindOf(name);
  look.entries.push({ path, name, kind, bytes, modifiedMs, inode });
}

/** Enough for any declaration and comment before the root. */
export const START_BYTES = 16 * 1024;

/** For a name that other programs use too. A file that begins differently is theirs; one that we may not open is reported later. */
async function beginsAsOurs(path: string, name: string): Promise<boolean> {
  const start = Buffer.alloc(START_BYTES);
  const file = await openPlainFile(path).catch(() => null);
  if (file === null || typeof file === 'string') return true;
  try {
    const { bytesRead } = await readInto(file, start, 0, START_BYTES, 0);
    return beginsAsPayments(name, start.subarray(0, bytesRead));
  } finally {
    closeSync(file);
  }
}

/** @param name relative to the inbox. */
export function kindOf(name: string): EntryKind {
  if (isStopName(name)) return 'other';
  if (/\.control\.json$/i.test(name)) return 'control';
  if (approvedIn(basename(name)) !== null) return 'approval';
  if (holdsPayments(name)) return 'spreadsheet';
  return DOCUMENTS.includes(extname(name).toLowerCase()) ? 'document' : 'other';
}

// A file is left alone while somebody writes it. Nothing says when that ends, so a file has settled when two looks, some time apart, see the same.

type SettlingLook = Pick<InboxEntry, 'bytes' | 'modifiedMs' | 'inode'> & { readonly sinceMs: number };

export class Settling {
  readonly #settleForMs: number;
  #looks = new Map<string, SettlingLook>();

  constructor(settleForMs: number) {
    this.#settleForMs = settleForMs;
  }

  /** How long each entry has been unchanged, in ms by path; entries that are new or have changed start at zero. */
  look(entries: readonly InboxEntry[], nowMs: number): ReadonlyMap<string, number> {
    const looks = new Map<string, SettlingLook>();
    const unchanged = new Map<string, number>();
    for (const { path, bytes, modifiedMs, inode } of entries) {
      const before = this.#looks.get(path);
      const isSame = before?.bytes === bytes && before.modifiedMs === modifiedMs && before.inode === inode;
      const sinceMs = isSame ? before.sinceMs : nowMs;
      looks.set(path, { bytes, modifiedMs, inode, sinceMs });
      if (isSame && nowMs - sinceMs >= this.#settleForMs) unchanged.set(path, nowMs - sinceMs);
    }
    // Entries that are gone are forgotten; if they come again, they must settle again.
    this.#looks = looks;
    return unchanged;
  }
}

// The size, time and inode of a file show, without reading it, that it was written or replaced. A rename keeps all three, so a moved file can be
// recognised.

/** Signatures of files by path, as they were when they were looked at. */
export type Seen = ReadonlyMap<string, string>;

export function signatureOf({
  bytes,
  modifiedMs,
  inode,
}: Pick<InboxEntry, 'bytes' | 'modifiedMs' | 'inode'>): string {
  return `${String(bytes)} ${String(modifiedMs)} ${String(inode)}`;
}

/** The signature of the file that lies there now; null when there is none. */
export async function signatureAt(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found === null
    ? null
    : signatureOf({ bytes: found.size, modifiedMs: found.mtimeMs, inode: found.ino });
}

/** The same, with the time of the last change, which no user of the machine can set back; null when there is none. */
export async function stampAt(path: string): Promise<string | null> {
  const [signature, found] = [await signatureAt(path), await lstat(path).catch(() => null)];
  return signature === null || found === null ? null : `${signature} ${String(found.ctimeMs)}`;
}

/** True when it is the same file, written meanwhile; false when it is another file, such as a copy on another disk. */
export function wasWritten(before: string, now: string): boolean {
  return before !== now && before.split(' ').at(-1) === now.split(' ').at(-1);
}

/** True while each of them is unchanged. */
export async function areAsSeen(seen: Seen): Promise<boolean> {
  for (const [path, signature] of seen) if ((await signatureAt(path)) !== signature) return false;
  return true;
}

/** Files that this process itself has put into the inbox by a rename: each is whole from its first moment, as long as nobody writes it. */
export class PlacedFiles {
  readonly #signatures = new Map<string, string | null>();

  async add(path: string): Promise<void> {
    this.#signatures.set(path, await signatureAt(path));
  }

  /** What has settled, and these besides; those that are gone are forgotten. */
  settledWith(
    entries: readonly InboxEntry[],
    settled: ReadonlyMap<string, number>,
  ): ReadonlyMap<string, number> {
    const whole = new Map(settled);
    for (const entry of entries)
      if (this.#signatures.get(entry.path) === signatureOf(entry) && !whole.has(entry.path))
        whole.set(entry.path, 0);
    const there = new Set(entries.map(({ path }) => path));
    for (const path of this.#signatures.keys()) if (!there.has(path)) this.#signatures.delete(path);
    return whole;
  }
}
