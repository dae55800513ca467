// Reads a file with the limits of the config.
import { lstatSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';

import type { Config } from '../../config/config.ts';
import type { PolicyOverrides } from '../../config/policy.ts';
import type { Schedule } from '../../config/schedule-config.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { composed } from '../../../base/plain-text.ts';
import { BATCH_NAME, isDay, occurrenceOf, splitDay } from '../../../inbox/answer-name.ts';
import { type DocumentList, type NamingRow, stemOf, takeDocuments } from '../../../inbox/documents.ts';
import { holdsDocuments } from '../../../inbox/inspect-document.ts';
import { readManifest } from '../../../inbox/manifest.ts';
import { type DroppedFile, inPlace } from '../../../inbox/take-file.ts';
import { batchFolders } from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { checkControl, controlNames, controlSubmitter } from '../../../rows/control-totals.ts';
import type { ReadFile, ReadOptions } from '../../../rows/format.ts';
import { isMessage, readRows } from '../../../rows/formats.ts';
import { type Profile, readOptionsOf, underProfile } from '../../../rows/profile.ts';
import { cellOf, isSaid, type Row } from '../../../rows/row.ts';

/**
 * Reads the file by its profile, if it has one, and compares it with its control file, if there is one. Throws `FileRefused`.
 * @param origin where its owner put it; null where that does not matter.
 */
export async function readBatchFile(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
  origin: string | null = path,
): Promise<ReadFile> {
  return againstControl(path, await readSpreadsheet(path, config, profile, origin));
}

/** The same for a file that was taken: the account that it debits was checked when it came. */
export async function readTakenFile(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
): Promise<ReadFile> {
  return againstControl(path, await readAsProposed(path, config, profile));
}

/** The same regardless of its control file: for a proposed profile, that is only one more thing to report. */
export async function readAsProposed(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
  signal?: AbortSignal,
): Promise<ReadFile> {
  const options = { ...readOptions(config, profile, null), isAnyDebtor: true, signal };
  return underProfile(await readRows(path, options), profile);
}

/** The day of a row, as it is written, where its file is a message that names several; null of any other. */
export function dayOfRow({ table }: Pick<ReadFile, 'table'>, { cells }: Row): string | null {
  const isOfSeveral = (table.message?.days.size ?? 0) > 1;
  return isOfSeveral ? (cells[table.indexOf.get('executionDate') ?? -1] ?? '') : null;
}

// Releases before this one made a batch a day of such a message: each has the whole file, and pays the rows of its own day under ids of its own.

type Bytes = Pick<BatchRecord, 'fileId' | 'fileName'>;

/** The day of such a batch, `yyyy-mm-dd`; null for any other. */
export function messageDay({ fileId, fileName }: Bytes): string | null {
  const occurrence = occurrenceOf(fileId);
  return isMessage(fileName) && isDay(occurrence) ? splitDay(occurrence)[0] : null;
}

/** The rows of the file that belong to the batch. */
export function rowsOf(batch: Bytes, file: ReadFile): ReadFile {
  const day = messageDay(batch);
  if (day === null) return file;
  const rowCount = file.table.message?.days.get(day) ?? 0;
  return { table: { ...file.table, rowCount }, rows: () => rowsOn(day, file) };
}

async function* rowsOn(day: string, file: ReadFile): AsyncGenerator<Row> {
  let position = 0;
  for await (const row of file.rows()) {
    if (dayOfRow(file, row) !== day) continue;
    yield { ...row, position };
    position += 1;
  }
}

async function againstControl(path: string, file: ReadFile): Promise<ReadFile> {
  const control = controlBeside(path);
  if (control !== null) await checkControl(control, file.table);
  return file;
}

/** The same regardless of a control file, which may still be on its way. */
export async function readSpreadsheet(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
  origin: string | null = path,
): Promise<ReadFile> {
  return underProfile(await readRows(path, readOptions(config, profile, origin)), profile);
}

/** The part of the config that decides how a file is read. */
export type ReadingConfig = Pick<Config, 'intake' | 'iso20022' | 'sandbox' | 'executionDate'> &
  FolderConfig & { readonly baseUrl: { readonly href: string } | null };

/** That part alone, in values that may go to a reading thread. */
export function readingOf(config: ReadingConfig): ReadingConfig {
  const { intake, iso20022, sandbox, executionDate } = config;
  const baseUrl = config.baseUrl && { href: config.baseUrl.href };
  const { workspacePath, folderPaths, schedules, tenants, sftp } = config;
  const folders = { workspacePath, folderPaths, schedules, tenants, sftp };
  return { intake, iso20022, baseUrl, sandbox, executionDate, ...folders };
}

export function readOptions(
  config: ReadingConfig,
  profile: Profile | null,
  origin: string | null,
): ReadOptions {
  const { intake, iso20022, baseUrl, sandbox } = config;
  const { rowsMax, bytesMax } = intake;
  const below = origin === null ? '' : belowInbox(origin, config);
  const debtors = iso20022.debtors.map(({ folder, ...debtor }) => ({
    ...debtor,
    isFromHere: origin === null || folder === null || below.startsWith(`${folder}/`),
  }));
  // Play money may be tried with any message; once accounts are listed, they count here too.
  const isAnyDebtor = debtors.length === 0 && (baseUrl === null || sandbox);
  return { rowsMax, bytesMax, debtors, isAnyDebtor, ...readOptionsOf(profile) };
}

/** The path of the control file of a spreadsheet, of whatever kind; null when there is none. */
export function controlBeside(path: string): string | null {
  const paths = controlNames(basename(path)).map((name) => join(dirname(path), name));
  return paths.find(isSomething) ?? null;
}

/** For a link, the link itself counts. */
function isSomething(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // No file can have such a long name; a path that cannot be examined cannot be read either.
    return false;
  }
}

