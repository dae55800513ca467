// How an answer in the outbox is called, and what its name tells of it: who brings answers to other houses and who removes old ones go by the
// names alone.
// How a batch is called: the day of its acceptance and the start of its file's hash, so that a person can tell both from every answer's name.

import { createHash } from 'node:crypto';

/** The form of a batch's name, wherever it stands in a text. */
const BATCH_FORM = /\d{8}-[0-9a-f]{8}(?:[0-9a-f]{4}){0,14}(?:-\d{1,8}(?:-\d{1,7})?)?/;

/** A batch's name and nothing else. */
export const BATCH_NAME = new RegExp(`^${BATCH_FORM.source}$`);

/**
 * Which time the bytes of a file are paid, from `1`; of a file that stands for every time of a schedule, the day of that time, `yyyy-mm-dd`. Of a message that
 * names several days each day is one, and from the second time on the count stands behind it: `2026-11-28#2`.
 */
export type Occurrence = string;

export const FIRST: Occurrence = '1';

/** The file id: the hash of the bytes, and from the second time on that the same bytes are paid on purpose, which time it is. */
export function fileIdOf(sha256: string, occurrence: Occurrence): string {
  return occurrence === FIRST ? sha256 : `${sha256}#${occurrence}`;
}

/** Which time the bytes of this file id are paid. */
export function occurrenceOf(fileId: string): Occurrence {
  return /#(.*)$/.exec(fileId)?.[1] ?? FIRST;
}

/** True for a day, as against a count. */
export function isDay(occurrence: Occurrence): boolean {
  return occurrence.includes('-');
}

/** A day of the bytes that are paid for this time. */
export function onDayOf(occurrence: Occurrence, day: string): Occurrence {
  return occurrence === FIRST ? day : `${day}#${occurrence}`;
}

/** The day of an occurrence that is one, and which time it is. */
export function splitDay(occurrence: Occurrence): readonly [day: string, time: Occurrence] {
  const [day = '', time = FIRST] = occurrence.split('#');
  return [day, time];
}

/** The name that the batches of all days of a message share, of any of theirs; any other name stays as it is. */
export function withoutDay(batch: string): string {
  return batch.replace(/^(\d{8}-[0-9a-f]+)-\d{8}(?=-|$)/, '$1');
}

/** Hex digits of the file id in a name, and how many more where another file has the name already. */
export const NAME_DIGITS = { least: 8, more: 4 } as const;

/**
 * `<yyyymmdd>-<first 8 hex digits of the file id>`, the date in UTC, and `-2`, `-3`…, or the day of the schedule, for the same bytes again, which
 * may come on one day; of a message of several days both. Two files can be made whose names agree; `digits` tells them apart.
 */
export function batchName(fileId: string, acceptedAt: string, digits: number = NAME_DIGITS.least): string {
  const occurrence = occurrenceOf(fileId);
  const day = acceptedAt.slice(0, 10).replaceAll('-', '');
  return `${day}-${fileId.slice(0, digits)}${occurrence === FIRST ? '' : `-${occurrence.replaceAll('-', '').replace('#', '-')}`}`;
}

/** Which time a batch of this name is, when its file may have this hash; null when it is of another file. */
export function occurrenceIn(batch: string, sha256: string): Occurrence | null {
  const [, start, occurrence = FIRST, time] = batch.split('-');
  const counted = time === undefined ? '' : `#${time}`;
  // Nobody pays the same bytes ten million times: eight digits are a day.
  return start !== undefined && sha256.startsWith(start)
    ? occurrence.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') + counted
    : null;
}

/** The file by which a batch is approved. */
export function approvalName(batch: string): string {
  return `${batch}.approve`;
}

/** The batch that a file of this name approves, as in `20261120-3f9a2c11.approve`; null for any other file. */
export function approvedIn(name: string): string | null {
  const batch = name.replace(/\.approve$/i, '');
  return batch !== name && BATCH_NAME.test(batch) ? batch : null;
}

/** A file name has 255 bytes at most, and what stands behind the stem takes up to sixty of them. */
const STEM_BYTES_MAX = 190;

/** `<stem>.<batch>.<kind>.<ext>`. */
export function answerName(fileName: string, batch: string, kind: string, extension: string): string {
  return `${stemOf(fileName)}.${batch}.${kind}.${extension}`;
}

/** The file's own, without what would move the cursor of who lists the folder, and as much of it as fits. */
function stemOf(fileName: string): string {
  const stem = fileName.replace(/\.[^.]*$/, '').replace(/[\p{Cc}\p{Cf}]/gu, '_');
  let bytes = 0;
  const fitting = Array.from(stem).filter((char) => (bytes += Buffer.byteLength(char)) <= STEM_BYTES_MAX);
  return fitting.join('');
}

/** What the schemas of status messages have room for. */
const MESSAGE_ID_CHARS = 35;

/**
 * The name inside a status message (`S`) or a debit advice (`D`), which no second one may bear. `rebuiltAt` (ISO) tells those that follow a rebuild from those before it, whose numbers may
 * be forgotten; a name that would be too long is shortened by a hash.
 */
export function messageId(kind: 'S' | 'D', batch: string, number: number, rebuiltAt?: string): string {
  const since = rebuiltAt === undefined ? '' : `-R${rebuiltAt.replace(/\D/g, '').slice(0, 12)}`;
  const whole = `${batch}${since}-${kind}${String(number)}`;
  if (whole.length <= MESSAGE_ID_CHARS) return whole;
  const hash = createHash('sha256').update(`${batch}${since}`).digest('hex').slice(0, 16);
  return `${batch.slice(0, 8)}-${hash}-${kind}${String(number)}`;
}

/** The kind of the answer to an approval that was not obeyed. */
export const APPROVAL_REFUSED = 'approve.refused';

/** @param account that brought the approval, so that nobody else is answered in its place; null when it came another way. */
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

/** From the second on with the number of the answers. */
const FORM = new RegExp(
  `^(?:(?<stem>.+)\\.)?(?<batch>${BATCH_FORM.source})\\.(?<kind>approve\\.refused|[a-z]+|camt054)(?:-(?<version>\\d{1,6}))?\\.[a-z]+$`,
);

/** Null for a name that is not of an answer. */
export function readAnswerName(name: string): AnswerName | null {
  const { stem = '', batch = '', kind = '', version = '1' } = FORM.exec(name)?.groups ?? {};
  if (batch === '' || (stem === '' && kind !== APPROVAL_REFUSED)) return null;
  return { stem, batch, hashStart: batch.split('-')[1] ?? '', kind, version: Number(version) };
}
