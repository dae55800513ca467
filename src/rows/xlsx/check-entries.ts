// Decides from the directory alone, before a byte is inflated, whether the entries of a zip can be what they say and may be read.
import type { Words } from '../../base/language.ts';
import { FileRefused } from '../file-refused.ts';
import { INFLATED_BYTES_MAX, RATIO_FREE_BYTES, RATIO_MAX } from './limits.ts';
import type { ListedEntry, ZipDirectory } from './zip-directory.ts';
import type { ZipEntry } from './zip-entry.ts';

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
    throw new FileRefused('workbook_damaged', {
      en: 'Two entries of the file have one name.',
      fr: 'Deux entrées du fichier portent le même nom.',
    });
  return byName;
}

function checkSizes(entries: readonly ListedEntry[]): void {
  const total = entries.reduce((sum, { inflatedBytes }) => sum + inflatedBytes, 0);
  if (total > INFLATED_BYTES_MAX)
    throw bomb({
      en: `The file would grow to ${megabytes(total)} MB`,
      fr: `Le fichier grossirait jusqu'à ${megabytes(total)} Mo`,
    });
  const dense = entries.find(
    ({ inflatedBytes, compressedBytes }) =>
      inflatedBytes > RATIO_FREE_BYTES && inflatedBytes > compressedBytes * RATIO_MAX,
  );
  if (dense !== undefined)
    throw bomb({
      en: `Its entry «${dense.name}» would grow from ${megabytes(dense.compressedBytes)} to ${megabytes(dense.inflatedBytes)} MB`,
      fr: `Son entrée « ${dense.name} » grossirait de ${megabytes(dense.compressedBytes)} à ${megabytes(dense.inflatedBytes)} Mo`,
    });
}

function checkEntry(entry: ListedEntry, next: number): ZipEntry {
  if ((entry.flags & ENCRYPTED) !== 0)
    throw new FileRefused('workbook_encrypted', {
      en: `The entry «${entry.name}» of the file is encrypted.`,
      fr: `L'entrée « ${entry.name} » du fichier est chiffrée.`,
    });
  const { method } = entry;
  if (method !== 0 && method !== 8)
    throw new FileRefused('workbook_damaged', {
      en: `The entry «${entry.name}» is packed in an unknown way (${method}).`,
      fr: `L'entrée « ${entry.name} » est compressée d'une façon inconnue (${method}).`,
    });
  // Small zips that unpack to petabytes let all their entries share the same bytes.
  if (entry.start + HEADER_BYTES + entry.nameBytes.length + entry.compressedBytes > next)
    throw bomb({
      en: `Its entry «${entry.name}» lies over another one`,
      fr: `Son entrée « ${entry.name} » en recouvre une autre`,
    });
  return { ...entry, method, end: next };
}

function bomb(what: Words): FileRefused {
  return new FileRefused('workbook_bomb', {
    en: `${what.en}, which no spreadsheet program writes.`,
    fr: `${what.fr}, ce qu'aucun tableur n'écrit.`,
  });
}

/** For people: rounded up, so that nothing is 0 MB. */
function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
