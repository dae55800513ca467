// How an answer in the outbox is called, and what its name tells of it: who brings answers to other houses and who removes old ones go by the
// names alone.
import { approvalName, BATCH_FORM } from './batch-name.ts';

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
  `^(?:(?<stem>.+)\\.)?(?<batch>${BATCH_FORM.source})\\.(?<kind>approve\\.refused|[a-z]+)(?:-(?<version>\\d{1,6}))?\\.[a-z]+$`,
);

/** Null for a name that is not of an answer. */
export function readAnswerName(name: string): AnswerName | null {
  const { stem = '', batch = '', kind = '', version = '1' } = FORM.exec(name)?.groups ?? {};
  if (batch === '' || (stem === '' && kind !== APPROVAL_REFUSED)) return null;
  return { stem, batch, hashStart: batch.split('-')[1] ?? '', kind, version: Number(version) };
}
