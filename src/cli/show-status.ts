// What `status` shows: every file, or the ones of a name with the rows that need attention.
import {
  batchesNamed,
  batchStatuses,
  stopFileOf,
  rowsThatNeedAttention,
  statusOf,
  type BatchStatus,
  type RowStatus,
} from '../app/workflow/batch-status.ts';
import type { Records } from '../app/parts.ts';
import { accountStatuses, describeAccounts } from '../app/desk/account-status.ts';
import { untoldWords } from '../app/desk/telling-status.ts';
import { inboxStatus, type InboxFile, type InboxStatus } from '../app/desk/inbox-status.ts';
import { printJson } from './command-context.ts';

export type Flags = { readonly json?: boolean; readonly all?: boolean };

export async function showAll(records: Records, { json, all }: Flags): Promise<void> {
  const { batches, earlier } = await batchStatuses(records, all === true);
  const inbox = await inboxStatus(records);
  const stopped = stopFileOf(records);
  const untold = await untoldWords(records);
  const sftp = await accountStatuses(records);
  if (json === true) {
    printJson({
      stopped,
      untold,
      watching: inbox.watching,
      inbox: inbox.files,
      batches,
      earlier,
      ...(sftp.length === 0 ? {} : { sftp }),
    });
    return;
  }
  const isEmpty = batches.length === 0 && inbox.files.length === 0;
  write([
    ...headLines(stopped, inbox),
    ...untold,
    ...batches.map(describe),
    ...(earlier > 0
      ? [`${String(earlier)} earlier batches are over; "paydrop status --all" lists them too.`]
      : []),
    ...inboxLines(inbox),
    ...describeAccounts(sftp),
    ...(isEmpty ? ['No file has been taken yet. "paydrop run FILE" pays one.'] : []),
  ]);
}

/** False when nothing is called so. */
export async function showNamed(records: Records, name: string, { json }: Flags): Promise<boolean> {
  const found = await batchesNamed(records, name);
  const inbox = await inboxStatus(records);
  const files = inbox.files.filter((file) => isCalled(file, name));
  if (found.length + files.length === 0) return false;
  const stopped = stopFileOf(records);
  const batches: BatchStatus[] = [];
  for (const batch of found) batches.push(await statusOf(records, batch));
  const last = found.at(-1);
  const rows = last === undefined ? [] : await rowsThatNeedAttention(records, last);
  if (json === true) printJson({ stopped, watching: inbox.watching, inbox: files, batches, rows });
  else
    write([
      ...headLines(stopped, inbox),
      ...batches.map(describe),
      ...rows.map(describeRow),
      ...inboxLines({ ...inbox, files }),
    ]);
  return true;
}

function isCalled(file: InboxFile, name: string): boolean {
  const [given, own] = [name, file.name].map((text) => text.normalize('NFC').toLowerCase());
  return own === given || own?.split('/').at(-1) === given;
}

function write(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

/** What concerns every file. */
function headLines(stopped: string | null, { watching }: InboxStatus): readonly string[] {
  return [stopped, ...watching.map(({ config }) => config)].filter((line) => line !== null);
}

/** Files that are left alone for their names share a line: most of them nobody asks for. */
function inboxLines({ files, watching }: InboxStatus): readonly string[] {
  if (files.length === 0) return [];
  const shown = files
    .filter(({ why }) => why !== 'name')
    .map(({ name, words }) => `  ${plain(name)} ${words}.`);
  const [first] = files.filter(({ why }) => why === 'name');
  const names = files.filter(({ why }) => why === 'name').map(({ name }) => plain(name));
  const alone =
    first === undefined
      ? []
      : [
          `  ${names.slice(0, NAMED_MOST).join(', ')}${names.length > NAMED_MOST ? ', …' : ''}: ${first.words}.`,
        ];
  const unwatched = watching.length === 0 ? ' (no "paydrop watch" is running)' : '';
  return [`In the inbox${unwatched}:`, ...shown, ...alone];
}

const NAMED_MOST = 10;

/** A name that somebody else chose must not move the cursor or turn the line round. */
function plain(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}');
}

function describe({ batch, file, state, paused, outcomes, words, standing }: BatchStatus): string {
  const counts = Object.entries(outcomes).filter(([, count]) => count > 0);
  const shown = counts.map(([name, count]) => `${name} ${String(count)}`).join(', ');
  const line = `${batch}  ${plain(file.name)}  ${paused ? 'paused' : state}  ${String(file.rows)} rows: ${shown}`;
  return `${line}\n  ${words ?? standing}`;
}

function describeRow({ row, outcome, reason }: RowStatus): string {
  return `  row ${row}: ${outcome}. ${reason}`;
}
