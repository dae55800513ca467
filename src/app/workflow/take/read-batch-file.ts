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
 * Reads the file by its profile, if it has one, and holds it against the control file beside it, where there is one. Throws `FileRefused`.
 * @param origin where its owner put it; null where that is not asked.
 */
export async function readBatchFile(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
  origin: string | null = path,
): Promise<ReadFile> {
  return againstControl(path, await readSpreadsheet(path, config, profile, origin));
}

/** The same for a file that was taken: whose account it debits was asked when it came. */
export async function readTakenFile(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
): Promise<ReadFile> {
  return againstControl(path, await readAsProposed(path, config, profile));
}

/** The same whatever its control file says: of a profile that is only proposed, that is one more thing to tell. */
export async function readAsProposed(
  path: string,
  config: ReadingConfig,
  profile: Profile | null,
): Promise<ReadFile> {
  const options = { ...readOptions(config, profile, null), isAnyDebtor: true };
  return underProfile(await readRows(path, options), profile);
}

// A message that names several days is a batch a day: each reads the whole file, its control sums too, and pays the rows of its own day.

type Bytes = Pick<BatchRecord, 'fileId' | 'fileName'>;

/** The day of a batch whose message names several, `yyyy-mm-dd`; null of any other batch. */
export function messageDay({ fileId, fileName }: Bytes): string | null {
  const occurrence = occurrenceOf(fileId);
  return isMessage(fileName) && isDay(occurrence) ? splitDay(occurrence)[0] : null;
}

/** The rows of the file that are the batch's own; all of them but where its message names several days. */
export function rowsOf(batch: Bytes, file: ReadFile): ReadFile {
  const day = messageDay(batch);
  if (day === null) return file;
  const rowCount = file.table.message?.days.get(day) ?? 0;
  return { table: { ...file.table, rowCount }, rows: () => rowsOn(day, file), whole: file };
}

async function* rowsOn(day: string, file: ReadFile): AsyncGenerator<Row> {
  let position = 0;
  for await (const row of file.rows()) {
    if (dayOfRow(file, row) !== day) continue;
    yield { ...row, position };
    position += 1;
  }
}

/** The day of a row of a message, as it is written. */
export function dayOfRow({ table }: Pick<ReadFile, 'table'>, { cells }: Row): string {
  return cells[table.indexOf.get('executionDate') ?? -1] ?? '';
}

/**
 * The batches of all days of the message of this one, itself among them; itself alone where its message names one day, or it is none. What the same bytes were
 * refused for before is no part of it.
 */
export function daysOfMessage(all: readonly BatchRecord[], own: BatchRecord): readonly BatchRecord[] {
  if (messageDay(own) === null) return [own];
  const [, time] = splitDay(occurrenceOf(own.fileId));
  return all.filter(
    (each) =>
      each.sha256 === own.sha256 &&
      messageDay(each) !== null &&
      splitDay(occurrenceOf(each.fileId))[1] === time &&
      (each.state !== 'refused' || each.acceptedAt === own.acceptedAt),
  );
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
  origin: string | null = path,
): Promise<ReadFile> {
  return underProfile(await readRows(path, readOptions(config, profile, origin)), profile);
}

/** What of the config decides how a file is read. */
export type ReadingConfig = Pick<Config, 'intake' | 'iso20022' | 'baseUrl' | 'sandbox'> & FolderConfig;

