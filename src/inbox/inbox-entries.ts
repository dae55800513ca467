// What lies in the inbox. Names by which programs mark their unfinished and private files are not even looked at, and nothing that is no plain
// file is ever opened.
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

import { beginsAsPayments, holdsPayments, isNameOpen } from '../rows/formats.ts';
import { approvedIn } from './batch-name.ts';

export type EntryKind = 'spreadsheet' | 'document' | 'control' | 'approval' | 'other';

/** Why an entry is left alone: its name, that it is no plain file, that the same file stands elsewhere too, that it lies too deep, that its name is no text. */
export type LeftAlone = 'name' | 'no-file' | 'linked' | 'too-deep' | 'not-utf8';

export type LeftEntry = { readonly name: string; readonly why: LeftAlone };

export type InboxEntry = {
  readonly path: string;
  /** Below the inbox, for people. */
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

/** Deeper folders than tenants and months are a mistake, or a loop. */
const DEPTH_MOST = 8;

/** Every plain file of the inbox and of its folders. Throws when the inbox itself cannot be read: that is no empty inbox. */
export async function inboxEntries(inbox: string): Promise<readonly InboxEntry[]> {
  return (await lookInto(inbox)).entries;
}

/** The same, with all that is left alone. */
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
    // A folder that was taken away while we looked at its neighbours.
    return [];
  });
  for (const entry of found) {
    const own = entry.name.toString('utf8');
    const name = prefix + own;
    if (IGNORED.test(own)) look.left.push({ name, why: 'name' });
    // Of another alphabet: no path that we could write leads there.
    else if (!Buffer.from(own).equals(entry.name)) look.left.push({ name, why: 'not-utf8' });
    else if (entry.isDirectory()) await walkInto(join(folder, own), name, look);
    else await seeFile(join(folder, own), name, look);
  }
}

async function walkInto(path: string, name: string, look: Look): Promise<void> {
  // Whoever calls a folder so takes it for a file.
  if (kindOf(name) === 'spreadsheet') look.left.push({ name, why: 'no-file' });
  if (name.split('/').length > DEPTH_MOST) look.left.push({ name, why: 'too-deep' });
  else await walk(path, `${name}/`, look);
}

async function seeFile(path: string, name: string, look: Look): Promise<void> {
  const seen = await lstat(path).catch(() => null);
  if (seen === null) return;
  // Some programs put an upload in place by a second name, and take the first away; what keeps two can be written under the other.
  if (!seen.isFile() || seen.nlink > 1) {
    look.left.push({ name, why: seen.isFile() ? 'linked' : 'no-file' });
    return;
  }
  const { size: bytes, mtimeMs: modifiedMs, ino: inode } = seen;
  const kind = isNameOpen(name) && !(await beginsAsOurs(path, name)) ? 'other' : kindOf(name);
  look.entries.push({ path, name, kind, bytes, modifiedMs, inode });
}

/** Enough for any declaration and comment before the root. */
const START_BYTES = 16 * 1024;

/** Of a name that others use too: what begins as something else is theirs, and what nobody lets us open is told later. */
async function beginsAsOurs(path: string, name: string): Promise<boolean> {
  const start = Buffer.alloc(START_BYTES);
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return true;
  try {
    const { bytesRead } = await file.read(start, 0, START_BYTES, 0);
    return beginsAsPayments(name, start.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

export function kindOf(name: string): EntryKind {
  if (/\.control\.json$/i.test(name)) return 'control';
  if (approvedIn(basename(name)) !== null) return 'approval';
  if (holdsPayments(name)) return 'spreadsheet';
  return DOCUMENTS.includes(extname(name).toLowerCase()) ? 'document' : 'other';
}
