// How a batch is called: the day of its acceptance and the start of its file's hash, so that a person can tell both from every answer's name.

/** The form of a batch's name, wherever it stands in a text. */
export const BATCH_FORM = /\d{8}-[0-9a-f]{8}(?:[0-9a-f]{4}){0,14}(?:-\d{1,8})?/;

/** A batch's name and nothing else. */
export const BATCH_NAME = new RegExp(`^${BATCH_FORM.source}$`);

/** Which time the bytes of a file are paid, from `1`; of a file that stands for every time of a schedule, the day of that time, `yyyy-mm-dd`. */
export type Occurrence = string;

export const FIRST: Occurrence = '1';

/** The file id: the hash of the bytes, and from the second time on that the same bytes are paid on purpose, which time it is. */
export function fileIdOf(sha256: string, occurrence: Occurrence): string {
  return occurrence === FIRST ? sha256 : `${sha256}#${occurrence}`;
}

/** Which time the bytes of this file id are paid. */
export function occurrenceOf(fileId: string): Occurrence {
  return fileId.split('#')[1] ?? FIRST;
}

/** True for the day of a schedule, as against a count. */
export function isDay(occurrence: Occurrence): boolean {
  return occurrence.includes('-');
}

/** Hex digits of the file id in a name, and how many more where another file has the name already. */
export const NAME_DIGITS = { least: 8, more: 4 } as const;

/**
 * `<yyyymmdd>-<first 8 hex digits of the file id>`, the date in UTC, and `-2`, `-3`…, or the day of the schedule, for the same bytes again, which
 * may come on one day. Two files can be made whose names agree; `digits` tells them apart.
 */
export function batchName(fileId: string, acceptedAt: string, digits: number = NAME_DIGITS.least): string {
  const occurrence = occurrenceOf(fileId);
  const day = acceptedAt.slice(0, 10).replaceAll('-', '');
  return `${day}-${fileId.slice(0, digits)}${occurrence === FIRST ? '' : `-${occurrence.replaceAll('-', '')}`}`;
}

/** Which time a batch of this name is, when its file may have this hash; null when it is of another file. */
export function occurrenceIn(batch: string, sha256: string): Occurrence | null {
  const [, start, occurrence = FIRST] = batch.split('-');
  // Nobody pays the same bytes ten million times: eight digits are a day.
  return start !== undefined && sha256.startsWith(start)
    ? occurrence.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
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