/** That alone, as it may go to a thread that reads. */
export function readingOf(config: ReadingConfig): ReadingConfig {
  const { intake, iso20022, baseUrl, sandbox, workspacePath, folderPaths, schedules, tenants, sftp } = config;
  return { intake, iso20022, baseUrl, sandbox, workspacePath, folderPaths, schedules, tenants, sftp };
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
  { workspace, config }: Pick<Records, 'workspace'> & { readonly config: ReadingConfig },
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

/** The rows that name a document, or where they were before; none where no row can. */
export async function namingRows(file: ReadFile): Promise<readonly NamingRow[]> {
  const rows: NamingRow[] = [];
  const { table } = file;
  const isNamed = isSaid(table, 'attachment') || table.message !== undefined;
  if (!isNamed && !isSaid(table, 'payout.batch')) return rows;
  for await (const row of file.rows()) {
    const text = (column: string): string => composed(cellOf(table, row, column).trim());
    const [name, batch, place] = [text('attachment'), text('payout.batch'), text('payout.row')];
    const before = BATCH_NAME.test(batch) && place !== '' ? { batch, place } : null;
    const stems = row.documentStems ?? [];
    // As `validate-row.ts` asks for one.
    const needs = text('deliveryMethod') === 'bankTransfer';
    if (name !== '' || before !== null || stems.length > 0)
      rows.push({ place: row.place, name, before, stems, needs });
  }
  return rows;
}

/** The name that its owner gave to the file, whatever an answer has put into it. */
export function ownName(path: string): string {
  return stemOf(path) + extname(path);
}

// What the config says of a folder of the inbox. Once it names one, a folder that it does not name is left alone: a misspelt name must not make
// money leave under other rules, or on another day.

type FolderRule = {
  /** Below the inbox. */
  readonly folder: string;
  /** The name of the profile that its files are read by; null for whichever fits. */
  readonly profile: string | null;
  readonly policy: PolicyOverrides;
  /** Null: paid as soon as they come. */
  readonly schedule: Schedule | null;
};

type FolderConfig = Pick<Config, 'workspacePath' | 'folderPaths' | 'schedules' | 'tenants' | 'sftp'>;

/** Below the inbox, with slashes; begins with `../` where it lies elsewhere. */
function belowInbox(path: string, config: FolderConfig): string {
  return relative(inboxOf(config), resolve(path)).split(sep).join('/').normalize('NFC');
}

/** The rule of the folder that a file lies in, or below; null when the config names none. */
export function folderRuleFor(path: string, config: FolderConfig): FolderRule | null {
  const below = belowInbox(path, config);
  const fitting = rulesOf(config).filter(({ folder }) => below.startsWith(`${folder.normalize('NFC')}/`));
  // Of two that lie in each other the inner one says more.
  return fitting.sort((a, b) => b.folder.length - a.folder.length)[0] ?? null;
}

/** False for a file in a folder that the config does not name, while it names others. */
export function isNamedPlace(path: string, config: FolderConfig): boolean {
  const folder = relative(inboxOf(config), resolve(path)).split(sep).slice(0, -1).join('/');
  if (folder === '' || rulesOf(config).length === 0 || folderRuleFor(path, config) !== null) return true;
  return accountFolders(config).some((name) => `${folder}/`.startsWith(`${name}/`));
}

/**
 * Through which door a file comes: the folder of a tenant, of a schedule or of an SFTP account, or the inbox itself, which is the empty text. Null
 * for a file that lies elsewhere, and that an operator names. What came through one door is none of another's business.
 */
function doorOf(path: string, config: FolderConfig): string | null {
  // What a program sends is no operator's word.
  if (resolve(path).startsWith(resolve(config.workspacePath, 'uploads') + sep)) return '';
  const below = relative(inboxOf(config), resolve(path)).split(sep).join('/');
  if (below.startsWith('../') || isAbsolute(below)) return null;
  const account = accountFolders(config).find((name) => below.startsWith(`${name}/`));
  return account ?? folderRuleFor(path, config)?.folder ?? '';
}

/** The files of an account come into a folder of its name. */
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

// Who is known to have brought a file, and so cannot approve it: whoever its way here names, its control file, or the folder that it lay in.

/** Empty when nobody is known. Throws `FileRefused` for a control file that cannot be read. */
export async function submittersOf(
  paydrop: Pick<Paydrop, 'config' | 'workspace'>,
  { path, origin, submittedBy = [] }: DroppedFile,
): Promise<readonly string[]> {
  const control = controlBeside(path);
  const named = [
    ...submittedBy,
    control === null ? null : await controlSubmitter(control),
    approverOf(paydrop, origin),
  ];
  return [...new Set(named.filter((name) => name !== null))];
}

/** The approver whose folder a file lies in, or below; null when it is nobody's. */
export function approverOf(
  { config, workspace }: Pick<Paydrop, 'config' | 'workspace'>,
  path: string,
): string | null {
  const folder = resolve(dirname(path)) + sep;
  const found = config.approvers.find((each) =>
    folder.startsWith(resolve(workspace.inbox, each.folder) + sep),
  );
  return found?.name ?? null;
}

/**
 * As its manifest keeps them; where it does not, as the control files say beside the copy and beside the file that was typed.
 * @param copy the path of the file in the folder of its batch.
 */
export async function keptSubmitters(
  paydrop: Paydrop,
  copy: string,
  typed: string,
): Promise<readonly string[]> {
  const kept = (await readManifest(dirname(copy)))?.submittedBy;
  if (kept !== undefined) return kept;
  const found = [copy, typed].map((path) => submittersOf(paydrop, inPlace(path)));
  return [...new Set((await Promise.all(found)).flat())];
}
