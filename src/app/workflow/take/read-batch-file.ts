// Reads a file with the limits of the config.
import { lstatSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';

import { BATCH_NAME } from '../../../inbox/batch-name.ts';
import { stemOf, takeDocuments, type DocumentList, type NamingRow } from '../../../inbox/documents.ts';
import { batchFolders } from '../../../inbox/workspace.ts';
import { checkControl, controlNames } from '../../../rows/control-totals.ts';
import { type Profile, readOptionsOf, underProfile } from '../../../rows/profile.ts';
import type { ReadFile, ReadOptions } from '../../../rows/format.ts';
import { readRows } from '../../../rows/formats.ts';
import { cellOf, saysSomething } from '../../../rows/row.ts';
import type { Config } from '../../config/config.ts';
import type { Records } from '../../parts.ts';
import { doorOf } from './folder-rules.ts';

/** Reads the file by its profile, if it has one, and holds it against the control file beside it, where there is one. Throws `FileRefused`. */
export async function readBatchFile(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
): Promise<ReadFile> {
  return againstControl(path, await readSpreadsheet(path, config, profile));
}

/** The same for a file that was taken: whose account it debits was asked when it came. */
export async function readTakenFile(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
): Promise<ReadFile> {
  const options = { ...readOptions(config, profile), isAnyDebtor: true };
  return againstControl(path, underProfile(await readRows(path, options), profile));
}

async function againstControl(path: string, file: ReadFile): Promise<ReadFile> {
  const control = controlBeside(path);
  if (control !== null) await checkControl(control, file.table);
  return file;
}

/** The same whatever a control file says, which may still be on its way. */
export async function readSpreadsheet(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
): Promise<ReadFile> {
  return underProfile(await readRows(path, readOptions(config, profile)), profile);
}

/** What of the config decides how a file is read. */
export type ReadingConfig = Pick<Config, 'intake' | 'iso20022' | 'baseUrl' | 'sandbox'>;

export function readOptions(
  { intake, iso20022, baseUrl, sandbox }: ReadingConfig,
  profile: Profile | null,
): ReadOptions {
  const { rowsMax, bytesMax } = intake;
  const { debtors } = iso20022;
  // Play money may be tried with any message; once accounts are listed, they count here too.
  const isAnyDebtor = debtors.length === 0 && (baseUrl === null || sandbox);
  return { rowsMax, bytesMax, debtors, isAnyDebtor, ...readOptionsOf(profile) };
}

/** The path of the control file of a spreadsheet, whatever lies there; null when nothing does. */
export function controlBeside(path: string): string | null {
  const paths = controlNames(basename(path)).map((name) => join(dirname(path), name));
  return paths.find(isSomething) ?? null;
}

/** Of a link it is the link itself that is there. */
function isSomething(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // No file can have so long a name; what cannot be looked at cannot be read either.
    return false;
  }
}

/**
 * Inspects the documents of the file at `path`, and copies them to `into` unless that is null. A `rejected` file is dropped again as it
 * is, from wherever it was fixed: its documents still lie where the batch in its `payout.batch` column left them.
 */
export async function documentsOf(
  { workspace, config }: Pick<Records, 'workspace' | 'config'>,
  path: string,
  file: ReadFile,
  into: string | null,
): Promise<DocumentList> {
  const folder = dirname(path);
  const foldersOf = (batch: string) => batchFolders(workspace, batch);
  const own = foldersOf(basename(folder)).find((each) => resolve(folder) === resolve(each));
  const places = { folder, stem: stemOf(path), ownBatch: own ?? null, door: doorOf(path, config), foldersOf };
  return takeDocuments(places, await namingRows(file), into);
}

/** What the rows of a file name; none where no row can. */
export async function namingRows(file: ReadFile): Promise<readonly NamingRow[]> {
  const rows: NamingRow[] = [];
  const { table } = file;
  if (!saysSomething(table, 'attachment') && !saysSomething(table, 'payout.batch')) return rows;
  for await (const row of file.rows()) {
    const text = (column: string): string => cellOf(table, row, column).trim().normalize('NFC');
    const [name, batch, place] = [text('attachment'), text('payout.batch'), text('payout.row')];
    const before = BATCH_NAME.test(batch) && place !== '' ? { batch, place } : null;
    rows.push({ place: row.place, name, before });
  }
  return rows;
}

/** The name that its owner gave to the file, whatever an answer has put into it. */
export function ownName(path: string): string {
  return stemOf(path) + extname(path);
}
