// A lost ledger must not look like a fresh start: what it has forgotten could be paid a second time under other ids. After a loss `lackingIn` finds folders that
// the ledger does not know, or knows from before, and nothing is sent; a person runs `rebuild` (`rebuild-ledger.ts`), and an older copy that knows every batch is
// rebuilt without being asked; `settleRebuilt` compares all rebuilt batches with each other and with the open ones; and once no read can hide anything,
// `settleUnseen` looks again for the rows that were held for that.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { isoTime } from '../../../base/clock.ts';
import { readBytes } from '../../../base/plain-file.ts';
import { type ProbedAttempts, probeAttempts } from '../../../delivery/observe.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { type Manifest, standingManifest } from '../../../inbox/manifest.ts';
import { batchName, occurrenceIn, occurrenceOf } from '../../../inbox/answer-name.ts';
import {
  discardTaking,
  type InboxFile,
  findTakenFile,
  hashFile,
  takeFile,
} from '../../../inbox/take-file.ts';
import {
  type BatchFolder,
  type Workspace,
  isFolder,
  listBatchFolders,
  listTakings,
  processingFolder,
  standingFolder,
} from '../../../inbox/workspace.ts';
import { isBeingRebuilt } from '../../../ledger/batch-states.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { holdsPayments } from '../../../rows/formats.ts';
import type { Paydrop } from '../../parts.ts';
import { lostLedger, olderLedger, otherLedger } from '../../parts/describe-error.ts';
import { isBehind, isOfAnother } from '../epoch.ts';
import { deliveryTools } from '../send/pay-batch.ts';
import { CHANGED_WHILE_TAKEN } from '../take/take-batch.ts';

/** How many files the message names; afterwards the next `run` or `resume` names more. */
const NAMED_MOST = 20;

/** The files of batches whose folders show more than the ledger knows. */
type Lacking = {
  /** The ledger does not know them at all, or another ledger wrote them last: only a person can say which ledger is right. */
  readonly lost: readonly string[];
  /** The ledger knows an earlier state of them: an older copy of it was put back. */
  readonly older: readonly string[];
  /** Another ledger wrote some of the lost ones. */
  readonly areFromOtherLedger: boolean;
};

export async function lackingIn(paydrop: Paydrop): Promise<Lacking> {
  // The folders first: the ledger knows a batch before its folder exists.
  const folders = await listBatchFolders(paydrop.workspace);
  const batches = new Map((await paydrop.ledger.batches()).map((batch) => [batch.id, batch]));
  const standing = new Set(folders.map(({ batch }) => batch));
  const [lost, older]: [string[], string[]] = [[], []];
  let areFromOtherLedger = false;
  for (const folder of folders) {
    const batch = batches.get(folder.batch);
    const isFromOther = batch !== undefined && (await isFromOtherLedger(paydrop, batch));
    areFromOtherLedger ||= isFromOther;
    const isWhole =
      batch !== undefined && !isBeingRebuilt(batch) && !(await isOlderThanReality(paydrop, batch));
    if (isWhole) continue;
    const file = await spreadsheetIn(folder);
    // If its copy is gone, a person has to name another.
    (batch === undefined || isFromOther || !holdsPayments(file) ? lost : older).push(file);
  }
  for (const batch of batches.values())
    if (isBeingRebuilt(batch) && !standing.has(batch.id)) lost.push(batch.fileName);
  return { lost, older, areFromOtherLedger };
}

/** Throws when `processing/` or the archive holds a batch that the ledger does not know, or knows only from before it was paid. */
export async function assertLedgerKnowsAll(paydrop: Paydrop): Promise<void> {
  const { lost, older, areFromOtherLedger } = await lackingIn(paydrop);
  const files = [...lost, ...older];
  if (files.length === 0) return;
  const told = areFromOtherLedger ? otherLedger : lost.length > 0 ? lostLedger : olderLedger;
  throw told(files.slice(0, NAMED_MOST), files.length);
}

