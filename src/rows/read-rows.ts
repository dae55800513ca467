// The door of this folder: a path goes in, a surveyed table and its rows come out, or a `FileRefused` that says why not.
import { extname } from 'node:path';

import { readCsv } from './csv-reader.ts';
import { FileRefused } from './file-refused.ts';
import type { ReadFile, ReadOptions } from './read-file.ts';
import { readXlsx, refuseMacros, refuseOldFormat } from './xlsx-reader.ts';
import { sentence } from '../messages/messages.ts';

type Reader = (path: string, options: ReadOptions) => Promise<ReadFile>;

/** Extension → reader. The extensions are those of the contract; nothing is guessed from content. */
const READERS: ReadonlyMap<string, Reader> = new Map([
  ['.csv', readCsv],
  ['.txt', readCsv],
  ['.tsv', readCsv],
  ['.xlsx', readXlsx],
  ['.xlsm', refuseMacros],
  ['.xls', refuseOldFormat],
]);

/** Surveys the whole file and gives its table and rows. Throws `FileRefused`. */
export async function readRows(path: string, options: ReadOptions): Promise<ReadFile> {
  const extension = extname(path).toLowerCase();
  const read = READERS.get(extension);
  if (read !== undefined) return read(path, options);
  const [en, fr] =
    extension === ''
      ? ['A file without an extension', 'Un fichier sans extension']
      : [`A ${extension} file`, `Un fichier ${extension}`];
  throw new FileRefused('kind_unknown', sentence('readRows.text', { counted: { en, fr } }));
}
