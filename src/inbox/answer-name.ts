// The names of batches and of answers. The carrier of answers to other systems and the removal of old answers rely on the names alone. A batch's
// name has its day of acceptance and the start of its file's hash, so that a person can see both in the name of each answer.

import { createHash } from 'node:crypto';

/** The form of a batch's name, anywhere in a text. */
const BATCH_FORM = /\d{8}-[0-9a-f]{8}(?:[0-9a-f]{4}){0,14}(?:-\d{1,8}(?:-\d{1,7})?)?/;

/** A batch's name and nothing else. */
export const BATCH_NAME = new RegExp(`^${BATCH_FORM.source}$`);

/**
 * Which time the same bytes are paid, counted from `1`. For a standing file: the day of the schedule, `yyyy-mm-dd`. Earlier releases had one
 * occurrence a day of a message that names several; from the second time on the count follows the day: `2026-11-28#2`.
 */
export type Occurrence = string;

export const FIRST: Occurrence = '1';

/** The file id: the hash of the bytes; if a person pays the same bytes again on purpose, also the count. */
export function fileIdOf(sha256: string, occurrence: Occurrence): string {
  return occurrence === FIRST ? sha256 : `${sha256}#${occurrence}`;
}

/** The occurrence in a file id. */
export function occurrenceOf(fileId: string): Occurrence {
  return /#(.*)$/.exec(fileId)?.[1] ?? FIRST;
}

/** True for a day, false for a count. */
export function isDay(occurrence: Occurrence): boolean {
  return occurrence.includes('-');
}

/** The day of an occurrence that has one, and its count. */
export function splitDay(occurrence: Occurrence): readonly [day: string, time: Occurrence] {
  const [day = '', time = FIRST] = occurrence.split('#');
  return [day, time];
}

/** Hex digits of the file id in a name, and how many more are added when another file already has the name. */
export const NAME_DIGITS = { least: 8, more: 4 } as const;

/**
 * `<yyyymmdd>-<first 8 hex digits of the file id>`, the date in UTC. The same bytes again, possibly on the same day, add `-2`, `-3`…, or the day
 * of the schedule. Two files can be made whose names agree; more `digits` tell them apart.
 */
export function batchName(fileId: string, acceptedAt: string, digits: number = NAME_DIGITS.least): string {
  const occurrence = occurrenceOf(fileId);
  const day = acceptedAt.slice(0, 10).replaceAll('-', '');
  return `${day}-${fileId.slice(0, digits)}${occurrence === FIRST ? '' : `-${occurrence.replaceAll('-', '').replace('#', '-')}`}`;
}

/** The occurrence of a batch with this name, if its file may have this hash; null if it is another file's. */
export function occurrenceIn(batch: string, sha256: string): Occurrence | null {
  const [, start, occurrence = FIRST, time] = batch.split('-');
  const counted = time === undefined ? '' : `#${time}`;
  // Nobody pays the same bytes ten million times, so eight digits are a day.
  return start !== undefined && sha256.startsWith(start)
    ? occurrence.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') + counted
    : null;
}

/** The name of the file that approves a batch. */
export function approvalName(batch: string): string {
  return `${batch}.approve`;
}

/** The batch that a file of this name approves, as in `20261120-3f9a2c11.approve`; null for any other file. */
export function approvedIn(name: string): string | null {
  const batch = name.replace(/\.approve$/i, '');
  return batch !== name && BATCH_NAME.test(batch) ? batch : null;
}

/** A file name has at most 255 bytes, and the part after the stem takes up to sixty of them. */
const STEM_BYTES_MAX = 190;

/** `<stem>.<batch>.<kind>.<ext>`. */
export function answerName(fileName: string, batch: string, kind: string, extension: string): string {
  return `${stemOf(fileName)}.${batch}.${kind}.${extension}`;
}

/** The file's own name, without characters that move the cursor of a terminal, cut to what fits. */
function stemOf(fileName: string): string {
  const stem = fileName.replace(/\.[^.]*$/, '').replace(/[\p{Cc}\p{Cf}]/gu, '_');
  let bytes = 0;
  const fitting = Array.from(stem).filter((char) => (bytes += Buffer.byteLength(char)) <= STEM_BYTES_MAX);
  return fitting.join('');
}

/** The most that the schemas of status messages allow. */
const MESSAGE_ID_CHARS = 35;

/**
 * The unique id inside a status message (`S`) or a debit advice (`D`). After a rebuild the earlier numbers may be forgotten, so `rebuiltAt` (ISO) makes the new ids different. An id that
 * would be too long is shortened by a hash.
 */
export function messageId(kind: 'S' | 'D', batch: string, number: number, rebuiltAt?: string): string {
  const since = rebuiltAt === undefined ? '' : `-R${rebuiltAt.replace(/\D/g, '').slice(0, 12)}`;
  const whole = `${batch}${since}-${kind}${String(number)}`;
  if (whole.length <= MESSAGE_ID_CHARS) return whole;
  const hash = createHash('sha256').update(`${batch}${since}`).digest('hex').slice(0, 16);
  return `${batch.slice(0, 8)}-${hash}-${kind}${String(number)}`;
}

/** The kind of the answer to an approval that was not accepted. */
export const APPROVAL_REFUSED = 'approve.refused';

/** @param account the SFTP account that brought the approval, so that no other account gets the answer; null when it came another way. */
export function approvalRefusedName(batch: string, account: string | null): string {
  return `${account === null ? '' : `${account}.`}${approvalName(batch)}.refused.json`;
}

export type AnswerName = {
  /** Empty where there is none. */
  readonly stem: string;
  readonly batch: string;
  /** The hash of the file begins so. */
  readonly hashStart: string;
  readonly kind: string;
  readonly version: number;
};

/** From the second version on, with the number of the answers. */
const FORM = new RegExp(
  `^(?:(?<stem>.+)\\.)?(?<batch>${BATCH_FORM.source})\\.(?<kind>approve\\.refused|[a-z]+|camt054)(?:-(?<version>\\d{1,6}))?\\.[a-z]+$`,
);

/** Null for a name that is not an answer's. */
export function readAnswerName(name: string): AnswerName | null {
  const { stem = '', batch = '', kind = '', version = '1' } = FORM.exec(name)?.groups ?? {};
  if (batch === '' || (stem === '' && kind !== APPROVAL_REFUSED)) return null;
  return { stem, batch, hashStart: batch.split('-')[1] ?? '', kind, version: Number(version) };
}
