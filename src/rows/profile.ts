// What somebody has confirmed once about the files of one program, so that nobody guesses about them again: what each column means, how the
// file is written, and what it never says because it is always the same.
import type { Delimiter, EncodingName } from './csv-form.ts';
import type { DecimalMark } from './decimal-mark.ts';
import { FileRefused } from './file-refused.ts';
import { foldHeader } from './fold-header.ts';
import { checkLayout } from './layout.ts';
import type { Meaning } from './meaning.ts';
import type { ReadFile, ReadOptions } from './read-file.ts';
import type { NamePart, Split } from './split-name.ts';
import { sentence } from '../messages/messages.ts';

export type Profile = {
  readonly name: string;
  /** Header, folded → canonical name, or null for a column that is ignored whatever we think of it. */
  readonly columns: ReadonlyMap<string, string | null>;
  readonly constants: Meaning['constants'];
  readonly values: Meaning['values'];
  /** Header, folded → what its cells are taken apart into. */
  readonly split: ReadonlyMap<string, Split>;
  readonly same: Meaning['same'];
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
  const { name, constants, values, same } = profile;
  const parts = partsIn(file, profile);
  return { ...file, table: { ...file.table, meaning: { profile: name, constants, values, parts, same } } };
}

/** A column that is gone is told: what it was taken apart into would be missing in every row. */
function partsIn({ table }: ReadFile, { name, split }: Profile): Meaning['parts'] {
  const parts = new Map<string, NamePart>();
  for (const [folded, { into, by }] of split) {
    const column = table.columns.find(({ header }) => foldHeader(header) === folded);
    if (column === undefined) throw columnGone(folded, name);
    parts.set(into[0], { index: column.index, by, part: 0 });
    parts.set(into[1], { index: column.index, by, part: 1 });
  }
  return parts;
}

function columnGone(folded: string, profile: string): FileRefused {
  return new FileRefused('layout_changed', sentence('profile.columnGone', { profile, folded }));
}