/** True when the manifest of a batch knows more of it than the ledger: an older copy of the ledger was put back. Every step that permits or concludes raises its epoch. */
export async function isOlderThanReality(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  if (!isBehind(paydrop, batch) && !(await isFromOtherLedger(paydrop, batch))) return false;
  // Another process may have moved it on, folder and ledger, while we looked.
  const now = await paydrop.ledger.batch(batch.id);
  return now?.state === batch.state && now.epoch === batch.epoch;
}

/**
 * A kill while a file was being taken, and then a loss of the ledger: nothing of the file was accepted. What was copied is removed; the original is where its
 * owner put it, or in the claim that goes on with it.
 */
export async function forgetTakings({ workspace, ledger, log }: Paydrop): Promise<void> {
  // The folders first, here too: the ledger knows a batch for as long as it is being taken.
  const takings = await listTakings(workspace);
  if (takings.length === 0) return;
  const known = new Set((await ledger.batches()).map(({ id }) => id));
  for (const batch of takings) {
    if (known.has(batch)) continue;
    await discardTaking(batch, workspace);
    log.warn('a file that was only half taken before the ledger was lost is taken anew', { batch });
  }
}

async function isFromOtherLedger(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  return isOfAnother(paydrop, batch, await manifestOf(paydrop.workspace, batch.id));
}

/** If the folder cannot be read, that is reported when its batch goes on. */
function manifestOf(workspace: Workspace, batch: string): Promise<Manifest | null> {
  return standingManifest(workspace, batch).catch((error: unknown) => {
    if (error instanceof BatchFolderFault) return null;
    throw error;
  });
}

/** The original among the answers and documents of a batch folder, as a path to type. */
async function spreadsheetIn({ batch, path }: BatchFolder): Promise<string> {
  const names = (await readdir(path)).filter((name) => holdsPayments(name) && !name.includes(`.${batch}.`));
  return join(path, names[0] ?? '');
}

// The copy of a file in the folder of its batch. The batch was paid under its name, and everything in the folder (answers, cancelled rows) uses
// that name. A person who rebuilds from a copy with another name must find it all the same.

type Bytes = Pick<BatchRecord, 'fileId' | 'sha256' | 'fileName'>;

/** The folder of this occurrence of these bytes; null when there is none. */
export async function folderOf(
  workspace: Workspace,
  { fileId, sha256 }: Pick<Bytes, 'fileId' | 'sha256'>,
): Promise<BatchFolder | null> {
  const folders = await foldersOf(workspace, sha256);
  return folders.find(({ batch }) => occurrenceIn(batch, sha256) === occurrenceOf(fileId)) ?? null;
}

/** The folders of these bytes, each with the occurrence in its name. */
export async function foldersOf(workspace: Workspace, sha256: string): Promise<readonly BatchFolder[]> {
  const found: BatchFolder[] = [];
  for (const folder of await listBatchFolders(workspace))
    if (occurrenceIn(folder.batch, sha256) !== null && (await mayBeOf(folder, sha256))) found.push(folder);
  return found;
}

/** A name has the first digits of a hash, which two files may share: a copy of the other file shows whose folder it is. */
async function mayBeOf({ batch, path }: BatchFolder, sha256: string): Promise<boolean> {
  const start = batch.split('-')[1] ?? '';
  const hashes: string[] = [];
  for (const name of await readdir(path)) {
    const file = join(path, name);
    if (!(await isFolder(file))) hashes.push(await hashFile(file).catch(() => ''));
  }
  return hashes.includes(sha256) || !hashes.some((other) => other.startsWith(start));
}

/** The name of the file in the folder of its batch; its own name where there is no copy. */
export async function nameThatStands(workspace: Workspace, bytes: Bytes): Promise<string> {
  const folder = await folderOf(workspace, bytes);
  if (folder === null) return bytes.fileName;
  // Its own name first, and then any other name that the person who dropped it may have used.
  const names = [bytes.fileName, ...(await readdir(folder.path))];
  for (const name of names) if (await hasHash(join(folder.path, name), bytes.sha256)) return name;
  return bytes.fileName;
}

