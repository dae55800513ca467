// A lost ledger must not look like a fresh start: what it has forgotten could be paid a second time under other ids. After a loss `lackingIn` finds folders that
// the ledger does not know, or knows from before, and nothing is sent; a person runs `rebuild` (`rebuild-ledger.ts`), and an older copy that knows every batch is
// rebuilt without being asked; `settleRebuilt` compares all rebuilt batches with each other and with the open ones; and once no read can hide anything,
// `settleUnseen` looks again for the rows that were held for that.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { type ProbedAttempts, probeAttempts } from '../../../delivery/observe.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { standingManifest } from '../../../inbox/manifest.ts';
import { isVouchedFor, vouchFor } from '../../../inbox/vouched-archive.ts';
import { batchName } from '../../../inbox/answer-name.ts';
import { acceptedIn, copyInto, folderOf } from '../../../inbox/standing-copy.ts';
import { discardTaking, type InboxFile, findTakenFile, takeFile } from '../../../inbox/take-file.ts';
import {
  type BatchFolder,
  type Workspace,
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
import type { Paydrop, Records } from '../../parts.ts';
import { lostLedger, olderLedger, otherLedger } from '../../parts/describe-error.ts';
import { isBehind, isOfAnother, lacksHead } from '../batch/epoch.ts';
import { deliveryTools } from '../carry/pay-batch.ts';
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

export async function lackingIn(records: Records): Promise<Lacking> {
  const { ledger, workspace } = records;
  // The folders first: the ledger knows a batch before its folder exists.
  const folders = await listBatchFolders(workspace);
  const standing = new Set(folders.map(({ batch }) => batch));
  const unknown = new Set(await ledger.batches({ unknownAmong: [...standing] }));
  const isVouched = isVouchedFor(workspace, ledger.id);
  const known = await ledger.batches(isVouched ? { toLookAt: 0 } : undefined);
  const batches = new Map(known.map((batch) => [batch.id, batch]));
  const [lost, older]: [string[], string[]] = [[], []];
  let areFromOtherLedger = false;
  for (const folder of folders) {
    const batch = batches.get(folder.batch);
    if (batch === undefined && !unknown.has(folder.batch)) continue;
    const isFromOther = batch !== undefined && (await isFromOtherLedger(records, batch));
    areFromOtherLedger ||= isFromOther;
    const isWhole =
      batch !== undefined && !isBeingRebuilt(batch) && !(await isOlderThanReality(records, batch));
    if (isWhole) continue;
    const file = await spreadsheetIn(folder);
    // If its copy is gone, a person has to name another.
    (batch === undefined || isFromOther || !holdsPayments(file) ? lost : older).push(file);
  }
  for (const batch of batches.values())
    if (isBeingRebuilt(batch) && !standing.has(batch.id)) lost.push(batch.fileName);
  if (!isVouched && lost.length + older.length === 0) vouchFor(workspace, ledger.id);
  return { lost, older, areFromOtherLedger };
}

/** Throws when `processing/` or the archive holds a batch that the ledger does not know, or knows only from before it was paid. */
export async function assertLedgerKnowsAll(records: Records): Promise<void> {
  const { lost, older, areFromOtherLedger } = await lackingIn(records);
  const files = [...lost, ...older];
  if (files.length === 0) return;
  const told = areFromOtherLedger ? otherLedger : lost.length > 0 ? lostLedger : olderLedger;
  throw told(files.slice(0, NAMED_MOST), files.length);
}

/** True when the folder of a batch knows more of it than the ledger: an older copy of the ledger was put back. */
export async function isOlderThanReality(records: Records, batch: BatchRecord): Promise<boolean> {
  const isOlder =
    isBehind(records, batch) ||
    (await isFromOtherLedger(records, batch)) ||
    (await unlessUnreadable(lacksHead(records, batch)));
  if (!isOlder) return false;
  // Another process may have moved it on, folder and ledger, while we looked.
  const now = await records.ledger.batch(batch.id);
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
  for (const batch of await ledger.batches({ unknownAmong: takings })) {
    await discardTaking(batch, workspace);
    log.warn('a file that was only half taken before the ledger was lost is taken anew', { batch });
  }
}

function isFromOtherLedger(records: Records, batch: BatchRecord): Promise<boolean> {
  const manifest = standingManifest(records.workspace, batch.id);
  return unlessUnreadable(manifest.then((known) => isOfAnother(records, batch, known)));
}

/** If the folder cannot be read, that is reported when its batch goes on. */
function unlessUnreadable(asked: Promise<boolean>): Promise<boolean> {
  return asked.catch((error: unknown) => {
    if (error instanceof BatchFolderFault) return false;
    throw error;
  });
}

/** The original among the answers and documents of a batch folder, as a path to type. */
async function spreadsheetIn({ batch, path }: BatchFolder): Promise<string> {
  const names = (await readdir(path)).filter((name) => holdsPayments(name) && !name.includes(`.${batch}.`));
  return join(path, names[0] ?? '');
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

function firstCreated(attempts: ProbedRows): string | null {
  const times = [...attempts.values()]
    .map(({ firstCreatedAt }) => firstCreatedAt)
    .filter((time) => time !== null);
  return times.sort()[0] ?? null;
}
