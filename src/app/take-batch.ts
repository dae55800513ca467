// The door: a path becomes a batch that the ledger knows and whose files are ours, or a plain no.
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { sameWords, say, type Words } from '../base/language.ts';
import { isoTime } from '../base/clock.ts';
import { answerName, batchName, fileIdOf, occurrenceOf } from '../inbox/batch-name.ts';
import type { DroppedFile } from '../inbox/dropped-file.ts';
import { hashFile } from '../inbox/hash-file.ts';
import { refuseBatch, takeFile } from '../inbox/take-file.ts';
import { isOtherRunHere } from '../ledger/open-ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { publishJson } from '../results/write-results.ts';
import { FileRefused } from '../rows/file-refused.ts';
import type { Paydrop } from './compose.ts';
import { submittersOf } from './approval/submitters.ts';
import { policyOf } from './settings/policy.ts';
import type { FileProfile } from './profiles/profile-file.ts';
import { keepProfile, profileFor } from './profiles/profile-for.ts';
import { controlBeside, documentsOf, readBatchFile } from './read-batch-file.ts';

export type Taken =
  | { readonly kind: 'taken'; readonly batch: BatchRecord }
  /** The same bytes are a batch already; `answer` is the file in the outbox that says so. */
  | { readonly kind: 'repeated'; readonly batch: BatchRecord; readonly answer: string };

/**
 * Takes a copy of the file and of the documents that its rows name. Throws `FileRefused` for a file that cannot be read.
 * @param again pays bytes once more that were paid before, on purpose.
 */
export async function takeBatch(paydrop: Paydrop, file: DroppedFile, again: boolean): Promise<Taken> {
  const { path, origin } = file;
  const profile = profileFor(origin, paydrop.config);
  const submittedBy = await submittersOf(paydrop, file);
  const first = {
    ...(await announced(paydrop, path, profile)),
    ...(submittedBy.length === 0 ? {} : { submittedBy }),
  };
  const batch = again ? await nextOccurrence(paydrop, first) : first;
  const earlier = await paydrop.ledger.batchOfFile(batch.fileId);
  if (earlier !== null && !isNothing(paydrop, earlier)) {
    return tellDuplicate(paydrop, basename(path), earlier);
  }
  const read = await readBatchFile(path, paydrop.config, profile?.profile ?? null);
  // A refusal that was cut short must not leave its files among those of the new batch.
  if (earlier?.state === 'refused') await refuseBatch(earlier.id, paydrop.workspace);
  // Known to the ledger first: whatever lies in `processing/` is then always somebody's.
  const winner = await paydrop.ledger.addBatch({ ...batch, rows: read.table.rowCount }, (other) =>
    isNothing(paydrop, other),
  );
  if (winner !== null) return tellDuplicate(paydrop, basename(path), winner);
  const taken = await takeFile(path, batch.sha256, batch.id, paydrop.workspace);
  if (taken === null) {
    await paydrop.ledger.dropBatch(batch.id);
    throw new FileRefused('file_changed', CHANGED_WHILE_TAKEN);
  }
  await keepProfile(taken.folder, profile);
  await documentsOf(paydrop.workspace, origin, read, taken.folder);
  const control = controlBeside(path);
  if (control !== null) await copyFile(control, join(taken.folder, basename(control)));
  await paydrop.ledger.changeBatch(batch.id, { state: 'reading' });
  return { kind: 'taken', batch: { ...batch, rows: read.table.rowCount, state: 'reading' } };
}

/** The batch under the next free occurrence; under the last one while that is not finished, so that nobody pays twice out of impatience. */
async function nextOccurrence({ ledger }: Paydrop, batch: BatchRecord): Promise<BatchRecord> {
  const same = (await ledger.batches()).filter(
    ({ sha256, state }) => sha256 === batch.sha256 && state !== 'refused',
  );
  const open = same.find(({ state }) => state !== 'closed');
  if (open !== undefined) return { ...batch, fileId: open.fileId, id: open.id };
  const last = Math.max(0, ...same.map(({ fileId }) => occurrenceOf(fileId)));
  return atOccurrence(batch, last + 1);
}

/** The record of the same file at another occurrence. */
export function atOccurrence(batch: BatchRecord, occurrence: number): BatchRecord {
  const fileId = fileIdOf(batch.sha256, occurrence);
  return { ...batch, fileId, id: batchName(fileId, batch.acceptedAt) };
}

/** One that was refused, or whose taking was cut short, does not stand in the way of its own bytes. */
export function isNothing({ ledger }: Paydrop, { state, takenBy }: BatchRecord): boolean {
  return state === 'refused' || (state === 'taking' && !isOtherRunHere(takenBy, ledger.run));
}

export const CHANGED_WHILE_TAKEN: Words = {
  en: 'The file changed while it was being taken.',
  fr: 'Le fichier a changé pendant sa prise en charge.',
};

/** The record of a batch that is about to be taken. Throws when the file cannot be opened. */
export async function announced(
  { clock, config, isSandbox, ledger }: Paydrop,
  path: string,
  profile: FileProfile | null,
): Promise<BatchRecord> {
  const sha256 = await hashFile(path).catch((error: unknown) => {
    const words = { en: 'The file cannot be opened.', fr: 'Le fichier ne peut pas être ouvert.' };
    throw new FileRefused('unreadable', words, { cause: error });
  });
  const acceptedAt = isoTime(clock.now());
  const { onInvalidRows, strategy, approval } = policyOf(config.policy, profile?.policy);
  return {
    id: batchName(sha256, acceptedAt),
    fileId: sha256,
    sha256,
    fileName: basename(path),
    state: 'taking',
    takenBy: ledger.run,
    paused: false,
    waitingFor: null,
    waitingWords: null,
    onInvalidRows,
    whole: strategy === 'reserve-then-confirm' ? 'reserving' : null,
    // Whoever has to be asked is asked once it is checked and priced.
    approval: approval === 'none' ? { kind: 'not-asked', upTo: null } : { kind: 'open' },
    sandbox: isSandbox,
    rows: 0,
    contentFingerprint: null,
    acceptedAt,
    startedAt: acceptedAt,
    finishedAt: null,
  };
}

/** Nothing is sent for the same bytes again; their owner is told when they came first. */
async function tellDuplicate(
  { workspace, config }: Paydrop,
  fileName: string,
  earlier: BatchRecord,
): Promise<Taken> {
  const name = answerName(fileName, earlier.id, 'duplicate', 'json');
  await publishJson({ outbox: workspace.outbox, folder: null }, name, {
    batch: earlier.id,
    file: { name: fileName, sha256: earlier.sha256 },
    code: 'same_bytes',
    reason: say(takenBefore(earlier, sameWords(earlier.fileName)), config.language),
    earlier: { batch: earlier.id, acceptedAt: earlier.acceptedAt, file: earlier.fileName },
  });
  return { kind: 'repeated', batch: earlier, answer: name };
}

/** `as` is what it was taken as: its batch, or the name that its file had. */
export function takenBefore({ acceptedAt }: BatchRecord, as: Words): Words {
  const date = acceptedAt.slice(0, 10);
  return {
    en: `The same file was taken on ${date} as ${as.en}. Nothing was sent.`,
    fr: `Le même fichier a été pris en charge le ${date} (${as.fr}). Rien n'a été envoyé.`,
  };
}
