// Whether an answer can be meant for the present question. The person may have seen an earlier one, and an approving file may have waited, or been
// on its way, while another was asked: with a stopped daemon, or a server that is polled, nobody knows for how long.
import { createHash } from 'node:crypto';

import type { Words } from '../../../base/language.ts';
import { type Asked, questionDigest } from '../../../ledger/approval.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';

/** The coarsest disks store file times in steps of two seconds. */
const STEP_MS = 2_000;

/** Long enough to be unique within one office, and short enough to be typed. */
const CODE_DIGITS = 6;

/** What an answer says about its question; null for what it does not say. */
export type SaidOfQuestion = {
  readonly question: string | null;
  /** In the form of `questionDigest`. */
  readonly digest?: string;
  /** The full hash of the file that the person looked at. */
  readonly sha256: string | null;
  /** When an approving file was last written; null for a person who answers the question on record. */
  readonly writtenAtMs: number | null;
};

type Doubt = {
  readonly code:
    | 'approval_other_file'
    | 'approval_outdated'
    | 'approval_question_differs'
    | 'approval_older'
    | 'approval_question_missing';
  readonly words: Words;
};

/** The code of this question alone: no other question has the same file, count and time. */
export function questionCode(
  { sha256 }: Pick<BatchRecord, 'sha256'>,
  { round, askedAt }: Pick<Asked, 'round' | 'askedAt'>,
): string {
  const hash = createHash('sha256')
    .update(`${sha256}/${String(round)}/${askedAt}`)
    .digest('hex');
  return hash.slice(0, CODE_DIGITS);
}

/**
 * Null when it can be. Clocks differ, and a transfer may give a file the time of its arrival: where there may have been another question, the
 * file's time proves nothing.
 */
export function mismatchOf(
  batch: Pick<BatchRecord, 'id' | 'sha256'>,
  asked: Asked,
  { question, digest, sha256, writtenAtMs }: SaidOfQuestion,
): Doubt | null {
  const about = { code: questionCode(batch, asked), preview: asked.preview };
  if (sha256 !== null && sha256 !== batch.sha256)
    return {
      code: 'approval_other_file',
      words: sentence('matchesRequest.otherFile', { sha256: batch.sha256 }),
    };
  if (digest !== undefined && digest !== questionDigest(batch, asked))
    return { code: 'approval_outdated', words: sentence('matchesRequest.differs', about) };
  if (question !== null && question !== about.code)
    return { code: 'approval_question_differs', words: sentence('matchesRequest.differs', about) };
  if (writtenAtMs !== null && writtenAtMs <= Date.parse(asked.askedAt) - STEP_MS)
    return {
      code: 'approval_older',
      words: sentence('matchesRequest.older', { askedAt: asked.askedAt, ...about }),
    };
  return asked.mayFollowAnother && question === null && digest === undefined
    ? { code: 'approval_question_missing', words: sentence('matchesRequest.missing', about) }
    : null;
}