/**
 * Inspects the documents of the file at `path`, and copies them to `into` unless that is null. A `rejected` file is dropped again as it is, from
 * wherever it was corrected: its documents are still where the batch in its `payout.batch` column left them.
 */
export async function documentsOf(
  { workspace, config }: Pick<Records, 'workspace'> & { readonly config: ReadingConfig },
  path: string,
  file: ReadFile,
  into: string | null,
): Promise<DocumentList> {
  const folder = dirname(path);
  const foldersOf = (batch: string) => batchFolders(workspace, batch);
  const own = foldersOf(basename(folder)).find((each) => resolve(folder) === resolve(each));
  const places = { folder, stem: stemOf(path), ownBatch: own ?? null, door: doorOf(path, config), foldersOf };
  const withStems = own !== undefined || (await holdsDocuments(folder));
  return takeDocuments(places, await namingRows(file, withStems), into);
}

/**
 * The rows that name a document or an earlier place; empty where no row can.
 * @param withStems whether a document may be there that only the ids of a message lead to.
 */
export async function namingRows(file: ReadFile, withStems = true): Promise<readonly NamingRow[]> {
  const rows: NamingRow[] = [];
  const { table } = file;
  const isNamed = isSaid(table, 'attachment') || (withStems && table.message !== undefined);
  if (!isNamed && !isSaid(table, 'payout.batch')) return rows;
  for await (const row of file.rows()) {
    const text = (column: string): string => composed(cellOf(table, row, column).trim());
    const [name, batch, place] = [text('attachment'), text('payout.batch'), text('payout.row')];
    const before = BATCH_NAME.test(batch) && place !== '' ? { batch, place } : null;
    const stems = row.documentStems ?? [];
    // By the same rule as `validate-row.ts`.
    const needs = text('deliveryMethod') === 'bankTransfer';
    if (name !== '' || before !== null || stems.length > 0)
      rows.push({ place: row.place, name, before, stems, needs });
  }
  return rows;
}

/** The name that its owner gave the file, without the parts that an answer added. */
export function ownName(path: string): string {
  return stemOf(path) + extname(path);
}

// The config's rules for a folder of the inbox. Once it names one folder, a folder that it does not name is left alone: a misspelt name must not
// pay money under other rules, or on another day.

type FolderRule = {
  /** Relative to the inbox. */
  readonly folder: string;
  /** The name of the profile for its files; null for any that fits. */
  readonly profile: string | null;
  readonly policy: PolicyOverrides;
  /** Null: its files are paid as soon as they come. */
  readonly schedule: Schedule | null;
};

type FolderConfig = Pick<Config, 'workspacePath' | 'folderPaths' | 'schedules' | 'tenants' | 'sftp'>;

/** Relative to the inbox, with slashes; begins with `../` for a path outside. */
function belowInbox(path: string, config: FolderConfig): string {
  return relative(inboxOf(config), resolve(path)).split(sep).join('/').normalize('NFC');
}

