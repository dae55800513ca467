// Whether an answer can be meant for the question that stands now. The person may have looked at an earlier one, and a file that approves may have
// lain, or been on its way, while another was asked: of a stopped daemon, or of a server that is looked at now and then, nobody knows for how long.
import { createHash } from 'node:crypto';

import type { Words } from '../../../base/language.ts';
import { type Asked, questionDigest } from '../../../ledger/approval.ts';
import { sentence } from '../../../messages/messages.ts';

/** The coarsest disks keep the time of a file in steps of two seconds. */
const STEP_MS = 2_000;

/** Enough that no two questions of one office are called alike, and few enough to be typed. */
const CODE_DIGITS = 6;

/** What an answer says of the question that it answers; null for what it does not say. */
export type SaidOfQuestion = {
  readonly question: string | null;
  /** As `questionDigest` has it. */
  readonly digest?: string;
  /** Of the file that was looked at, in full. */
  readonly sha256: string | null;
  /** When a file that answers was last written; null for a person who answers what stands there. */
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

/** What this question alone is called: no other one about any file has the same file, count and time. */
export function questionCode({
  sha256,
  round,
  askedAt,
}: Pick<Asked, 'sha256' | 'round' | 'askedAt'>): string {
  const hash = createHash('sha256')
    .update(`${sha256}/${String(round)}/${askedAt}`)
    .digest('hex');
  return hash.slice(0, CODE_DIGITS);
}

/** Null when it can. Clocks differ, and a transfer may give a file the time of its arrival: where there may have been another question, its time alone shows nothing. */
export function doubtOf(
  batch: string,
  asked: Asked,
  { question, digest, sha256, writtenAtMs }: SaidOfQuestion,
): Doubt | null {
  if (sha256 !== null && sha256 !== asked.sha256)
    return {
      code: 'approval_other_file',
      words: sentence('matchesRequest.otherFile', { sha256: asked.sha256 }),
    };
  if (digest !== undefined && digest !== questionDigest(batch, asked))
    return { code: 'approval_outdated', words: sentence('matchesRequest.differs', about(asked)) };
  if (question !== null && question !== questionCode(asked))
    return { code: 'approval_question_differs', words: sentence('matchesRequest.differs', about(asked)) };
  if (writtenAtMs !== null && writtenAtMs <= Date.parse(asked.askedAt) - STEP_MS)
    return { code: 'approval_older', words: olderWords(asked) };
  return mayFollowAnother(asked) && question === null && digest === undefined
    ? { code: 'approval_question_missing', words: sentence('matchesRequest.missing', about(asked)) }
    : null;
}

/** True where somebody may have looked at an earlier question about the same file. */
export function mayFollowAnother({
  mayFollowAnother: may,
  round,
}: Pick<Asked, 'mayFollowAnother' | 'round'>): boolean {
  return may ?? round > 1;
}

function about(asked: Asked) {
  return { code: questionCode(asked), preview: asked.preview };
}

function olderWords(asked: Asked): Words {
  return sentence('matchesRequest.older', { askedAt: asked.askedAt, ...about(asked) });
}
