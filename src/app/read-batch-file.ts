// Reads a file with the limits of the config.
import type { ReadFile } from '../rows/read-file.ts';
import { readRows } from '../rows/read-rows.ts';
import type { Config } from './config.ts';

/** Throws `FileRefused`. */
export function readBatchFile(path: string, { intake }: Config): Promise<ReadFile> {
  return readRows(path, { rowsMax: intake.rowsMax, bytesMax: intake.bytesMax, decimalMark: 'auto' });
}

/** The names of all documents that the rows of a file give. */
export async function documentNames(file: ReadFile): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const index = file.table.indexOf.get('attachment');
  if (index === undefined) return names;
  for await (const row of file.rows()) names.add((row.cells[index] ?? '').trim().normalize('NFC'));
  return names;
}