/** The rule of the folder that contains the file, directly or deeper; null when the config names none. */
export function folderRuleFor(path: string, config: FolderConfig): FolderRule | null {
  const below = belowInbox(path, config);
  const fitting = rulesOf(config).filter(({ folder }) => below.startsWith(`${folder.normalize('NFC')}/`));
  // Of two nested folders, the inner one's rule applies.
  return fitting.sort((a, b) => b.folder.length - a.folder.length)[0] ?? null;
}

/** False for a file in a folder that the config does not name, while it names others. */
export function isNamedPlace(path: string, config: FolderConfig): boolean {
  const folder = relative(inboxOf(config), resolve(path)).split(sep).slice(0, -1).join('/');
  if (folder === '' || rulesOf(config).length === 0 || folderRuleFor(path, config) !== null) return true;
  return accountFolders(config).some((name) => `${folder}/`.startsWith(`${name}/`));
}

/** The folder of a file below the inbox; empty for one in the inbox itself, or elsewhere. */
export function folderOf(path: string, config: FolderConfig): string {
  const below = relative(inboxOf(config), resolve(path, '..')).split(sep).join('/');
  return below === '..' || below.startsWith('../') || isAbsolute(below) ? '' : below;
}

/**
 * The door through which a file comes: the folder of a tenant, of a schedule or of an SFTP account, or the inbox itself, which is the empty text.
 * Null for a file elsewhere, which an operator names. Files of one door have no access to those of another.
 */
export function doorOf(path: string, config: FolderConfig): string | null {
  // A file that a program sends does not have an operator's rights.
  if (resolve(path).startsWith(resolve(config.workspacePath, 'uploads') + sep)) return '';
  const below = relative(inboxOf(config), resolve(path)).split(sep).join('/');
  if (below.startsWith('../') || isAbsolute(below)) return null;
  const account = accountFolders(config).find((name) => below.startsWith(`${name}/`));
  return account ?? folderRuleFor(path, config)?.folder ?? '';
}

/** The files of an account come into a folder with its name. */
function accountFolders({ sftp }: FolderConfig): readonly string[] {
  return sftp.map(({ name }) => name);
}

function rulesOf({ schedules, tenants }: FolderConfig): FolderRule[] {
  return [
    ...schedules.map((schedule) => ({ ...schedule, schedule })),
    ...tenants.map((tenant) => ({ ...tenant, schedule: null })),
  ];
}

function inboxOf({ workspacePath, folderPaths }: FolderConfig): string {
  return resolve(folderPaths.inbox ?? join(workspacePath, 'inbox'));
}

// The submitters of a file, who may not approve it: from the command line, its control file, or the approver's folder it came from.

/** Empty when nobody is known. Throws `FileRefused` for a control file that cannot be read. */
export async function submittersOf(
  paydrop: Pick<Paydrop, 'config' | 'workspace'>,
  { path, origin, submittedBy = [] }: DroppedFile,
): Promise<readonly string[]> {
  const control = controlBeside(path);
  const beside = control === null ? null : await controlSubmitter(control);
  const named = [...submittedBy, beside, approverOf(paydrop, origin)];
  return [...new Set(named.filter((name) => name !== null))];
}

/** The approvers of the config with the whole paths of their folders, which the config may name from the inbox on. */
export function approversWithPaths({
  config,
  workspace,
}: Pick<Paydrop, 'config' | 'workspace'>): Paydrop['config']['approvers'] {
  return config.approvers.map((each) => ({ ...each, folder: resolve(workspace.inbox, each.folder) }));
}

/** The approver whose folder contains the file, directly or deeper; null when it is nobody's. */
export function approverOf(place: Pick<Paydrop, 'config' | 'workspace'>, path: string): string | null {
  const folder = resolve(dirname(path)) + sep;
  const found = approversWithPaths(place).find((each) => folder.startsWith(each.folder + sep));
  return found?.name ?? null;
}

/**
 * From the manifest; without it, from the control files of the copy and of the file that was typed.
 * @param copy the path of the file in the folder of its batch.
 */
export async function keptSubmitters(
  records: Records,
  copy: string,
  typed: string,
): Promise<readonly string[]> {
  const kept = (await readManifest(dirname(copy)))?.submittedBy;
  if (kept !== undefined) return kept;
  const found = [copy, typed].map((path) => submittersOf(records, inPlace(path)));
  return [...new Set((await Promise.all(found)).flat())];
}
