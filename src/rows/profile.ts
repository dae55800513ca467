// What somebody has confirmed once about the files of one program, so that nobody guesses about them again: what each column means, how the
// file is written, and what it never says because it is always the same.
import type { Delimiter, EncodingName } from './csv-form.ts';
import type { DecimalMark } from './decimal-mark.ts';
import { checkLayout } from './layout.ts';
import type { Meaning } from './meaning.ts';
import type { ReadFile, ReadOptions } from './read-file.ts';

export type Profile = {
  readonly name: string;
  /** Header, folded → canonical name, or null for a column that is ignored whatever we think of it. */
  readonly columns: ReadonlyMap<string, string | null>;
  readonly constants: Meaning['constants'];
  readonly values: Meaning['values'];
  readonly delimiter: Delimiter | 'auto';
  readonly encoding: EncodingName | 'auto';
  readonly decimalMark: DecimalMark | 'auto';
  readonly sheet: string | null;
  /** The headers of the file that was confirmed, in their order; null when any are taken. */
  readonly layout: readonly string[] | null;
};

/** How a file of this profile is read. */
export function readOptionsOf(profile: Profile | null): Omit<ReadOptions, 'rowsMax' | 'bytesMax'> {
  if (profile === null) return { decimalMark: 'auto' };
  const { columns, delimiter, encoding, decimalMark, sheet } = profile;
  return { headerAliases: columns, delimiter, encoding, decimalMark, ...(sheet === null ? {} : { sheet }) };
}

/** The file with the profile's meaning laid over its cells, which stay as they are. Throws `FileRefused` when it is laid out in another way. */
export function underProfile(file: ReadFile, profile: Profile | null): ReadFile {
  if (profile === null) return file;
  checkLayout(file.table, profile.name, profile.layout);
  const { name, constants, values } = profile;
  return { ...file, table: { ...file.table, meaning: { profile: name, constants, values } } };
}
