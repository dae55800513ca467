// A CSV file that is opened in a spreadsheet program and saved again has lost the zeros in front of its accounts. Where a row comes back from an
// answer, what stood there before is known, and the shorter number is not paid.
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { batchFolders, type Workspace } from '../../../inbox/workspace.ts';
import { isAccountColumn } from '../../../rows/account-digits.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/read-file.ts';
import { cellOf } from '../../../rows/row.ts';
import type { Config } from '../../config/config.ts';
import { profileIn } from '../take/profile-for.ts';
import { namedIn, readBatchFile } from '../take/read-batch-file.ts';

/** `<batch>/<row>` → canonical name → the digits that stood there when the row came first. */
export type EarlierDigits = ReadonlyMap<string, ReadonlyMap<string, string>>;

const SPREADSHEETS: readonly string[] = ['.csv', '.txt', '.tsv', '.xlsx'];

/** What the batches that a file's rows came from said in their account columns; nothing where their files no longer stand. */
export async function readEarlierDigits(
  workspace: Workspace,
  config: Pick<Config, 'intake'>,
  file: ReadFile,
): Promise<EarlierDigits> {
  const earlier = new Map<string, ReadonlyMap<string, string>>();
  for (const batch of (await namedIn(file)).batches)
    for (const folder of batchFolders(workspace, batch)) {
      const original = await originalIn(folder, batch, config);
      if (original !== null) await addDigits(earlier, batch, original);
    }
  return earlier;
}

/** The file that the batch was, as it was read then. */
async function originalIn(
  folder: string,
  batch: string,
  config: Pick<Config, 'intake'>,
): Promise<ReadFile | null> {
  const names = await readdir(folder).catch(() => []);
  const name = names.find(
    (each) => SPREADSHEETS.includes(extname(each).toLowerCase()) && !each.includes(`.${batch}.`),
  );
  if (name === undefined) return null;
  try {
    return await readBatchFile(join(folder, name), config, (await profileIn(folder))?.profile ?? null);
  } catch (error) {
    // It was refused because it could not be read; then nothing is known of its digits either.
    if (error instanceof FileRefused || error instanceof BatchFolderFault) return null;
    throw error;
  }
}

async function addDigits(
  earlier: Map<string, ReadonlyMap<string, string>>,
  batch: string,
  file: ReadFile,
): Promise<void> {
  const columns = [...file.table.indexOf.keys()].filter(isAccountColumn);
  for await (const row of file.rows()) {
    const digits = columns.map((name) => [name, cellOf(file.table, row, name).trim()] as const);
    const zeros = digits.filter(([, text]) => /^0\d+$/.test(text));
    if (zeros.length > 0) earlier.set(`${batch}/${row.place}`, new Map(zeros));
  }
}
