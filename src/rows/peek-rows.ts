// The first rows of a file as they stand, for a file whose header nobody knows yet.
import { extname } from 'node:path';

import { peekCsv } from './csv-reader.ts';
import { peekXlsx } from './xlsx-reader.ts';
import type { Peek } from './peek.ts';
import type { ReadOptions } from './read-file.ts';

/** Throws `FileRefused` for a file that is no table at all. */
export function peekRows(path: string, options: ReadOptions): Promise<Peek> {
  return extname(path).toLowerCase() === '.xlsx' ? peekXlsx(path, options) : peekCsv(path, options);
}
