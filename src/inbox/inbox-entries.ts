// What lies in the inbox. Names by which programs mark their unfinished and private files are not even looked at, and nothing that is no plain
// file is ever opened.
import { lstat, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

export type EntryKind = 'spreadsheet' | 'document' | 'control' | 'other';

export type InboxEntry = {
  readonly path: string;
  /** Below the inbox, for people. */
  readonly name: string;
  readonly kind: EntryKind;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly inode: number;
};

const SPREADSHEETS: readonly string[] = ['.csv', '.txt', '.tsv', '.xlsx', '.xls', '.xlsm'];
const DOCUMENTS: readonly string[] = ['.pdf', '.png', '.jpg', '.jpeg'];

/** Dot files, lock files of spreadsheet programs, uploads under way, and what desktops leave behind. */
export const IGNORED =
  /^(?:\.|~\$)|\.(?:tmp|part|partial|filepart|crdownload|incomplete)$|^(?:thumbs\.db|desktop\.ini)$/i;

/** Deeper folders than tenants and months are a mistake, or a loop. */
const DEPTH_MOST = 8;

/** Every plain file of the inbox and of its folders. Throws when the inbox itself cannot be read: that is no empty inbox. */
export async function inboxEntries(inbox: string): Promise<readonly InboxEntry[]> {
  return entriesIn(inbox, '', DEPTH_MOST);
}

async function entriesIn(folder: string, prefix: string, depth: number): Promise<readonly InboxEntry[]> {
  const found: InboxEntry[] = [];
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (prefix === '') throw error;
    // A folder that was taken away while we looked at its neighbours.
    return [];
  });
  for (const entry of entries) {
    if (IGNORED.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0)
      found.push(...(await entriesIn(path, `${prefix}${entry.name}/`, depth - 1)));
    const seen = entry.isFile() ? await lstat(path).catch(() => null) : null;
    if (seen?.isFile() === true)
      found.push({
        path,
        name: prefix + entry.name,
        kind: kindOf(entry.name),
        bytes: seen.size,
        modifiedMs: seen.mtimeMs,
        inode: seen.ino,
      });
  }
  return found;
}

export function kindOf(name: string): EntryKind {
  if (/\.control\.json$/i.test(name)) return 'control';
  const extension = extname(name).toLowerCase();
  if (SPREADSHEETS.includes(extension)) return 'spreadsheet';
  return DOCUMENTS.includes(extension) ? 'document' : 'other';
}