async function hasHash(path: string, sha256: string): Promise<boolean> {
  if (await isFolder(path)) return false;
  // A name that leads nowhere, or to something unreadable, is not the file's.
  return (await hashFile(path).catch(() => null)) === sha256;
}

/** The copy that is still in processing or in the archive, or a new one in the batch's folder, wherever that is: a second folder would hide the content of the first. */
export async function placeFile(workspace: Workspace, batch: BatchRecord, path: string): Promise<InboxFile> {
  const { id, fileName, sha256 } = batch;
  const standing = await findTakenFile(fileName, sha256, id, workspace);
  if (standing !== null) return standing;
  const folder = await standingFolder(workspace, id);
  const file =
    folder === null
      ? await takeFile(path, sha256, processingFolder(workspace, id))
      : await copyInto(folder, batch, path);
  if (file === null) throw new FileRefused('file_changed', CHANGED_WHILE_TAKEN);
  return file;
}

async function copyInto(
  folder: string,
  { fileName, sha256 }: Bytes,
  path: string,
): Promise<InboxFile | null> {
  if ((await hashFile(path)) !== sha256) return null;
  const copy = join(folder, fileName);
  await publishFile(copy, readBytes(path));
  return { name: fileName, path: copy, folder, sha256 };
}

// Asks the service row by row which transfers of a file exist: after a lost ledger, nothing else is known.

/** Rows that are looked up at the same time. */
const PROBES_MOST = 16;

/** By row identity. */
export type ProbedRows = ReadonlyMap<string, ProbedAttempts>;

/** Throws a `Fault` when the service gives no answer. */
export async function probeRows(paydrop: Paydrop, batch: BatchRecord, read: ReadFile): Promise<ProbedRows> {
  const tools = deliveryTools(paydrop, batch);
  const attempts = new Map<string, ProbedAttempts>();
  let places: string[] = [];
  const probeAll = async (): Promise<void> => {
    const probe = async (place: string): Promise<void> => {
      attempts.set(place, await probeAttempts(batch.fileId, place, tools));
    };
    await Promise.all(places.map(probe));
    places = [];
  };
  for await (const { place } of read.rows()) {
    places.push(place);
    if (places.length >= PROBES_MOST) await probeAll();
  }
  await probeAll();
  return attempts;
}

// The day on which a rebuilt batch was accepted, so that it gets its old name and folder back.

type Dated = Pick<BatchRecord, 'id' | 'acceptedAt'>;

/** From the batch's folder if there is one, else from its first transfer, else now. */
export async function dateRebuilt(
  workspace: Workspace,
  draft: BatchRecord,
  attempts: ProbedRows,
): Promise<Dated> {
  const standing = await folderOf(workspace, draft);
  const acceptedAt =
    standing === null
      ? (firstCreated(attempts) ?? draft.acceptedAt)
      : await acceptedIn(standing.batch, join(standing.path, draft.fileName));
  return { id: standing?.batch ?? batchName(draft.fileId, acceptedAt), acceptedAt };
}

/** The copy was made when the file was accepted; a restored backup may have lost that time, but not the day in the name. */
async function acceptedIn(batch: string, copy: string): Promise<string> {
  const day = `${batch.slice(0, 4)}-${batch.slice(4, 6)}-${batch.slice(6, 8)}`;
  const made = await stat(copy).catch(() => null);
  const at = made === null ? '' : isoTime(made.mtimeMs);
  // The end of the day, because a payment must not look older than it is: the window for equal payments would end too early.
  return at.startsWith(day) ? at : `${day}T23:59:59.999Z`;
}

function firstCreated(attempts: ProbedRows): string | null {
  const times = [...attempts.values()]
    .map(({ firstCreatedAt }) => firstCreatedAt)
    .filter((time) => time !== null);
  return times.sort()[0] ?? null;
}
