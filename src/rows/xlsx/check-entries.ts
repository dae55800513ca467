// Decides from the directory alone, before a byte is inflated, whether the entries of a zip can be what they say and may be read.
import type { Words } from '../../base/language.ts';
import { FileRefused } from '../file-refused.ts';
import { INFLATED_BYTES_MAX, RATIO_FREE_BYTES, RATIO_MAX } from './limits.ts';
import type { ListedEntry, ZipDirectory } from './zip-directory.ts';
import type { ZipEntry } from './zip-entry.ts';
import { sentence } from '../../messages/messages.ts';

export type ZipEntries = ReadonlyMap<string, ZipEntry>;

const ENCRYPTED = 0b1;
/** The fixed part of an entry's own header. */
export const HEADER_BYTES = 30;

/** Entries by lower-case name, because names of parts are compared so. Throws `FileRefused`. */
export function checkEntries({ entries, start: directoryAt }: ZipDirectory): ZipEntries {
  checkSizes(entries);
  const byStart = entries.toSorted((a, b) => a.start - b.start);
  const checked = byStart.map((entry, index) => checkEntry(entry, byStart[index + 1]?.start ?? directoryAt));
  const byName = new Map(checked.map((entry) => [entry.name.toLowerCase(), entry]));
  if (byName.size !== entries.length)
    throw new FileRefused('workbook_damaged', sentence('checkEntries.text'));
  return byName;
}

function checkSizes(entries: readonly ListedEntry[]): void {
  const total = entries.reduce((sum, { inflatedBytes }) => sum + inflatedBytes, 0);
  if (total > INFLATED_BYTES_MAX)
    throw bomb(sentence('checkEntries.checkSizes.fileWouldGrow', { megabytes: megabytes(total) }));
  const dense = entries.find(
    ({ inflatedBytes, compressedBytes }) =>
      inflatedBytes > RATIO_FREE_BYTES && inflatedBytes > compressedBytes * RATIO_MAX,
  );
  if (dense !== undefined)
    throw bomb(
      sentence('checkEntries.checkSizes.entryWouldGrow', {
        name: dense.name,
        megabytes: megabytes(dense.compressedBytes),
        megabytes2: megabytes(dense.inflatedBytes),
      }),
    );
}

function checkEntry(entry: ListedEntry, next: number): ZipEntry {
  if ((entry.flags & ENCRYPTED) !== 0)
    throw new FileRefused(
      'workbook_encrypted',
      sentence('checkEntries.checkEntry.entryFileEncrypted', { name: entry.name }),
    );
  const { method } = entry;
  if (method !== 0 && method !== 8)
    throw new FileRefused(
      'workbook_damaged',
      sentence('checkEntries.checkEntry.entryPackedUnknown', { name: entry.name, method }),
    );
  // Small zips that unpack to petabytes let all their entries share the same bytes.
  if (entry.start + HEADER_BYTES + entry.nameBytes.length + entry.compressedBytes > next)
    throw bomb(sentence('checkEntries.checkEntry.entryLiesOver', { name: entry.name }));
  return { ...entry, method, end: next };
}

function bomb(what: Words): FileRefused {
  return new FileRefused('workbook_bomb', sentence('checkEntries.bomb', { what }));
}

/** For people: rounded up, so that nothing is 0 MB. */
function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
