// A workbook is a zip of parts that refer to one another. What cannot be shown to be a plain workbook is refused here, by name.
import { posix } from 'node:path';

import { sameWords } from '../../base/language.ts';
import { FileRefused } from '../file-refused.ts';
import { checkEntries } from './check-entries.ts';
import type { FileBytes } from './file-bytes.ts';
import { inflateEntry } from './inflate-entry.ts';
import { CONTENT_TYPES, RELATIONSHIPS } from './namespaces.ts';
import { walkXml, type Root } from './walk-xml.ts';
import { readZipDirectory } from './zip-directory.ts';
import { sentence } from '../../messages/messages.ts';

/** One reference of a part to another. */
export type Relationship = {
  readonly id: string;
  /** The last word of its type: `worksheet`, `styles`. */
  readonly type: string;
  /** The name of the part that it leads to, or null when that is outside of the file. */
  readonly target: string | null;
};

export type Parts = {
  readonly has: (name: string) => boolean;
  /** The bytes of a part. Throws `FileRefused` where there is none. */
  readonly open: (name: string) => AsyncGenerator<Buffer>;
  /** Walks a whole part. */
  readonly walk: (name: string, root: Root) => Promise<void>;
};

/** `onBytes` hears of each piece, so that a long reading shows a sign of life. Throws `FileRefused`. */
export async function openParts(file: FileBytes, onBytes: (count: number) => void): Promise<Parts> {
  const entries = checkEntries(await readZipDirectory(file));
  refuseByName([...entries.keys()]);
  async function* open(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(name.toLowerCase());
    if (entry === undefined)
      throw new FileRefused('workbook_damaged', sentence('packageParts.open', { name }));
    for await (const chunk of inflateEntry(file, entry)) {
      onBytes(chunk.length);
      yield chunk;
    }
  }
  const parts: Parts = {
    has: (name) => entries.has(name.toLowerCase()),
    open,
    walk: async (name, root) => {
      const xml = walkXml(sameWords(name), root);
      for await (const chunk of open(name)) xml.write(chunk);
      xml.end();
    },
  };
  await refuseByType(parts, [...entries.keys()]);
  return parts;
}

const MACRO_PART = /(?:^|\/)(?:vbaproject[^/]*\.bin|macrosheets\/|vbadata\.xml)/;
const LINK_PART = /(?:^|\/)externallinks?\//;

/** Names are in lower case. */
function refuseByName(names: readonly string[]): void {
  if (names.some((name) => MACRO_PART.test(name))) throw macros();
  if (names.some((name) => LINK_PART.test(name))) throw externalLinks();
}

async function refuseByType(parts: Parts, names: readonly string[]): Promise<void> {
  if (!parts.has('[Content_Types].xml'))
    throw new FileRefused('not_workbook', sentence('packageParts.refuseByType'));
  const types: string[] = [];
  // The type of an extension counts only where a part has that extension: some libraries declare types that their workbooks do not use.
  const byExtension = ({ Extension = '', ContentType = '' }) => {
    if (names.some((name) => name.endsWith(`.${Extension.toLowerCase()}`))) types.push(ContentType);
  };
  const Override = { open: ({ ContentType = '' }) => void types.push(ContentType) };
  const shape = { children: { Default: { open: byExtension }, Override } };
  await parts.walk('[Content_Types].xml', { name: 'Types', namespaces: CONTENT_TYPES, shape });
  if (types.some((type) => /macroEnabled|vbaProject/i.test(type))) throw macros();
}

export function macros(): FileRefused {
  return new FileRefused('workbook_macros', sentence('packageParts.macros'));
}

export function externalLinks(): FileRefused {
  return new FileRefused('workbook_external_links', sentence('packageParts.externalLinks'));
}

/** The references of a part; of the whole file for the empty name. */
export async function relationshipsOf(parts: Parts, part: string): Promise<readonly Relationship[]> {
  const name = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
  if (!parts.has(name)) return [];
  const found: Relationship[] = [];
  const Relationship = {
    open: ({ Id = '', Type = '', Target = '', TargetMode = 'Internal' }) => {
      const target =
        TargetMode === 'Internal' ? posix.resolve('/', posix.dirname(part), Target).slice(1) : null;
      found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target });
    },
  };
  await parts.walk(name, {
    name: 'Relationships',
    namespaces: RELATIONSHIPS,
    shape: { children: { Relationship } },
  });
  return found;
}
