// What the tests of this folder share: a real file on disk, read to its end, in the shape that a test compares.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { CsvForm } from '../../src/rows/form.ts';
import { FileRefused } from '../../src/rows/file-refused.ts';
import type { ReadFile, ReadOptions } from '../../src/rows/format.ts';
import { readRows } from '../../src/rows/formats.ts';
import type { Row } from '../../src/rows/row.ts';

/** Shared by all files of a worker; it goes with the folder of the whole run. */
const folder = mkdtempSync(join(tmpdir(), 'rows-'));

export const OPTIONS: ReadOptions = { rowsMax: 1_000_000, bytesMax: 512_000_000, decimalMark: 'auto' };

let written = 0;

/** Writes a file of its own and gives its path. */
export function fileOf(content: string | Uint8Array, extension = '.csv'): string {
  written += 1;
  const path = join(folder, `${written}${extension}`);
  writeFileSync(path, content);
  return path;
}

export type ReadTable = ReadFile & { readonly read: readonly Row[] };

export async function readFileAt(path: string, options: Partial<ReadOptions> = {}): Promise<ReadTable> {
  const file = await readRows(path, { ...OPTIONS, ...options });
  return { ...file, read: await Array.fromAsync(file.rows()) };
}

export async function readTable(
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
): Promise<ReadTable> {
  return readFileAt(fileOf(content), options);
}

/** The refusal of a file; fails when it is taken. */
export async function refusalOf(path: string, options: Partial<ReadOptions> = {}): Promise<FileRefused> {
  const outcome = await readFileAt(path, options).catch((error: unknown) => error);
  if (outcome instanceof FileRefused) return outcome;
  throw new Error('The file was not refused.', { cause: outcome });
}

/** How a CSV file is written; fails for a workbook. */
export function csvFormOf({ table }: ReadFile): CsvForm {
  if (table.form.kind !== 'csv') throw new Error('This is no CSV file.');
  return table.form;
}
