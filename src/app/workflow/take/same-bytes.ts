// Which batch already has the bytes of a file, and which occurrence of them is the next: by file id, by claim, by the name inside a message.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

import { isoTime } from '../../../base/clock.ts';
import {
  batchName,
  fileIdOf,
  isDay,
  type Occurrence,
  occurrenceOf,
  splitDay,
} from '../../../inbox/answer-name.ts';
import { standingManifest } from '../../../inbox/manifest.ts';
import { type DroppedFile, findTakenFile, hashFile } from '../../../inbox/take-file.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isStanding } from '../../../ledger/encounters.ts';
import { LeaseLost } from '../../../ledger/ledger-unusable.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import { isMessage, messageNameOf, refusedByStart } from '../../../rows/formats.ts';
import { policyOf } from '../../config/policy.ts';
import type { FileProfile } from '../../config/profile-file.ts';
import type { Paydrop } from '../../parts.ts';
import { profileDigest } from '../batch/profile-for.ts';
import { messageDay, readOptions, submittersOf } from '../batch/read-batch-file.ts';

/** The batch that counts for these bytes: under this file id, for a standing file, or for a day of a message that an earlier release has taken. */
export async function sameBytes(
  paydrop: Paydrop,
  { fileId, sha256 }: BatchRecord,
): Promise<BatchRecord | null> {
  const counts = (batch: BatchRecord) => !isNothing(paydrop, batch);
  const known = await paydrop.ledger.batch({ fileId });
  const same = (await paydrop.ledger.batches({ sha256 })).filter(counts);
  // Of what was sent back and brought again, the last says how it stands.
  if (known !== null && counts(known))
    return (await isSentBack(paydrop, known)) ? (same.at(-1) ?? null) : known;
  const time = occurrenceOf(fileId);
  const ofDay = same.find((batch) => messageDay(batch) !== null && timeOf(batch) === Number(time));
  if (ofDay !== undefined || fileId !== sha256) return ofDay ?? null;
  return same.findLast(({ payAt }) => payAt?.standing !== undefined) ?? null;
}

/** Banks ask that the id of a message be unique for three months. */
const MESSAGE_NAME_DAYS = 90;

/**
 * Throws `FileRefused` for a message with the id of one that was taken: a program that exports the same payments once more gives them the same
 * id and other bytes. Its rows are recognised by their references all the same.
 */
export async function assertMessageIsNew(
  paydrop: Paydrop,
  path: string,
  { sha256, acceptedAt }: Pick<BatchRecord, 'sha256' | 'acceptedAt'>,
): Promise<void> {
  const options = readOptions(paydrop.config, null, null);
  const name = await messageNameOf(path, options);
  if (name === null) return;
  const from = isoTime(Date.parse(acceptedAt) - MESSAGE_NAME_DAYS * DAY_MS);
  const { ledger } = paydrop;
  // What a file says is on record once it is read; of those that are being read, the files have it.
  const unread = (await ledger.batches({ toLookAt: 0 })).filter(({ content }) => content === null);
  const read = await ledger.batches({ messagesSince: from });
  for (const batch of [...read, ...unread])
    if (
      batch.sha256 !== sha256 &&
      !isNothing(paydrop, batch) &&
      (batch.content?.message ?? (await takenName(paydrop, batch))) === name &&
      !(await isSentBack(paydrop, batch))
    )
      throw new FileRefused(
        'message_repeated',
        sentence('messageName.repeated', {
          msgId: name.split('\n')[0] ?? '',
          date: batch.acceptedAt.slice(0, 10),
          batch: batch.id,
        }),
      );
}

const DAY_MS = 86_400_000;

/** The message id inside a taken file; null where it has none, or can no longer be read. */
async function takenName(
  { workspace, config }: Paydrop,
  { fileName, sha256, id }: BatchRecord,
): Promise<string | null> {
  const file = isMessage(fileName) ? await findTakenFile(fileName, sha256, id, workspace) : null;
  if (file === null) return null;
  return messageNameOf(file.path, readOptions(config, null, null)).catch((error: unknown) => {
    if (error instanceof FileRefused) return null;
    throw error;
  });
}

/**
 * The batch under the next free occurrence; under the last one while that is not finished, so that nobody pays twice out of impatience. A claimed file
 * belongs to the batch that its claim has become. The batch and the occurrence come from one look: so of two that take the same file, the later one
 * finds the earlier there, or asks for the very file id that the ledger gives to only one.
 */
export async function nextOccurrence(
  paydrop: Paydrop,
  batch: BatchRecord,
  claim: string | undefined,
): Promise<BatchRecord> {
  const all = await paydrop.ledger.batches({ sha256: batch.sha256 });
  const same = all.filter(({ state }) => state !== 'refused');
  const open = same.find(({ state }) => state !== 'closed');
  const known = (claim === undefined ? null : await claimed(paydrop, same, claim)) ?? open;
  if (known !== undefined) return { ...batch, fileId: known.fileId, id: known.id };
  return atOccurrence(batch, String(Math.max(0, ...same.map(timeOf)) + 1));
}

/**
 * The next occurrence of bytes of which every batch was sent back, with nothing paid; null for any others. It comes from one look, as `nextOccurrence`: whoever
 * takes them meanwhile has this very file id.
 */
export async function afterSendBack(paydrop: Paydrop, batch: BatchRecord): Promise<BatchRecord | null> {
  const all = await paydrop.ledger.batches({ sha256: batch.sha256 });
  const same = all.filter((each) => !isNothing(paydrop, each));
  for (const each of same) if (!(await isSentBack(paydrop, each))) return null;
  return same.length === 0 ? null : atOccurrence(batch, String(Math.max(...same.map(timeOf)) + 1));
}

