// The list of the kinds of files that are taken. A further kind costs a folder of its own and a line here.
import { extname } from 'node:path';

import { sentence } from '../messages/messages.ts';
import { peekCsv, readCsv } from './csv/csv-file.ts';
import { FileRefused } from './file-refused.ts';
import type { Peek, ReadFile, ReadOptions } from './format.ts';
import { peekXlsx, readXlsx, refuseMacros, refuseOldFormat } from './xlsx/xlsx-file.ts';

// The door of this folder: a path goes in, a surveyed table and its rows come out, or a `FileRefused` that says why not.

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

// The first rows of a file as they stand, for a file whose header nobody knows yet.

/** Throws `FileRefused` for a file that is no table at all. */
export function peekRows(path: string, options: ReadOptions): Promise<Peek> {
  return extname(path).toLowerCase() === '.xlsx' ? peekXlsx(path, options) : peekCsv(path, options);
}
