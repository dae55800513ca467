// Reads a file with the limits of the config.
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';

import { BATCH_NAME } from '../../../inbox/batch-name.ts';
import { stemOf, takeDocuments, type DocumentList } from '../../../inbox/documents.ts';
import { batchFolders, type Workspace } from '../../../inbox/workspace.ts';
import { checkControl, controlNames } from '../../../rows/control-totals.ts';
import { readOptionsOf, underProfile, type Profile } from '../../../rows/profile.ts';
import type { ReadFile } from '../../../rows/read-file.ts';
import { readRows } from '../../../rows/read-rows.ts';
import { cellOf, saysSomething } from '../../../rows/row.ts';
import type { Config } from '../../config/config.ts';

/** Reads the file by its profile, if it has one, and holds it against the control file beside it, where there is one. Throws `FileRefused`. */
export async function readBatchFile(
  path: string,
  { intake }: Pick<Config, 'intake'>,
  profile: Profile | null,
): Promise<ReadFile> {
  const { rowsMax, bytesMax } = intake;
  const file = underProfile(await readRows(path, { rowsMax, bytesMax, ...readOptionsOf(profile) }), profile);
  const control = controlBeside(path);
  if (control !== null) await checkControl(control, file.table);
  return file;
}

/** The path of the control file of a spreadsheet; null when there is none. */
export function controlBeside(path: string): string | null {
  const paths = controlNames(basename(path)).map((name) => join(dirname(path), name));
  return paths.find((candidate) => existsSync(candidate)) ?? null;
}

/** What a file names: its documents, and the batches that its rows were in before. */
type NamedInFile = { readonly names: ReadonlySet<string>; readonly batches: ReadonlySet<string> };

/**
 * Inspects the documents of the file at `path`, and copies them to `into` unless that is null. A `rejected` file is dropped again as it
 * is, from wherever it was fixed: its documents still lie where the batch in its `payout.batch` column left them.
 */
export async function documentsOf(
  workspace: Workspace,
  path: string,
  file: ReadFile,
  into: string | null,
): Promise<DocumentList> {
  const { names, batches } = await namedIn(file);
  const folder = dirname(path);
  const earlier = [...batches].flatMap((batch) => batchFolders(workspace, batch));
  // A refused file that is mended where it lies: there its documents have other names than its rows give them.
  const own = batchFolders(workspace, basename(folder)).filter((each) => resolve(folder) === resolve(each));
  return takeDocuments({ folder, batches: [...own, ...earlier], stem: stemOf(path) }, names, into);
}

export async function namedIn(file: ReadFile): Promise<NamedInFile> {
  const names = new Set<string>();
  const batches = new Set<string>();
  const { table } = file;
  if (!saysSomething(table, 'attachment') && !saysSomething(table, 'payout.batch')) return { names, batches };
  for await (const row of file.rows()) {
    names.add(cellOf(table, row, 'attachment').trim().normalize('NFC'));
    const batch = cellOf(table, row, 'payout.batch').trim();
    if (BATCH_NAME.test(batch)) batches.add(batch);
  }
  return { names, batches };
}

/** The name that its owner gave to the file, whatever an answer has put into it. */
export function ownName(path: string): string {
  return stemOf(path) + extname(path);
}