/** Closed for whoever brought it to bring it again, with nothing of it paid that could still be: rows of the same bytes are not compared with each other. */
async function isSentBack({ ledger }: Paydrop, { id, state, approval }: BatchRecord): Promise<boolean> {
  if (state !== 'closed' || approval?.kind !== 'asked' || approval.declined?.sendsBack !== true) return false;
  for await (const { progress } of batchRows(ledger, id)) if (isStanding(progress)) return false;
  return approval.sent.length === 0;
}

/** The batch that a claim has become, whichever run took it: its manifest says where it came from. */
export async function batchOfClaim(paydrop: Paydrop, of: string, claim: string): Promise<BatchRecord | null> {
  return claimed(paydrop, await paydrop.ledger.batches({ sha256: of }), claim);
}

/** Throws `LeaseLost` while another paydrop is taking the batch: that may still fail, and then the bytes are needed where they came from. */
export function takenId({ id, state }: BatchRecord): string {
  if (state === 'taking') throw new LeaseLost(id);
  return id;
}

async function claimed(
  paydrop: Paydrop,
  batches: readonly BatchRecord[],
  claim: string,
): Promise<BatchRecord | null> {
  for (const batch of batches)
    if (!isNothing(paydrop, batch) && (await standingManifest(paydrop.workspace, batch.id))?.claim === claim)
      return batch;
  return null;
}

/** The record of the same file at another occurrence. */
export function atOccurrence(batch: BatchRecord, occurrence: Occurrence): BatchRecord {
  const fileId = fileIdOf(batch.sha256, occurrence);
  return { ...batch, fileId, id: batchName(fileId, batch.acceptedAt) };
}

/** A batch that was refused, or whose taking was interrupted, does not block its own bytes. */
export function isNothing({ ledger }: Paydrop, { state, owner }: BatchRecord): boolean {
  return state === 'refused' || (state === 'taking' && !ledger.runs.isElsewhere(owner));
}

// The record of a batch before its file is taken.

/**
 * The record of a batch that is about to be taken. Every file, through any door, is hashed here, except one that is refused by its size or its start.
 * Throws `FileRefused` for such a file, and for one that cannot be opened.
 */
export async function announced(
  paydrop: Paydrop,
  path: string,
  profile: FileProfile | null,
): Promise<BatchRecord> {
  const refused = await refusedByStart(path, readOptions(paydrop.config, null, null));
  if (refused !== null) throw refused.refusal;
  return recordOf(paydrop, path, await hashed(path), profile);
}

/** The same of a file that somebody brings, with the people who are known to have brought it. */
export async function announcedBy(
  paydrop: Paydrop,
  file: DroppedFile,
  profile: FileProfile | null,
): Promise<BatchRecord> {
  const submittedBy = await submittersOf(paydrop, file);
  const record = await announced(paydrop, file.path, profile);
  return submittedBy.length === 0 ? record : { ...record, submittedBy };
}

/** The record of a file that is refused. One that nobody read to its end has no hash; its name comes from its size and its start. */
export async function announcedRefused(paydrop: Paydrop, path: string): Promise<BatchRecord> {
  const refused = await refusedByStart(path, readOptions(paydrop.config, null, null));
  if (refused === null) return recordOf(paydrop, path, await hashed(path), null);
  const seen = createHash('sha256')
    .update(`${String(refused.bytes)}\n`)
    .update(refused.start);
  return { ...recordOf(paydrop, path, seen.digest('hex'), null), sha256: UNREAD };
}

/** In place of the hash of a file that was refused by its start or its size. */
const UNREAD = '';

export function isUnread({ sha256 }: Pick<BatchRecord, 'sha256'>): boolean {
  return sha256 === UNREAD;
}

function hashed(path: string): Promise<string> {
  return hashFile(path).catch((error: unknown) => {
    const words = sentence('takeBatch.announced');
    throw new FileRefused('unreadable', words, { cause: error });
  });
}

function recordOf(
  { clock, config, isSandbox }: Paydrop,
  path: string,
  fileId: string,
  profile: FileProfile | null,
): BatchRecord {
  const acceptedAt = isoTime(clock.now());
  const { onInvalidRows, strategy, approval } = policyOf(config.policy, profile?.policy);
  return {
    id: batchName(fileId, acceptedAt),
    fileId,
    sha256: fileId,
    fileName: basename(path),
    profileDigest: profileDigest(profile),
    onInvalidRows,
    whole: strategy === 'reserve-then-confirm' ? 'reserving' : null,
    // The approvers are asked once it is checked and priced.
    approval: approval === 'none' ? { kind: 'not-asked', upTo: null } : { kind: 'open' },
    sandbox: isSandbox,
    acceptedAt,
    ...ANNOUNCED,
  };
}

/** The same for every batch before its file is taken. */
const ANNOUNCED = {
  state: 'taking',
  owner: null,
  token: 0,
  wait: null,
  decisions: [],
  rows: 0,
  content: null,
  finished: null,
} as const;

/** How many times the bytes of a batch have been paid on purpose; 0 for a standing file. */
export function timeOf(batch: Pick<BatchRecord, 'fileId' | 'fileName'>): number {
  const occurrence = occurrenceOf(batch.fileId);
  if (!isDay(occurrence)) return Number(occurrence);
  return messageDay(batch) === null ? 0 : Number(splitDay(occurrence)[1]);
}
