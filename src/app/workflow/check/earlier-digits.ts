// A CSV file that is opened in a spreadsheet program and saved again has lost the zeros in front of its accounts. Where a row comes back from an
// answer, what stood there before is known, and the shorter number is not paid.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { isSameDoor, readDocumentList } from '../../../inbox/documents.ts';
import { batchFolders } from '../../../inbox/workspace.ts';
import { isAccountColumn } from '../../../rows/cell.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { holdsPayments } from '../../../rows/formats.ts';
import { cellOf } from '../../../rows/row.ts';
import type { Paydrop } from '../../parts.ts';
import { profileIn } from '../take/profile-for.ts';
import { namingRows, readTakenFile, type ReadingConfig } from '../take/read-batch-file.ts';

/** `<batch>/<row>` → canonical name → the digits that stood there when the row came first. */
export type EarlierDigits = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What the batches that a file's rows came from said in their account columns; nothing where their files no longer stand. */
export async function readEarlierDigits(
  { workspace, config }: Pick<Paydrop, 'workspace' | 'config'>,
  file: ReadFile,
  door: string | null,
): Promise<EarlierDigits> {
  const earlier = new Map<string, ReadonlyMap<string, string>>();
  const batches = new Set((await namingRows(file)).flatMap(({ before }) => before?.batch ?? []));
  for (const batch of batches)
    for (const folder of batchFolders(workspace, batch)) {
      if (!(await cameThrough(folder, door))) continue;
      const original = await originalIn(folder, batch, config);
      if (original !== null) await addDigits(earlier, batch, original);
    }
  return earlier;
}

/** Whether a batch came through the door of the rows that ask for it; one of which that is not known is another's. */
async function cameThrough(folder: string, door: string | null): Promise<boolean> {
  if (door === null) return true;
  const list = await readDocumentList(folder).catch((error: unknown) => {
    if (error instanceof BatchFolderFault) return null;
    throw error;
  });
  return list !== null && isSameDoor(door, list.door);
}

/** The file that the batch was, as it was read then. */
async function originalIn(folder: string, batch: string, config: ReadingConfig): Promise<ReadFile | null> {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((each) => holdsPayments(each) && !each.includes(`.${batch}.`));
  if (name === undefined) return null;
  try {
    return await readTakenFile(join(folder, name), config, (await profileIn(folder))?.profile ?? null);
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
