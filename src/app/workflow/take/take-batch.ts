// Takes a file: a path becomes a batch that the ledger knows and whose files are ours, or a plain refusal.
import { basename, join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { FILE_READERS, sameWords, say, type Words } from '../../../base/language.ts';
import { answerName, batchName, NAME_DIGITS } from '../../../inbox/answer-name.ts';
import {
  beginTaking,
  discardTaken,
  endTaking,
  type DroppedFile,
  findTakenFile,
  refuseBatch,
  takeFile,
} from '../../../inbox/take-file.ts';
import { stampAt } from '../../../inbox/inbox-entries.ts';
import { type KeptFacts } from '../../../inbox/manifest.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { publishJson } from '../../../results/write-results.ts';
import { readControlBytes } from '../../../rows/control-totals.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { Paydrop } from '../../parts.ts';
import { controlBeside, documentsOf, folderOf, readBatchFile, rowsOf } from '../batch/read-batch-file.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { decideWhen } from '../batch/decide-pay-at.ts';
import {
  announcedBy,
  assertMessageIsNew,
  isNothing,
  afterSendBack,
  nextOccurrence,
  sameBytes,
} from './same-bytes.ts';
import { beginEpochs } from '../batch/epoch.ts';
import { ignoredWords } from '../validate/ignored-columns.ts';
import { type Step, type Work, goEnded } from '../batch/work.ts';
import { policyOf } from '../../config/policy.ts';
import type { FileProfile } from '../../config/profile-file.ts';
import { isForTwo } from '../batch/may-decide.ts';
import { type OpenedFile, profileFacts, profileFor, skippingRows } from '../batch/profile-for.ts';
import { notifyDuplicate } from '../../notify/notify-batch.ts';
import { sentence } from '../../../messages/messages.ts';
import { changeBatch } from '../../../ledger/ledger.ts';

export type Taken =
  /** With its copy, where that need not be read again to know what it is. */
  | {
      readonly kind: 'taken';
      readonly batch: BatchRecord;
      readonly opened: OpenedFile | null;
      /** The columns that are not read; they may quote the file. */
      readonly ignored?: readonly Words[];
    }
  /** The same bytes already are a batch; `answer` is the file in the outbox that says so. */
  | { readonly kind: 'repeated'; readonly batch: BatchRecord; readonly answer: string };

/**
 * Takes a copy of the file and of the documents that its rows name. Throws `FileRefused` for a file that cannot be read.
 * @param again pays bytes once more, on purpose, that were paid before.
 */
export async function takeBatch(paydrop: Paydrop, file: DroppedFile, again: boolean): Promise<Taken> {
  const fitting = profileFor(file.origin, paydrop.config, file.reader ?? null);
  const profile = file.skipRows === true ? skippingRows(fitting) : fitting;
  const first = await announcedBy(paydrop, file, profile);
  return paydrop.takes.run(first.sha256, () => takeInTurn(paydrop, file, profile, first, again));
}

async function takeInTurn(
  paydrop: Paydrop,
  file: DroppedFile,
  profile: FileProfile | null,
  first: BatchRecord,
  again: boolean,
): Promise<Taken> {
  const { path } = file;
  const sentBack = await afterSendBack(paydrop, first);
  const batch = sentBack ?? (again ? await nextOccurrence(paydrop, first, file.claim) : first);
  const earlier = await sameBytes(paydrop, batch);
  if (earlier !== null) return tellDuplicate(paydrop, basename(path), earlier);
  const seen = await stampAt(path);
  const read = await readBatchFile(path, paydrop.config, profile?.profile ?? null, file.origin);
  if (!again) await assertMessageIsNew(paydrop, path, batch);
  const payAt = await decideWhen(paydrop, file, read);
  const isMore = sentBack === null && batch.fileId !== first.fileId;
  const asksAgain = isMore && asksForAgain(paydrop, file, profile);
  const taken = await takeAs(
    paydrop,
    { ...file, asksAgain },
    profile,
    { ...batch, ...(payAt === null ? {} : { payAt }) },
    read,
  );
  if ('winner' in taken) return tellDuplicate(paydrop, basename(path), taken.winner);
  const isExplained = profile !== null || (read.table.layout ?? null) !== null;
  const ignored = ignoredWords(read.table, isExplained ? null : batch.fileName);
  return { ...taken, ignored, opened: await copyOf(paydrop, path, { seen, batch: taken.batch, read }) };
}

/** Whether whoever brings bytes that were paid before has to leave it to another person to pay them again. */
function asksForAgain(
  { config }: Pick<Paydrop, 'config'>,
  { isProgram }: DroppedFile,
  profile: FileProfile | null,
): boolean {
  const policy = policyOf(config.policy, profile?.policy);
  return isProgram === true || isForTwo({ ...config, policy });
}

/** The copy as its original was read; null where it is to be read itself: somebody wrote the original between the two. */
async function copyOf(
  { workspace }: Paydrop,
  path: string,
  {
    seen,
    batch,
    read,
  }: { readonly seen: string | null; readonly batch: BatchRecord; readonly read: ReadFile },
): Promise<OpenedFile | null> {
  if (seen === null || (await stampAt(path)) !== seen) return null;
  const file = await findTakenFile(batch.fileName, batch.sha256, batch.id, workspace);
  const control = file === null ? null : controlBeside(file.path);
  // What it says is asked of the copy.
  if (file === null || control !== null) return null;
  return { file, read: rowsOf(batch, { ...read, rows: () => read.rows(file.path) }) };
}

/** Takes the file as this very batch, in the turn of its bytes; returns the batch that already has its file id, if there is one. */
export async function takeAs(
  paydrop: Paydrop,
  file: DroppedFile,
  profile: FileProfile | null,
  announcedAs: BatchRecord,
  read: ReadFile,
): Promise<Extract<Taken, { readonly kind: 'taken' }> | { readonly winner: BatchRecord }> {
  const { ledger, workspace } = paydrop;
  const { path, origin } = file;
  const earlier = await ledger.batch({ fileId: announcedAs.fileId });
  // An interrupted refusal must not leave its files among those of the new batch.
  if (earlier?.state === 'refused') await refuseBatch(earlier.id, workspace);
  // Known to the ledger first: then every folder in `processing/` belongs to a known batch.
  const announced = { ...announcedAs, rows: rowsOf(announcedAs, read).table.rowCount };
  const added = await addUnderFreeName(
    ledger,
    // This taking continues after the epoch of an interrupted one. A folder that knows a higher one shows an older ledger, and stays as it is.
    earlier?.epoch === undefined ? announced : { ...announced, epoch: earlier.epoch },
    (other) => isNothing(paydrop, other),
  );
  if ('winner' in added) return added;
  const { batch } = added;
  const into = await beginTaking(batch.id, workspace);
  const taken = await takeFile(path, batch.sha256, into);
  if (taken !== null) {
    await documentsOf(paydrop, origin, read, into);
    const control = controlBeside(path);
    if (control !== null) await publishFile(join(into, basename(control)), [await readControlBytes(control)]);
    const folder = folderOf(origin, paydrop.config);
    await beginEpochs(paydrop, batch, into, { ...factsOf(batch, file, folder), ...profileFacts(profile) });
  }
  // Only now all of it is ours: a file that somebody wrote meanwhile may be here half copied.
  const isWhole = taken !== null && (await file.isStill?.()) !== false;
  // Throws `LeaseLost` where another machine took the batch while this one was held up: its folder is not ours to replace.
  await ledger.revise(batch, () => null);
  if (!isWhole) {
    await discardTaken(batch.id, workspace);
    await ledger.dropBatch(batch);
    throw new FileRefused('file_changed', CHANGED_WHILE_TAKEN);
  }
  await endTaking(batch.id, workspace);
  await changeBatch(ledger, batch, { state: 'checking' });
  return { kind: 'taken', batch: { ...batch, state: 'checking' }, opened: null };
}

/** Facts that a rebuilt ledger could not know: it must not pay a salary a month early, nor let the people who brought a file approve it. */
function factsOf(
  { payAt, submittedBy }: BatchRecord,
  { claim, corrected = [], asksAgain }: DroppedFile,
  folder: string,
): KeptFacts {
  return {
    ...(asksAgain === true ? { asksAgain } : {}),
    ...(folder === '' ? {} : { folder }),
    ...(payAt === undefined ? {} : { payAt }),
    ...(submittedBy === undefined ? {} : { submittedBy }),
    ...(corrected.length === 0 ? {} : { corrected }),
    ...(claim === undefined ? {} : { claim }),
  };
}

/** People approve by the name: if another file has had it, or takes it at this moment, the new one gets a longer name. */
export async function addUnderFreeName(
  ledger: Pick<Paydrop['ledger'], 'addBatch'>,
  announcedAs: BatchRecord,
  mayReplace: (earlier: BatchRecord) => boolean,
): Promise<{ readonly batch: BatchRecord } | { readonly winner: BatchRecord }> {
  let batch = announcedAs;
  let replaces: BatchRecord | undefined;
  let digits = NAME_DIGITS.least;
  for (;;) {
    const announced = await ledger.addBatch(batch, replaces);
    if ('added' in announced) return { batch: announced.added };
    const winner = announced.earlier;
    if (winner.fileId === batch.fileId) {
      if (!mayReplace(winner)) return { winner };
      // In its present state: if it moves on meanwhile, it is asked again.
      replaces = winner;
      continue;
    }
    digits += NAME_DIGITS.more;
    batch = { ...batch, id: batchName(batch.fileId, batch.acceptedAt, digits) };
  }
}

export const CHANGED_WHILE_TAKEN: Words = sentence('takeBatch.changedWhileTaken');

/** A kill came while its files were being copied: nothing was sent, and the original is still in its place. */
export async function forgetTaking({ paydrop, batch }: Work): Promise<Step> {
  const { ledger, workspace } = paydrop;
  await paydrop.takes.run(batch.sha256, async () => {
    // Another process may have taken or dropped the same bytes before our turn.
    const held = await ledger.takeOver(batch);
    if (held === null) return;
    await discardTaken(held.id, workspace);
    await ledger.dropBatch(held);
  });
  return goEnded(null);
}

/** Nothing is sent for the same bytes again; their owner learns when they first came. */
async function tellDuplicate(paydrop: Paydrop, fileName: string, earlier: BatchRecord): Promise<Taken> {
  const { workspace, config } = paydrop;
  const name = answerName(fileName, earlier.id, 'duplicate', 'json');
  await publishJson({ outbox: workspace.outbox, folder: null }, name, {
    batch: earlier.id,
    file: { name: fileName, sha256: earlier.sha256 },
    code: 'same_bytes',
    reason: say(takenBefore(earlier, sameWords(earlier.fileName)), FILE_READERS[config.language]),
    earlier: { batch: earlier.id, acceptedAt: earlier.acceptedAt, file: earlier.fileName },
  });
  await notifyDuplicate(paydrop, fileName, earlier, name);
  return { kind: 'repeated', batch: earlier, answer: name };
}

/** `as` names what it was taken as: its batch, or the name that its file had. */
export function takenBefore({ acceptedAt }: BatchRecord, as: Words): Words {
  const date = acceptedAt.slice(0, 10);
  return sentence('takeBatch.takenBefore', { date, as });
}
